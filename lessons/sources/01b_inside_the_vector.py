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

from attnlab import FixedContext, fit, teacher_forcing
from attnlab.analysis import linear_probe
from attnlab.tasks.reverse import same_length
from widgets import LinearProbeExplorer, guess

torch.set_num_threads(1)  # with models this small, two threads wait for each other

# %% [markdown]
# Two fixed vectors of lesson 01 again, with the same training: strings of 1 to 12 digits, to be written backwards. It
# takes about ten seconds.

# %%
models = {}
for size in 32, 64:
    torch.manual_seed(0)
    models[f"{size} numbers"] = model = FixedContext(13, 13, size, 32, bidirectional=False)
    for _ in fit(model, lambda g, m=model: teacher_forcing(m, *same_length(64, g)), steps=700, rate=1e-2):
        pass

# %% [markdown]
# ## 1. A probe
#
# Take the context $c$ of many strings. Learn a linear map from $c$ to the digit at each place, by least squares: for
# each place ten numbers, 1 at the right digit and 0 at the others. Then test it on strings that it has not seen. Its
# guess is the largest of the ten; chance finds 10 %.

# %%
def probe(states, digits, learn=2000, ridge=1.0):  # [strings, hidden], [strings, places]
    x = torch.cat([states, torch.ones(len(states), 1)], dim=1)
    wanted = nn.functional.one_hot(digits, 10).flatten(1).float()  # [strings, places * 10]
    seen, new = x[:learn], x[learn:]
    W = torch.linalg.solve(seen.T @ seen + ridge * torch.eye(x.shape[1]), seen.T @ wanted[:learn])
    guess = (new @ W).unflatten(1, (-1, 10)).argmax(dim=2)
    return (guess == digits[learn:]).float().mean(dim=0)  # [places]


digits = torch.randint(10, (3000, 6), generator=torch.Generator().manual_seed(0))
with torch.no_grad():
    c = models["64 numbers"].encode(digits + 3, torch.full((3000,), 6)).summary  # [3000, 64]
assert torch.allclose(probe(c, digits), linear_probe(c, digits, learn=2000))
found = probe(c, digits)
print(f"found: the last digit in {found[5]:.1f} of the strings, the other five in {found[:5].mean():.1f} on average")

# %% tags=["hide-input"]
guess("01b.nine_of_ten", then=LinearProbeExplorer(models))

# %% [markdown]
# ## 2. Read it from top to bottom
#
# The upper part is the encoder: after each digit that it reads, what can still be read off its state? The digit read
# last is always plain to see. Of those before it, the *first* is the one that stays most legible (row *read 6*). Would
# that be so in any such network? The control is one that has learned nothing:

# %%
torch.manual_seed(0)
untrained = FixedContext(13, 13, 64, 32, bidirectional=False)
for name, network in ("untrained", untrained), ("trained", models["64 numbers"]):
    with torch.no_grad():
        last = network.encode(digits + 3, torch.full((3000,), 6)).keys[:, -1]  # the encoder's state after six digits
    print(f"{name}: of the five older digits, number {probe(last, digits)[:5].argmax() + 1} is found best")

# %% [markdown]
# A probe finds something in random states, too: there, the newest of the five is found best. Training has turned that
# round.
# It is not the packing of lesson 01, either, where the oldest digits fall off the end: this network has found its own.
#
# Row **c** is what is handed over. One digit lies open, the last, which is needed first. Then the decoder: in the state
# that writes digit 5, digit 5 has come up, then digit 4, then 3: a diagonal. One after the other is unfolded just in
# time. The digit written just before is still in sight, since the decoder is fed with it; then it fades again.
#
# Here is the vector of 32 numbers: less lies open, the diagonal fades, and the model gets fewer digits right. **Try**
# more digits.

# %%
LinearProbeExplorer(models, size="32 numbers")

# %% [markdown]
# Two things to take away. A probe finds what lies open, not all that is there: the decoder has nothing but $c$ and its
# own words, so whatever it writes right was in $c$, found or not. And look at that diagonal again. The decoder needs
# its whole skill to bring one digit after the other before its own eyes. Could it not simply **look** at the one it
# needs? Lesson 02.
#
# <details><summary>Think first, then unfold: a colleague probes a large model for the language of a text, finds 95 %,
# and says that the model uses it. What is missing?</summary>
#
# A probe shows that something can be read off, not that anybody reads it. To say that the model *uses* it, change it
# in the state and see whether the answer changes. The other way round, too: what a linear probe does not find may be
# used all the same, as here.
# </details>
#
# **Sources.** G. Alain, Y. Bengio, *Understanding Intermediate Layers Using Linear Classifier Probes*, 2017: probes.
# A. Hoerl, R. Kennard, *Ridge Regression*, 1970: least squares that prefer small weights, `ridge`. Measurements are
# ours.
