# %% [markdown]
# # Real models: what do real models attend to?
#
# Sixteen lessons of small models, made to show one thing each. Now for models that others trained, for use. Here you
# check what they attend to: against a truth, against what happens when a place is forbidden, and against heads drawn
# at random.
#
# **You will be able to** hold a head against a known truth, find where a model's attention rests and what happens
# without that place, and say which heads a model needs.
#
# **You should know** heads (lesson 08) and induction heads (11b).

# %%
from attnlab import trained
from attnlab.exercises import check, hint
from attnlab.tasks.reactions import reactions
from widgets import AtomMappingExplorer, CopyingHeadsExplorer, HeadsExplorer, SinkExplorer, guess

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
mapper = trained.rxnmapper()
guess("17.atoms", then=[
    AtomMappingExplorer(mapper, shares, found["without model"]["any_atom"]),
    f"Head 6, pass 9, all {len(reactions())} reactions: {100 * shares['canonical'][8, 5]:.1f} % of the atoms right.\n"
    f"Best of the {others.numel()} that are not head 6: {100 * others.max():.1f} %.\n"
    f"Best of all 96 in an untrained model: {100 * max(found['untrained']):.1f} %.\n"
    f"Any atom of the precursors, by chance: {100 * found['without model']['any_atom']:.1f} %; "
    f"any of the same element: {100 * found['without model']['same_element']:.1f} %.\n"
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
# any other when hidden atoms are to be *named*. So it is used; this does not say whether its mapping in pass 9 is.
#
# **17.right_atoms.** How much of its weight does a head put on right atoms? `weights` [heads, tokens, tokens]. `rows`
# [product] and `columns` [precursors] are the places of atoms among the tokens: keep only their weights, and divide
# each row by its sum. `sources` [product]: for each row, the index within `columns` of the atom it was. `alike`
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
# recorded what it did (the version tuned to converse, at 4 bits a number). Each of these texts begins with the token
# `<|im_start|>`.

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
# Each row is a layer, each column what later tokens give to one token. The first token is an **attention sink** (Xiao
# et al., 2024). **Hide it from all after it**: *My* sees only itself now, as the first token did. What becomes of it?
# Then **from all but the next**: *My* still reads the first token, so it is not a first token itself. Now hide others
# instead, as a control. The lines below the picture have the mean of all four texts; one text hardly misses its
# first token, hidden from all but the next. Which?
#
# But why rest at all? A row of weights sums to 1, so a head with nothing to find must look somewhere, and a place that
# is always there can be learned to mean *nothing here*. So one supposes. In [lesson 17b](17b_resting.ipynb) a small
# model learns it while you watch, is offered another place, and models of pictures are asked, too.
#
# ## 3. Heads that a real model needs
#
# SmolLM2, recorded, reads sixteen words twice, in four orders. Some heads put most of their weight on the word that
# followed the earlier copy (lesson 11b). That they look there does not say that they are needed.

# %% tags=["hide-input"]
without = real.copying.off[5]
drawn = [off[5].right for off in real.copying.others]
guess("17.needed", then=[
    CopyingHeadsExplorer(real.copying),
    f"Words of the second round foreseen as the likeliest: {100 * real.copying.off[0].right:.0f} %.\n"
    f"Without the five heads that copy most: {100 * without.right:.0f} %.\n"
    f"Without five others, drawn {len(drawn)} times: {100 * min(drawn):.0f} to {100 * max(drawn):.0f} %.\n"
    f"Surprise without the five: {without.loss:.1f} nats, of words read once: {without.first:.1f}."])

# %% [markdown]
# The matrix is the head that copies most: it rests in the first round, and leaves when there is something to copy.
# **Switch heads off**, one by one. The pale lines: as many others, drawn at random.
#
# ## 4. Is a row of weights an explanation?
#
# That is a question of its own: [lesson 17a](17a_explanation.ipynb).
#
# ## 5. Your own
#
# Any model that reads text, with its tokenizer, on any text of yours. Here the small GPT of lesson 11: choose a head,
# switch some off, drag its weights. For one of yours give `HeadsExplorer` what transformers loads:
# `AutoModelForCausalLM.from_pretrained(folder)` and `AutoTokenizer.from_pretrained(folder)`. `.machine()` draws it
# whole, as far as its parts add up to one stream. The SmolLM2 of sections 2 and 3 opens with `attnlab.real.smollm2()`
# where it is installed (README says how); `attnlab.analysis.sink_runs` computes for any text what you saw, and
# `copy_study` for words that come twice. For a model of pictures and a photograph of yours: `widgets.ImageExplorer`.

# %%
writer = trained.reference()
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
# reactions*, 2021. Z. Lan et al., *ALBERT: A Lite BERT for Self-supervised Learning of Language Representations*, 2020.
# G. Xiao et al., *Efficient Streaming Language Models with Attention Sinks*, 2024. C. Olsson et al., *In-context
# Learning and Induction Heads*, 2022. L. Ben Allal et al., *SmolLM2*, 2025.
