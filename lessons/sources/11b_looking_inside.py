# %% [markdown]
# # Looking inside: what does a head look for?
#
# Nobody told the heads of a GPT what to do. They were only asked, two million times (1000 steps of 16 · 128 pieces),
# what comes next. What have they found? Here you step through a text and watch single heads, switch them off to see
# which are missed, and catch the small machine that copies. At the end models learn from examples in their prompt, and
# you find out what it is that they have learned.
#
# **You will be able to** find an induction head by a number, distinguish where a head looks from what depends on it,
# take a score apart into what made it, and doubt a model that learns from examples.
#
# **You should know** lesson 11.

# %%
import torch

from attnlab import trained
from widgets import HeadViewExplorer, guess

torch.set_num_threads(1)  # with models this small, two threads wait for each other

# %% [markdown]
# ## 1. Watch it write
#
# This is the model that came with lesson 11: four layers of four heads, trained on the Python language reference. Each
# row of the picture is a piece that it has just read. The row says where one head looks from there, and beside it
# stand the chances of what comes next.

# %% tags=["hide-input"]
writer = trained.reference()
guess("11b.line", then=HeadViewExplorer(writer.model, writer.text, token=8, layer=4, head=1))

# %% [markdown]
# **Try.**
#
# 1. Step through all of the text: where does it look, and from how far? Now put **token** on 8 and switch the head
#    **off**: read off what becomes of ↵.
# 2. **Layer** 1, **head** 3: it skips the small words. Head 2 prefers them.
# 3. Switch off some others, one by one. Most are hardly missed; without a few, ↵ is even more probable.
# 4. Type `the list and the list and the`. Having read the last *the* (**token** 7), head 1 of layer 1 looks at what
#    followed the earlier ones, at *list*. Does it copy? Go back to *and*: it looks there, too, and *list* does not come
#    next. (Lesson 17 has a model that copies.)
#
# **A weight says where a head looks, not what it takes from there, nor whether that is needed.** To learn whether it
# is needed, switch it off.
#
# ## 2. A machine that copies
#
# Take up the last question where the answer can be known. Random letters, then the same letters again, and again until
# the text is full: *qkzvb qkzvb qkz*. No letter of the first round can be predicted. In the second (and in what
# follows, which we count with it) nearly every letter can, by looking back: *where was the present letter before, and
# what came after it there?* (Some letters stand twice in a round; then the letter before it tells which.) How long a
# round is differs from text to text, so that counting back a fixed distance does not help. The models are nothing but
# attention: two heads a layer, no feed-forward network.

# %%
import string
from functools import partial

from attnlab import causal, fit, measured
from attnlab.analysis import without
from attnlab.exercises import check, hint
from attnlab.optimisers import adamw
from attnlab.tasks import Characters, LetterMapping, Repeated, Votes
from attnlab.tasks.copier import copier, foreseen, loss_of_copy
from attnlab.tasks.few_shot import accuracy
from attnlab.tasks.induction import after_copy, looked_up, previous, share
from attnlab.training import weights_of
from widgets import Chart, ScoreSourcesExplorer, Table, Training, bars, curve, figure, points

# %%
task, letters = Repeated(symbols=26), Characters(string.ascii_lowercase)
test = task.batch(64, torch.Generator().manual_seed(99))
print(letters.decode(test.inputs[0]), "  period", int(test.period[0]))


def train(model, seed=0):
    return fit(model, partial(loss_of_copy, model, task), 200, rate=6e-3, seed=seed,
               optimiser=partial(adamw, betas=(0.9, 0.98)))


def looks(model, layer):  # of each head: weight on the previous place, and after the earlier copy
    weights = weights_of(model, f"blocks.{layer}.attention", test.inputs)  # [batch, heads, queries, keys]
    return share(weights, previous(47)), share(weights, after_copy(test.period, 47))

# %% tags=["hide-input"]
two = copier(task, layers=2)
one_text = letters.encode("qwertyuiqwertyuiq")[None]

# %% tags=["hide-input"]
def begin():  # Reset calls it again
    two.load_state_dict(copier(task, 2).state_dict())
    return measured(train(two), lambda: {
        "right": foreseen(two, test).right,
        "previous": looks(two, 0)[0].max(),
        "after": looks(two, 1)[1].max(),
    }, every=10)

# %% tags=["hide-input"]
def watch():  # layer 1: the head most on the previous place; layer 2: most after the copy
    best = [looks(two, layer)[layer].argmax() for layer in range(2)]
    return torch.stack([weights_of(two, f"blocks.{layer}.attention", one_text)[0][best[layer]]
                        for layer in range(2)])  # [2 panels, queries, keys]

# %% tags=["hide-input"]
copying = Training(
    begin, steps=200, watch=watch, film_every=5, seconds=5, name="induction",
    metrics={"right": "second round right", "previous": "1: previous place",
             "after": "2: after the copy"},
    query_labels=list("qwertyuiqwertyuiq"), key_labels=list("qwertyuiqwertyuiq"),
    panel_names=["layer 1: most on the previous place", "layer 2: most after the copy"], mask=causal(17),
)
found = trained.copiers()["models"]
seeds = Table({
    "model": list(found),
    "second round right": [runs["right"] for runs in found.values()],
    "best induction score": [runs["score"] for runs in found.values()],
}, title="Three seeds", roles={"second round right": "value", "best induction score": "key"})

# %% tags=["hide-input"]
guess("11b.layers", then=[copying, ..., seeds])

# %% [markdown]
# A head that looks at what comes after the earlier copy is called an **induction head**, and how much of its weight
# lies there is its **induction score**. Beside the models belongs the simplest rule that would do: find where the
# latest letters last stood together, and say what came next.

# %%
for letters_back in 1, 2:
    print(f"by the last {letters_back} of the letters: right {looked_up(test, letters_back):.2f}")

# %% [markdown]
# So the last letter alone would not do: the models of the table are better than the second rule. Write the score, for
# any text:
#
# **11.induction_score.** `weights` [heads, queries, keys] of one text under a causal mask, `tokens` [queries]. A
# query's right keys are those that come right after an earlier copy of its token; the weights of several add up. The
# score of a head is the mean over the queries that have a right key: [heads].

# %%
def induction_score(weights, tokens):
    ...


check("11.induction_score", induction_score)

# %%
hint("11.induction_score")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def induction_score(weights, tokens):
#     place = torch.arange(len(tokens))
#     copied = tokens.unsqueeze(1) == tokens.roll(1)  # [queries, keys]: my token stands right before this key
#     right = copied & (place > 0) & (place <= place.unsqueeze(1))
#     asked = right.any(dim=1)  # queries that have an earlier copy
#     return (weights * right).sum(dim=-1)[:, asked].mean(dim=-1)
# ```
# </details>
#
# ## 3. Which head is missed?
#
# The matrix says where a head looks. Is that also *why* the model is right? Switch off each of the four heads in turn,
# and then both heads of each layer. Two more models are trained for it, with other seeds; a dot is a model.

# %%
copying.run()
models = [two, *(copier(task, 2, seed) for seed in (1, 2))]
for seed, model in enumerate(models[1:], start=1):
    for _ in train(model, seed):
        pass
assert min(foreseen(model, test).right for model in models) > 0.8
copying

# %%
off = {"none": []} | {f"head {layer}.{head}": [(f"blocks.{layer - 1}.attention", head - 1)]
                      for layer in (1, 2) for head in (1, 2)}
off |= {f"both of layer {layer}": off[f"head {layer}.1"] + off[f"head {layer}.2"] for layer in (1, 2)}


def loss_without(model, heads):
    with without(model, heads):
        return foreseen(model, test).loss


losses = {name: [loss_without(model, heads) for model in models] for name, heads in off.items()}

# %% tags=["hide-input"]
Chart(figure(
    bars([sum(seen) / 3 for seen in losses.values()], list(losses), "mean", "key", opacity=0.5),
    *(points(list(losses), [seen[seed] for seen in losses.values()], name=f"seed {seed}") for seed in range(3)),
    title="Loss on the second round, by the heads that are off", y="nats a letter",
    showlegend=False, height=280))

# %% [markdown]
# With both heads of a layer off, whichever it is, the models do worse than guessing evenly among 26 letters, which
# costs $\ln 26 = 3.26$: neither layer does it alone. With one head of the two left, part of the work is still done.
#
# Now use one. Type any letters, then begin to repeat them: it has not learned a text, it has learned to *copy what the
# text itself shows*. Step through, and switch heads off.

# %%
HeadViewExplorer(two, letters, begin="sunflowersunf", length=5, warmth=0.1, token=13, layer=2)

# %% [markdown]
# ## 4. Why does it look there?
#
# A score is a product of a query and a key, and each of them is made of a sum: the token, its position, and what
# earlier heads have added. So the score is a sum, too, and can be taken apart exactly, as long as no norm stands before
# the maps. Here is such a model, of attention alone with one head a layer, trained by a script of ours.

# %%
inducing = trained.induction()
print("right in the second round:", inducing.header["found"]["right"][0])
own = trained.REPEATED.batch(1000, torch.Generator().manual_seed(1000))  # its own texts: shorter, in shorter rounds
print(f"there by the last letter alone: {looked_up(own, 1):.2f}")
ScoreSourcesExplorer(inducing.model, trained.LETTERS)

# %% [markdown]
# In the large picture the last *l* looks at the *a* after the earlier *pl*. In the small one stand the parts of that
# one score: which part of the query met which part of the key. The largest is **token** with **head 1.1**: the query's
# own letter meets what the head of layer 1 has written at the key, and that head reads *one place before*. There they
# are, the two heads of the machine. (They match one letter, which alone would be right in 74 % of cases here. What else
# helps where a letter stands twice is not shown here.) **Try.** Switch on *cut the chosen part* and read off what is
# left of the weight. Then select another part of the small picture, and cut that one: which can be spared?
#
# ## 5. Does it learn from examples?
#
# GPT-3 became famous for this: show it a few examples in the prompt, and it does the task, without further training.
# Two small worlds in which every text is a task of its own, and three models trained for each:
#
# * **Letters.** Each of six letters stands for a letter drawn at random, anew in each text: `k v k v k v …`.
# * **Votes.** A text is `0110 yes 1011 no …`: how four people voted, and the outcome. In each text every one of them
#   counts for, against, or not at all, and the majority decides (in a tie, the first). No input comes twice. The models
#   were trained with 39 such rules and are asked about **9 others**.

# %%
worlds = {"letters": (trained.letters().models, LetterMapping().batch),
          "votes": (trained.votes().models, Votes().unseen)}
curves = {}  # right answers after 0, 1, 2 ... examples, for each model
for name, (answering, fresh) in worlds.items():
    shots = [fresh(1000, torch.Generator().manual_seed(seed)) for seed in range(3)]
    with torch.no_grad():
        curves[name] = [accuracy(model(some.inputs), some)
                        for model, some in zip(answering, shots, strict=True)]

# %% tags=["hide-input"]
def few_shot_chart(measured, rule, name, title):
    return Chart(figure(
        *(points(range(len(rule)), row, name=f"seed {seed}", role="value") for seed, row in enumerate(measured)),
        curve(rule, range(len(rule)), name, "query", line_dash="dash"),
        title=title, x="examples before the question", y="right answers", y_range=[0, 1.05], showlegend=False,
        height=260,
    ))

# %% tags=["hide-input"]
few_shot = [
    few_shot_chart(curves["letters"], [LetterMapping().lookup(n) for n in range(17)], "look it up",
                   "Letters: accuracy by examples"),
    few_shot_chart(curves["votes"], [Votes().mirror(n) for n in range(12)], "turn the opposite round",
                   "Votes, rules never trained"),
]

# %% tags=["hide-input"]
off = {}  # how far the mean of the models is from the simple rule, at most
for name, rule in {"letters": LetterMapping().lookup, "votes": Votes().mirror}.items():
    mean = torch.stack(curves[name]).mean(0)
    off[name] = (mean - torch.tensor([rule(n) for n in range(len(mean))])).abs().max()
guess("11b.examples", then=[
    *few_shot,
    ..., ...,
    f"The models' mean is at most this far from the dashed curve: letters {off['letters']:.2f}, "
    f"votes {off['votes']:.2f}."])

# %% [markdown]
# It may be otherwise in large models, and it may not. *Learning in context* is what one sees, not how it is done. The
# curve of the simplest rule that would do belongs beside every such claim.
#
# <details><summary>Think first, then unfold: which prompt would separate a model that infers the rule of a vote from
# one that only turns the opposite round?</summary>
#
# One in which the opposite of the question is never shown, but enough other votes to leave only one rule. A
# model that infers the rule is right then; one that waits for the opposite tosses a coin.
# </details>
#
# ## 6. What is missing
#
# A head was found here by asking for it by name. In a real model nobody knows the names beforehand: **lesson 17** looks
# for copying heads in one with 135 million parameters, and switches them off.
#
# **Sources.** C. Olsson et al., *In-context Learning and Induction Heads*, 2022: for our sections 2 and 3. N. Elhage et
# al., *A Mathematical Framework for Transformer Circuits*, 2021: scores as sums of parts. T. Brown et al., *Language
# Models are Few-Shot Learners*, 2020. The two worlds and all measurements are ours.
