# %% [markdown]
# # Why the root: what is the division by √d good for?
#
# Standard attention divides its scores by the square root of the width of queries and keys. Why the root? And why at
# all, if the maps that make queries and keys are learned and could learn to be smaller?
#
# **You will be able to** say how large a dot product of random vectors is, what a softmax makes of it, and what the
# missing division costs and why, with numbers that were measured.
#
# **You should know** lesson 04.

# %%
import torch
from torch import nn

from attnlab import attend, dot, fit, measured, scaled_dot, trained
from attnlab.trained import train_roots
from attnlab.schedules import constant
from attnlab.tasks.soft_dictionary import Finder, ask, found_by, language, losses_of
from widgets import Chart, ScoreVarianceExplorer, Training, curve, figure, guess

torch.set_num_threads(1)  # with models this small, two threads wait for each other
torch.set_printoptions(precision=2, sci_mode=False)

# %% [markdown]
# ## 1. Two words by hand
#
# A well-known illustration has two words with the scores 112 and 96. Here are vectors of 64 numbers that have
# them. Divided by $\sqrt{64} = 8$, the scores become 14 and 12, the weights 0.88 and 0.12.

# %%
query = torch.ones(1, 64)
keys = torch.ones(2, 64)
keys[0, :48] += 1  # 48 twos and 16 ones
keys[1, :32] += 1  # 32 twos and 32 ones

print("products", query @ keys.T)
print("scores  ", scaled_dot(query, keys))
print("weights ", attend(query, keys, keys).weights)
undivided = attend(query, keys, keys, score=dot).weights

# %% tags=["hide-input"]
guess("04a.undivided", then=f"Without the division the second word gets {undivided[0, 1]:.7f}.")

# %% [markdown]
# ## 2. Random vectors
#
# Is that an unlucky example? Take random vectors: independent numbers with mean 0 and variance 1. The product of two
# such numbers has mean 0 and variance 1 again, and variances of independent numbers add up: a dot product of $d$ such
# products has variance $d$. Divided by $\sqrt{d}$, it has variance 1, whatever $d$ is. **Measured**, on four thousand
# products for each width:

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

# %% [markdown]
# The undivided curve follows the width. What does the softmax make of such scores? Six random queries, sixteen random
# keys. **Move the width** from left to right and watch: without the division nearly every row becomes one dark cell.
# The **entropy** of the weights, how undecided they are, falls towards nothing; so does the **gradient**, how much a
# weight still moves when its score does. Then switch the division on and move the width again: the rows stay soft.

# %%
ScoreVarianceExplorer()

# %% [markdown]
# So the root is right for *random* vectors, whose products are as often negative as positive (Vaswani 2017, footnote
# 4), and at the start of training, vectors are random. The product of two *constant* vectors, with which J. Johnson's
# lecture explains the root, would grow with $d$ itself.
#
# ## 3. Can it learn to do without?
#
# In standard attention $W_q$ and $W_k$ are learned, and with them how large scores are. Then they could also learn to
# undo a missing division. Measure it.
#
# The task is a soft dictionary. It has eight entries, named by random vectors. You ask for one of them, but in another
# language: the name is turned in space, always in the same way, and noise is added. Only $W_q$ and $W_k$ can make
# question and name meet. Each value is a 1 at its entry's own place, so the context says which was found.

# %%
turn = language(256, seed=0)
test = ask(turn, 300, torch.Generator().manual_seed(99))
names = ask(turn, 1, torch.Generator().manual_seed(5)).names.expand(8, 8, 256)
asked = (names[0] @ turn).unsqueeze(1)  # one question for each of eight entries


def new_pair():
    torch.manual_seed(0)
    divided, plain = Finder(256, scaled_dot), Finder(256, dot)
    plain.load_state_dict(divided.state_dict())  # the same start
    return nn.ModuleDict({"divided": divided, "plain": plain})

# %%
pair = new_pair()


def loss(generator):  # of both, on the same questions
    questions = ask(turn, 64, generator)
    return sum(losses_of(finder, questions).mean() for finder in pair.values())


def start():  # Reset calls it again
    pair.load_state_dict(new_pair().state_dict())
    steps = fit(pair, loss, 150, rate=1e-3, optimiser=train_roots.adam, schedule=constant)
    return measured(steps, lambda: {name: found_by(finder, test) for name, finder in pair.items()}, every=5)

# %%
def watch():
    return torch.stack([finder(asked, names).weights.squeeze(1) for finder in pair.values()])

# %% tags=["hide-input"]
training = Training(
    start, steps=150, watch=watch, film_every=3, seconds=4, name="finders",
    metrics={"divided": "found, divided", "plain": "found, not divided"},
    panel_names=["divided by √256", "not divided"],
)

# %% tags=["hide-input"]
guess("04a.learned", then=training)

# %% [markdown]
# Press **Start**; it takes a few seconds. The rows are eight questions, one for each entry, so the right cells are
# those of the diagonal.

# %%
training.run()
training

# %% [markdown]
# Scrub the film. On the left, rows begin grey and find the diagonal. On the right nearly every row begins with one cell
# nearly black, and at a wrong entry. That has to be unlearned first. The loss here is the squared distance between the
# context and the right value, so it reaches the scores only through the slope of the softmax, as in a Transformer,
# where attention is an inner layer. (A cross-entropy of the weights themselves would punish a confident mistake hard.)
#
# ## 4. What it costs
#
# Steps until nine of ten questions are answered, checked every five steps, up to 500: three widths, four learning
# rates, five seeds each, measured by `attnlab/trained/train_roots.py`. A third model divides nothing either, but both
# its maps begin $\sqrt[4]{d}$ times smaller, so its first scores are those of the divided model.

# %%
steps = trained.roots()["steps"]


def in_words(runs):
    return f"{sum(runs) / len(runs):3.0f} ({min(runs)} to {max(runs)})"


for name, widths in steps.items():
    for width, rates in widths.items():
        print(f"{name:26} width {width:>3}, at its best rate: {in_words(min(rates.values(), key=sum))}")
for name, widths in steps.items():
    for rate, runs in widths["256"].items():
        print(f"{name:26} width 256, rate {rate:>5}: {in_words(runs)}")

# %% [markdown]
# At width 16 the spread between seeds is larger than the difference. At 64 the missing root costs four times the steps,
# each model at the best of the rates; at 256 seven times. (At least: the divided model is done at the very first check.
# Heads of a Transformer often have 64 or 128.)
#
# **Is it the root, or the large start?** Each at its best rate, the third model is as fast as the divided one. So a
# smaller start saves the steps, too. It has smaller scores, but also smaller maps, which the optimiser's steps, nearly
# equal in size, change faster; which of the two counts was not separated. With the root one start suits every width,
# queries and keys of variance 1, and it tolerates higher rates: at the highest, the divided model is as fast as at its
# best; the other two do not get there at width 256 within 500 steps, with any of the five seeds.
#
# What do large scores do at the start? Look at the very first step: for each of 300 questions, how large is the
# gradient of its loss with respect to its eight scores?

# %%
start_of = trained.roots()["at the start"]
for name, widths in start_of.items():
    for width, runs in widths.items():
        silent, length = ([run[what] for run in runs] for what in ("silent", "length"))
        print(f"{name:26} width {width:>3}: silent questions {min(silent):.2f} to {max(silent):.2f},",
              f"gradient of W_q {min(length):.0f} to {max(length):.0f}")

# %% [markdown]
# Without the division more than half of the questions are silent at width 256: their gradient is under 0.01. (That
# counts the few that are confident and right.) With it none is, and none with the smaller start. And one surprise: it
# is the gradient of *most questions* that vanishes, not that of all together. For the others, a change of $W_q$ moves
# the scores $\sqrt{256} = 16$ times as far, so the gradient of $W_q$ as a whole is longer.
#
# <details><summary>Think first, then unfold: would dividing by d instead of its root do as well?</summary>
#
# Then random vectors have scores of variance 1/d: all nearly 0, all weights nearly alike. Nothing is saturated, and
# nothing is chosen, either: the maps must grow before a query can prefer a key. When queries and keys have learned to
# point in the same directions, products grow with d, and dividing by d would be right. There are models that do it
# (µP, Yang et al. 2022).
# </details>
#
# ## What is still missing
#
# Scores are in order now. But who asks? Back to lesson 04, and on to 05.
#
# **Sources.** A. Vaswani and others, *Attention Is All You Need*, 2017: footnote 4. The scores 112 and 96 are those of
# J. Alammar's *The Illustrated Transformer*, 2018, shown in the ECNU lecture *Attention Is All You Need*. J. Johnson's
# lecture on attention (University of Michigan). G. Yang et al., *Tensor Programs V*, 2022: dividing by d. Task and
# measurements are ours.
