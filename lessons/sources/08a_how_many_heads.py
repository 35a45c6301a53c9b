# %% [markdown]
# # How many heads: how many does a text need?
#
# In lesson 08 four letters were to be named, and four heads were enough. A text does not say how many things its
# next letter depends on. So how many heads should a model get, and how many of them does it need afterwards?
#
# **You will be able to** say what more heads cost and what they bring, take heads away from a trained model, and
# explain why “this head is worth 0.03” is only half the story.
#
# **You should know** lesson 08, and the causal mask (06).

# %%
import torch

from attnlab import causal, fit, measured, record, trained
from attnlab.analysis import mean_and_range, text_patterns
from attnlab.tasks.text import Text
from attnlab.tasks.text_heads import held_out_loss, letter_gpt, loss_of_text
from attnlab.training import weights_of
from widgets import Bertviz, Chart, NumberOfHeadsExplorer, Table, TextHeadAblationExplorer, Training, guess
from widgets import curve, figure

torch.set_num_threads(1)  # with models this small, two threads wait for each other

# %% [markdown]
# ## 1. What do more heads cost?

# %% tags=["hide-input"]
guess("08a.size", then=NumberOfHeadsExplorer())

# %% [markdown]
# **Try** 1, 2, 4 and 8 **heads**. The maps are the same random numbers each time. One head has one opinion of what the
# last word should read; eight heads have several. What gets smaller is the width in which each of them compares: eight
# heads compare queries and keys in two numbers.
#
# ## 2. What do they bring?
#
# Real text, letter by letter: the reference of the Python language. The model has one layer of width 64 (a Transformer
# block, which lesson 09 takes apart) and must name the next letter. It is cut into 1 to 32 heads: three seeds each, and
# everything else equal, measured by `attnlab/trained/train_text_heads.py`.

# %% tags=["hide-input"]
runs = trained.text_heads()["losses"]
last = {heads: [losses[-1] for losses in seeds] for heads, seeds in runs.items()}
chart = Chart(figure(
    *(curve([losses[seed] for losses in last.values()], [*map(int, last)], "", "context", line_dash=dash)
      for seed, dash in enumerate(["solid", "dash", "dot"])),
    title="One layer, 400 steps, three seeds", x="heads", y="loss on held-out text", xaxis_type="log", height=280,
    xaxis_tickvals=[*map(int, last)], xaxis_ticktext=[*last]))
numbers = Table({
    "heads": [*map(int, last)],
    "width of each": [64 // int(heads) for heads in last],
    "loss, three seeds": [mean_and_range(seeds) for seeds in last.values()],
})

# %% tags=["hide-input"]
guess("08a.number", then=[chart, numbers])

# %% [markdown]
# ## 3. A model of eight heads
#
# Now a model of two layers with four heads each. Train it here.

# %%
text = Text.python_reference()
unseen = text.test(40, 60)  # inputs and targets of 60 windows, held out
gpt = letter_gpt(len(text.vocabulary), heads=4, layers=2)


def start():  # Reset calls it again
    gpt.load_state_dict(letter_gpt(len(text.vocabulary), heads=4, layers=2).state_dict())
    steps = fit(gpt, lambda generator: loss_of_text(gpt, text, generator), steps=400, rate=1e-2)
    return measured(steps, lambda: {"loss": held_out_loss(gpt, *unseen)}, every=25)

# %% tags=["hide-input"]
line = text.encode("return x")[None]
training = Training(
    start, steps=400, watch=lambda: weights_of(gpt, "blocks.0.attention", line)[0], film_every=8, seconds=10,
    name="text", metrics={"loss": "loss on held-out text"}, panel_names=[f"layer 1, head {h}" for h in range(1, 5)],
    query_labels=list("return x"), key_labels=list("return x"), mask=causal(8),
    summary=lambda found: f"Loss on held-out text, nats a letter: {found['loss']:.1f}.")
training

# %% [markdown]
# Press **Start** and watch the heads of the first layer: for a while they read a bit of everything; then one of them
# draws a line beside the diagonal. It reads the letter before.

# %%
training.run()  # trains it now, unless Start has done so

# %% [markdown]
# ## 4. Take heads away
#
# A head that is off finds nothing and writes nothing; nothing is trained again. Take heads away one by one, each time
# the one whose absence costs least.

# %% tags=["hide-input"]
eight = trained.text_heads()["eight heads"]
chart = Chart(figure(
    *(curve([run["loss"], *run["taken"]], range(9), f"seed {seed}", "context", line_dash=dash)
      for seed, (run, dash) in enumerate(zip(eight, ["solid", "dash", "dot"], strict=True))),
    title="Eight heads, taken away one by one, three seeds", x="heads that are off", y="loss on held-out text",
    height=280))

# %% tags=["hide-input"]
def costs_of(run):  # {heads that are off: by how much the loss rises}
    first, second, third, *others = sorted(zip(run["rises"], run["names"], strict=True), reverse=True)
    together = {f"the cheapest {count}": run["taken"][count - 1] - run["loss"] for count in (4, 7, 8)}
    layer = {"layer 1, one by one, in sum": sum(run["rises"][:4]), "layer 1 at once": run["layers"][0]}
    return {
        "the dearest alone": f"+{first[0]:.2f}, {first[1]}",
        "the next two": ", ".join(f"+{rise:.2f} {name}" for rise, name in (second, third)),
        "each other one, at most": f"+{others[0][0]:.2f}",
    } | {heads: f"+{rise:.2f}" for heads, rise in (together | layer).items()} | {"kept longest": run["order"][7]}


found = [costs_of(run) for run in eight]
costs = Table({"heads that are off": [*found[0]],
               **{f"seed {seed}": [*one.values()] for seed, one in enumerate(found)}},
              title="what the loss rises by, in nats")

# %% tags=["hide-input"]
guess("08a.half", then=[chart, costs])

# %% [markdown]
# See it with the model that you trained, on any text:

# %%
sentence = "if x is not None: return x"
patterns = text_patterns(text.vocabulary)
TextHeadAblationExplorer(gpt, text, unseen, patterns, text=sentence, head=4, lock=training.lock)

# %% [markdown]
# **Try.** The curve says how surprised the model is by each letter, now and with all heads on. The note on a switch is
# what its head was measured to read: blanks, signs, the letter before; *diffuse* if it spreads over half of all keys or
# more, *mixed* if it is none of these.
#
# 1. **Press** the head that is named *1 before*. The surprise rises in many places: the model still knows the present
#    letter, and less of the one before it.
# 2. Switch it on again and another one off, then the next, and the next. Watch the loss above the curve.
# 3. Move **look at head** along. A *mixed* head may do something clever that is not on our list: a name says where a
#    head looks, no more.
#
# <details><summary>Think first, then unfold: a head costs 0.00 when it is off. Does it do nothing?</summary>
#
# Perhaps: then it can be left out. Or another head does the same, and stands in for it. Switch off the other one, too,
# and see whether the two together cost more than their two costs added up.
# </details>
#
# ## 5. The same model in BertViz
#
# BertViz, by Jesse Vig, draws a picture of attention that you will often meet: lines instead of a matrix, from the
# token that reads, on the left, to those that are read, on the right, all heads of a layer on top of each other, each
# in a colour.

# %%
with torch.no_grad(), record(gpt) as trace:
    gpt(text.encode(sentence[:17])[None])
Bertviz([trace[name][0].weights for name in trace.names], list(sentence[:17]), view="head")

# %% [markdown]
# **Point** at a letter on the left: its lines alone remain. **Click** a colour to take a head away, **double-click** to
# see it alone. Find the head that reads one before: a ladder of parallel lines. A diffuse head looks like a fan, one
# that reads a certain letter like a star. Lines show the *shape* of a habit at a glance, for up to some thirty tokens;
# in a matrix every weight can be read. Neither knows what a head is good for: that you measured. `view="model"` shows
# all layers at once.
#
# ## What is still open
#
# Back to [lesson 08](08_many_heads.ipynb), and on to **09**: what stands around attention in the blocks used here.
# Heads of real models, and how many of them matter: **lesson 17**.
#
# **Sources.** A. Vaswani et al., *Attention Is All You Need*, 2017, table 3 (A). P. Michel, O. Levy, G. Neubig, *Are
# Sixteen Heads Really Better than One?*, 2019. E. Voita et al., *Analyzing Multi-Head Self-Attention: Specialized Heads
# Do the Heavy Lifting, the Rest Can Be Pruned*, 2019. J. Vig, *A Multiscale Visualization of Attention in the
# Transformer Model*, 2019: BertViz. Task and measurements are ours.
