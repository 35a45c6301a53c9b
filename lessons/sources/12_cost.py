# %% [markdown]
# # Cost: what does attention cost, and against what?
#
# Every word looks at every word: a text twice as long has four times as many pairs. The work of a recurrent layer only
# doubles. So why did the field leave it? In this lesson the work of one layer is counted, then the paths by which words
# meet; then both are measured on your machine.
#
# **You will be able to** say which of four kinds of layers has the least to do for a given text, how many layers it
# takes until two words meet, and why a layer with few multiplications may be the slowest.
#
# **You should know** self-attention (lesson 05) and masks (06). What a whole model costs is
# [12a](12a_the_bill.ipynb); when to take something else, [12b](12b_when_not.ipynb).

# %%
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from attnlab import attend, costs, window
from attnlab.analysis import flops, kept_bytes, seconds
from attnlab.costs import LAYERS
from attnlab.exercises import check, hint
from widgets import Chart, LayerCostsExplorer, ReceptiveFieldExplorer, ScalingFitExplorer, Table
from widgets import curve, figure, guess

torch.set_num_threads(1)  # one thread, so that time is work

# %% [markdown]
# ## 1. Guess: which one has more to do?
#
# A sentence of 70 words, each a vector of 512 numbers. A **recurrent** layer takes one word after the other and
# multiplies its state by a matrix each time: these products we count. **Self-attention** compares all pairs of words:
# here we count the scores and the sums of values.

# %% tags=["hide-input"]
guess("12.sentence", then=LayerCostsExplorer())

# %% [markdown]
# **Try.**
#
# 1. **Drag tokens** to the right, and find where the curves of *self-attention* and *recurrent* cross. Change
#    **width**: where do they cross now?
# 2. *Restricted* self-attention, in which a token may only look at its nearest **neighbourhood**, runs parallel to the
#    recurrent curve, and below it as long as the neighbourhood is smaller than half the width.
# 3. **What**: *all multiply-adds*. Self-attention has four maps (query, key, value, output) that look at one token
#    alone. The paper's table leaves them out. In a short text they are nearly everything.
# 4. **What**: *steps that must wait*. Here the recurrent layer stands alone.
# 5. **What**: *numbers kept for training*. In long texts self-attention keeps by far the most: its weights.
#
# ## 2. By hand
#
# Three words, each a vector of two numbers. **Self-attention:** 3 × 3 pairs; for each, query · key is 2
# multiplications, and weight × value 2 more: 36. **Recurrent:** 3 words, each time a state of 2 numbers goes through
# a matrix of 2 × 2: 12. **Convolution** of 3 words: for each of 3 outputs three matrices of 2 × 2, also where they meet
# nothing but zeros at the ends: 36. **Restricted**
# self-attention, in which a word sees itself and its two neighbours: 7 of the 9 pairs are left, 28.

# %%
for name, layer in LAYERS.items():
    print(f"{name:21}{layer.cost(tokens=3, dim=2, kernel=3, neighbourhood=3).mixing:3}")

# %% [markdown]
# ## 3. The formulas
#
# This is table 1 of *Attention Is All You Need*, for a text of $n$ tokens with vectors of $d$ numbers:
#
# | layer | work per layer | steps that wait | longest path |
# |---|---|---|---|
# | self-attention | $O(n^2 \cdot d)$ | $O(1)$ | $O(1)$ |
# | recurrent | $O(n \cdot d^2)$ | $O(n)$ | $O(n)$ |
# | convolution | $O(k \cdot n \cdot d^2)$ | $O(1)$ | $O(\log_k n)$ |
# | restricted self-attention | $O(r \cdot n \cdot d)$ | $O(1)$ | $O(n/r)$ |
#
# | paper | here | what it is |
# |---|---|---|
# | $n$, $d$ | `tokens`, `dim` | length of the text, width of a vector |
# | $k$ | `kernel` | tokens that a convolution takes together |
# | $r$ | `neighbourhood` | tokens that restricted attention may look at |
# | maximum path length | `path` | layers or steps between the two tokens that are farthest apart |
#
# $O(\ldots)$ hides factors. Attention meets each pair twice (scores, context), so it has $2 n^2 d$. Work is counted
# in **multiply-adds**; a **FLOP** is a multiplication *or* an addition, so each multiply-add is two FLOPs. And in the
# recurrent row only one of the layer's two matrices is counted, the one that must wait.
#
# ## 4. In torch
#
# The parts in which tokens meet, without the maps. Restricted attention deserves care: with a mask it would compute
# all $n^2$ scores and throw most of them away. To save the work, gather the neighbours of each token first.

# %%
def self_attention(x):  # [tokens, dim]
    weights = (x @ x.T / x.shape[1] ** 0.5).softmax(dim=-1)  # [tokens, tokens]
    return weights @ x


def recurrent(x, U):
    states = [torch.zeros(1, x.shape[1])]
    for row in x.split(1):
        states.append(torch.tanh(row + states[-1] @ U))
    return torch.cat(states[1:])


def convolution(x, kernel):  # kernel: [dim, dim, k]
    return nn.functional.conv1d(x.T, kernel, padding="same").T

# %%
def restricted(x, radius):
    def near(x):  # [tokens, dim] -> [tokens, dim, neighbours]
        return nn.functional.pad(x, (0, 0, radius, radius)).unfold(0, 2 * radius + 1, 1)

    scores = (x.unsqueeze(1) @ near(x)).squeeze(1) / x.shape[1] ** 0.5
    inside = near(torch.ones(len(x), 1)).squeeze(1) > 0  # False beyond the ends
    weights = scores.masked_fill(~inside, -torch.inf).softmax(dim=-1)  # [tokens, neighbours]
    return (near(x) @ weights.unsqueeze(2)).squeeze(2)

# %% [markdown]
# All of them do what they should, and torch, which can count the FLOPs of a function while it runs, agrees with the
# formulas:

# %%
torch.manual_seed(0)
dim = 64
x, U, kernel = torch.randn(512, dim), torch.randn(dim, dim) / dim, torch.randn(dim, dim, 9) / dim
assert torch.allclose(self_attention(x), attend(x, x, x).context, atol=1e-5)
assert torch.allclose(restricted(x, 8), attend(x, x, x, mask=window(512, radius=8)).context, atol=1e-5)

ways = {"self_attention": self_attention, "recurrent": lambda x: recurrent(x, U),
        "convolution": lambda x: convolution(x, kernel), "restricted_attention": lambda x: restricted(x, 8)}
for name, way in ways.items():
    counted = flops(way, x)
    formula = 2 * LAYERS[name].cost(512, dim, kernel=9, neighbourhood=17).mixing
    print(f"{name:21}{counted:>12,} FLOPs, {counted / formula:.2f} times the formula")

# %% [markdown]
# The extra 1 % of restricted attention is the padding beyond both ends.
#
# **12.crossing.** And with all maps? A recurrent layer has `gates` matrices [dim, dim] for each token and as many for
# the state before it: 1 in a plain layer, 3 in a GRU, 4 in an LSTM. Up to which length does self-attention of the same
# width, with its four maps, need no more multiply-adds than this layer? `dim` and `gates` are tensors of whole numbers,
# one entry for each model; return such a tensor, 0 where there is no such text.

# %%
def crossing(dim, gates):
    ...


check("12.crossing", crossing)

# %%
hint("12.crossing")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def crossing(dim, gates):
#     # 4 n dim² + 2 n² dim <= 2 gates n dim²  is  n <= (gates - 2) dim
#     return ((gates - 2) * dim).clamp(min=0)
# ```
#
# The plain layer always has less to do than attention; a GRU has more up to $n = d$, an LSTM up to $2 d$.
# </details>
#
# ## 5. Who sees whom?
#
# How far apart may two words stand and still meet? That can be measured as in lesson 09: move an input a little, and
# see which outputs answer.

# %% tags=["hide-input"]
guess("12.layers", then=ReceptiveFieldExplorer())

# %% [markdown]
# **Try.**
#
# 1. **Layers**, one by one. *Self-attention* is full from the first. So is the *recurrent* triangle: each output sees
#    all that came before it, the last one everything. The *convolution* widens by two on one side.
# 2. **Near**: *dilated convolution*, whose tokens stand ever farther apart. Three layers are enough, for $3^3 = 27$ is
#    more than 25. This is the paper's $\log_k n$; for neighbouring tokens it has $n/k$ (counted exactly, a layer
#    reaches $k - 1$ further). *Restricted attention* widens by one on each side.
# 3. **Show** *how strongly*, layers back to 1. Look at the lower left corner of the recurrent triangle: the last
#    output does depend on the first word, but hardly. These are random maps. A trained layer can do better, but its
#    first word has to pass through $n$ steps in any case (lesson 01).

# %%
for tokens in (1000, 100_000):
    print(f"{tokens:6} words, kernel 3: {costs.contiguous_path(tokens, 3):5} layers,",
          f"dilated {costs.dilated_path(tokens, 3):2}, self-attention 1")

# %% [markdown]
# ## 6. Measured
#
# Now with a clock. For a law like $t = c \cdot n^p$, two logarithmic axes give a straight line, and its **slope** is
# $p$: 1 for linear, 2 for squared. We take processor time, and the shortest of several rounds, since other programs can
# only add to it.

# %%
def fused(x):
    x = x[None, None]  # [batch, heads, tokens, dim]
    return scaled_dot_product_attention(x, x, x)[0, 0]


assert torch.allclose(fused(x), self_attention(x), atol=1e-5)
rnn = nn.RNN(dim, dim, batch_first=True)
timed = {"self-attention": fused, "recurrent": lambda x: rnn(x[None]), "convolution": ways["convolution"],
         "restricted": ways["restricted_attention"], "weights written out": self_attention,
         "only filling n × n": lambda x: torch.empty(len(x), len(x)).fill_(1.0)}
times = seconds(timed, [torch.randn(2**k, dim) for k in range(6, 12)])
filling = times.pop("only filling n × n")
slopes = ScalingFitExplorer(times, dict(zip(times, [2, 1, 1, 1, 2], strict=True)))
slopes

# %%
for way, slope in list(zip(times, slopes.slopes.tolist(), strict=True))[:2]:
    print(f"{way:15} slope {slope:.0f}")

# %% [markdown]
# **Try.** Choose a smaller **shortest text**. The slopes sink: at the left the dots rise less steeply, for a call has
# costs of its own whatever the length. A formula with $O(\ldots)$ speaks of the right end of the picture only, and of
# work, not of time.
#
# Two things are strange. First, the **recurrent** layer does $2 n d^2$ multiply-adds, the convolution $9 n d^2$, and
# yet the recurrent layer takes longer. Is it busy, or does it wait? Give it 16 texts at once, 16 times the work:

# %%
at_once = seconds({"1 text": lambda x: rnn(x[None]), "16 texts": lambda x: rnn(x.expand(16, -1, -1))}, [x])
Table({"recurrent layer, 512 tokens": list(at_once),
       "milliseconds": [round(1e3 * t[512], 1) for t in at_once.values()]})

# %% [markdown]
# It takes far less than 16 times as long. So with one text most of what the processor could multiply lies idle: each
# step is too small for it, and the next cannot begin before it is done. On a device with thousands of cores, all rows
# of the other layers can be computed at the same time, while a text of 2048 tokens still has 2048 steps, one after the
# other. This is the reason that the paper's introduction gives for leaving recurrence.
#
# Second, *weights written out*: its slope may be **above 2**, although it does exactly $2 n^2 d$ multiply-adds. Below,
# the time for $n$ tokens as a multiple of that for half as many, beside that of a program which computes nothing and
# only fills a matrix of $n \times n$.

# %%
growth = {"only filling n × n": filling}
growth |= {way: times[way] for way in ("weights written out", "self-attention")}
Chart(figure(
    *(curve([t[n] / t[n // 2] for n in list(t)[1:]], list(t)[1:], name, role, line_width=3)
      for (name, t), role in zip(growth.items(), ("query", "key", "context"), strict=True)),
    x="tokens", y="times as long as for half as many", height=280,
    xaxis_type="log", xaxis_tickvals=[128, 256, 512, 1024, 2048],
    yaxis_type="log", yaxis_tickvals=[1, 2, 4, 8, 16],
))

# %% [markdown]
# Four times as long is what the formula says. Where *weights written out* rises above 4, look at the program that only
# writes: if it departs from 4, too, memory can cost more than arithmetic. A matrix this large may have outgrown the
# fast memory beside the processor core (other programs share it: on a busy machine the curves waver), and memory for it
# has to be allocated anew at each call. The fused kernel takes a block of keys at a time, keeps a running maximum and
# sum for the softmax, and so never needs the whole matrix (Dao et al. 2022, *FlashAttention*). In training it keeps
# less, too. One head:

# %%
def written_out(query, key, value):
    return (query @ key.mT / dim**0.5).softmax(dim=-1) @ value


for name, way in {"written out": written_out, "fused": scaled_dot_product_attention}.items():
    for tokens in (1024, 2048):
        vectors = [torch.randn(1, 1, tokens, dim, requires_grad=True) for _ in range(3)]
        print(f"{name:11} {tokens} tokens: {kept_bytes(way, *vectors) / 1e6:3.0f} MB kept for the backward pass")

# %% [markdown]
# For twice the text, written out keeps nearly four times as much, fused twice. A model of 12 layers with 12 heads keeps
# it 144 times. Programs that write their weights out do need much memory. The **time** of exact attention is quadratic
# to this day; its **memory** need not be.
#
# <details><summary>Think first, then unfold: your texts have 4000 tokens, your vectors 512 numbers. A colleague says:
# “A plain recurrent layer has less to multiply, so it will train faster.” What do you answer?</summary>
#
# The first half is right: with all maps it has less to do at any length (12.crossing). The second does not follow. The
# multiplications of attention can be done at the same time, those of the recurrent layer wait for each other, 4000
# steps in a row, forward and back. Which is faster depends on how much of the machine the small steps leave idle.
# Measure it, on the machine that will do the training.
# </details>
#
# ## 7. What you have, and what comes
#
# Attention costs pairs, and buys a path of length one and work that need not wait. Stack it, add feed-forward networks
# and a vocabulary: what does the whole weigh, and what does that cost? That is **[12a, the bill](12a_the_bill.ipynb)**.
# When is it the wrong choice? **[12b, when not](12b_when_not.ipynb)**. And where are all pairs certainly too many? A
# picture of 1000 × 1000 pixels has a million "words" and $10^{12}$ pairs: **lesson 13**, *seeing*.
#
# **Sources.** A. Vaswani et al., *Attention Is All You Need*, 2017: table 1 and section 4. J. Johnson's lecture on
# attention (University of Michigan): the three ways to process sequences. The ECNU lecture shows table 1. T. Dao et
# al., *FlashAttention*, 2022. I. Beltagy, M. Peters, A. Cohan, *Longformer*, 2020: windows. A. van den Oord et al.,
# *WaveNet*, 2016: dilated convolutions. All measurements are ours.
