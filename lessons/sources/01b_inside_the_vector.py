# %% [markdown]
# # Inside the vector: what lies open, and what is folded?
#
# In lesson 01 a network packs six digits into 64 numbers and writes nearly all of them back. Where in the vector are
# they? Ask it with a **probe**, and see why an answer of "not found" says less than it seems to.
#
# **You will be able to** write a linear probe, read what it finds in each state, and say what it cannot tell.
#
# **You should know** lesson 01.

# %%
import torch
from torch import nn

from attnlab import FixedContext, fit, measured, teacher_forcing
from attnlab.analysis import linear_probe, read_and_write
from attnlab.tasks.reverse import same_length
from attnlab.training import side_by_side
from widgets import LinearProbeExplorer, Training, guess

torch.set_num_threads(1)  # with models this small, two threads wait for each other

# %% [markdown]
# ## 1. A probe
#
# Take the context $c$ of many strings. Learn a linear map from $c$ to the digit at each place, by least squares
# (`ridge` keeps the weights small): for each place ten numbers, 1 at the right digit and 0 at the others. Then test it
# on strings that it has not seen. Its guess is the largest of the ten; chance finds 10 %.
#
# Begin with two models of lesson 01 *before* their training: their weights are random numbers.

# %% tags=["hide-input"]
def new_models():
    models = {}
    for size in 32, 64:
        torch.manual_seed(0)
        models[f"{size} numbers"] = FixedContext(13, 13, size, 32, bidirectional=False)
    return models


untrained = new_models()
guess("01b.untrained", then=LinearProbeExplorer(untrained))

# %% [markdown]
# The upper part is the encoder: after each digit that it reads, what can be read off its state? Row **c** is what is
# handed over, and below it is the decoder, which here writes nonsense. The probe itself:

# %%
def probe(states, digits, learn=2000, ridge=1.0):  # [strings, hidden], [strings, places]
    x = torch.cat([states, torch.ones(len(states), 1)], dim=1)
    wanted = nn.functional.one_hot(digits, 10).flatten(1).float()  # [strings, places * 10]
    seen, new = x[:learn], x[learn:]
    W = torch.linalg.solve(seen.T @ seen + ridge * torch.eye(x.shape[1]), seen.T @ wanted[:learn])
    guess = (new @ W).unflatten(1, (-1, 10)).argmax(dim=2)
    return (guess == digits[learn:]).float().mean(dim=0)  # [places]

# %%
digits = torch.randint(10, (3000, 6), generator=torch.Generator().manual_seed(0))


def read(model):  # what the encoder makes of all strings; tokens 0 to 2 are the special marks, 3 is the digit 0
    with torch.no_grad():
        return model.encode(digits + 3, torch.full((3000,), 6))


c = read(untrained["64 numbers"]).summary  # [3000, 64]
assert torch.allclose(probe(c, digits), linear_probe(c, digits, learn=2000))
print("untrained, found from the first digit to the last:", [round(share, 1) for share in probe(c, digits).tolist()])

# %% [markdown]
# ## 2. After training
#
# Now the training of lesson 01: strings of 1 to 12 digits, to be written backwards.

# %%
models = new_models()


def start():  # Reset calls it again
    for name, fresh in new_models().items():
        models[name].load_state_dict(fresh.state_dict())
    runs = [fit(model, lambda g, m=model: teacher_forcing(m, *same_length(64, g)), steps=700, rate=1e-2)
            for model in models.values()]
    return measured(side_by_side(runs), lambda: {name: written(model) for name, model in models.items()}, every=50)


def written(model):  # the share of digits that it writes back right
    return (read_and_write(model, digits + 3).written.flip(1) == digits + 3).float().mean()

# %% tags=["hide-input"]
training = Training(start, steps=700, seconds=15, name="vectors", metrics={
    "32 numbers": "32 numbers, digits right", "64 numbers": "64 numbers, digits right"})
training

# %% [markdown]
# Press **Start**; it takes about fifteen seconds. The next cell finishes it, if it is not done yet.

# %%
training.run()
found = probe(read(models["64 numbers"]).summary, digits)
print(f"found: the last digit in {found[5]:.1f} of the strings, the other five in {found[:5].mean():.1f} on average")
print(f"written back right: more than {int(10 * written(models['64 numbers']))} of ten digits")

# %% tags=["hide-input"]
guess("01b.nine_of_ten", then=LinearProbeExplorer(models, lock=training.lock))

# %% [markdown]
# ## 3. Read it from top to bottom
#
# First the encoder. The digit read last is always plain to see, as before training. But of those before it, the *first*
# is now the one that stays most legible (row *read 6*), and not the newest:

# %%
for name, network in ("untrained", untrained["64 numbers"]), ("trained", models["64 numbers"]):
    last = read(network).keys[:, -1]  # all states of the encoder; the last one, after six digits
    print(f"{name}: of the five older digits, number {probe(last, digits)[:5].argmax() + 1} is found best")

# %% [markdown]
# After this training it is the oldest of the five, in this state and with this seed. It is not the packing of lesson
# 01, where the oldest digits fall off the end.
#
# Row **c**: one digit lies open, the last, which is needed first. Then the decoder: in the state that writes digit 5,
# digit 5 has come up, then digit 4, then 3: a diagonal that the untrained network does not have. The digits unfold one
# by one, just in time. (That a digit can be read when it is written is no surprise, since logits are a linear map,
# too. What is worth seeing is that a step earlier it was found far less often.) The digit written just before is still
# in sight (the decoder has just been fed it); then it fades. Only digit 6, the last read and the first written, stays
# legible to the end.
#
# Here is the vector of 32 numbers: less lies open, the diagonal fades, and the model gets fewer digits right. **Try**
# more digits.

# %%
LinearProbeExplorer(models, size="32 numbers", lock=training.lock)

# %% [markdown]
# Two things to take away. A probe finds what lies open, not all that is there: the decoder has nothing but $c$ and its
# own words, so whatever it writes right beyond one digit in ten was in $c$, found or not. And look at that diagonal
# again. The decoder needs its whole skill to bring one digit after the other before its own eyes. Could it not simply
# **look** at the one it needs? Lesson 02.
#
# <details><summary>Think first, then unfold: a colleague probes a large model for the language of a text, finds 95 %,
# and says that the model uses it. What is missing?</summary>
#
# Two things. The same probe on an untrained model: perhaps 90 % can be read off random states. And then, a probe shows
# that something can be read off, not that anybody reads it. To say that the model *uses* it, change it in the state and
# see whether the answer changes. The other way round, too: what a linear probe does not find may be used all the same,
# as here.
# </details>
#
# **Sources.** G. Alain, Y. Bengio, *Understanding Intermediate Layers Using Linear Classifier Probes*, 2017: probes.
# A. Hoerl, R. Kennard, *Ridge Regression*, 1970: least squares that prefer small weights, `ridge`. Measurements are
# ours.
