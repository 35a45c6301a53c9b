# %% [markdown]
# # Does it train? Which norm, and where does it stand?
#
# A block needs a norm (lesson 09). Two questions are open: over what does it measure, and does it stand before or after
# each part? On paper the answers look alike. Here twelve blocks have to learn with them.
#
# **You will be able to** choose between LayerNorm and BatchNorm, and between pre-norm and post-norm, say what the first
# steps can ruin, and what a chart of gradients does not tell.
#
# **You should know** the block (lesson 09).

# %%
from functools import partial

import torch

from attnlab import fit, measured, trained
from attnlab.analysis import block_gradients, mean_and_range
from attnlab.blocks import BatchNorm, LayerNorm, RMSNorm, post_norm, pre_norm
from attnlab.exercises import check, hint
from attnlab.optimisers import adamw
from attnlab.schedules import constant
from attnlab.tasks.spelling_backwards import Reverser, backwards_loss, right_backwards, strings
from attnlab.training import side_by_side
from widgets import Chart, DepthComparisonExplorer, GradientAtStartExplorer, NormsExplorer
from widgets import Table, Training, curve, figure, guess

# %% [markdown]
# ## 1. A norm, but over what?
#
# **LayerNorm** measures each row: one vector, all its coordinates. **BatchNorm**, made for networks that look at
# pictures, measures each column: one coordinate, all vectors of the batch. Lee's lecture sets them side by side. Below
# are three sentences of unequal length. A batch must be a rectangle, so the shorter ones are filled up with
# **padding**. Watch *cat*.

# %% tags=["hide-input"]
guess("09a.padding", then=NormsExplorer())

# %% [markdown]
# **Try.**
#
# 1. *layer*: move every slider. Does the row of *cat* on the right ever change? Not even when its vector is five times
#    as long?
# 2. *batch*, **padding** up: zeros are counted. Which rows change?
# 3. *batch*, **cat times** 5: and now, when *cat* is loud?
# 4. *batch*, **batch size** 1, padding 0: one vector, deviation 0, no result.
# 5. *rms* is layer norm without the mean: fewer operations. LLaMA and many models after it use it.

# %%
batch = torch.tensor([[1.0, 3, -1, 2], [0, -1, 1, 1], [2, 2, -2, 0]])
padded = torch.cat([batch, torch.zeros(4, 4)])
for norm in (LayerNorm, RMSNorm, BatchNorm):
    moved = (norm(4)(padded)[0] - norm(4)(batch)[0]).abs().max()
    print(f"{norm.__name__:9} padding has moved the first vector by {moved:.2f}")

# %% [markdown]
# After training, BatchNorm uses averages kept from training instead of the batch's. So its model computes one thing in
# training and another in use.
#
# **09.layer_norm.** Write LayerNorm: each vector's own mean and deviation, as in lesson 09. `x` [batch, tokens, dim],
# `gain` and `shift` [dim], `epsilon` a number under the root.

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
# ## 2. Before or after? The gradients
#
# The task: name the letters of a random string **backwards**, in place. Each place must read one certain other place.
# A `Reverser` has as many blocks as you like, and `residual` says what stands around each part. How large is the
# gradient that reaches each block **before the first step**?

# %%
test = strings(100, torch.Generator().manual_seed(99))
print("read  ", *("abcdefghijklmnop"[i] for i in test.inputs[0]))
print("wanted", *("abcdefghijklmnop"[i] for i in test.targets[0]))

example = strings(8, torch.Generator().manual_seed(0))
GradientAtStartExplorer(Reverser, *example)

# %% [markdown]
# **Try.**
#
# 1. **Norm** *none*. Pre-norm and post-norm are one curve now, for without a norm they are the same formula. *No
#    residual* falls in a straight line, on an axis that is logarithmic: of 12 blocks the first one gets less than a
#    millionth of a millionth of what the last one gets.
# 2. **Weights** to 2, still *none*: with the sum, gradients explode. **Norm** *layer*: they hold.
# 3. **Weights** 2, norm *layer*: at this start every block gets at least 2.8 times as much in post-norm as in pre-norm.
#
# One often reads that in a fresh post-norm model the gradients grow towards the output. Xiong and colleagues prove it
# under assumptions, among them weights drawn by **Xavier's rule**, which spreads them more widely than `nn.Linear`
# does. The last block's gradient over the first one's, 12 blocks, three seeds:

# %%
def last_over_first(residual, xavier):
    model = Reverser(12, residual)
    for parameter in model.blocks.parameters():
        if xavier and parameter.ndim == 2:
            torch.nn.init.xavier_uniform_(parameter)
    first, *_, last = block_gradients(model, *example)
    return float(last / first)


for name, residual in {"pre-norm": pre_norm, "post-norm": post_norm}.items():
    for rule in ("nn.Linear", "Xavier"):
        torch.manual_seed(0)
        ratios = [last_over_first(residual, rule == "Xavier") for _ in range(3)]
        print(f"{name:9} {rule:9}", mean_and_range(ratios, ".1f"))

# %% [markdown]
# In post-norm hardly any growth shows with either rule; in pre-norm the last block gets less than the first.
# Nothing here looks like a reason not to train. So one would expect both orders to train alike. Do they?
#
# ## 3. The race
#
# Twelve blocks. **Adam** divides each gradient by its usual size, so its first step moves every weight by about the
# full rate. (**Clipping**, which shortens all gradients together where they are long, is off.) Pre-norm and post-norm
# at a rate of 0.01 from the first step on, and post-norm once more with a **warm-up**: its rate rises in a straight
# line for 40 steps, and then stays at 0.01.

# %%
def rising(step, steps):  # the share of the rate
    return min(1, step / 40)


ways = {  # yours to change
    "pre-norm": (pre_norm, 1e-2, constant),
    "post-norm": (post_norm, 1e-2, constant),
    "post-norm, rising": (post_norm, 1e-2, rising),
}
adam = partial(adamw, betas=(0.9, 0.98), decay=0.0, clip=None)
models = {}

# %%
def learn(way):
    residual, rate, schedule = ways[way]
    torch.manual_seed(0)  # equal starts
    models[way] = Reverser(12, residual)
    return fit(models[way], partial(backwards_loss, models[way]), 120, rate, 0, adam, schedule)


def right():
    return {way: right_backwards(model, test) for way, model in models.items()}


def start():  # Reset calls it again
    return measured(side_by_side([learn(way) for way in ways]), right, every=10)

# %% tags=["hide-input"]
def summary(right):
    shares = "; ".join(f"{way}: {5 * round(20 * right[way])} %" for way in ways)
    return f"Right letters, to the nearest 5 %: {shares}."


training = Training(start, steps=120, seconds=15, name="before and after", metrics=list(ways), summary=summary)

# %% tags=["hide-input"]
guess("09a.warm_up", then=training)

# %% [markdown]
# Press **Start**. The curves show right letters; one in sixteen is guessing.

# %%
training.run()
training

# %% [markdown]
# ## 4. What has happened?
#
# The measure of lesson 09: the mean cosine of any two letters of 20 strings, as they leave the last block. In a fresh
# post-norm model it is about one half.

# %% tags=["hide-input"]
runs = trained.depths()["runs"]  # by attnlab/trained/train_depths.py
lines = {"pre-norm": runs["pre-norm"]["0.01 at once"], "post-norm": runs["post-norm"]["0.01 at once"],
         "post-norm, rising": runs["post-norm"]["0.01 after a rise"]}
steps = [0, 1, 2, 3, 5, 10, 20, 40]
cosines = Table({"step": ["0", "1", "10", "40", "the last"]} | {
    name: [mean_and_range([run["alike"][step] for run in found["12"]], ".3f") for step in ("0", "1", "10", "40", "end")]
    for name, found in lines.items()
}, title="mean cosine of two letters, three seeds: mean, lowest and highest")

# %% tags=["hide-input"]
guess(
    "09a.cosine",
    then=[Chart(figure(
        *(curve([found["12"][0]["alike"][str(step)] for step in steps], steps, name,
                "query" if "post" in name else "context", line_dash="dot" if "rising" in name else "solid")
          for name, found in lines.items()),
        x="training step", y="mean cosine of two letters", y_range=[0, 1.05], height=300)), cosines],
)

# %% [markdown]
# Is there no way back, or is the rate only too high to find it? The three models that had collapsed were trained for
# 200 more steps at a fifth of the rate, at which fresh ones learn in fewer (section 5):

# %%
for run in trained.depths()["a second try"]["post-norm"]:
    before, after = run["gradients"]
    print("learned;" if run["learned"] else "not learned;", f"mean cosine at the end {run['alike']['end']:.3f};",
          f"first block's gradient: fresh {before:.2f}, collapsed {after:.10f}")

# %% [markdown]
# When this second try began, next to no gradient reached the first block. None has learned by its end, and two of the
# three are as they were. In the third the letters have begun to part: so a collapse need not last.
#
# <details><summary>Think first, then unfold: in pre-norm, too, the letters were nearly one vector, and they parted
# again. Which difference between the two formulas may be the reason?</summary>
#
# In pre-norm the letter's own vector is never touched. However large the common vector that was added to all of
# them, each difference between two letters is still in the sum, as large as it was; a part need only take the common
# vector back. In post-norm every norm divides what it is given, and with a large common vector in it the differences
# become smaller, 24 times in a row. This fits what was measured. It is not proved by it.
# </details>
#
# ## 5. The slow rise, or only a smaller rate?
#
# While a rate rises, it is smaller. Perhaps that is all? Here are the controls: half the rate, and a fifth of it, from
# the first step on. Twelve blocks, 200 steps at most, three seeds:

# %% tags=["hide-input"]
def in_words(found):
    steps = [run["steps"] for run in found if run["learned"]]
    return f"{len(steps)} of 3" + (f", in {min(steps)} to {max(steps)} steps" if steps else "")

# %%
for around, rates in runs.items():
    for rate, depths in rates.items():
        print(f"{around:9}, rate {rate:17}: learned by {in_words(depths['12'])}")
print("post-norm, 0.01 at once, clipped : learned by", in_words(trained.depths()["clipped"]["post-norm"]))

# %% [markdown]
# * Pre-norm learns in each of these ways, with the rise in 62 to 63 steps, without it in 56 to 70.
# * Post-norm at 0.01 learns if the rate rises, though the rate is the very same from step 40 on. So what ruins it at
#   this rate are the large *first* steps.
# * A smaller rate does it, too: half is enough for two seeds of three, a fifth for all. But a fifth is slower for good,
#   while the warm-up is slow for 40 steps only.
# * Clipping, which scales all gradients down together, does not help. Adam divides each gradient by its own usual size,
#   so in its first step a factor that all gradients have in common drops out.
#
# ## 6. At which depth does it break?
#
# The same at 3, 6 and 9 blocks; the curves are those of the first seed. **Drag the depth.**

# %%
curves = {f"{around}, {rate[5:]}": {int(depth): seeds[0]["losses"] for depth, seeds in depths.items()}
          for around, rates in runs.items() for rate, depths in rates.items() if rate.startswith("0.01")}
DepthComparisonExplorer(curves, steps=200, learned=0.1)

# %%
for depth, seeds in runs["post-norm"]["0.01 at once"].items():
    print(f"{depth:>2} blocks, post-norm at once: learned by {in_words(seeds)}")

# %% [markdown]
# At 3 blocks post-norm does without a warm-up, at 9 in no seed; at 6 it depends on the seed. These depths belong to
# this rate, this width and this task. The paper of 2017 had six blocks, and let the rate rise for 4000 steps.
#
# In short: training fails where three things meet, depth, post-norm *and* large first steps. Take one of them far
# enough away, and here it trains.
#
# And which norm? Pre-norm, six blocks, at the full rate, three seeds:

# %%
for name, found in trained.depths()["norms"].items():
    print(f"{name:5}: learned by {in_words(found)}")

# %% [markdown]
# All learn, even without any norm. Batch norm is a little ahead, in a task where all strings are equally long and
# nothing is padded. What speaks against it is not how fast it learns, but section 1. And without a norm, nothing holds
# the size of the stream (lesson 09, section 1).
#
# ## 7. What you have, and what is missing
#
# * LayerNorm looks at one vector, so neither padding nor neighbours nor the future can change what it does.
# * Pre-norm trains at every depth and rate that was tried here. Post-norm trains, too, when its first steps are small.
# * A chart of gradients before the first step has foretold none of this.
# * Back to [lesson 09](09_block.ipynb), or on to **lesson 10**, which puts blocks together into the model of 2017:
#   post-norm, warm-up and all.
#
# **Sources.** Hung-yi Lee's lecture *Transformer*: layer against batch normalisation. J. Johnson's lecture on attention
# (University of Michigan): post-norm against pre-norm. A. Vaswani et al., *Attention Is All You Need*, 2017: section
# 5.3, the warm-up of 4000 steps. S. Ioffe, C. Szegedy, *Batch Normalization*, 2015. B. Zhang, R. Sennrich, *Root Mean
# Square Layer Normalization*, 2019. X. Glorot, Y. Bengio, *Understanding the difficulty of training deep feedforward
# neural networks*, 2010: Xavier's rule. R. Xiong et al., *On Layer Normalization in the Transformer Architecture*,
# 2020: pre-norm, post-norm and the warm-up. Task and measurements are ours.
