# %% [markdown]
# # Glimpses: what if a model must choose where to look?
#
# So far attention looked at everything and then weighed it. Your eye cannot. Only its fovea, a tiny region of the
# retina, sees sharply, and several times a second it jumps to another place: a saccade. Here is a model with such an
# eye. It sees a picture through a few glimpses and must choose where each of them falls. A choice has no gradient. How
# can it learn to look?
#
# **You will be able to** train a policy, the rule by which a model chooses where to look, name two mistakes that
# silently keep REINFORCE from teaching it, and choose the controls that reveal them.
#
# The cells run for less than a minute on two cores. **You should know** hard attention (lesson 03a) and recurrent
# networks (01).

# %%
import torch

from attnlab import device, fit, measured, to_device
from attnlab.analysis import uncovered
from attnlab.exercises import check, hint
from attnlab.optimisers import muon
from attnlab.trained import CANVAS, glimpse_runs, glimpses, new_glimpses
from attnlab.vision.glimpses import accuracy, drawn_gaze, hybrid_loss, log_density
from attnlab.vision.glimpses import log_probability_of_right, mean_gaze, path, random_gaze, retina
from widgets import GazeGradientExplorer, ModelGlimpsesExplorer, PictureCostExplorer
from widgets import Table, Training, YourGlimpsesExplorer, guess

here = device()

# %% [markdown]
# ## 1. You first
#
# Somewhere on 60 × 60 pixels lies a handwritten digit, among four pieces of other digits. It is dark. Each click opens
# three squares around it: 8 × 8 pixels as they are, a square twice as wide, blurred to 8 × 8 numbers, and one four
# times as wide. This is all that the model sees, too. You both have five glimpses (it learned with four), and your
# first is open. Name the digit.

# %%
models = {size: glimpses(size).model.to(here) for size in (4, 8, 12)}  # they come trained, one for each size of glimpse
looking = models[8]
canvases = to_device(CANVAS.unseen(400, torch.Generator().manual_seed(14)), here)  # of digits that they never saw
YourGlimpsesExplorer(looking, canvases, glimpses=[[0.0, 0.0]])

# %% [markdown]
# **Play five pictures.** After each answer you see your path, the model's, and the whole picture. The last two scores
# are of the same model when it is led to random places, and when it is kept at the centre. Notice how *you* choose: the
# blur says where ink is, the next glimpse goes there.
#
# ## 2. Its turn

# %% tags=["hide-input"]
guess("14.four_glimpses", then=ModelGlimpsesExplorer(models, canvases))

# %% [markdown]
# **Try.**
#
# 1. Go through the **pictures**. The first glimpse always falls on the same place: before it, the model knows nothing.
# 2. Drag **glimpses** from 4 to 1, and up to 8. Each row of the matrix says what it would answer after that glimpse.
#    What is the fifth worth?
# 3. Switch the **gaze** to *random*, *centre*, *fixed path*; the share below counts all 400 pictures.
# 4. Change the **size**: models that have learned with sharp squares of 4 or 12 pixels (three seeds: section 5).
# 5. Choose *learned* again and raise the **noise**: it looks near the place that it wants, and misses.
#
# ## 3. By hand: learning from a choice
#
# The location network says 0.1 (across; one axis is enough). The place is **drawn** from a normal distribution around
# this mean with standard deviation 0.2, and comes out at 0.3. The answer was better than expected: reward −0.5 where
# −1.5 was expected. The place is a number, and no gradient flows through it. But ln p of having drawn it depends on
# the mean, with the gradient (0.3 − 0.1) / 0.2² = 5. REINFORCE moves the mean along this gradient, times how much
# better things went. With $J$ the expected reward, $R$ the reward and $b$ what was expected:
#
# $$\nabla J \approx (R - b)\, \nabla \ln p(\text{place}) = (-0.5 + 1.5) \cdot 5 = 5$$
#
# The mean moves towards the place that went well. Had it gone worse than expected, it would have moved away.

# %%
mean = torch.tensor([[0.1, 0.0]], requires_grad=True)
place = torch.tensor([[0.3, 0.0]])
advantage = -0.5 - -1.5
(advantage * log_density(place, mean, noise=0.2)).sum().backward()
print("the mean is pulled", [round(pull) for pull in mean.grad[0].tolist()], "across and down")

# %% [markdown]
# ## 4. The model
#
# | paper | here | what it is |
# |---|---|---|
# | $\rho(x, l)$ | `retina` | three squares around a place, 8 × 8 numbers each |
# | $f_g$ | `glimpse` | what was seen and where, in one vector |
# | $f_h$, $h_t$ | `core`, `state` | a recurrent cell: what is remembered |
# | $f_l$ | `location` | from the state to the mean of the next place |
# | $f_a$ | `action` | from the state to ten logits |
# | $b_t$ | `baseline` | from the state to the reward that it expects |
#
# Here is all of it. After learning it looks where the mean says:

# %%
@torch.no_grad()
def look(model, pictures, count):
    state = pictures.new_zeros(len(pictures), model.dim)
    for _ in range(count):
        place = model.location(state)
        seen = retina(pictures, place, model.size, model.scales)
        state = model.core(model.glimpse(seen, place), state)
    return model.action(state)


logits = look(looking, canvases.pictures, 4)
seen = looking(canvases.pictures, mean_gaze(looking.location), 4)
assert torch.allclose(logits, seen.logits[:, -1], atol=1e-5)

# %% [markdown]
# Three losses train this network. The cross-entropy of the last answer trains all that sees and remembers, by
# backpropagation. REINFORCE trains the location network alone, with ln p of the right digit as the reward of all four
# glimpses. A third loss teaches the baseline to expect that reward. (The optimiser is Muon, lesson 11a, as in lesson
# 13.)

# %%
def train(model, seed, steps):
    def loss(generator):
        batch = to_device(CANVAS.batch(128, generator), here)
        seen = model(batch.pictures, drawn_gaze(model.location, 0.2, generator), 4)
        reward = log_probability_of_right(seen.logits[:, -1], batch.labels)
        return hybrid_loss(seen, batch.labels, reward, seen.baselines)

    return fit(model, loss, steps, rate=0.02, seed=seed, optimiser=muon)

# %%
def shares():  # of right answers: where it chooses to look, and at random places
    gazes = {"chosen": mean_gaze(model.location), "random": random_gaze(torch.Generator().manual_seed(0))}
    return {name: accuracy(model(canvases.pictures, gaze, 4), canvases.labels)[-1] for name, gaze in gazes.items()}


def start():  # Reset calls it again
    torch.manual_seed(0)
    model.load_state_dict(new_glimpses().state_dict())
    return measured(train(model, 0, 500), shares, every=50)

# %% [markdown]
# Press **Start**: half as many steps as the shipped model had, about a quarter of a minute. One curve is the model at
# places of its own choice, the other the same model at random ones.

# %% tags=["hide-input"]
model = new_glimpses().to(here)
training = Training(
    start, steps=500, seconds=17, name="glimpses",
    metrics={"chosen": "right, places chosen", "random": "right, random places"},
    summary=lambda right: "At places of its own choice it is right at least "
                          f"{int(2 * right['chosen'] / right['random']) / 2} times as often as at random ones.",
)
training

# %%
training.run()  # trains it now, unless Start has done so

# %% [markdown]
# ## 5. Is it the gaze?
#
# Accuracy rises in any case: the widest squares see a lot wherever they fall. So ask how far the same network gets with
# another gaze, if it is *trained* with that gaze, too. Five policies, three seeds each, 1000 steps, half a minute a
# run: a table that `attnlab/trained/train_glimpses.py` has written. One policy is a mistake that published programs
# have made: the *mean* is detached as well as the place, and nothing tells the location network where to look.

# %%
found = glimpse_runs()
runs = found["runs"] | {f"{name}, two glimpses": seeds for name, seeds in found["two glimpses"].items()}
runs |= {f"{name}, rate {found['rate']}": seeds for name, seeds in found["at this rate"].items()}
runs |= {f"learned, {size} × {size} pixels": seeds for size, seeds in found["sizes"].items()}
last = {name: [run["right"]["1000"][-1] for run in seeds] for name, seeds in runs.items()}
table = Table({"gaze, in training and after it": list(last), "right answers": list(last.values())},
              title="1,000 pictures never seen; three seeds: mean, lowest and highest",
              roles={"right answers": "context"})

# %% tags=["hide-input"]
guess("14.detached", then=table)

# %%
fixed = torch.tensor([[0.0, 0.0], [-0.4, -0.4], [0.4, -0.4], [0.0, 0.4]])
for name, gaze in {"learned gaze": mean_gaze(looking.location), "fixed path": path(fixed)}.items():
    with torch.no_grad():
        places = looking(canvases.pictures, gaze, 4).places
    pairs = zip(canvases.pictures, places, strict=True)
    opened = torch.stack([uncovered(*pair, looking.size, looking.scales).seen for pair in pairs])
    print(f"{name}: four glimpses open {100 * opened.float().mean():.0f} % of a canvas")

# %% [markdown]
# * **The hardest control is the dullest.** A *fixed* path, the middle and three places around it, opens more of the
#   canvas than the learned gaze does, and comes within about two points of it. At our rate, 0.02, each learned gaze is
#   ahead of each path; at 0.03 only one of three is. On this canvas covering is nearly as good as choosing.
# * **Here choosing pays more when looks are few.** With two glimpses the learned gaze is about six points ahead of the
#   one path that was tried, left half first, then right.
#
# **14.draw.** That mistake and its twin live in the few lines that draw a place. Write these lines: the place is mean +
# noise · randn(), and the logarithm of its density, both axes together,
#
# $$\ln p = -\lVert \mathrm{place} - \mathrm{mean} \rVert^2 / (2\,\mathrm{noise}^2) - \ln (2\pi\,\mathrm{noise}^2).$$
#
# `mean` [batch, 2], `noise` a number, `randn()` gives standard normal numbers [batch, 2]. Return [batch, 3]: the
# place, across and down, and ln p. What must be detached, and what must not?

# %%
def draw(mean, noise, randn):
    ...


check("14.draw", draw)

# %%
hint("14.draw")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def draw(mean, noise, randn):
#     place = (mean + noise * randn()).detach()  # a constant from here on
#     log_p = -(place - mean).square().sum(1) / (2 * noise**2) - torch.tensor(2 * torch.pi * noise**2).log()
#     return torch.cat([place, log_p.unsqueeze(1)], dim=1)
# ```
#
# The twin: the place stays attached. Then it moves along with the mean, ln p does not depend on the mean any more, and
# what moves the gaze is the classifier's loss, which was never meant to reach it.
# </details>
#
# ## 6. What the baseline is for
#
# With another draw of the places, the same 32 pictures give another gradient. Below are 64 such gradients, once without
# a baseline and once with it. What should be learned is the mean over very many draws. The rest is noise, and even the
# mean of these 64 is mostly noise.

# %% tags=["hide-input"]
guess("14.baseline", then=GazeGradientExplorer(looking, canvases))

# %% [markdown]
# **Try.** Drag **draws a step** to 2: the orange cloud (without a baseline) has less variance now than the blue one
# (with it) had at 1, so here the baseline is worth less than a second draw. Compare the variance with the squared
# length of the mean: even with the baseline, a single step is mostly noise. Then take the paper's **reward**, 1 or 0.
# This baseline has learned to expect ln p, and now the blue cloud is the wider one: to expect the wrong thing is worse
# than to expect nothing.
#
# ## 7. What looking costs
#
# Mnih and colleagues wanted a cost that does not grow with the picture:

# %%
PictureCostExplorer(looking)

# %% [markdown]
# **Drag the side.** The convolutional network, a small one, reads every pixel: three times the side, nine times the
# work. Four glimpses cost the same on every picture. By the clock they are slower on small ones all the same: they are
# many small operations, one after the other.
#
# <details><summary>For another day: the other two exercises, 14.policy_loss and 14.glimpse</summary>
#
# `policy_loss(log_probability, logits, labels, baselines)`, for each picture, [batch]: minus the sum over the glimpses
# of (reward − baseline) · log_probability, plus the mean over the glimpses of (baseline − reward)². The reward is ln p
# of the right class. The classifier must not be moved, and each term moves only what it is for. `log_probability`, of
# the drawn places, and `baselines` are [batch, glimpses], `logits` [batch, classes], `labels` [batch].
#
# `glimpse(picture, place, size, scales)`, [scales, size, size], is the retina itself, for one picture [height, width]
# and a place, across and down, from −1 to 1 at the edges. Scale 0 is the square around the place; scale k is 2**k times
# as wide, and shrunk by taking means. A square begins at the whole pixel nearest to its middle minus half its width.
# What lies outside is 0.
#
# `check("14.policy_loss", policy_loss)` names the mistake, `hint("14.policy_loss")` helps; likewise for `"14.glimpse"`.
# </details>
#
# ## 8. What you have, and what is still broken
#
# * A model that **chooses** learns by trying: what went better than expected becomes likelier. It needs no gradient
#   through the choice, and pays with noise.
# * It needs **controls**: random, centre, a fixed path, each trained in the same way.
# * It looks at one place after another and remembers. Each glimpse waits for the one before it, and all of them learn
#   from one noisy reward at the end.
#
# The field went the other way: cut the picture into patches, let **each** of them ask all the others, softly and at
# once, and pay for every pixel. Is an image a sequence? **Lesson 15** asks.
#
# **Sources.** V. Mnih, N. Heess, A. Graves, K. Kavukcuoglu, *Recurrent Models of Visual Attention*, 2014: the model
# (section 3), the loss (3.2), cluttered digits (4.1). R. J. Williams, *Simple Statistical Gradient-Following Algorithms
# for Connectionist Reinforcement Learning*, 1992. Fovea and saccades: J. Johnson's lecture on attention. The East China
# Normal University talk presents the model as an agent that decides where to point its sensor. The mistakes: issues of
# the repositories hehefan/Recurrent-Attention-Model (2) and kevinzakka/recurrent-visual-attention (12, 29, 37). Digits:
# MNIST, of Y. LeCun and colleagues. Reward and all measurements are ours.
