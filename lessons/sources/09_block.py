# %% [markdown]
# # The block: what else does a Transformer need around attention?
#
# Attention lets vectors meet. But attention upon attention is only a heap. Three plain things turn it into a
# Transformer, and none of them is about language: a **sum**, a **norm**, and a small network for each vector. What
# happens without them?
#
# **You will be able to** write a Transformer block and say what each of its parts is for, show with a derivative where
# vectors meet, and split the output of a stack into what each part has added.
#
# **You should know** self-attention (lesson 05), masks (06) and heads (08).

# %%
import torch
from torch import nn

from attnlab import MultiHeadAttention, causal
from attnlab.analysis import hidden_states, mean_cosine, scale_weights
from attnlab.blocks import AttentionBlock, BatchNorm, EncoderBlock, FeedForward, LayerNorm
from attnlab.blocks import bare, no_norm, post_norm, pre_norm
from attnlab.exercises import check, hint
from attnlab.tasks import word_vectors
from widgets import BlockMachineExplorer, JacobianExplorer, RankCollapseExplorer, Table, guess

torch.set_num_threads(1)  # with models this small, two threads wait for each other
torch.set_printoptions(precision=2, sci_mode=False)

# %% [markdown]
# ## 1. Guess, then go deeper
#
# Six words, a random vector for each. They go through layers of self-attention with the weights of a fresh `nn.Linear`
# (without biases). Nothing is trained. How alike two words are is measured by the cosine of their vectors: about 0 for
# random ones, 1 for the same direction.

# %% tags=["hide-input"]
def alike(residual, weights):  # [seeds, 0 to 16 layers]
    words, runs = ["the", "cat", "sat", "on", "a", "mat"], []
    for seed in range(3):
        torch.manual_seed(seed)
        layers = [AttentionBlock(scale_weights(MultiHeadAttention(32, heads=1), weights, others=0),
                                 no_norm, residual) for _ in range(16)]
        runs.append(mean_cosine(hidden_states(layers, word_vectors(words, 32))))
    return torch.stack(runs)


ways = {"nothing around": alike(bare, 1), "nothing, weights 3": alike(bare, 3), "a sum": alike(pre_norm, 1)}
draws = Table({"around attention": list(ways),
               **{f"depth {depth}": [found[:, depth].tolist() for found in ways.values()] for depth in (2, 8, 16)}},
              title="The mean cosine of two words: three draws of the weights, mean, lowest and highest")
guess("09.depth", then=[RankCollapseExplorer(), draws])

# %% [markdown]
# **Try.** The left curve says how alike the words are after each layer, the right one how large their vectors are.
#
# 1. **Drag the depth** slowly, and watch the matrix. On the right the vectors fade, in nearly a straight line on a
#    logarithmic axis.
# 2. Set **around** to *pre-norm*. Each layer now *adds* what it found to what was there. How different are the words
#    now?
# 3. Back to *no residual*, and **norm** *layer*. The vectors no longer fade, and still become one: this norm cures
#    their size, not their sameness. A **feed-forward** network does not cure it either.
# 4. *Pre-norm*, norm *none*, **weights** to 3: at depth 16 the vectors are larger than 10⁸, with norm *layer* about 60.
#    With weights so large the stream needs the norm.
#
# The picture is one draw of the weights, the table below it three. With weights three times as large, the scores of the
# first layer are nine times as large and its softmax is more decided. The words merge more slowly, but they merge. With
# the sum, at weights 1, they stay apart much longer: by depth 16 their cosine is 0.2 to 0.5.
#
# ## 2. By hand
#
# **The sum** needs no pencil: $x + f(x)$. The vectors that run past all the layers in this way are called the
# **residual stream**; each part reads from it and adds to it.
#
# **The norm.** A vector of four numbers: 1, 3, −1, 5. Their mean is 2. The distances from it are −1, 1, −3, 3; their
# squares 1, 1, 9, 9; the mean square is 5, and its root 2.24 is the deviation. Divide: −0.45, 0.45, −1.34,
# 1.34. These numbers have mean 0 and deviation 1, and 100 times the vector would have given the same.

# %%
for x in (torch.tensor([1.0, 3.0, -1.0, 5.0]), torch.tensor([100.0, 300.0, -100.0, 500.0])):
    mean = x.mean()
    deviation = (x - mean).square().mean().sqrt()
    print(f"mean {mean:.0f}, deviation {deviation:.2f}, normalised", (x - mean) / deviation)

# %% [markdown]
# **The feed-forward network** is two matrices with a ReLU in between, and sees one vector at a time. With
# $W_1 = (1\;\; {-1})$, $W_2 = (1\;\; 1)^\top$ and no biases, a single number 3 becomes $(3, -3)$, after the ReLU
# $(3, 0)$, and 3. And −3 becomes $(-3, 3)$, then $(0, 3)$, and 3. It has computed $|x|$. Attention cannot: a lone
# vector gives itself the whole weight, and what comes out is a matrix times $x$.
#
# ## 3. The formulas
#
# For each vector $x$ of the stream, with $D$ numbers:
#
# $$\mu = \frac1D \sum_j x_j \qquad \sigma = \sqrt{\frac1D \sum_j (x_j - \mu)^2 + \epsilon} \qquad
# \mathrm{norm}(x) = \gamma \odot \frac{x - \mu}{\sigma} + \beta$$
#
# $$\mathrm{feed\_forward}(x) = \mathrm{relu}(x W_1 + b_1)\, W_2 + b_2$$
#
# This is **layer norm**. The gain $\gamma$ and the shift $\beta$ are learned, 1 and 0 at first; the small $\epsilon$
# keeps a vector of equal numbers from being divided by 0.
#
# And there are two usual ways to put a part $f$, which is attention or the feed-forward network, into the stream:
#
# | | one part of a block | the stream itself |
# |---|---|---|
# | **post-norm** (2017) | $x \leftarrow \mathrm{norm}(x + f(x))$ | passes through every norm |
# | **pre-norm** (usual today) | $x \leftarrow x + f(\mathrm{norm}(x))$ | is only ever added to |

# %% tags=["hide-input"]
guess("09.head_off", then=BlockMachineExplorer())

# %% [markdown]
# **Try.** The words run from left to right, a row for each. A dot reads the stream, a plus adds to it; a branch is as
# wide as what it adds. At the right, how similar to *mat* the others are at the end.
#
# 1. **Switch** heads off and on, and watch how far the change goes. Click a block, then a head, to go in.
# 2. **Around** *no residual*: the band is gone, nothing runs past a part, and after two blocks the rows are one row.
#    Then *post-norm*: the norm moves onto the line.
# 3. *Pre-norm*, **weights** to 3: the branches win over the stream, and the words grow alike after all. A sum keeps
#    what came in as long as what is added is small in comparison.
#
# ## 4. In torch
#
# The exercise below asks for today's order, so here is the *other* one, of the first paper:

# %%
def two_maps(x, network):
    hidden = (x @ network.expand.weight.T + network.expand.bias).clamp(min=0)
    return hidden @ network.contract.weight.T + network.contract.bias


torch.manual_seed(0)
block = EncoderBlock(MultiHeadAttention(8, heads=2), FeedForward(8, 32), LayerNorm, post_norm)
x = torch.randn(2, 5, 8)  # [batch, tokens, dim]
seen = nn.functional.layer_norm(x + block.attention(x), [8])
written = nn.functional.layer_norm(seen + two_maps(seen, block.feed_forward), [8])
assert torch.allclose(written, block(x), atol=1e-5)
for name in ("attention", "feed_forward"):
    print(name, sum(p.numel() for p in getattr(block, name).parameters()), "parameters")

# %% [markdown]
# (Biases are counted, too.) The attention has four matrices of $D \times D$; a feed-forward network that is $4D$ wide
# inside, as in the paper, has $8 D^2$ weights. So two thirds of such a block are here, where no vector sees another.
#
# **09.block.** A pre-norm block. `x` [batch, tokens, dim]; the others are functions from [batch, tokens, dim] to
# [batch, tokens, dim].

# %%
def block(x, attention, feed_forward, norm_1, norm_2):
    ...


check("09.block", block)

# %%
hint("09.block")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def block(x, attention, feed_forward, norm_1, norm_2):
#     x = x + attention(norm_1(x))
#     return x + feed_forward(norm_2(x))
# ```
# </details>
#
# ## 5. Where do vectors meet?
#
# Where in a block can one vector learn of another? Move one input vector a little, and see which outputs answer: the
# derivative of output $i$ with respect to input $j$ is a matrix, their **Jacobian**. Where it is not 0, they have met.

# %%
def reached(part):  # [outputs, inputs]: True where the derivative is not 0
    x = torch.randn(6, 8, generator=torch.Generator().manual_seed(0))
    jacobian = torch.autograd.functional.jacobian(part, x)  # [tokens, dim, tokens, dim]
    return (jacobian != 0).any(dim=3).any(dim=1)


torch.manual_seed(0)
whole = EncoderBlock(MultiHeadAttention(8, heads=2), FeedForward(8, 32))
parts = {"layer norm": LayerNorm(8), "feed-forward": FeedForward(8, 32), "batch norm": BatchNorm(8),
         "block": lambda x: whole(x[None])[0], "causal block": lambda x: whole(x[None], causal(6))[0]}
met = {name: int(reached(part).fill_diagonal_(False).sum()) for name, part in parts.items()}

# %% tags=["hide-input"]
guess("09.diagonal", then=[
    JacobianExplorer(),
    "Pairs of words that meet, of 30: " + ", ".join(f"{name} {count}" for name, count in met.items()) + ". In the "
    "words of Johnson's slide: self-attention is the only interaction between vectors. Batch norm would be another."])

# %% [markdown]
# **Try.** The number in a cell is the size of one Jacobian, the root of the sum of its squared entries. All panels
# share one scale of shades, so those of attention are pale. Press a cell: where nothing arrives, the sentence says
# *exactly 0*.
#
# 1. **Mask** *causal*: the upper triangle empties. What a word becomes does not depend on what follows.
# 2. **Mask** *window of 1*, and raise **blocks** one by one: news travels one word further with each block.
# 3. **Norm** *batch*, mask *causal*. This norm takes mean and deviation over all words, those to come included. The
#    first panel fills, and with it the block's upper triangle: the causal mask cannot hide what the norm gives away.
#
# ## 6. A sum can be taken apart
#
# In a pre-norm stack nothing happens to the stream but additions. So the vector that leaves the last block *is* a sum:
# the word as it came in, plus what the first attention added, plus what the first feed-forward network added, and so
# on. If you know the terms, you know what each part wrote (though not what it would have
# written without the others). Here is one block:

# %%
BlockMachineExplorer(blocks=1)

# %% [markdown]
# **09.added.** `parts` and `norms` are two lists of functions, of equal length; in a Transformer every other part would
# be an attention. Return the terms, [1 + parts, batch, tokens, dim]: first `x` itself, then what each part adds when it
# reads the stream through its norm.

# %%
def added(x, parts, norms):
    ...


check("09.added", added)

# %%
hint("09.added")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def added(x, parts, norms):
#     found = [x]
#     for part, norm in zip(parts, norms):
#         stream = torch.stack(found).sum(dim=0)  # all that was added so far
#         found.append(part(norm(stream)))
#     return torch.stack(found)
# ```
# </details>
#
# <details><summary>Think first, then unfold: can what leaves a post-norm stack be taken apart in the same
# way?</summary>
#
# Only with care. After each part a norm divides everything that has been added before by one number, and that number
# depends on all of it. Once the deviations are known, the result is a sum again, but of terms that every later norm has
# rescaled: what the first part added has gone through all the divisions, what the last part added through one.
# </details>
#
# ## 7. What you have, and what is missing
#
# | part | what it is for |
# |---|---|
# | attention | the only place where vectors meet (section 5) |
# | sum | the words stay different for longer, and what comes out can be taken apart (1, 6) |
# | norm | what each part reads has a fixed size, so the stream grows slowly (1) |
# | feed-forward network | computes from each vector what mixing cannot (2) |
#
# * Nothing has learned yet. Must the norm stand before or after, over what should it measure, and what is a *warm-up*
#   for? [Lesson 09a](09a_does_it_train.ipynb) lets twelve blocks learn.
# * A block reads one sequence. To translate, a decoder must read a second one. **Lesson 10** puts blocks together into
#   the model of 2017.
# * A stack of these blocks under a causal mask is a GPT. **Lesson 11** builds one that writes.
#
# **Sources.** J. Johnson's lecture on attention (University of Michigan): the block, its norm, *the only interaction*.
# A. Vaswani et al., *Attention Is All You Need*, 2017: section 3.1, norm(x + f(x)), and 3.3, the feed-forward network.
# J. Ba, J. Kiros, G. Hinton, *Layer Normalization*, 2016. K. He et al., *Deep Residual Learning for Image Recognition*,
# 2015: the sum. R. Xiong et al., *On Layer Normalization in the Transformer Architecture*, 2020: pre-norm and post-norm
# compared. Y. Dong, J.-B. Cordonnier, A. Loukas, *Attention Is Not All You Need: Pure Attention Loses Rank Doubly
# Exponentially with Depth*, 2021: that words become one without the sum, proved. N. Elhage et al., *A Mathematical
# Framework for Transformer Circuits*, 2021: the residual stream. All measurements are ours.
