# %% [markdown]
# # Real models: what do real models attend to?
#
# Sixteen lessons of small models, made to show one thing each. Now for models that others trained, for use. Here you
# check what they attend to: against a truth, against what happens when a place is forbidden, and against heads drawn
# at random.
#
# **You will be able to** hold a head against a known truth, find where a model's attention rests and say why, and say
# which heads a model needs.
#
# **You should know** heads (lesson 08) and induction heads (11b).

# %%
import torch

from attnlab import record, trained
from attnlab.analysis import copy_study, second_round, sink_runs
from attnlab.exercises import check, hint
from attnlab.tasks.reactions import reactions
from attnlab.trained import train_rest
from widgets import AtomMappingExplorer, CopyingHeadsExplorer, HeadsExplorer, Matrix, SinkExplorer, Training, guess

# %% [markdown]
# ## 1. A head with a truth to check it against
#
# RXNMapper (Schwaller et al., 2021) is a small BERT whose one block runs twelve times (an ALBERT: Lan et al., 2020). It
# has read chemical reactions, written as lines of text: `precursors>>product`. Symbols were hidden, and it learned to
# name them. Nobody told it that atoms persist: that each atom of the product *is* some atom of the precursors. But
# chemists know which, so here attention has a right answer: for 110 reactions of eleven kinds, which a script of ours
# has written.

# %% tags=["hide-input"]
found, shares = trained.atom_mapping(), trained.mapping_shares()
right = {kind: passes[8][5] / found["atoms"][kind] for kind, passes in found["right"]["canonical"].items()}
others = shares["canonical"][:, [0, 1, 2, 3, 4, 6, 7]]  # all passes of all heads but head 6
off = {head: row["right"] for head, row in found["heads off"].items()}
fewest, second, *_ = sorted(off, key=off.get)

# %% tags=["hide-input"]
guess("17.atoms", then=[
    AtomMappingExplorer(trained.rxnmapper(), shares, found["without model"]["any_atom"]),
    f"Head 6, pass 9, all {len(reactions())} reactions: {100 * shares['canonical'][8, 5]:.1f} % of the atoms right.\n"
    f"Best of the {others.numel()} that are not head 6: {100 * others.max():.1f} %.\n"
    f"Best of all 96 in an untrained model: {100 * max(found['untrained']):.1f} %.\n"
    f"Any atom of the precursors, by chance: {100 * found['without model']['any_atom']:.1f} %.\n"
    f"Of the {len(right)} kinds of reactions, Diels-Alder comes to {100 * right['Diels-Alder']:.1f} %, "
    f"every other one to {100 * min(one for kind, one in right.items() if kind != 'Diels-Alder'):.1f} % or more.\n"
    f"All atoms reordered: {100 * shares['all reordered'][8, 5]:.1f} %.\n"
    f"Of hidden atoms the model names {100 * off['none']:.0f} %; without head {int(fewest) + 1} "
    f"{100 * off[fewest]:.0f} %, without any other {100 * off[second]:.0f} % or more.",
])

# %% [markdown]
# **Point** at atoms of the product. The lower matrix holds all 96 heads, each with the share of atoms that it maps
# right: **press** a cell to see what that head does. **Draw** a reaction: take a pen, press atoms on both sides.
# Choose the writing *all reordered*: is it chemistry that it reads, or the order of the line? And choose
# **Diels-Alder**.
#
# Where it breaks may be telling: in a Diels-Alder reaction carbon meets carbon, and the line hardly shows which one is
# which. The last line below the picture is another test: switched off in all twelve passes, head 6 is missed more than
# any other when hidden atoms are to be *named*. So it is used; that its mapping in pass 9 is, this does not say.
#
# **17.right_atoms.** How much of its weight does a head put on right atoms? `weights` [heads, tokens, tokens]. `rows`
# [product] and `columns` [precursors] are the places of atoms among the tokens; only their weights count, and each row
# is made to sum to 1. `sources` [product]: of each row the index within `columns` of the atom that it was. `alike`
# [precursors]: atoms with the same number cannot be told apart, so each counts as right. Return for each head its
# weight on right atoms, the mean over the rows: [heads].

# %%
def right_atoms(weights, rows, columns, sources, alike):
    ...


check("17.right_atoms", right_atoms)

# %%
hint("17.right_atoms")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def right_atoms(weights, rows, columns, sources, alike):
#     atoms = weights[:, rows][:, :, columns]
#     atoms = atoms / atoms.sum(-1, keepdim=True)
#     right = alike == alike[sources][:, None]
#     return (atoms * right).sum(-1).mean(-1)
# ```
# </details>
#
# ## 2. Where attention rests
#
# SmolLM2, a real GPT of 135 million parameters and 30 layers of 9 heads, is too large to come along: a script of ours
# recorded what it did. Each of these texts begins with the token `<|im_start|>`.

# %% tags=["hide-input"]
real = trained.smollm2()


def surprise(pick):
    return sum(float(pick(runs).losses[1:].mean()) for runs in real.sinks.values()) / len(real.sinks)


guess("17.first_token", then=[
    SinkExplorer(real.sinks),
    f"Mean surprise of the four texts, from the third token on: {surprise(lambda runs: runs.whole):.1f} nats.\n"
    f"First token hidden from all after it: {surprise(lambda runs: runs.all_after[0]):.1f}.\n"
    f"Hidden from all but the next: {surprise(lambda runs: runs.but_next[0]):.1f}.\n"
    f"Fifth token hidden from all but the next: {surprise(lambda runs: runs.but_next[4]):.1f}.",
])

# %% [markdown]
# Each row is a layer, each column what later tokens give to one token. The first is an **attention sink** (Xiao et al.,
# 2024). **Hide it from all after it**: *My* sees only itself now, as the first token did. What becomes of it? Then
# **from all but the next**: *My* still reads the first token, so it is not a first token itself. Now hide others
# instead, as a control. The lines below the picture have the mean of all four texts.
#
# But why rest at all? A row of weights sums to 1, so a head with nothing to find must look somewhere, and a place that
# is always there can be learned to mean *nothing here*. Watch one learn it: letters at random, then the same again
# (lesson 11b), behind a first token ⌂. **Press Start.**

# %%
copier = train_rest.new()
letters = ["⌂", *"qwertzuiopasdfgh" * 2]
text = torch.tensor([[train_rest.START, *(ord(letter) - ord("a") for letter in letters[1:])]])


def start():  # Reset calls it again
    copier.load_state_dict(train_rest.new().state_dict())
    return train_rest.learn(copier, first=True)


def weights(layer):  # [heads, queries, keys]
    with torch.no_grad(), record(copier) as trace:
        copier(text)
    return trace[f"blocks.{layer}.attention"][0].weights[0]

# %%
training = Training(start, steps=200, watch=lambda: weights(1), film_every=10, seconds=8, name="copying",
                    panel_names=["second layer, head 1", "head 2"], query_labels=letters, key_labels=letters)
training

# %%
training.run()
sinks = sink_runs(copier, text, letters)  # read again and again, each time without one of its tokens
SinkExplorer({"letters, twice": sinks})

# %% [markdown]
# **Hide its ⌂**: the surprise of the first round doubles, and no other token stands in. Hide a letter instead, and that
# round stays as it was. And the small GPT of lesson 11?

# %%
writer = trained.reference()
sentence = writer.text.encode("If the class has no attribute of this name, the exception is raised.")
small = sink_runs(writer.model, sentence[None], [""] * len(sentence))
for name, runs, places in [("copier, first round", sinks, slice(1, 16)), ("lesson 11's GPT", small, slice(1, None))]:
    whole, hidden = (run.losses[places].mean() for run in (runs.whole, runs.all_after[0]))
    print(f"{name}: surprise with its first token hidden / nothing hidden: {hidden / whole:.0f}")
even = sum(1 / (place + 1) for place in range(2, len(sentence))) / (len(sentence) - 2)
on_first = small.whole.weights[:, 0].mean()
print(f"weight on the first token in lesson 11's GPT: {100 * on_first:.0f} % (even {100 * even:.0f} %)")
kinds = trained.rest_runs()["runs"]  # three seeds of each, trained beforehand as here
print("in the first round:                weight on the first token, on none, and the loss")
for kind, runs in kinds.items():
    rest = [[run[name][0] for run in runs] for name in ("on the first", "nowhere", "losses")]
    print(f"{kind:34} " + "   ".join(f"{min(one):.2f} to {max(one):.2f}" for one in rest))

# %% [markdown]
# The first round has nothing to copy, and to know nothing costs ln 26 = 3.26 nats. Without ⌂ the loss is higher, with
# every seed. Give each row one more score that belongs to no key, and nine tenths of the weight go *nowhere*; but the
# loss comes back by a third only, so ⌂ is more than rest. Lesson 11's GPT shows no sink on this sentence: one is
# learned, or not.
#
# And models of pictures? In DINOv2-S (Oquab et al., 2023) the first of 257 tokens is the class token of lesson 15, in
# layer 1 the same for every picture. What the patches of four photographs give to it, recorded (even weights: 0.004):

# %% tags=["hide-input"]
photographs = trained.dinov2_rests()["photographs"].values()
moved = [one["moved"] for one in photographs]
Matrix(
    torch.tensor([one["first"] for one in photographs]).mean(0),
    query_labels=[str(layer) for layer in range(1, 13)],
    key_labels=[str(head) for head in range(1, 7)],
    query_title="layer",
    key_title="head",
    panel_names=["on the class token"],
    measure="weight",
)

# %% tags=["hide-input"]
classes, most = ([one[what] for one in moved] for what in ("class token", "patch with the most"))
print(f"1 - cosine of the output, class token hidden: {min(classes):.3f} to {max(classes):.3f};",
      f"the patch with the most weight: {max(most):.3f} or less;",
      f"one of 16 drawn patches: {max(max(one['drawn']) for one in moved):.3f} or less")
print(f"longest vector of a patch: {max(max(one['longest']) for one in photographs):.1f} times the median")
found = trained.registers()
for name, seeds in found["runs"].items():
    blank, more = ([run[f"on {place}"] for run in seeds] for place in ("blank patches", "registers"))
    tokens = 17 + (max(more) > 0)
    print(f"ViT {name}: all blank patches {min(blank):.2f} to {max(blank):.2f} (even "
          f"{found['blank patches'] / tokens:.2f}), registers {max(more):.2f} (one, even: {1 / 18:.2f})")

# %% [markdown]
# Most heads give the class token many times its share. Hiding it moves the last vector of the class token far more than
# hiding a patch does, even the one with the most weight; but it also holds a summary, so this alone does not show that
# heads *rest* there. In
# larger models the vectors of some patches of background grow very long and draw the attention; extra tokens without
# content, **registers**, take that over (Darcet et al., 2024). Here no patch is so long, and a ViT like lesson 15's,
# given one register, hardly looks at it.
#
# ## 3. Heads that a real model needs
#
# SmolLM2, recorded, reads sixteen words twice. The matrix is the head that copies most, out of 270: it rests in the
# first round, and leaves when there is something to copy. **Switch heads off**, one by one. The pale points: as many
# other heads, drawn at random, switched off instead.

# %%
CopyingHeadsExplorer(real.copying)

# %% [markdown]
# Without five heads of 270, hardly a word is foreseen as the likeliest (the loss stays below that of the first round).
# Scores only *found* them; switching off says that they matter.
# Now your copier, with four heads:

# %%
CopyingHeadsExplorer(copy_study(copier, text, letters, most=2, draws=1))

# %%
for head, rows in enumerate(weights(0), start=1):
    before = [rows.diagonal(-far).mean() for far in (1, 2, 3)]
    print(f"first layer, head {head}: weight one, two, three letters before", *(f"{one:.1f}" for one in before))
words = writer.text.encode(" class module name value function object type list method loop call return")[None]
again = second_round(writer.model, torch.cat([sentence[None, :1], words, words], dim=1))
blind = torch.tensor(len(writer.text.vocabulary)).log()
print(f"lesson 11's GPT: {again.first:.1f} nats for words read once, {again.loss:.1f} when they come again",
      f"(a blind guess: {blind:.1f})")

# %% [markdown]
# Switch off one of its two heads that copy, and the other does the work; without both it fails. But it fails without
# the two others as well. They stand in the first layer: one looks mostly at the letter before, the other at the two
# before that, as the first half of an induction head does (lesson 11b). And lesson 11's GPT, which has read one small
# book, does not copy here: a bare list of words is so strange to it that a blind guess would do better.
#
# ## 4. Is a row of weights an explanation?
#
# That is a question of its own: [lesson 17a](17a_explanation.ipynb).
#
# ## 5. Your own
#
# Any model that reads text, with its tokenizer, on any text of yours. Here the small GPT of lesson 11: choose a head,
# switch some off, drag its weights. For one of yours give `HeadsExplorer` what transformers loads:
# `AutoModelForCausalLM.from_pretrained(folder)` and `AutoTokenizer.from_pretrained(folder)`. `.machine()` draws all of
# it. The SmolLM2 of sections 2 and 3 opens with `attnlab.real.smollm2()` where it is installed (README says how);
# `attnlab.analysis.sink_runs` and `copy_study` make what you saw, of any text. For a model of pictures and a photograph
# of yours: `widgets.ImageExplorer`.

# %%
HeadsExplorer(writer.model, writer.text, "If the class has no attribute of this name, the exception is")

# %% [markdown]
# ## 6. What is still broken
#
# * One head with a truth, five that copy, a place to rest: what do the other heads do?
# * A circuit found in one text is a hypothesis about the next one.
#
# And what have you learned? The six questions of lesson 00 come again at the end of [lesson
# 11a](11a_what_has_changed.ipynb), if you have not met them there.
#
# **Sources.** P. Schwaller et al., *Extraction of organic chemistry grammar from unsupervised learning of chemical
# reactions*, 2021. G. Xiao et al., *Efficient Streaming Language Models with Attention Sinks*, 2024. T. Darcet et al.,
# *Vision Transformers Need Registers*, 2024. M. Oquab et al., *DINOv2: Learning Robust Visual Features without
# Supervision*, 2023. C. Olsson et al., *In-context Learning and Induction Heads*, 2022. L. Ben
# Allal et al., *SmolLM2*, 2025.
