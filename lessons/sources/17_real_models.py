# %% [markdown]
# # Real models: what do real models attend to?
#
# Sixteen lessons of small models, made to show one thing each. Now for models that others trained, for use. Their
# weights of attention are often shown as if they explained something. Here you check: against a truth, against what
# happens when a weight is forbidden, and against other weights that would have done as well.
#
# **You will be able to** hold a head against a known truth, find where a model's attention rests and say why, and test
# whether weights explain an answer.
#
# **You should know** heads (lesson 08) and induction heads (11b).

# %%
import torch

from attnlab import record, trained
from attnlab.exercises import check
from attnlab.pooling import TwoWay
from attnlab.tasks.reactions import reactions
from attnlab.trained import train_rest, train_reviews
from widgets import AtomMappingExplorer, CopyingHeadsExplorer, HeadsExplorer, SinkExplorer
from widgets import SwappedRowExplorer, Table, Training, guess

# %% [markdown]
# ## 1. A head with a truth to check it against
#
# RXNMapper (Schwaller et al., 2021) is a small BERT whose one block runs twelve times. It has read chemical reactions,
# written as lines of text: `precursors>>product`. Signs were hidden, and it learned to name them. Nobody told it that
# atoms persist: that each atom of the product *is* some atom of the precursors. But chemists know which, so here
# attention has a right answer.

# %% tags=["hide-input"]
mapper, shares = trained.rxnmapper(), trained.mapping_shares()
guess("17.atoms", then=AtomMappingExplorer(mapper, shares))

# %% [markdown]
# **Point** at atoms of the product. Then **head** 1 to 8, and head 6 through the **passes**. Choose the writing *all
# reordered*: is it chemistry that it reads, or the order of the line? And choose **Diels-Alder**.

# %%
found = trained.atom_mapping()
right = {kind: passes[8][5] / found["atoms"][kind] for kind, passes in found["right"]["canonical"].items()}
best, others = shares["canonical"][8, 5], shares["canonical"][:, [0, 1, 2, 3, 4, 6, 7]]  # all passes of all others
print(f"head 6, pass 9, all {len(reactions())} reactions: {100 * best:.1f} % of the atoms right")
print(f"best of the {others.numel()} that are not head 6:   {100 * others.max():.1f} %")
print(f"best of all 96 in an untrained model:   {100 * max(found['untrained']):.1f} %")
print(f"any atom of the precursors, by chance: {100 * found['without model']['any_atom']:.1f} %")
print("every kind but one over 90 %:           ", sorted(right.values())[1] > 0.9)
print("Diels-Alder under 60 %:                 ", right["Diels-Alder"] < 0.6)
print("all atoms reordered, over 70 %:         ", float(shares["all reordered"][8, 5]) > 0.7)
off = {head: row["right"] for head, row in found["heads off"].items()}
print("hidden atoms named falls most without:   head", int(min(off, key=off.get)) + 1)

# %% [markdown]
# Where it breaks is as telling as where it works: in a Diels-Alder reaction carbon meets carbon, and hardly a sign in
# the line says which. The last line is the test that counts: switched off, this head is missed more than any other.
#
# **17.right_atoms.** How much of its weight does a head put on right atoms? `weights` [heads, tokens, tokens]. `rows`
# and `columns` say which tokens are atoms of the product and of the precursors; only these count, and each row of them
# is made to sum to 1. `sources` says for each row which of the columns is right; atoms with the same number in `alike`
# cannot be told apart. Return the mean over the rows, [heads].

# %%
def right_atoms(weights, rows, columns, sources, alike):
    ...


check("17.right_atoms", right_atoms)

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
# SmolLM2 is a real GPT: 135 million parameters, 30 layers of 9 heads. It is too large to come along, so a script of
# ours ran it, and what it did is recorded here. Each of these texts begins with the token `<|im_start|>`.

# %% tags=["hide-input"]
real = trained.smollm2()
guess("17.first_token", then=SinkExplorer(real.sinks))

# %% [markdown]
# Each row is a layer, each column what later tokens give to one token. The first is an **attention sink** (Xiao et al.,
# 2024). **Hide it from all after it**: *My* sees only itself now, as the first token did, and becomes the sink. Then
# **from all but the next**: *My* still reads the first token, so it is no first token itself. Now hide others instead,
# as a control. Mean surprise of four texts:

# %%
def surprise(pick):
    return sum(float(pick(runs).losses[1:].mean()) for runs in real.sinks.values()) / len(real.sinks)


print(f"as it is                             {surprise(lambda runs: runs.whole):.1f} nats")
print(f"first token hidden from all after it {surprise(lambda runs: runs.all_after[0]):.1f}")
print(f"hidden from all but the next         {surprise(lambda runs: runs.but_next[0]):.1f}")
print(f"fifth token hidden from all but next {surprise(lambda runs: runs.but_next[4]):.1f}")

# %% [markdown]
# Of the four texts *mountain* minds least. But why rest at all? A row of weights sums to 1, so a head with nothing to
# find must look somewhere, and a place that is always there can be learned to mean *nothing here*. Watch one learn it:
# letters at random, then the same again (lesson 11b), behind a first token ⌂. **Press Start.**

# %%
copier = train_rest.copier()
letters = ["⌂", *"qwertzuiopasdfgh" * 2]
text = torch.tensor([[train_rest.START, *(ord(letter) - ord("a") for letter in letters[1:])]])


def start():  # Reset calls it again
    copier.load_state_dict(train_rest.copier().state_dict())
    return train_rest.learn(copier, first=True)


def watch():
    with torch.no_grad(), record(copier) as trace:
        copier(text)
    return trace["blocks.1.attention"][0].weights[0]

# %%
training = Training(start, steps=200, watch=watch, film_every=10, seconds=8, name="copying",
                    panel_names=["second layer, head 1", "head 2"], query_labels=letters, key_labels=letters)
training

# %%
training.run()
kinds = trained.rest_runs()["runs"]  # three seeds of each, trained beforehand as here
print("in the first round:                weight on the first token, on none, and the loss")
for kind, runs in kinds.items():
    rest = [[run[name][0] for run in runs] for name in ("on the first", "nowhere", "losses")]
    print(f"{kind:34} " + "   ".join(f"{min(one):.2f} to {max(one):.2f}" for one in rest))

# %% [markdown]
# The first round has nothing to copy, and to know nothing costs ln 26 = 3.26 nats. Without a place to rest the loss is
# higher, with every seed. Give each row one more score that belongs to no key, and nine tenths of the weight go
# *nowhere*: the control for "it must look somewhere". Large vision models rest as well, on patches of plain background;
# extra tokens without content, **registers**, take that over (Darcet et al., 2024).
#
# ## 3. Is a row of weights an explanation?
#
# *the plot was weak , the film was great , the sound was fine.* Asked about the film: is it good? A reader goes over
# the words to and fro, one query weighs its states, and a linear map answers. One reader is always asked about the
# film, another about any of the three things. Both are trained here.

# %%
readers = {
    name: (train_reviews.trained_reader(task, TwoWay(32), seed=0), task(20, torch.Generator().manual_seed(1)))
    for name, task in train_reviews.TASKS.items()
}

# %% tags=["hide-input"]
guess("17.other_row", then=SwappedRowExplorer(readers))

# %% [markdown]
# **Drag** the weights until the answer changes. The bars say what the state of each word would answer alone: the words
# beside an opinion share it. Then press **very different row, same answer**. "Attention is not explanation" (Jain and
# Wallace, 2019). The reply, "Attention is not *not* explanation" (Wiegreffe and Pinter, 2019), asks for tests that
# train anew:

# %%
tasks = trained.review_runs()["tasks"]  # three seeds each, trained beforehand
names = list(tasks["any of three"]["right"])
Table({
    "held-out answers right": names,
    **{f"asked about: {task}": [rows["right"][name] for name in names] for task, rows in tasks.items()},
}, title="three seeds: mean, lowest and highest")

# %% [markdown]
# * **Even weights** do as well if the question is always the same: there, attention explains nothing, since it is not
#   needed. If the question varies, it is. (0.75 is what the majority of the three opinions comes to.)
# * **Words alone**, which know nothing of each other, fail by themselves. Given the other reader's weights, frozen,
#   they are right: the weights do point at what decides.
# * **Seeds** differ: this share of the weight stands elsewhere between two of them, with the same answers.
# * **Told to look elsewhere**, with a penalty for all weight that it shares with the first, a reader is still right,
#   and shares nothing. But *its* weights, frozen, help words alone with some seeds, and with others not at all.

# %%
for task, rows in tasks.items():
    print(f"{task}: two seeds differ by", " ".join(f"{one:.1f}" for one in rows["between seeds"]))
    for name, shares in rows["elsewhere"].items():
        print(f"    told to look elsewhere, {name}:", " ".join(f"{one:.2f}" for one in shares))

# %% [markdown]
# So ask not whether attention *is* an explanation, but which test it has passed.
#
# ## 4. Heads that a real model needs
#
# The same GPT reads sixteen words twice. The matrix is the head that copies most, out of 270: it rests in the first
# round, and leaves when there is something to copy. **Switch heads off**, one by one. Pale: as many others, drawn.

# %%
CopyingHeadsExplorer(real.copying)

# %% [markdown]
# Without five heads of 270, hardly a word is foreseen. The scores only *found* them; that they matter, switching off
# says.
#
# ## 5. Your own
#
# Any model that reads text, with its tokenizer, on any text of yours. Here it is the small GPT of lesson 11: choose a
# head, switch some off, drag its weights, and see what it says next. For one of yours give `HeadsExplorer` what
# transformers loads: `AutoModelForCausalLM.from_pretrained(folder)` and `AutoTokenizer.from_pretrained(folder)`.
# `widgets.ModelMachineExplorer` takes the same and draws the whole model, with the stream that its heads add to. The
# SmolLM2 of sections 2 and 4 opens with `attnlab.real.smollm2()`, where it is installed: README says how. With it,
# `attnlab.analysis.sink_runs` and `copy_study` make what you saw, of any text. For a model of pictures and a
# photograph of yours: `widgets.ImageExplorer`.

# %%
writer = trained.reference()
HeadsExplorer(writer.model, writer.text, "If the class has no attribute of this name, the exception is")

# %% [markdown]
# ## 6. What is still broken
#
# * One head with a truth, five that copy, a place to rest: what do the other heads do?
# * A circuit found in one text is a hypothesis about the next one.
#
# **Sources.** P. Schwaller et al., *Extraction of organic chemistry grammar from unsupervised learning of chemical
# reactions*, 2021. G. Xiao et al., *Efficient Streaming Language Models with Attention Sinks*, 2024. T. Darcet et al.,
# *Vision Transformers Need Registers*, 2024. S. Jain, B. Wallace, *Attention is not Explanation*, 2019. S. Wiegreffe,
# Y. Pinter, *Attention is not not Explanation*, 2019. C. Olsson et al., *In-context Learning and Induction Heads*,
# 2022. L. Ben Allal et al., *SmolLM2*, 2025.
