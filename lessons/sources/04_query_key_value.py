# %% [markdown]
# # Query, key, value: what is a query, a key, a value?
#
# You ask a dictionary for *red* and it has *red*: fine. You ask for something halfway between *red* and *green*,
# and it has nothing to say. Attention is a dictionary that always answers. The **query** is what you ask, the
# **keys** are what the entries are found by, the **values** are what they give.
#
# **You will be able to** compute attention with a pencil and follow each number of it through the picture, generalise
# the attention of lesson 02 to the standard layer, write it in four lines, and say what each of its three maps decides.
#
# **You should know** Python and matrix products; lesson 02 helps.

# %%
import torch

from attnlab import attend
from attnlab.exercises import check, hint
from widgets import AdditiveToScaledExplorer, ProjectionsExplorer, QueryKeyValueExplorer, SoftLookupExplorer, guess

torch.set_printoptions(precision=2, sci_mode=False)

# %% [markdown]
# ## 1. A dictionary that answers in between
#
# Three names, three lights: `{"red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1)}`. An ordinary dictionary knows
# these three names and no other. Asked for *red and green*, it raises a `KeyError`.
#
# Now let a name be a vector. *Red* is $(1, 0, 0)$, *green* $(0, 1, 0)$, *blue* $(0, 0, 1)$; the query $(2, 2, 0)$ asks
# for red and for green. Each entry gets a **score**, the product of the query with its key: 2, 2 and 0. Softmax makes
# them **weights**: $e$ to the power of each, divided by the sum of all three.

# %% tags=["hide-input"]
guess("04.lookup", then=SoftLookupExplorer())

# %% [markdown]
# **Try** the sliders. Ask for 8 of red alone: now it is a dictionary, almost. Ask for 1 of each, then for 8 of
# each: the answer is the same. Only differences between scores count.
#
# The last step is the mixture: each value times its weight, added up. All of it in code:

# %%
query = torch.tensor([2.0, 2.0, 0.0])
keys, values = torch.eye(3), torch.eye(3)

scores = keys @ query
weights = scores.exp() / scores.exp().sum()
print("answer", weights @ values)

# %% [markdown]
# ## 2. The whole layer, in numbers that you can change
#
# Keys and values need not be the same vectors, and there may be many queries. Here four English words read five French
# ones, the last of which only fills up the sentence (**padding**). The picture is the matrix product itself: **Q**
# stands left of the scores, **K** lies on its side above them, so that *every key is a column*, and **V** stands above
# the context.

# %% tags=["hide-input"]
guess("04.value", then=QueryKeyValueExplorer())

# %% [markdown]
# **Drag** any number of Q, K or V up or down, or click it and type. **Click** a cell of the weights: below you see
# where it comes from, each number in the colour of its matrix. Click a number of the context for its sum. With the
# keyboard: arrows move, Enter opens a number.
#
# Three things to find out:
#
# * Set the first number of the key *chat* to −1.2. Which query reads it most now?
# * Press *double every key*. Rows get sharper, as if the temperature were halved: scores are products, so twice the
#   key is twice the score.
# * Switch off the **mask**, which hides the padding. The padding takes weight from everybody, though nobody asked for
#   it.
#
# ## 3. The formula
#
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d}}\right) V$$
#
# | paper | here | shape | what it is |
# |---|---|---|---|
# | $Q$ | `query` | queries, dim | what is asked, one row each |
# | $K$ | `key` | keys, dim | what an entry is found by |
# | $V$ | `value` | keys, value_dim | what an entry gives |
# | $QK^\top/\sqrt{d}$ | `scores` | queries, keys | how well each key matches each query |
# | softmax of it | `weights` | queries, keys | how much is read; a row sums to 1 |
# | the result | `context` | queries, value_dim | what was read |
#
# Queries and keys must be of one size, since they are multiplied: `dim`, here $d$, in the paper $d_k$. Values may be of
# any size. The softmax runs along the rows, over the keys: `dim=-1`.
#
# ## 4. In torch

# %%
def attention(query, key, value):
    scores = query @ key.mT / query.shape[-1] ** 0.5  # [queries, keys]
    weights = scores.softmax(dim=-1)
    return weights @ value, weights, scores


torch.manual_seed(0)
query, key, value = torch.randn(2, 3, 5), torch.randn(2, 7, 5), torch.randn(2, 7, 11)
for mine, theirs in zip(attention(query, key, value), attend(query, key, value), strict=True):
    assert torch.allclose(mine, theirs, atol=1e-6)
    print(list(mine.shape))

# %% [markdown]
# ## 5. Five steps from lesson 02
#
# The attention of lesson 02 belonged to one decoder: one query at a time, a small network for the score, and the
# encoder's states served both as keys and as values. Four changes turn it into a layer that serves any model.
# Take them one by one; dashes show the weights of the step before.

# %%
AdditiveToScaledExplorer()

# %% [markdown]
# | step | what changes | scores |
# |---|---|---|
# | 1 | the start, lesson 02: one query $q$, inputs $X$, any similarity | $f(q, X_i)$ |
# | 2 | a dot product: no parameters, one matrix product | $q \cdot X_i$ |
# | 3 | divided by $\sqrt{d}$: [lesson 04a](04a_why_the_root.ipynb) measures why | $q \cdot X_i / \sqrt{d}$ |
# | 4 | many queries at once; a softmax for each row | $Q X^\top / \sqrt{d}$ |
# | 5 | keys $K = X W_k$ and values $V = X W_v$ of their own (in one sequence queries, too) | $Q K^\top / \sqrt{d}$ |
#
# The last step is the one to look at. In steps 1 to 4 an input is found by what it is, and gives what it is. But
# whoever searches the web for the height of a tower does not want the question back: what a page is *found by* and what
# it *gives* differ. $W_k$ and $W_v$ are learned, so the model itself decides which part of an input says "here I
# am", and which part is passed on.
#
# In one sequence every word plays all three parts: it asks with $q = x W_q$, is found by $k = x W_k$ and gives
# $v = x W_v$. Below, the numbers of a word mean something, and the maps are set by hand. A verb asks for a thing, a
# noun for a count. Each word offers what it is, and gives two numbers, *animal* and *plural*: a point in a plane.

# %% tags=["hide-input"]
guess("04.outside", then=ProjectionsExplorer())

# %% [markdown]
# **Click** a row, or use the controls, to follow a word as the one that asks, as an offer, as a gift. Point at any
# number: what flows into it and out of it stays lit, and below you see how it is made. **Drag** the numbers with a
# dotted line.
#
# * Follow *one* as an offer, then drag a number of $W_v$. Its key and all weights stay: they come from other maps.
# * *cats* asks for nothing: being plural, it cancels the noun's question for a count. Make it ask: drag the number from
#   *animal* to *thing?* in $W_q$.
# * Drag one number of $W_v$ until all four values lie on one line. Where can the contexts be now?
#
# ## 6. Exercise
#
# **04.softmax.** The weights of a softmax over the keys, with `exp` and `sum`. `scores` and weights are [batch,
# queries, keys]. Scores may be as large as 50000, though in float32 `exp(89)` is infinity already: what can you
# subtract from all scores of a row without changing its softmax?

# %%
def softmax(scores):
    ...


check("04.softmax", softmax)

# %%
hint("04.softmax")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def softmax(scores):
#     highest = scores.amax(dim=-1, keepdim=True)
#     exponentials = (scores - highest).exp()  # at most exp(0) = 1
#     return exponentials / exponentials.sum(dim=-1, keepdim=True)
# ```
# </details>
#
# <details><summary>Think first, then unfold: a value is learned that helps nobody. Can attention ignore it?</summary>
#
# Nearly. Where the queries have a direction in common, its key can point the other way. Then its weight is tiny, but
# (before rounding) never 0, and if it stands alone in its row, it gets all of the weight whatever its score: a row
# shares out 1.
# </details>
#
# <details><summary>For another day: the exercise 04.attend</summary>
#
# Let a query find *nothing*: beside the keys stands one more, of zeros, with a value of zeros. Write that attention.
# `query` is [batch, queries, dim], `key` [batch, keys, dim], `value` [batch, keys, value_dim], the context [batch,
# queries, value_dim]; all else is scaled dot-product attention. `check("04.attend", attend)` of `attend(query, key,
# value)` names the mistake.
# </details>
#
# ## 7. What is still missing
#
# * The division by $\sqrt{d}$ was taken on trust. [Lesson 04a](04a_why_the_root.ipynb) measures what it is worth.
# * Attention as an average of what is near is fifty years older than lesson 02's: [lesson
#   04b](04b_kernel_regression.ipynb).
# * In the five steps the queries came from outside, from a decoder; in the last picture, from the same words as keys
#   and values. **Lesson 05** asks what such a layer can learn, and what it cannot.
# * Exchange two keys together with their values: the context does not notice. Attention sees a set, not a sequence.
#   **Lesson 07** gives it an order.
# * A query has one row of weights, so all it finds comes back as one mixture. **Lesson 08** gives it several heads.
#
# **Sources.** A. Vaswani and others, *Attention Is All You Need*, 2017: equation 1. The five steps follow J. Johnson's
# lecture on attention (University of Michigan), which also has the comparison with a search: what one asks is not what
# one wants to get back.
