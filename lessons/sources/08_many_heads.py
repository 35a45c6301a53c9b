# %% [markdown]
# # Many heads: why several heads instead of one?
#
# A query hands out its attention in shares, and the shares sum to 1. If it wants two things, it gets a part of each,
# stirred together. The Transformer's answer is not a stronger head but **several weak ones**: the width is cut into
# pieces, every piece looks where it likes, and what they find is put side by side. They take no more parameters than
# one. Does it help?
#
# **You will be able to** set the maps of a head by hand, cut a vector into heads, and say by numbers what each head of
# a trained layer does.
#
# **You should know** self-attention (lesson 05) and positions (07).

# %%
from functools import partial

import torch

from attnlab import MultiHeadAttention, fit, measured, trained
from attnlab.analysis import mean_and_range
from attnlab.exercises import check, hint
from attnlab.tasks.last_letters import LAST, STEPS_BACK, LetterNamer, loss_of_names, right_names, strings
from attnlab.training import side_by_side, weights_of
from widgets import HeadByHandExplorer, LetterHeadAblationExplorer, OneOrTwoHeadsExplorer, Training, guess

torch.set_num_threads(1)  # with models this small, two threads wait for each other
torch.set_printoptions(precision=2, sci_mode=False)

# %% [markdown]
# ## 1. Two letters, one head
#
# A query wants to know the two letters before it: the nearer one and the farther one. One head reads both, half and
# half, and brings back one context.

# %% tags=["hide-input"]
guess("08.pairs", then=OneOrTwoHeadsExplorer())

# %% [markdown]
# **Try.** Each point is the context of a pair. On the left one head, on the right two; the second does the opposite of
# the first. Both contexts are two numbers wide.
#
# 1. At one half the second head repeats the first, one number twice: two heads are no help. They even make one context
#    fewer: in width 1 the mixture of *a* and *c* lands exactly on *b*. **Drag the weight** to 1. On the left three
#    points remain: the farther letter is gone. On the right each head looks at one letter, and the nine pairs make a
#    grid.
# 2. Somewhere in between, nine points stand apart on the left, too. Find the place where they stand farthest apart. So
#    one head *can* carry two letters, in unequal shares; what comes after it must read fine differences.
#
# ## 2. By hand
#
# **One head of width 2**: values are two numbers, a = (1, 0) and b = (0, 1). With weights ½ and ½ the context is (½, ½)
# for “ab”, and (½, ½) again for “ba”. **Two heads of width 1**: values are one number, a = 1 and b = −1. The first head
# has weights 1 and 0, the second 0 and 1. What they find, side by side: (1, −1) for “ab”, (−1, 1) for “ba”.
#
# What tells a head to read “the one before”? Nothing but its two maps. In the next picture the token at each place is a
# vector with a single 1, at the number of its place: it says where it stands, and nothing else. Multiplied with a map
# it picks out a row. Places count from 1 here, so row 2 of $W_q$ *is* the query of place 2, and row 1 of $W_k$, drawn
# as a column, the key of place 1. The values are the letters.

# %%
HeadByHandExplorer()

# %% [markdown]
# **Make a head that reads one before.** Every key says which place it is; the queries ask for nothing yet, and all rows
# are even. Drag numbers of $W_q$, or click one and type, until place 2 reads place 1, place 3 place 2 and place 4 place
# 3. Then change the **word**: no weight moves. This head reads places, and never looks at a letter.
#
# <details><summary>Think first, then unfold: must it be W_q that does the shifting?</summary>
#
# No. Press *reset*, give W_q its 3s on the diagonal, so that each place asks for its own number, and shift W_k instead:
# let the key of place 1 answer to 2. Only the product of query and key counts, so either map can do the shifting.
# Exchange the two maps of a head that reads one before, and it reads the next one.
# </details>
#
# **08.one_before.** The same with letters in the way: a token is its letter, a 1 among the first `letters` numbers,
# and its place, a 1 among the last `places`. Return $W_q$ and $W_k$ stacked, [2, letters + places, places]. A key is
# the token's own place, as it is; a query is `strength` times the place before; the first token asks for nothing.

# %%
def one_before(letters, places, strength):
    ...


check("08.one_before", one_before)

# %%
hint("08.one_before")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def one_before(letters, places, strength):
#     W_q, W_k = torch.zeros(2, letters + places, places)
#     W_k[letters:] = torch.eye(places)
#     W_q[letters + 1 :] = strength * torch.eye(places)[:-1]  # the second place asks for the first, and so on
#     return torch.stack([W_q, W_k])
# ```
# </details>
#
# ## 3. The formula
#
# $$\mathrm{head}_h = \mathrm{softmax}\!\left(\frac{X W_Q^h\, (X W_K^h)^\top}{\sqrt{D/H}}\right) X W_V^h \qquad
# \mathrm{multihead}(X) = \big(\mathrm{head}_1 \;\cdots\; \mathrm{head}_H\big)\, W_O$$
#
# | paper | here | shape | what it is |
# |---|---|---|---|
# | $X$ | `x` | tokens, $D$ | one vector a token |
# | $h$, $H$ | `heads` | | how many heads |
# | $X W_Q^h$ | `query[..., columns]` | tokens, $D/H$ | each head's own view of the **whole** vector |
# | $\mathrm{head}_h$ | `found` | tokens, $D/H$ | what head $h$ brings back |
# | $W_O$ | `output` | $D$, $D$ | mixes what the heads have found |
#
# The $W_Q^h$ of all heads stand side by side in one matrix of $D$ × $D$, as large as that of one wide head: only its
# *result* is cut into $H$ pieces. The scale is the root of a piece's width, not of the whole.
#
# <details><summary>If you come from a lecture</summary>
#
# Johnson's splits the *input* vectors into chunks and gives each chunk to a layer of its own. The paper does not: there
# every head sees all of $X$, through narrow maps of its own.
# </details>
#
# ## 4. In torch

# %%
torch.manual_seed(0)
attention = MultiHeadAttention(dim=8, heads=2)
x = torch.randn(1, 5, 8)  # [batch, tokens, dim]
query, key, value = attention.query(x), attention.key(x), attention.value(x)

written = attention.output.bias.clone()  # torch's maps have biases, the paper's have none
for columns in (slice(0, 4), slice(4, 8)):  # head 1, head 2
    scores = query[..., columns] @ key[..., columns].mT / 4**0.5
    found = scores.softmax(dim=-1) @ value[..., columns]  # [batch, tokens, 4]
    written = written + found @ attention.output.weight[:, columns].mT

assert torch.allclose(written, attention(x), atol=1e-5)

# %% [markdown]
# The last line of the loop says more than the formula: cut by rows, $W_O$ is a map for each head (torch keeps it
# transposed, so here by columns), and **the output is the sum of what the heads write**. So a head can be taken out
# while the others stay as they are. Section 6 does that.
#
# Libraries have no such loop: they make the heads an axis of their own, beside the batch.
#
# **08.split.** `x` [batch, tokens, dim] cut into heads, [batch, heads, tokens, dim / heads]. The first head takes the
# first numbers of every token.

# %%
def split(x, heads):
    ...


check("08.split", split)

# %%
hint("08.split")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def split(x, heads):
#     batch, tokens, dim = x.shape
#     return x.reshape(batch, tokens, heads, dim // heads).transpose(1, 2)
# ```
#
# Reshaping straight to [batch, heads, tokens, head_dim] gives the right shape and the wrong numbers, and no error tells
# you.
# </details>
#
# ## 5. Four answers at once
#
# Do several heads pay? At each place name the **four letters before it**, all at once. Between letters and answers
# stands one layer of attention, then one linear map, the *read-out*. Two models of equal size: in one the width of 64
# is one head, in the other four heads of 16.

# %%
test = strings(200, torch.Generator().manual_seed(99))
letters = [LAST.vocabulary[i] for i in test.inputs[0]][:8]
models = {"one wide head": LetterNamer(heads=1), "four heads": LetterNamer(heads=4)}


def start():  # Reset calls it again
    for model in models.values():
        model.load_state_dict(LetterNamer(model.attention.heads).state_dict())
    runs = [fit(model, partial(loss_of_names, model), steps=150) for model in models.values()]
    return measured(side_by_side(runs), right, every=10)


def right():
    return {name: right_names(model, test).mean().item() for name, model in models.items()}

# %% tags=["hide-input"]
training = Training(
    start, steps=150, watch=lambda: weights_of(models["four heads"], "attention", test.inputs[:1, :8])[0],
    film_every=3, seconds=5, name="letters", metrics=["one wide head", "four heads"],
    panel_names=[f"head {h}" for h in range(1, 5)], query_labels=letters, key_labels=letters,
    summary=lambda right: "Right letters, to a tenth: " + ", ".join(f"{way} {right[way]:.1f}" for way in models) + ".",
)

# %% tags=["hide-input"]
guess("08.one_wide", then=training)

# %% [markdown]
# Press **Start** and watch the four heads of the second model: each soon draws a line of its own.

# %%
training.run()
training

# %% [markdown]
# One seed is an anecdote. Three, by `attnlab/trained/train_heads.py`, with equal parameters, steps and rate; and what
# one wide head does when it gets help:

# %%
race = trained.heads()
for heads, shares in race["right"].items():
    print(f"heads: {heads:>2} of width {64 // int(heads):2}            ", mean_and_range(shares))
for help_given, shares in race["one head with"].items():
    print(f"one head with {help_given:19}", mean_and_range(shares))
for head in race["two heads"][0]:
    print("one of two heads reads", head)

# %% [markdown]
# Four answers, four heads: four were enough, and two were not after 150 steps. No help lets one head catch up. It
# has one row of weights for four letters. Two heads name more than half of the letters: each reads several of them in
# unequal shares, as you did with the slider. (A share is the mean over the places that have such a letter, so they need
# not sum to 1.) More than four heads are not better, and not worse.
#
# ## 6. What does each head do?
#
# It is tempting to look at a head and give it a name. Better to measure: how much of its weight lies on the letter
# before, two before, and so on, in 200 strings? A head is named after the pattern with most of its weight, if that is
# **at least half**, and at least twice what even weights would put there.

# %% tags=["hide-input"]
owners = "\n".join(
    f"Seed {seed}: " + ", ".join(
        f"{head['name']} {head['share']:.2f} (lost: {', '.join(head['lost']) or 'none'})" for head in heads) + "."
    for seed, heads in enumerate(race["owners"]))
guess("08.switched_off", then=[
    LetterHeadAblationExplorer(models["four heads"], LAST, test, STEPS_BACK, "".join(letters), training.lock),
    owners])

# %% [markdown]
# **Press a head** to switch it off, and again to switch it on; a head that is off is hatched. The note on each switch
# is the measured name and the share of its weight there. Try two at once. Type eight letters of your own, from a to p.
#
# These are two measurements: the first says where a head **looks**, the second what the model **loses**.
#
# <details><summary>Think first, then unfold: somebody shows you the matrix of one sentence, in which a head reads from
# each verb to its subject, and says: this head does grammar. What would you ask to see?</summary>
#
# The share of its weight that lies on subjects, over many sentences, beside what even weights, or "one before", would
# put there. And what the model loses without this head, beside what it loses without any other head. A picture of one
# sentence shows neither.
# </details>
#
# <details><summary>For another day: the exercises 08.merge and 08.multihead</summary>
#
# `merge(x)`: the way back from 08.split, `x` [batch, heads, tokens, head_dim] to [batch, tokens, dim]. `multihead(x,
# W_q, W_k, W_v, W_o, heads)`: all of it, in which every token may look at every token. `check("08.merge", ...)` and
# `check("08.multihead", ...)` name the mistake.
# </details>
#
# ## 7. What you have, and what is still broken
#
# | | one wide head | $H$ heads of width $D/H$ |
# |---|---|---|
# | parameters | $4D^2$ | the same |
# | weight matrices | 1 | $H$ |
# | things that a place can look at | one, or a blend | $H$, or $H$ blends |
# | numbers in which query and key are compared | $D$ | $D/H$ |
#
# * For four letters four heads were enough. How many does a text want, and how many of them can be spared afterwards?
#   **[Lesson 08a](08a_how_many_heads.ipynb)**.
# * Heads only find and mix. Nothing so far *computes* with what they found: **lesson 09**.
# * Where heads of two layers work together, something new appears, a head that looks for what followed the last time:
#   **lesson 11b**.
#
# **Sources.** A. Vaswani et al., *Attention Is All You Need*, 2017, section 3.2.2. J. Johnson's lecture on attention
# (University of Michigan). N. Elhage et al., *A Mathematical Framework for Transformer Circuits*, 2021: the output as a
# sum over heads. K. Clark et al., *What Does BERT Look At?*, 2019: heads described by where they look. Task and
# measurements are ours.
