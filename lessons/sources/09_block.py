# %% [markdown]
# # The block: what else does a Transformer need around attention?
#
# Attention lets vectors meet. Stack a dozen attention layers on each other and nothing works: the words become one
# word, and the first layer never hears how wrong the last one was. Three plain things around attention turn the heap
# into a Transformer, and none of them is about language: a **sum**, a **norm**, and a small network for each vector.
#
# **You will be able to** write a Transformer block and say what each of its parts is for, prove with a derivative that
# vectors meet in attention and nowhere else, choose between LayerNorm and BatchNorm and between pre-norm and
# post-norm, and say when a warm-up is needed.
#
# The cells run for less than a minute on two cores. **You should know** self-attention (lesson 05), masks (06),
# positions (07) and heads (08).

# %%
from functools import partial

import torch
from torch import nn

from attnlab import MultiHeadAttention, causal, fit
from attnlab.blocks import (
    NORMS, BatchNorm, EncoderBlock, FeedForward, LayerNorm, RMSNorm,
    bare, no_norm, post_norm, pre_norm,
)
from attnlab.exercises import check, hint
from attnlab.positions import Learned
from widgets import BlockMachineExplorer, RankCollapseExplorer, GradientAtStartExplorer, JacobianExplorer
from widgets import Predict, DepthComparisonExplorer, NormsExplorer, Table, Training

# %%
torch.set_num_threads(1)  # with models this small, two threads wait for each other
torch.set_printoptions(precision=2, sci_mode=False)

# %% [markdown]
# ## 1. Guess, then go deeper
#
# Six words, a random vector for each. They go through 16 layers of self-attention, one after the other, with the
# weights of a fresh `nn.Linear`. Nothing is trained here. How alike two words are is told by the cosine of
# their vectors: 0 for nothing in common, 1 for the same direction.

# %% tags=["hide-input"]
Predict(
    "The words start out as different as can be. How many layers does it take until all six are the same vector, but "
    "for a hundredth part?",
    choices=[
        ("they never are", "Every output is an average over all words, and an average of averages of averages forgets "
                           "what it was made of. Drag the depth."),
        ("about 16", "Far sooner. Drag the depth one step at a time: most of it happens in the first layer."),
        ("2 or 3", "Every output is an average over all words, with weights that are nearly equal in a fresh layer. "
                   "The average of averages is the same for everybody."),
    ],
    answer="2 or 3",
    then=RankCollapseExplorer(),
)

# %% [markdown]
# **Try.** The left curve says how alike the words are after each block, the right one how large their vectors.
#
# 1. **Drag the depth** from 0 to 3. The matrix turns into one colour: six words, one vector. Look at the curve on the
#    right, too: it falls in a straight line on a logarithmic axis, so the vectors fade to nothing.
# 2. Set **around** to *pre-norm*. Each layer now *adds* what it found to what was there. At depth 3, and even at 16,
#    the words are themselves.
# 3. Back to *no residual*, and **norm** *layer*. The vectors no longer fade. The words still become one: a norm cures
#    the size, not the sameness. **Feed-forward** alone does not cure it either. (*batch* does keep them apart, since it
#    takes from every word what all have in common. Section 6 says what is wrong with it.)
# 4. **Weights** to 3, *pre-norm*, norm *none*: the vectors grow to a size of 10⁸. Norm *layer*: to about 60. Sum and
#    norm need each other.
#
# That attention alone loses the difference between words, and how fast, was proved by Dong, Cordonnier and Loukas in
# 2021; the residual connection is what prevents it.
#
# ## 2. By hand
#
# **The sum** needs no pencil: $x + f(x)$. The vectors that run past all the layers in this way are called the
# **residual stream**; each part reads from it and adds to it.
#
# **The norm.** A vector of four numbers: 1, 3, −1, 5. Their mean is 2. The distances from the mean are −1, 1, −3, 3;
# their squares 1, 1, 9, 9; the mean square is 5, and its root 2.24 is the deviation. Divide: −0.45, 0.45, −1.34,
# 1.34. That is all. The numbers have mean 0 and deviation 1 now, and 100 times the vector would have given the same.

# %%
x = torch.tensor([1.0, 3.0, -1.0, 5.0])
mean = x.mean()
deviation = (x - mean).square().mean().sqrt()
print(f"mean {mean:.2f}, deviation {deviation:.2f}")
print("normalised             ", (x - mean) / deviation)
y = 100 * x + 7
print("100 x + 7, normalised  ", (y - y.mean()) / (y - y.mean()).square().mean().sqrt())

# %% [markdown]
# **The feed-forward network** is two matrices with a ReLU in between, and sees one vector at a time. With
# $W_1 = (1\;\; {-1})$, $W_2 = (1\;\; 1)^\top$ and no biases, a single number 3 becomes $(3, -3)$, after the ReLU
# $(3, 0)$, and 3. And −3 becomes $(-3, 3)$, then $(0, 3)$, and 3. It has computed $|x|$. Attention, which only
# averages, cannot do that to a vector.
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
# And two ways to put a part $f$, which is attention or the feed-forward network, around the stream:
#
# | | one part of a block | the stream itself |
# |---|---|---|
# | **post-norm** (2017) | $x \leftarrow \mathrm{norm}(x + f(x))$ | passes through every norm |
# | **pre-norm** (today) | $x \leftarrow x + f(\mathrm{norm}(x))$ | is never touched, only added to |
#
# Below, six words run through two fresh blocks from left to right, one row for each word. A dot reads the stream, a
# plus adds to it; a branch is as wide as what it adds. At the right, how like *mat* the others are at the end.

# %% tags=["hide-input"]
Predict(
    "Head 1 of block 1 is switched off. Which numbers of the picture change?",
    choices=[
        ("those of its branch alone", "It adds nothing any more, and whatever reads the stream behind its plus reads "
                                      "something else. Try it, and watch block 2."),
        ("all that comes after its plus", "The heads of one attention read the same stream and do not see each other; "
                                          "everything later reads what they have added."),
        ("those of head 2 beside it, too", "Both heads read the stream before the plus. Nothing that head 1 does can "
                                           "reach head 2 of the same block."),
    ],
    answer="all that comes after its plus",
)

# %%
BlockMachineExplorer()

# %% [markdown]
# **Try.**
#
# 1. **Switch** heads off and on, and watch how far the change goes. Click a block, then a head, to go in.
# 2. **Around** *no residual*: the band is gone, nothing runs past a part, and after two blocks the rows are one row.
#    Then *post-norm*: the norm moves onto the line.
# 3. *Pre-norm*, **weights** to 3: the branches win over the stream, and the words grow alike after all. A sum keeps
#    what came in while what is added is small beside it.
#
# | Johnson's slide | here | shape | what it is |
# |---|---|---|---|
# | $h_i$ | `x` | tokens, dim | one vector a token |
# | $\mu_i$, $\sigma_i$ | `mean`, `deviation` | tokens, 1 | one pair for each vector |
# | $\gamma$ (scale) | `gain` | dim | learned; 1 at first |
# | $\beta$ (shift) | `shift` | dim | learned; 0 at first |
# | | `hidden` | | size between $W_1$ and $W_2$, usually 4 × dim |
#
# The small $\epsilon$ under the root keeps a vector of equal numbers from being divided by 0; the slide leaves it
# out. On the same slide the squares are summed over the index $i$ of the vectors. That is a slip of the pen: the sum
# runs over the coordinates of one vector, as the shape *scalar* beside it says.
#
# ## 4. In torch
#
# Both exercises of this lesson ask you to write a piece of this, so the cell below builds the *other* order, the one of
# the first paper.

# %%
torch.manual_seed(0)
block = EncoderBlock(MultiHeadAttention(8, heads=2), FeedForward(8, 32), LayerNorm, post_norm)
x = torch.randn(2, 5, 8)  # [batch, tokens, dim]


def two_maps(x, network):
    hidden = (x @ network.expand.weight.T + network.expand.bias).clamp(min=0)
    return hidden @ network.contract.weight.T + network.contract.bias


seen = nn.functional.layer_norm(x + block.attention(x), [8])
written = nn.functional.layer_norm(seen + two_maps(seen, block.feed_forward), [8])
assert torch.allclose(written, block(x), atol=1e-5)
parts = {name: sum(p.numel() for p in part.parameters()) for name, part in block.named_children()}
print("parameters:", {name: count for name, count in parts.items() if count})

# %% [markdown]
# The feed-forward network holds twice as many parameters as the attention: $8 D^2$ against $4 D^2$. In most
# Transformers two thirds of everything in a block is here, and none of it can see a second word.
#
# ## 5. Where do vectors meet?
#
# Johnson's slide says: *self-attention is the only interaction between vectors*. That can be checked. Move one input
# vector a little, and see which outputs answer: the derivative of output $i$ with respect to input $j$ is a matrix of
# its own, and its size is one cell below. White is not small, it is exactly 0.

# %% tags=["hide-input"]
Predict(
    "Four pictures, outputs by inputs: a layer norm, a feed-forward network, an attention, a whole block. How many of "
    "the four have anything beside the diagonal?",
    choices=[
        ("one", "The attention does. And so does whatever contains it: the block is the fourth picture."),
        ("two", "Attention fills its rows, and the block because attention is in it. Norm and feed-forward treat "
                "each vector as if the others did not exist."),
        ("three", "The norm would be the third, but each vector has a mean and deviation of its own. (Choose "
                  "batch norm in the explorer, and you are right.)"),
        ("four", "Then the feed-forward network would mix words. It is applied to each vector alone."),
    ],
    answer="two",
    then=JacobianExplorer(),
)

# %% [markdown]
# **Try.**
#
# 1. **Mask** *causal*: the upper triangle empties. What a word becomes does not depend on what follows.
# 2. **Mask** *window of 1*, and raise **blocks** one by one: news travel one word further with each block.
# 3. **Norm** *batch*, mask *causal*. The first panel fills, and with it the block's upper triangle: mean and deviation
#    are taken over all words, those to come included. A causal mask cannot hide what a batch norm tells. That alone
#    rules it out for a language model.

# %%
def reached(part, tokens=6, dim=8):  # [outputs, inputs]: True where the derivative is not 0
    x = torch.randn(tokens, dim, generator=torch.Generator().manual_seed(0))
    jacobian = torch.autograd.functional.jacobian(part, x)  # [tokens, dim, tokens, dim]
    return (jacobian != 0).any(dim=3).any(dim=1)


diagonal, everywhere = torch.eye(6, dtype=torch.bool), torch.ones(6, 6, dtype=torch.bool)
torch.manual_seed(0)
block = EncoderBlock(MultiHeadAttention(8, heads=2), FeedForward(8, 32))
assert torch.equal(reached(LayerNorm(8)), diagonal)
assert torch.equal(reached(FeedForward(8, 32)), diagonal)
assert torch.equal(reached(lambda x: block(x[None])[0]), everywhere)
assert torch.equal(reached(lambda x: block(x[None], causal(6))[0]), causal(6))
assert torch.equal(reached(BatchNorm(8)), everywhere)
print("only attention fills the rows; causal: the lower triangle; batch norm: everywhere")

# %% [markdown]
# ## 6. A norm, but over what?
#
# **LayerNorm** measures each row: one vector, all its coordinates. **BatchNorm**, the standard in pictures when the
# Transformer was invented, measures each column: one coordinate, all vectors of the batch. Lee's lecture sets them side
# by side. Below are three sentences of unequal length. A batch must be a rectangle, so the shorter ones are filled up
# with **padding**. Watch *cat*.

# %% tags=["hide-input"]
Predict(
    "A batch of three sentences is padded more than needed: three more vectors of zeros for each. What changes for "
    "the word “cat”?",
    choices=[
        ("nothing with either norm", "True of layer norm. Batch norm counts the zeros like any other vector, and "
                                     "every mean and deviation moves."),
        ("nothing with layer norm, something with batch norm", "Layer norm looks at “cat” alone. Batch norm takes "
                                                               "the mean over all vectors, and zeros count too."),
        ("something with both", "Layer norm takes mean and deviation over the coordinates of “cat”, and those are "
                                "the same."),
    ],
    answer="nothing with layer norm, something with batch norm",
    then=NormsExplorer(),
)

# %% [markdown]
# **Try.**
#
# 1. *layer*: move every slider. The row of *cat* on the right never changes, not even when its vector is five times as
#    long.
# 2. *batch*, **padding** up: all rows change, because someone else got a longer sentence.
# 3. *batch*, **cat times** 5: now all the *others* change, because *cat* is loud.
# 4. *batch*, **batch size** 1, padding 0: one vector, deviation 0, no result. At padding 1 there is one, made of *cat*
#    and a zero.
# 5. *rms* is layer norm without the mean: fewer operations, and most large models use it today.
#
# After training, BatchNorm replaces the batch by averages that it has kept, and then treats vectors alone. So its model
# computes something else in training than in use.

# %%
batch = torch.tensor([[1.0, 3, -1, 2], [0, -1, 1, 1], [2, 2, -2, 0]])
padded = torch.cat([batch, torch.zeros(4, 4)])
for name in ("layer", "rms", "batch"):
    moved = (NORMS[name](4)(padded)[0] - NORMS[name](4)(batch)[0]).abs().max()
    print(f"{name:5} the first vector has moved because of padding: {bool(moved > 1e-6)}")

try:
    BatchNorm(4)(batch[:1])
except ValueError as error:
    print("batch norm of one vector:", error)

# %% [markdown]
# ## 7. Pre-norm or post-norm?
#
# Now they must learn. The task: name the letters of a random string **backwards**, in place, so that each place must
# read one certain other place. The model is as deep as you like, and `residual` and `norm` can be exchanged.

# %%
from attnlab.optimisers import adamw
from attnlab.schedules import constant
from attnlab.tasks import TAGGINGS
from attnlab.tasks.tagging import accuracy, tagging_loss
from attnlab.training import Step

task = TAGGINGS["mirrored"](symbols=16)
test = task.batch(100, 10, torch.Generator().manual_seed(99))
print("read  ", *(task.vocabulary[i] for i in test.inputs[0]))
print("wanted", *(task.vocabulary[i] for i in test.targets[0]))

# %%
class Reverser(nn.Module):
    def __init__(self, depth, residual, norm=LayerNorm, dim=32):
        super().__init__()
        self.embedding, self.positions = nn.Embedding(16, dim), Learned(dim, 10)
        self.blocks = nn.ModuleList(
            EncoderBlock(MultiHeadAttention(dim, heads=4), FeedForward(dim, 2 * dim), norm, residual)
            for _ in range(depth))
        self.norm = norm(dim) if residual is pre_norm else nn.Identity()
        self.answer = nn.Linear(dim, 16)

    def forward(self, letters):  # [batch, tokens] -> [batch, tokens, 16]
        x = self.positions(self.embedding(letters))
        for block in self.blocks:
            x = block(x)
        return self.answer(self.norm(x))

# %% [markdown]
# With pre-norm nothing has normalised the stream when it leaves the last block, so there is one more norm before the
# answer. First a look at the models **before their first step**. How large is the gradient that reaches each block?

# %%
example = task.batch(8, 10, torch.Generator().manual_seed(0))
GradientAtStartExplorer(Reverser, *example)

# %% [markdown]
# **Try.**
#
# 1. As it opens, all three curves lie **almost flat**, with 2 blocks and with 24. Post-norm gets up to twice as much
#    as pre-norm.
# 2. **Norm** *none*. Pre-norm and post-norm are now one curve, for without a norm they are the same formula. *No
#    residual* falls in a straight line: with 12 blocks the first one gets less than a millionth of a millionth of what
#    the last one gets. It would not move. That is the case for the sum.
# 3. **Weights** to 2, still *none*: the sum explodes. **Norm** *layer*: it holds. That is the case for the norm.
# 4. **Weights** 2, norm *layer*: post-norm's gradients grow to several times those of pre-norm.
#
# One often reads that in a fresh post-norm model the gradients explode towards the output. That is true of the
# weights that Xiong and colleagues assume; those of a fresh `nn.Linear` are smaller, and it is hardly to be seen.
# Besides, Adam divides every gradient by its usual size. So from this chart alone, one would expect pre-norm and
# post-norm to train alike. Do they?
#
# Four models of 12 blocks, the same task, Adam with a rate of 0.01, no clipping of gradients:

# %%
depth, rate, steps = 12, 1e-2, 150  # yours to change: try 6 blocks, or a rate of 2e-3


def warm_up(step, steps):  # the share of the rate: a straight line up to 1
    return step / steps


ways = {
    "pre-norm": (pre_norm, constant),
    "post-norm": (post_norm, constant),
    "post-norm, warm-up": (post_norm, warm_up),
    "no residual": (bare, constant),
}

# %%
def train(depth, way, seed=0, rate=1e-2, steps=150, norm=LayerNorm):
    """The model, and its training, which ends as soon as the last ten losses are below 0.1."""
    residual, schedule = ways[way]
    torch.manual_seed(seed)
    model = Reverser(depth, residual, norm)
    adam = partial(adamw, betas=(0.9, 0.98), decay=0.0, clip=None)

    def loss(generator):
        batch = task.batch(32, 10, generator)
        return tagging_loss(model(batch.inputs), batch.targets)

    return model, until_learned(fit(model, loss, steps, rate, seed, adam, schedule))

# %%
def until_learned(training):
    losses = []
    for step in training:
        losses.append(step.loss)
        yield step
        if learned(losses):
            return


def learned(losses):
    return len(losses) >= 10 and sum(losses[-10:]) / 10 < 0.1

# %%
def start():  # Reset calls it again
    running = {}
    for way in ways:
        models[way], running[way] = train(depth, way, rate=rate, steps=steps)
        losses[way] = []
    return side_by_side(running)


def side_by_side(running):  # one step each, then the next; who has learned rests
    for step in range(1, steps + 1):
        for way, one in running.items():
            losses[way] += [found.loss for found in [next(one, None)] if found]
        latest = [found[-1] for found in losses.values()]
        metrics = right(models) if step % 10 == 0 else {}
        yield Step(step, sum(latest) / len(latest), metrics, last=step == steps)

# %%
@torch.no_grad()
def right(models):
    return {way: accuracy(model(test.inputs), test.targets) for way, model in models.items()}


models, losses = {}, {}
training = Training(start, steps=steps, seconds=15, name="pre and post", metrics=list(ways))

# %% tags=["hide-input"]
Predict(
    "12 blocks, rate 0.01, no warm-up. Which of the two will learn to spell backwards in 150 steps?",
    choices=[
        ("pre-norm only", "With post-norm the stream passes through 24 norms, and the first large steps of Adam push "
                          "it where all letters are alike. It does not come back."),
        ("post-norm only", "The other way round. In 2017 it was post-norm, and it needed a warm-up to work."),
        ("both", "That is what the gradients at the start suggest. But a flat profile says where one stands before "
                 "the first step, not where the first steps lead."),
        ("neither", "Twelve blocks are not too many for pre-norm: the stream is a plain sum from the first block "
                    "to the last."),
    ],
    answer="pre-norm only",
    then=training,
)

# %% [markdown]
# Guess, then press **Start**. The curves show right letters; one in sixteen is guessing.

# %%
training.run()
for way, found in losses.items():
    print(f"{way:20} learned: {learned(found)}")
training

# %% [markdown]
# *Post-norm* sits at one right letter in sixteen, the same as *no residual*, and its loss is ln 16 = 2.77: it gives
# every letter the same probability, whatever it reads. What has become of the letters inside? The measure of section
# 1, on 200 letters of 20 strings, after the last block:

# %%
def alike(model):
    with torch.no_grad():
        x = model.positions(model.embedding(test.inputs[:20]))
        for block in model.blocks:
            x = block(x)
    x = nn.functional.normalize(x.flatten(0, 1), dim=-1)
    return ((x @ x.T).sum() / len(x) - 1) / (len(x) - 1)  # the mean over all pairs


torch.manual_seed(0)
print("post-norm, fresh:   below 0.7 ", bool(alike(Reverser(12, post_norm)) < 0.7))
for way, model in models.items():
    print(f"{way:20} above 0.99 {bool(alike(model) > 0.99)!s:6} below 0.5 {bool(alike(model) < 0.5)}")

# %% [markdown]
# It is the collapse of section 1. The first large steps of Adam have made all letters one vector. No gradient tells
# them apart any more, so there is no way back. The same model with the same start learns if the rate **rises slowly**
# instead of beginning at full height: the paper of 2017 let it rise for 4000 steps.
#
# ### At which depth does it break?
#
# The same at 3, 6 and 9 blocks. Drag the depth.

# %%
runs = {way: {} for way in list(ways)[:3]}
for way in runs:
    for blocks in (3, 6, 9):
        _, one = train(blocks, way)
        runs[way][blocks] = [step.loss for step in one]
    runs[way][12] = losses[way]

DepthComparisonExplorer(runs, steps=steps, learned=0.1)

# %% [markdown]
# One seed is an anecdote. Two more where it matters:

# %%
again = {}
for way, blocks in [("pre-norm", 12), ("post-norm", 3), ("post-norm", 6), ("post-norm", 9)]:
    again[way, blocks] = [learned(runs[way][blocks])]
    for seed in (1, 2):
        _, one = train(blocks, way, seed)
        again[way, blocks].append(learned([step.loss for step in one]))

Table({
    "model": [f"{way}, {blocks} blocks" for way, blocks in again],
    "learned, of three seeds": [sum(three) for three in again.values()],
}, title="Rate 0.01, no warm-up, at most 150 steps")

# %%
print("pre-norm learns with 12 blocks, every seed:", all(again["pre-norm", 12]))
print("post-norm learns with 3 blocks, every seed:", all(again["post-norm", 3]))
print("post-norm learns with 9 blocks, some seed: ", any(again["post-norm", 9]))
print("post-norm learns with 9 and with 12 blocks after a warm-up:",
      all(learned(runs["post-norm, warm-up"][blocks]) for blocks in (9, 12)))

# %% [markdown]
# So the depth at which post-norm without warm-up stops training, at this rate, lies **between 3 and 9 blocks**, and at
# 6 it depends on the seed. Pre-norm still trains at 12.
#
# ### An honest footnote
#
# The lecture says that pre-norm trains *more stably*, and so it does here. It does not say that post-norm cannot
# train. The threshold belongs to this rate: at a fifth of it 12 blocks of post-norm learn without any warm-up, in
# about the number of steps that pre-norm would need at that rate. What breaks is the combination of *deep*,
# *post-norm* and *large first steps*.

# %%
_, one = train(12, "post-norm", rate=2e-3, steps=200)
print("post-norm, 12 blocks, rate 0.002, no warm-up: learned:",
      learned([step.loss for step in one]))

# %% [markdown]
# And the norm itself? Pre-norm, six blocks, four norms:

# %%
norms = {"layer": LayerNorm, "rms": RMSNorm, "batch": BatchNorm, "none": no_norm}
found = {}
for name, norm in norms.items():
    model, one = train(6, "pre-norm", norm=norm)
    found[name] = [step.loss for step in one], right({"": model})[""]
Table({
    "norm": list(found),
    "steps until learned": [len(losses) for losses, _ in found.values()],
    "right letters": [[share] for _, share in found.values()],
}, title="Six blocks, pre-norm, one seed", roles={"right letters": "context"})

# %%
print("all four learned:", all(learned(losses) for losses, _ in found.values()))

# %% [markdown]
# All of them learn, even without any norm, while the model is shallow, the sequences equally long and the weights
# small. Do not read a ranking into a single seed. What tells the norms apart is what you saw in section 6, and depth:
# without a norm nothing holds the size of the stream (section 1, step 4).
#
# ## 8. Exercises
#
# Replace the dots and run the cell; `check` names the mistake.
#
# **09.layer_norm.** `x` [batch, tokens, dim], `gain` and `shift` [dim], `epsilon` a number under the root.

# %%
def layer_norm(x, gain, shift, epsilon):
    ...


check("09.layer_norm", layer_norm)

# %%
hint("09.layer_norm")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def layer_norm(x, gain, shift, epsilon):
#     centred = x - x.mean(dim=-1, keepdim=True)
#     variance = (centred**2).mean(dim=-1, keepdim=True)
#     return gain * centred / (variance + epsilon).sqrt() + shift
# ```
# </details>
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
# ## 9. What you have, and what is missing
#
# | part | without it |
# |---|---|
# | attention | no vector ever hears of another |
# | feed-forward | everything is an average of what came in |
# | residual sum | all words become one, and the first blocks get no gradient |
# | norm | the stream grows or fades with depth |
# | pre-norm, or post-norm and warm-up | deep models stop at the first large steps |
#
# * A block reads one sequence. To translate, a decoder must read a second one, and write one word after the other.
#   **Lesson 10** puts blocks together to the model of 2017: warm-up, dropout and all.
# * A stack of these blocks under a causal mask is a GPT. **Lesson 11** builds one that writes.
#
# **Sources.** J. Johnson's lecture on attention (University of Michigan): the block, its norm, *the only
# interaction*, and post-norm against pre-norm. Hung-yi Lee's lecture *Transformer*: layer against batch
# normalisation. A. Vaswani et al., *Attention Is All You Need*, 2017: section 3.1, norm(x + f(x)), 3.3 the
# feed-forward network, 5.3 the warm-up. J. Ba, J. Kiros, G. Hinton, *Layer Normalization*, 2016. S. Ioffe, C.
# Szegedy, *Batch Normalization*, 2015. B. Zhang, R. Sennrich, *Root Mean Square Layer Normalization*, 2019. K. He et
# al., *Deep Residual Learning for Image Recognition*, 2015: the sum. R. Xiong et al., *On Layer Normalization in the
# Transformer Architecture*, 2020: pre-norm, post-norm and the warm-up. Y. Dong, J.-B. Cordonnier, A. Loukas,
# *Attention Is Not All You Need: Pure Attention Loses Rank Doubly Exponentially with Depth*, 2021. N. Elhage et al.,
# *A Mathematical Framework for Transformer Circuits*, 2021: the name *residual stream*. The task and all measurements
# are ours.
