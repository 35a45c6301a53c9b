# %% [markdown]
# # Positions: how does a set learn its order?
#
# *Dog bites man* and *man bites dog*: to the self-attention of lesson 05 they are one and the same, for it knows no
# places. Places can be brought in at three points: on the words, on the scores, or on queries and keys. You will try a
# code at each, and see what it can tell a model and what it cannot.
#
# **You will be able to** write the sinusoidal code and shift it, write the bias of ALiBi and rotary positions, and say
# what a code knows: places, distances, or distances without sides.
#
# **You should know** lesson 05: the output of self-attention follows its word, wherever the word stands.

# %%
import torch
from torch import nn

from attnlab import scaled_dot, sinusoidal
from attnlab.exercises import check, hint
from attnlab.positions import ALiBi, RelativeBias, Rotary
from widgets import PositionSchemesExplorer, RotaryHandsExplorer, ShiftMatrixExplorer, SinusoidsExplorer
from widgets import guess

torch.set_printoptions(precision=2, sci_mode=False)

# %% [markdown]
# ## 1. Is distance enough?
#
# A first idea: words near each other belong together. So let every step between query and key take half a point off
# their score, and change nothing else.

# %% tags=["hide-input"]
guess("07.bites", then=PositionSchemesExplorer(text="dog bites man", scheme="alibi"))

# %% [markdown]
# On the left the weights of one head with random matrices, on the right its outputs, a row for each word.
#
# **Try**, and read the sentence under the picture:
#
# 1. Switch **backwards** on and off: what becomes of the rows, and of their numbers? The idea above is *alibi*. (Under
#    the **causal mask** the numbers change, but so do those of *none*: a mask alone brings some order.)
# 2. Go through the other **positions**. *None* is lesson 05 again. With which do the outputs change?
# 3. Move **words before** from 0 to 40: the same three words, later in a longer text. With *relative*, *alibi* and
#    *rotary* not one weight changes. To *one_hot*, *learned* and *sinusoidal*, three words at place 20 are something
#    new.
# 4. Type *buffalo* eight times. (It is a sentence.) Which codes give eight equal words different outputs, and why
#    those three?
#
# A **code** is whatever tells a model its places. Those three change the words; the others change who reads whom, and a
# mixture of equal values is that value. There are two families: **absolute** codes say *I am the fifth*, **relative**
# ones *you are two before me*:
#
# | name | line | changes | knows |
# |---|---|---|---|
# | `one_hot` | $W\,[x; p]$, $p$ one-hot | the word | places |
# | `learned` | $x + p_t$, a learned vector for each place | the word | places |
# | `sinusoidal` | $x + P_t$ | the word | places |
# | `relative` | score + $b_{j-i}$, learned for each distance, shared from 8 on | the score | distances, and sides |
# | `alibi` (linear biases) | score − slope · $\lvert j-i\rvert$ | the score | distances, not sides |
# | `rotary` | $R^i q \cdot R^j k$ | query and key | distances, and sides |
#
# $t$ is a word's place, counted from 0 (the picture's row 1), $i$ that of the query, $j$ that of the key; $R^i$ turns
# pairs of numbers $i$ times (section 5).
#
# <details><summary>Think first, then unfold: Hung-yi Lee asks why one <i>adds</i> a code to the word. Are the two not
# muddled? Would it be better to append it?</summary>
#
# Append a one-hot place $p$ to the word and let a matrix take both, he says, and cut the matrix in two: $W\,[x; p] =
# W^I x + W^P p$ (his vectors are columns). Now $W^P p$ is a column of $W^P$, a vector that belongs to the place, and it
# is added. To append and mix *is* to add.
# </details>
#
# ## 2. On the word: clocks
#
# Take one clock whose hand turns by a quarter of a circle at every place. Its code is (sin, cos):
#
# | place | 0 | 1 | 2 | 3 | 4 |
# |---|---|---|---|---|---|
# | P | (0, 1) | (1, 0) | (0, −1) | (−1, 0) | (0, 1) |
#
# How alike are two places? Multiply: P(0) · P(1) = 0, P(1) · P(2) = 0, P(0) · P(2) = −1, P(1) · P(3) = −1. It is the
# cosine of the angle between two hands, wherever one begins. And places 0 and 4 look the same: one clock is not enough,
# just as an hour hand alone does not tell the day.

# %% tags=["hide-input"]
guess("07.clock")

# %% [markdown]
# The **sinusoidal** code of the paper takes a set of clocks, each slower than the one before, as a counter's tens turn
# more slowly than its ones:
#
# $$P_{t,\,2c} = \sin(t f_c) \qquad P_{t,\,2c+1} = \cos(t f_c) \qquad f_c = 10000^{-2c/d}$$
#
# Here $d$ is the width of a word and $c$ counts the clocks. In the paper $t$ is *pos* and $P$ is *PE*.

# %%
def waves(tokens, dim):
    f = 10000 ** (-torch.arange(0, dim, 2) / dim)  # how far each clock turns at every place, in radians
    angles = torch.arange(tokens)[:, None] * f  # [tokens, dim / 2]
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)


assert torch.allclose(waves(50, 64), sinusoidal(50, 64), atol=1e-4)
SinusoidsExplorer(cell=[0, 0, 30])

# %% [markdown]
# On the left $P$, a row for each place. On the right $P P^\top$, divided by the number of clocks: how alike
# any two places are, 1 for a place and itself. **Try**
#
# * **waves**, from 1 upwards. One wave: stripes, for after 6.28 places the clock has gone round. With every slower wave
#   the false stripes fade, until one ridge is left.
# * **the last one alone**, and the same slider. The last waves hardly move in 32 places: to them all places look the
#   same. So with all 32 the ridge stands on high ground. Click: neighbours are alike by 0.97, and places 30 apart still
#   by 0.53.
# * Along each diagonal all numbers are equal. An absolute code, yet its products, before any learned map, know
#   distances.
# * **learned**, before training: a diagonal, and noise. Nothing says that 3 and 4 are neighbours.
#
# ## 3. Three places on
#
# A code should make it easy to look a few places away. Take place 5, and a matrix $M$ that leads three places on: P(5)
# $M$ = P(8).

# %% tags=["hide-input"]
guess("07.three_on", then=ShiftMatrixExplorer(place=5, k=3))

# %% [markdown]
# **07.shift.** Write that matrix down instead of solving for it: M [dim, dim] with P(t) @ M = P(t + k) for every t.
# `waves` has the clocks in the order of the columns. What does a turn do to (sin, cos)?

# %%
def shift(k, dim):
    ...


check("07.shift", shift)

# %%
hint("07.shift")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def shift(k, dim):
#     angles = k * 10000 ** (-torch.arange(0, dim, 2) / dim)
#     blocks = [torch.tensor([[a.cos(), -a.sin()], [a.sin(), a.cos()]]) for a in angles]
#     return torch.block_diag(*blocks)  # no clock moves another's hand
# ```
# </details>
#
# ## 4. On the score: by distance
#
# Here nothing is added to the words. What counts is $j - i$, from the query's place to the key's. With a **relative
# bias**, as in the model T5, a number is learned for every distance; from 8 on several share one (8 to 11, and so on,
# in widening groups). **ALiBi** learns nothing: it subtracts distance times a slope, a different one in each *head*,
# one of several attentions side by side (lesson 08; for eight heads: 1/2, 1/4 ... 1/256).

# %%
i, j = torch.arange(6).unsqueeze(1), torch.arange(6)  # queries [6, 1] and keys [6]
relative, alibi = RelativeBias(heads=1), ALiBi(heads=8)
b = nn.init.normal_(relative.table)[0]  # 16 numbers for keys up to the query, 16 for those after it

assert torch.equal(relative.bias(6, 6)[0], torch.where(j > i, b[16 + j - i], b[i - j]))
assert torch.equal(alibi.bias(6, 6)[0], -1 / 2 * (j - i).abs())
print("ALiBi, first head, takes off:", -alibi.bias(6, 6)[0], sep="\n")

# %% [markdown]
# ALiBi was made for models that write, under a causal mask: there all keys lie on one side, and a distance says where.
#
# **07.alibi.** The weights [batch, heads, queries, keys] of causal attention with ALiBi, after the softmax. `scores`
# have the same shape, `slopes` [heads]. The queries stand at the *last* of the `keys` places: in training at all of
# them, in writing at one.

# %%
def weights_with_alibi(scores, slopes):
    ...


check("07.alibi", weights_with_alibi)

# %%
hint("07.alibi")

# %% [markdown]
# <details><summary>A solution, and a surprise</summary>
#
# ```python
# def weights_with_alibi(scores, slopes):
#     queries, keys = scores.shape[-2:]
#     places = torch.arange(keys)
#     distance = places[keys - queries:].unsqueeze(1) - places
#     lowered = scores - slopes.view(-1, 1, 1) * distance
#     return lowered.masked_fill(distance < 0, -torch.inf).softmax(dim=-1)
# ```
#
# The line `lowered = scores + slopes.view(-1, 1, 1) * places` gives the same weights: in a row, the query's own place
# adds the same to all scores, and a softmax does not notice. Under a causal mask ALiBi needs the place of the key only.
# </details>
#
# ## 5. On query and key: two hands
#
# **Rotary** positions take the numbers of a query in pairs. A pair is a point in the plane, a hand, and its place turns
# it; so too with the keys. The shortest way to turn in torch is a product of complex numbers.

# %%
def turn(x, start=0):
    tokens, dim = x.shape
    f = 10000 ** (-torch.arange(0, dim, 2) / dim)
    angles = torch.arange(start, start + tokens)[:, None] * f
    points = torch.view_as_complex(x.unflatten(1, (-1, 2)))
    return torch.view_as_real(points * torch.polar(torch.ones_like(angles), angles)).flatten(1)


torch.manual_seed(0)
query, key = torch.randn(2, 5, 8)
assert torch.allclose(turn(query), Rotary(8).rotate(query), atol=1e-5)

# %% [markdown]
# Eight numbers are four such points, so a query is four hands, and a key four more; each turns more slowly than the one
# before.

# %% tags=["hide-input"]
guess("07.hands", then=RotaryHandsExplorer())

# %% [markdown]
# **Try**
#
# * **both from place**: eight hands turn, four angles stay, and the curve below travels along unchanged. In one line:
#   $R^i q \cdot R^j k = q \cdot R^{j-i} k$.
# * **query later by**: the fast pair parts first, and after 6.28 places it has come round. To it 5 places and 11 are
#   nearly the same; the slower pairs tell them apart.
# * The other curves: *ALiBi* goes straight down on both sides. The *relative bias*, set by hand here, becomes a stair
#   where distances share a number.
# * **Drag a dot**, the tip of a pale arrow: what the model makes, before the turn. Press *reset*, then turn the query's
#   first hand until the highest point of the curve stands five places before the query: a head that looks five back can
#   be made by turning.
#
# The same in numbers:

# %%
for start in (0, 100):
    print(f"scores of the first query, from place {start:3}:", scaled_dot(turn(query, start), turn(key, start))[0])

# %% [markdown]
# <details><summary>For another day: the exercise 07.rotary</summary>
#
# The same for `x` [batch, tokens, dim], every token turned by its place, without complex numbers: columns $2c$ and
# $2c + 1$ are a point (a, b). `check("07.rotary", ...)` names the mistake.
# </details>
#
# ## 6. What is still broken
#
# * What a code *can* tell is one thing, what a model learns from it another. Which codes find their letter, and which
#   still do in a text twice as long as any in training? [Lesson 07a](07a_longer_than_trained.ipynb) trains fourteen
#   models and finds out.
# * Attention knows order now. But one head looks in one way, and a word stands in several relations at once. **Lesson
#   08.**
#
# **Sources.** A. Vaswani et al., *Attention Is All You Need*, 2017, section 3.5: sines and cosines, and the linear
# shift. Hung-yi Lee's lecture *Transformer*: the one-hot place appended. J. Gehring et al., *Convolutional Sequence to
# Sequence Learning*, 2017: learned places. C. Raffel et al., *Exploring the Limits of Transfer Learning with a Unified
# Text-to-Text Transformer*, 2020: a bias for each distance. O. Press, N. Smith, M. Lewis, *Train Short, Test Long:
# Attention with Linear Biases Enables Input Length Extrapolation*, 2022. J. Su et al., *RoFormer: Enhanced Transformer
# with Rotary Position Embedding*, 2021. The eight buffalo: A. Senghas, in S. Pinker, *The Language Instinct*, 1994; W.
# Rapaport had five in 1972.
