# %% [markdown]
# # Query, key, value: what is a query, a key, a value?
#
# You ask a dictionary for *red* and it has *red*: fine. You ask for something halfway between *red* and *green*,
# and it has nothing to say. Attention is a dictionary that always answers. The **query** is what you ask, the
# **keys** are what the entries are found by, the **values** are what they give.
#
# **You will be able to** compute attention with a pencil and follow each number of it through the picture,
# generalise the attention of lesson 02 to the layer that everybody uses, write it in four lines, and say what the
# division by $\sqrt{d}$ is good for, with numbers that you have measured.
#
# The cells run for half a minute on two cores. **You should know** Python and matrix products; lesson 02 helps.

# %%
import torch
from torch import nn

from attnlab import attend, dot, fit, scaled_dot
from attnlab.exercises import check, hint
from attnlab.schedules import constant
from attnlab.tasks.kernel_regression import measurements
from attnlab.training import measured
from widgets import Chart, Predict, Training, bars, curve, figure, points
from widgets import (SoftLookupExplorer, AdditiveToScaledExplorer, QueryKeyValueExplorer,
                     ProjectionsExplorer, KernelRegressionExplorer, ScoreVarianceExplorer)

torch.set_num_threads(1)
torch.set_printoptions(precision=2, sci_mode=False)

# %% [markdown]
# ## 1. A dictionary that answers in between
#
# Three names, three lights. An ordinary dictionary knows these three names and no other.

# %%
colours = {"red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1)}
print("red:           ", colours["red"])
print("red and green: ", colours.get("red and green"))

# %% [markdown]
# Now let a name be a vector. *Red* is $(1, 0, 0)$, *green* $(0, 1, 0)$, *blue* $(0, 0, 1)$; to ask for red and for
# green is the query $(2, 2, 0)$. Each entry gets a **score**, the product of the query with its key: 2, 2 and 0.
# Softmax makes them **weights**.

# %% tags=["hide-input"]
Predict(
    "You ask for as much red as green, and not for blue. What comes back?",
    choices=[
        ("red: it stands first", "An ordinary search would do that. Here every entry answers, each by its weight."),
        ("half red, half green", "Nearly. Softmax gives nobody exactly nothing: the score 0 of blue becomes e⁰ = 1 "
                                 "before the division."),
        ("red and green alike, and a little blue",
         "With a pencil: e², e², e⁰ are 7.39, 7.39 and 1, their sum is 15.78, so the weights are 0.47, 0.47 and 0.06."),
    ],
    answer=2,
    then=SoftLookupExplorer(),
)

# %% [markdown]
# **Try** the sliders. Ask for 8 of red alone: now it is a dictionary, almost. Ask for 1 of each, then for 8 of
# each: the answer is the same. Only differences between scores count.
#
# The last step is the mixture: each value times its weight, added up. All of it in four lines:

# %%
query = torch.tensor([2.0, 2.0, 0.0])
keys, values = torch.eye(3), torch.eye(3)

scores = keys @ query
weights = scores.exp() / scores.exp().sum()
print("answer", weights @ values)

# %% [markdown]
# ## 2. The whole layer, in numbers that you can change
#
# Keys and values need not be the same vectors, and there may be many queries. Here four English words read five
# French ones, the last of which only fills up the sentence. The picture is the matrix product itself: **Q** stands
# left of the scores, **K** lies on its side above them, so that *every key is a column*, and **V** stands above
# the context, so that its columns run into the columns of the context.

# %% tags=["hide-input"]
Predict(
    "You change one number of V, in the row of “chat”. What changes with it?",
    choices=[
        ("the whole row: scores, weights and context", "Scores come from queries and keys alone. V has no say in who "
                                                       "is read."),
        ("one column of the context", "The weights stay as they are: values are only read. Each query that reads "
                                      "“chat” gets its share of the change, in that one column."),
        ("one number of the context", "All four queries read “chat”, each a little: the whole column moves."),
    ],
    answer=1,
    then=QueryKeyValueExplorer(),
)

# %% [markdown]
# **Drag** any number of Q, K or V up or down, or click it and type. **Click** a cell of the weights: below stands
# where it comes from, each number in the colour of its matrix. Click a number of the context for its sum. With the
# keyboard: arrows move, Enter opens a number.
#
# Three things to find out:
#
# * Set the first number of the key *chat* to −1.2. Which query reads it now?
# * Press *double every key*. Rows get sharper, as if the temperature were halved: scores are products, so twice the
#   key is twice the score.
# * Switch the mask off. The padding takes weight from everybody, though nobody asked for it.
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
# | $QK^\top/\sqrt{d_k}$ | `scores` | queries, keys | how well each key matches each query |
# | softmax of it | `weights` | queries, keys | how much is read; a row sums to 1 |
# | the result | `context` | queries, value_dim | what was read |
#
# Queries and keys must be of one size, since they are multiplied; values may be of any. The softmax runs along the
# rows, over the keys: `dim=-1`.
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
# encoder's states both to be compared with and to be read. Five steps make a layer of it that serves any model.
# Take them one by one; dashes show the weights of the step before.

# %%
AdditiveToScaledExplorer()

# %% [markdown]
# | step | what changes | scores |
# |---|---|---|
# | 1 | one query $q$, inputs $X$, any similarity | $f(q, X_i)$ |
# | 2 | a dot product: no parameters, one matrix product | $q \cdot X_i$ |
# | 3 | divided by $\sqrt{d}$: section 6 says why | $q \cdot X_i / \sqrt{d}$ |
# | 4 | many queries at once; a softmax for each row | $Q X^\top / \sqrt{d}$ |
# | 5 | keys $K = X W_k$ and values $V = X W_v$ of their own | $Q K^\top / \sqrt{d}$ |
#
# The last step is the one that people forget. In steps 1 to 4 an input is found by what it is, and gives what it
# is. But who asks how high a tower is does not want the question back: what a page is *found by* and what it
# *gives* are two things. $W_k$ and $W_v$ are learned, so the model itself decides which part of an input says
# "here I am", and which part is the news.
#
# In one sequence every word plays all three parts: it asks with $q = x W_q$, is found by $k = x W_k$ and gives
# $v = x W_v$. Below, the numbers of a word mean something, and the maps are set by hand. A verb asks for a thing, a
# noun for a count; a word offers what it is; what it gives is *animal* and *plural*: a value is a point of the plane.

# %% tags=["hide-input"]
Predict(
    "“fish” reads mostly “one”, so its context lies near the value of “one”. Can you carry it out of the area between "
    "the four values, with W_q and W_k alone?",
    choices=[
        ("yes, with large enough numbers", "Large numbers make one weight nearly 1 and the others nearly 0. Then the "
                                           "context lies on a value, and no farther."),
        ("no, whatever the numbers are", "Weights are never negative and sum to 1, so a context is a mean of values. "
                                         "Queries and keys choose where in the area; only W_v moves the area."),
        ("only with negative numbers", "Scores may be negative, weights cannot: softmax makes a number "
                                       "above 0 of each."),
    ],
    answer=1,
    then=ProjectionsExplorer(),
)

# %% [markdown]
# **Click** a row, or use the controls, to follow a word as the one that asks, as an offer, as a gift. Point at any
# number: what flows into it and out of it stays lit, and below stands how it is made. **Drag** the numbers with a
# dotted line.
#
# * Follow *one* as an offer, then drag a number of $W_v$. Its key and all weights stay: they come from other maps.
# * *cats* asks for nothing in particular. Give it a question: drag the number from *animal* to *thing?* in $W_q$.
# * Drag one number of $W_v$ until all four values lie on one line. Where can the contexts be now?
#
# ## 6. Why divide by $\sqrt{d}$?
#
# A well-known illustration has two words with the scores 112 and 96. Here are vectors of 64 numbers that have
# them. Divided by $\sqrt{64} = 8$, they become 14 and 12, and the weights 0.88 and 0.12.

# %%
query = torch.ones(1, 64)
keys = torch.ones(2, 64)
keys[0, :48] += 1  # 48 twos and 16 ones
keys[1, :32] += 1  # 32 twos and 32 ones

print("products", query @ keys.T)
print("scores  ", scaled_dot(query, keys))
print("weights ", attend(query, keys, keys).weights)

# %% tags=["hide-input"]
Predict(
    "And without the division? The scores 112 and 96 themselves go into the softmax. What does the second word get?",
    choices=[
        ("0.46: 96 of 208", "That would be a share of the scores. Softmax does not see them, but e to the power of "
                            "them."),
        ("0.12 as before", "Only adding the same to both scores changes nothing. Dividing brings them nearer "
                           "together."),
        ("less than a millionth", "What counts is the difference, 16: the second word gets about e⁻¹⁶, a "
                                  "ten-millionth. And so does its gradient."),
    ],
    answer=2,
)

# %% [markdown]
# Is that an unlucky example? Take random vectors whose numbers have mean 0 and variance 1. Each product of two of
# their numbers has mean 0 and variance 1 again, and variances of independent numbers add up: a dot product of $d$
# of them has variance $d$. Divided by $\sqrt{d}$, it has variance 1, whatever $d$ is. **Measured**, on four
# thousand products for each width:

# %%
torch.manual_seed(0)
widths = [1, 4, 16, 64, 256, 1024]
variance = {"not divided": [], "divided by √d": []}
for width in widths:
    query, key = torch.randn(4000, 1, width), torch.randn(4000, 1, width)
    variance["not divided"].append(dot(query, key).var().item())
    variance["divided by √d"].append(scaled_dot(query, key).var().item())

Chart(figure(*(curve(seen, widths, name) for name, seen in variance.items()),
             title="Variance of the scores", x="width d", xaxis_type="log", yaxis_type="log",
             xaxis_tickvals=widths, xaxis_ticktext=[str(width) for width in widths],
             yaxis_tickvals=[1, 10, 100, 1000], height=240))

# %%
off = [seen / width - 1 for width, seen in zip(widths, variance["not divided"], strict=True)]
print("variance of the dot product is d, within 15 %:", max(map(abs, off)) < 0.15)
print("divided it is 1, within 15 %:", all(0.85 < seen < 1.15 for seen in variance["divided by √d"]))

# %% [markdown]
# What does the softmax make of such scores? Six random queries, sixteen random keys. **Move the width** from left
# to right and watch: without the division each row becomes one dark cell. The **entropy** of the weights, how
# undecided they are, falls to nothing; so does the **gradient**, how much a weight still moves when its score
# does. Then switch the division on and move the width again: nothing happens. That is the point.

# %%
ScoreVarianceExplorer()

# %% [markdown]
# **Where lectures differ.** The lecture we follow explains the root with two *constant* vectors: each has a length
# that grows with $\sqrt{d}$. But the product of two such vectors grows with $d$, not with its root (above, 112 and
# 96: with twice the numbers, they would be 224 and 192). The root is right for *random* vectors, whose products
# are as often negative as positive; this is the paper's argument, in its footnote 4. At the start of a training,
# vectors are random.
#
# ## 7. The same idea, fifty years older
#
# Points were measured along a line, and a curve is wanted. Nadaraya and Watson, in 1964: the answer at a place is
# the average of all measurements, the near ones first. The place is the query, where the points lie are the keys,
# what was measured are the values, and a softmax over $-\frac{1}{2}(q - k)^2 / h^2$ makes the weights. Nothing is
# learned.

# %%
KernelRegressionExplorer()

# %% [markdown]
# **Try** the bandwidth $h$. At 0.05 the curve jumps from point to point; at 2 it has forgotten the waves. The
# scores are divided by $h^2$: **the bandwidth squared is the temperature.** Then look at the rows of the matrix.
# Where points lie close together, many share the weight; at 5.0, where there is none, the last one gets nearly all
# of it: softmax shares out all of the weight, however far the nearest key is.
#
# So far the score was a distance, not a product. But $-\frac{1}{2}|q - k|^2 = q \cdot k - \frac{1}{2}|k|^2 -
# \frac{1}{2}|q|^2$. The last term is the same for all keys of a row, so the softmax does not see it; and where all
# keys are of one length, nor does it see the one before. **Kernel regression is then dot-product attention:**

# %%
angle = torch.linspace(0, 6, 20)
key = torch.stack([angle.cos(), angle.sin()], dim=1)  # on a circle: all of length 1
query, value = torch.randn(7, 2), torch.randn(20, 3)


def near(query, key):
    return -torch.cdist(query, key) ** 2 / 2


by_distance = attend(query, key, value, score=near, temperature=0.3)
by_product = attend(query, key, value, score=dot, temperature=0.3)
assert torch.allclose(by_distance.weights, by_product.weights, atol=1e-5)

# %% [markdown]
# Which bandwidth is best? Let each point be guessed from the nineteen others: a mask keeps it from reading itself.
# The error has a derivative, since softmax has one, so the bandwidth can be **learned** by gradient descent like
# any weight. The curve is the error at each bandwidth; the mark is where sixty steps of descent from $h = 1$ have
# come to.

# %%
key, value = measurements()  # the twenty points of the picture, [20, 1] each
others = ~torch.eye(20, dtype=torch.bool)  # True = may attend


def error(bandwidth):
    guess = attend(key, key, value, lambda q, k: near(q, k) / bandwidth**2, others)
    return ((guess.context - value) ** 2).mean()

# %%
learned = nn.Parameter(torch.tensor(1.0))
descent = torch.optim.Adam([learned], lr=0.05)
for _ in range(60):
    descent.zero_grad()
    error(learned).backward()
    descent.step()

# %%
tried = torch.linspace(0.05, 2, 40)
with torch.no_grad():
    errors = [error(bandwidth).item() for bandwidth in tried]
    reached = error(learned).item()
print("within 3 % of the best that was tried:", reached < 1.03 * min(errors))
Chart(figure(curve(errors, tried, "each tried"),
             points([learned.item()], [reached], ["learned"], role="query", marker={"size": 12},
                    textposition="bottom center"),
             title="Error at a point that was left out", x="bandwidth", y="mean squared error",
             y_range=[0, 0.5], height=240, showlegend=False))

# %% [markdown]
# ## 8. What does the missing root cost?
#
# In attention as everybody uses it, the bandwidth is gone: $W_q$ and $W_k$ are learned, and with them what counts
# as near. Then they could also learn to undo a missing division! Do we need it at all? Measure.
#
# The task is a soft dictionary again. It has eight entries, named by random vectors. You ask for one of them, but
# in another language: the name is turned in space, always in the same way, and noise is added. Only $W_q$ and
# $W_k$ can make question and name meet. The values are the numbers of the entries, so the context says who was
# found.

# %%
class Finder(nn.Module):
    def __init__(self, width, score):
        super().__init__()
        self.W_q, self.W_k = (nn.Linear(width, width, bias=False) for _ in range(2))
        for W in self.W_q, self.W_k:  # queries and keys start with variance 1
            nn.init.normal_(W.weight, std=width**-0.5)
        self.score = score

    def forward(self, asked, names):
        return attend(self.W_q(asked), self.W_k(names), torch.eye(8), score=self.score)

# %%
def language(width, seed):
    chance = torch.Generator().manual_seed(seed)
    return torch.linalg.qr(torch.randn(width, width, generator=chance)).Q  # a turn


def ask(turn, count, chance):
    names = torch.randn(count, 8, len(turn), generator=chance)
    right = torch.randint(8, (count,), generator=chance)
    asked = names[torch.arange(count), right]
    asked = asked + 0.5 * torch.randn(asked.shape, generator=chance)
    return (asked @ turn).unsqueeze(1), names, right

# %%
def loss_of(finder, asked, names, right):
    found = finder(asked, names).context.squeeze(1)
    return ((found - torch.eye(8)[right]) ** 2).sum(-1).mean()

# %% tags=["hide-input"]
Predict(
    "Width 256, W_q and W_k are learned. How does the model without the division do?",
    choices=[
        ("it learns as fast: the weights just become smaller", "They could. But first they must be found, and a "
                                                               "softmax that has made up its mind gives little hint."),
        ("it needs several times the steps", "It starts with confident wrong answers, and most questions then teach it "
                                             "nothing. The others do, so in the end it gets there."),
        ("it never learns", "Too hard on it: some questions still have a gradient, and Adam makes the most of it."),
    ],
    answer=1,
)

# %% [markdown]
# Two models side by side, from the same start, on the same questions. Press **Start**; it takes a few seconds. The
# rows are eight questions, one for each entry, so the right cells are those of the diagonal.

# %%
turn = language(256, seed=0)
test = ask(turn, 300, torch.Generator().manual_seed(99))
eight = ask(turn, 1, torch.Generator().manual_seed(5))[1].expand(8, 8, 256)
asked = (eight[0] @ turn).unsqueeze(1)  # one question for each of eight entries

# %%
def new_pair():
    torch.manual_seed(0)
    divided, plain = Finder(256, scaled_dot), Finder(256, dot)
    plain.load_state_dict(divided.state_dict())  # the same start
    return nn.ModuleDict({"divided": divided, "plain": plain})


def adam(model, rate):
    return torch.optim.Adam(model.parameters(), rate)


def found(finder):
    return (finder(*test[:2]).weights.squeeze(1).argmax(-1) == test[2]).float().mean()

# %%
pair = new_pair()


def start():  # Reset calls it again
    pair.load_state_dict(new_pair().state_dict())

    def loss(chance):
        questions = ask(turn, 64, chance)
        return sum(loss_of(finder, *questions) for finder in pair.values())

    training = fit(pair, loss, 150, 1e-3, optimiser=adam, schedule=constant)
    return measured(training, lambda: {name: found(pair[name]) for name in pair}, every=5)

# %%
def watch():
    with torch.no_grad():
        return torch.stack([finder(asked, eight).weights.squeeze(1) for finder in pair.values()])


training = Training(
    start, steps=150, watch=watch, film_every=3, seconds=4, name="finders",
    metrics={"divided": "found, divided", "plain": "found, not divided"},
    panel_names=["divided by √256", "not divided"],
)
training

# %%
training.run()
print("divided: at least 99 % found:", training.result["divided"] >= 0.99)
print("not divided: at least 90 %, it gets there:", training.result["plain"] >= 0.9)

# %% [markdown]
# Scrub the film. On the left, rows begin grey and have found the diagonal after some thirty steps. On the right
# they begin nearly *black*: each question is sure of some entry, and mostly of a wrong one. That has to be
# unlearned first.
#
# Is that the vanishing gradient of section 6? Look at the very first step: for each of 300 questions, how large is
# the gradient of its loss by its eight scores?

# %%
def gradients(width, score):
    """By the scores of each question [300, 8], and by all of W_q."""
    torch.manual_seed(0)
    finder = Finder(width, score)
    asked, names, right = ask(language(width, 0), 300, torch.Generator().manual_seed(99))
    scores = score(finder.W_q(asked), finder.W_k(names))
    losses = ((scores.softmax(-1).squeeze(1) - torch.eye(8)[right]) ** 2).sum(-1)
    by_scores, by_W = torch.autograd.grad(losses.sum(), [scores, finder.W_q.weight])
    return by_scores.squeeze(1), by_W


def no_hint(width, score):
    return (gradients(width, score)[0].abs().sum(-1) < 0.01).float().mean().item()

# %%
widths = [16, 64, 256]
silent = [no_hint(width, dot) for width in widths]
print("divided by √d, every question gives a hint:", max(no_hint(w, scaled_dot) for w in widths) == 0)
print("not divided, at width 256 at least a third give none:", silent[2] > 1 / 3)
Chart(figure(bars(silent, [f"d = {width}" for width in widths], "no hint", "query", text=silent),
             title="Not divided: share of questions whose gradient is under 0.01", y_range=[0, 1],
             height=220).update_traces(texttemplate="%{text:.2f}", textposition="outside"))

# %% [markdown]
# Now the price, in steps until nine of ten questions are answered, for three widths, with five seeds each.

# %%
def steps_to_learn(width, score, seed, rate=1e-3, most=500):
    torch.manual_seed(seed)
    finder, turn = Finder(width, score), language(width, seed)
    asked, names, right = ask(turn, 200, torch.Generator().manual_seed(99))
    training = fit(finder, lambda chance: loss_of(finder, *ask(turn, 64, chance)), most, rate,
                   seed, adam, constant)
    for step in training:
        with torch.no_grad():
            if step.step % 5 == 0:
                best = finder(asked, names).weights.squeeze(1).argmax(-1)
                if (best == right).float().mean() >= 0.9:
                    return step.step
    return most

# %%
seeds = range(5)
steps = {score: [[steps_to_learn(width, score, seed) for seed in seeds] for width in widths]
         for score in (dot, scaled_dot)}
mean = {score: [sum(runs) / len(runs) for runs in steps[score]] for score in steps}
times = [plain / divided for plain, divided in zip(mean[dot], mean[scaled_dot], strict=True)]

print("width 16: less than 1.5 times the steps:", times[0] < 1.5)
print("width 64: at least 1.5 times:", times[1] >= 1.5)
print("width 256: at least 2.5 times:", times[2] >= 2.5)

# %%
spots = [i for i in range(3) for _ in seeds]
said = ", ".join(f"{width}: {ratio:.1f} times" for width, ratio in zip(widths, times, strict=True))
Chart(figure(
    *(points(spots, [one for many in steps[score] for one in many], role=role, opacity=0.5)
      for score, role in ((dot, "query"), (scaled_dot, "key"))),
    curve(mean[dot], range(3), "not divided", "query"),
    curve(mean[scaled_dot], range(3), "divided by √d", "key"),
    title="Steps until 90 % are found, five seeds", x=f"width d (not divided costs, at {said})", y="steps",
    xaxis_tickvals=list(range(3)), xaxis_ticktext=[str(width) for width in widths], y_range=[0, 420],
    showlegend=False))

# %% [markdown]
# **So it matters, but not everywhere.** At width 16 the spread between seeds is as large as the difference. At 64
# the missing root costs about twice the steps, at 256 about four times; and heads of a Transformer have 64 and
# more. Is it only the step size? A smaller or larger one moves both curves, and the ratio stays:

# %%
for rate in 3e-4, 3e-3:
    plain, divided = (sum(steps_to_learn(256, score, seed, rate) for seed in range(3))
                      for score in (dot, scaled_dot))
    print(f"rate {rate}: at least twice the steps:", plain >= 2 * divided)

# %% [markdown]
# And one surprise: it is the gradient of *most questions* that vanishes, not that of all together. The few that
# still move are multiplied with products that nobody has divided, so the gradient of $W_q$ as a whole even grows.

# %%
lengths = [gradients(256, score)[1].norm() for score in (dot, scaled_dot)]
print("not divided, the gradient of W_q is over three times as long:",
      (lengths[0] > 3 * lengths[1]).item())

# %% [markdown]
# ## 9. Exercises
#
# **04.softmax.** The weights of a softmax over the keys that `mask` allows, with `exp` and `sum`. `scores` and
# `mask` [batch, queries, keys], True = may attend. Hidden weights are 0, and so is a row in which all is hidden.
# Scores may be as large as 50000, though `exp(89)` is infinity already: what can you take off a row without
# changing its softmax?

# %%
def softmax(scores, mask):
    ...


check("04.softmax", softmax)

# %%
hint("04.softmax")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def softmax(scores, mask):
#     scores = scores.masked_fill(~mask, -torch.inf)
#     highest = scores.amax(dim=-1, keepdim=True)
#     highest = highest.masked_fill(highest == -torch.inf, 0)      # a row in which all is hidden
#     exponentials = (scores - highest).exp()                      # at most exp(0) = 1
#     total = exponentials.sum(dim=-1, keepdim=True)
#     return exponentials / total.masked_fill(total == 0, 1)
# ```
# </details>
#
# **04.attend.** The context [batch, queries, value_dim] of scaled dot-product attention. `query` [batch, queries,
# dim], `key` [batch, keys, dim], `value` [batch, keys, value_dim].

# %%
def attend_by_hand(query, key, value):
    ...


check("04.attend", attend_by_hand)

# %%
hint("04.attend")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def attend_by_hand(query, key, value):
#     scores = query @ key.mT / query.shape[-1] ** 0.5
#     return scores.softmax(dim=-1) @ value
# ```
# </details>
#
# ## 10. What is still missing
#
# * Keys and values now come from the inputs, by $W_k$ and $W_v$. But who asks? The queries still come from outside, one
#   from each step of a decoder. **Lesson 05** makes them from the same inputs: the sequence asks itself.
# * Exchange two columns of K together with their rows of V: the context does not notice. Attention sees a set, not a
#   sequence. **Lesson 07** gives it an order.
# * A query has one row of weights, so it can look for one thing at a time. **Lesson 08** gives it several heads.
#
# **Sources.** A. Vaswani and others, *Attention Is All You Need*, 2017: equation 1, and footnote 4 on the
# variance. The five steps follow J. Johnson's lecture on attention (University of Michigan), which also has the
# comparison with a search: what one asks is not what one wants to get back. The scores 112 and 96 are those of J.
# Alammar's *The Illustrated Transformer*, 2018, shown in the ECNU lecture *Attention Is All You Need*. E. A.
# Nadaraya, *On Estimating Regression*, and G. S. Watson, *Smooth Regression Analysis*, both 1964.
