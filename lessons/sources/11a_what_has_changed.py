# %% [markdown]
# # What has changed: what is each new part of a GPT worth?
#
# Your GPT of lesson 11 is that of 2019, but for its rotary positions. Since then most of its parts have been replaced,
# usually with a measurement that the new one was better. Was it? Here are ten such changes, each with a switch to flip.
#
# **You will be able to** say what ten parts of a modern GPT do, read a table of what models lose without a part
# (*ablations*) with the care that it needs, explain the step of Muon, and tie a table to both ends of a model.
#
# **You should know** lesson 11. The six questions from before the course stand at the end.

# %%
import torch

from attnlab import device, measured, trained
from attnlab.analysis import mean_and_range
from attnlab.exercises import check, hint
from attnlab.optimisers import orthogonal
from attnlab.tasks import BytePairs, Text
from attnlab.trained import train_large, train_switches
from attnlab.training import side_by_side
from widgets import Chart, SixQuestions, Table, Training, curve, figure, guess, points

torch.set_num_threads(1)  # with models this small, two threads wait for each other
torch.set_printoptions(precision=2, sci_mode=False)
found = trained.switches()

# %% [markdown]
# ## 1. Ten switches
#
# These are the ten, and what stood in their place before:
#
# | switch | 2019 | since then | idea from |
# |---|---|---|---|
# | **Muon** | AdamW moves each number for itself | moves each matrix as a whole (section 3) | Jordan 2024 |
# | **rotary positions** | a learned vector of its place is added | queries and keys are turned (lesson 07) | Su 2021 |
# | **normed queries and keys** | as they are | all made equally long before the product | Henry 2020 |
# | **norms without mean and gain** | LayerNorm | only divided by the root mean square | Zhang 2019 (with a gain) |
# | **normed embeddings** | as they are | normed before the first block | |
# | **squared relu** | gelu | relu, squared | So 2021 |
# | **token shift** | nothing | shares of the three tokens before are added | Peng 2023 (one), Allen-Zhu 2025 |
# | **maps into the stream start at 0** | small and random | 0: each block begins by doing nothing | Fixup 2019 |
# | **an output map of its own** | the table of tokens once more (*tied*) | a map that starts at 0 | |
# | **logit cap** | none | no logit beyond 15 | Gemma 2 (30) |
#
# A script of ours has trained a modern GPT with all ten changes, and then, for each change, the same GPT **without**
# it. They are small: two layers, width 64, 200 steps on the Python reference.

# %% tags=["hide-input"]
worth = train_switches.worth(found)  # nats a piece, of each seed: above 0 where the change helps
in_order = sorted(worth["taken out"], key=lambda name: sum(worth["taken out"][name]))


def worth_chart(*ways):
    return Chart(figure(
        *(points([gain for name in in_order for gain in worth[way][name]],
                 [name for name in in_order for _ in range(3)], name=way,
                 role={"put in": "query", "taken out": "key"}[way]) for way in ways),
        title=f"What a change is worth when {' and when '.join(ways)}: a dot is a seed",
        x="nats a piece gained", xaxis_zeroline=True, height=400, showlegend=len(ways) > 1))


guess("11a.missed", then=worth_chart("taken out"))

# %% [markdown]
# ## 2. Alone, or together with all others
#
# Now the other way as well: each change **put into** the plain GPT of 2019, alone. Does it gain there what it gains
# here?

# %%
worth_chart("put in", "taken out")

# %% tags=["hide-input"]
none, every = (sum(found[end]["held_out"]) / 3 for end in ("none", "all"))
print(f"none of the ten {none:.2f}, all of them {every:.2f} nats a piece")
for name in reversed(in_order):
    gains = (f"{way} {mean_and_range(of_all[name], '+.2f'):26}" for way, of_all in worth.items())
    print(f"{name:34}", *(gain.replace("-", "−") for gain in gains))

# %% [markdown]
# Above 0 a change helps, in both columns. Muon and rotary positions do in both. **Token shift** and **an output map of
# its own** make the plain GPT *worse*, and the modern one better, with every seed. A gain belongs to the set-up in
# which it was measured.
#
# Each of the 22 models (ten put in, ten taken out, none, all) had a rate of its own, the best of four or six, tried
# with one seed. That is not a detail:

# %%
alone = found["alone"]["normed embeddings"]["rates"]
plain = found["none"]["rates"]
for rate in plain:
    print(f"AdamW at {rate:5}: plain GPT {plain[rate]:.2f}, with normed embeddings {alone[rate]:.2f}")

# %% [markdown]
# At 0.002, the best rate of the plain GPT, normed embeddings lose a quarter of a nat. At their own best rate they gain
# 0.15 (against three seeds' mean, as charted: 0.13). But this is the seed that the rates were tried with. Look at
# the two others in the chart: one gains next to nothing, one loses. One rate measures the rate, and one seed measures
# the seed.
#
# And 200 steps are the *start* of a training, where speed counts for everything. Parts meant to keep long trainings of
# large models stable, such as the cap, cannot show here what they are for.
#
# ## 3. Muon in ten lines
#
# Adam looks at each number of a matrix for itself. But a matrix is a map, and a step should be judged by what it does
# to vectors. Where a gradient points along a few directions, a step along it hardly moves the others. Muon takes the
# singular value decomposition of the step, $U S V^\top$, and forgets $S$: every direction moves equally far.

# %%
def muon_step(weight, gradient, velocity, rate=0.03, momentum=0.9):
    velocity.lerp_(gradient, 1 - momentum)  # the mean of the gradients so far, the latest most
    ahead = gradient.lerp(velocity, momentum)  # that mean, with a little more of the newest
    U, S, Vt = torch.linalg.svd(ahead, full_matrices=False)
    direction = U @ Vt  # without S: all singular values are 1
    rows, columns = weight.shape
    weight -= rate * max(1, rows / columns) ** 0.5 * direction  # tall ones move further
    return S, direction

# %%
torch.manual_seed(0)
gradient = torch.randn(64, 4) @ torch.randn(4, 128) + torch.randn(64, 128)  # four directions are strong
S, direction = muon_step(torch.zeros(64, 128), gradient, torch.zeros(64, 128))
quick = orthogonal(gradient)  # what the library does instead: a few products, no decomposition
sizes = torch.linalg.svdvals(quick)
print(f"cosine of the two directions {(direction * quick).sum() / direction.norm() / quick.norm():.2f};",
      f"singular values from {sizes.min():.1f} to {sizes.max():.1f} in place of 1")

# %%
Chart(figure(curve(S / S[0], range(1, 65), "gradient", "query"),
             curve(torch.linalg.svdvals(direction), range(1, 65), "the step above", "key"),
             curve(sizes, range(1, 65), "the library's", "value"),
             title="64 directions of a gradient, and of the step that Muon makes of it",
             x="direction", y="size (of the gradient: the largest = 1)", y_range=[0, 1.35], height=240))

# %% [markdown]
# Muon is for the matrices inside. The tables at the two ends and all vectors are still moved by Adam, the table at the
# input with a rate of its own; gradient clipping and weight decay are dropped. In section 2 only the optimiser was
# exchanged, not the schedule. The plain GPT's rate rises for 30 steps and then falls in a line (*with warm-up*); the
# modern one's is at its highest for the first 40 steps, then falls in a line, too (*at once*). Why not change both? The
# modern GPT, with either optimiser and either schedule:

# %%
with_schedule = {"AdamW, with warm-up": found["warmed up"]["AdamW"], "AdamW, at once": found["all but"]["Muon"],
                 "Muon, with warm-up": found["warmed up"]["Muon"], "Muon, at once": found["all"]}
for way, seen in with_schedule.items():
    print(f"{way:19} {mean_and_range(seen['held_out'])} nats a piece, rate {seen['rate']}")

# %% [markdown]
# From AdamW with warm-up to Muon at once, the loss falls by 0.58. How much of that is Muon's, with all that came along
# with it? With the schedule of the modern GPT 0.25, with that of the plain one 0.57: the schedule is worth 0.33 to
# AdamW here, and next to nothing to Muon. Change two things at once, and no number says which of them did it.
#
# ## 4. Flip one yourself
#
# Put another name between the quotes and run the next four cells again. Both models begin with the same
# seed, and read the same batches.

# %%
left_out = "rotary positions"  # any name of section 1
text = Text.python_reference(BytePairs)
settings = {"all": train_switches.Setting(train_switches.modern, train_switches.MUON),
            "all but one": train_switches.all_but(left_out)}
rates = {"all": found["all"]["rate"], "all but one": found["all but"][left_out]["rate"]}  # the best of each
models = {}

# %%
def start():  # Reset calls it again
    for name, setting in settings.items():
        torch.manual_seed(0)
        models[name] = setting.new(len(text.vocabulary))
    runs = [train_switches.train(models[name], text, setting.moved_by, rates[name], seed=0)
            for name, setting in settings.items()]
    return measured(side_by_side(runs), lambda: {
        name: train_switches.held_out(model, text) / text.letters_per_token
        for name, model in models.items()
    }, every=40)

# %% tags=["hide-input"]
training = Training(
    start, steps=200, seconds=12, name="switch",
    metrics={"all": "all switches", "all but one": "all but this one"},
    summary=lambda loss: f"With all of them at most {loss['all'] + 0.05:.1f} nats a letter.")
training

# %%
training.run()  # trains it now, unless Start has done so

# %% [markdown]
# <details><summary>Think first, then unfold: a paper reports that its new norm gains 0.03 nats over LayerNorm, at the
# learning rate that LayerNorm is usually trained with. What would you ask for?</summary>
#
# Seeds: is 0.03 more than two seeds differ by? A rate of its own for each of the two, since a norm changes how far a
# step reaches. And the set-up in which it was measured: put into the plain model it may be worth more or less than in
# one with other changes already.
# </details>
#
# ## 5. And a large one?
#
# Two layers and 200 steps are one case. Here is another: six layers, 384 wide, nearly 11 million parameters, trained on
# a GPU with a million letters of Shakespeare, which 61 steps read once. The plain GPT has the set-up that nanoGPT
# publishes; the modern one has the same dropout.

# %% tags=["hide-input"]
large = trained.large()
drawn = {"plain, as published": large["plain"][0], "plain, 1500 steps": large["plain"][2], "modern": large["modern"][0]}
roles = {"plain, as published": "value", "plain, 1500 steps": "key", "modern": "query"}
losses = Chart(figure(
    *(curve([*run["held_out"].values()], [*map(int, run["held_out"])], name, roles[name])
      for name, run in drawn.items()),
    title=f"Held-out loss of the large GPTs ({large['device']}, one seed)", x="step", y="nats a letter", height=320))
ends = [min(run["held_out"].items(), key=lambda seen: seen[1]) for run in drawn.values()]
lowest = [f"{min(run['held_out'].values()):.3f}" for run in large["modern"]]

# %% tags=["hide-input"]
guess("11a.large", then=[
    losses,
    Table({"large GPT": list(drawn), "lowest held out": [f"{loss:.3f}" for _, loss in ends],
           "at step": [step for step, _ in ends],
           "last batch of training": [f"{run['training']:.2f}" for run in drawn.values()]}),
    ...,
    f"Lowest held-out loss of the {len(lowest)} settings of the modern one: {min(lowest)} to {max(lowest)}."])

# %% [markdown]
# With a CUDA device, the next cell trains the modern one. (On a CPU its 600 steps, 10¹² operations each, take hours.)

# %% tags=["hide-input"]
letters = Text.python_reference()  # or Text.from_file("yours.txt")


def start_large():  # Reset calls it again
    set_up, setting = train_large.MODERN, train_large.SETTINGS["modern"][0]
    model = train_large.new(set_up, letters, setting)
    steps = train_large.train(model, letters, set_up, setting)
    return measured(steps, lambda: {"held out": train_large.held_out(model, letters)}, every=50)


on_gpu = Training(start_large, steps=600, seconds=30, name="large GPT", metrics={"held out": "held out, a letter"})
on_gpu if device().type == "cuda" else print("No CUDA device here.")

# %% [markdown]
# ## 6. One table, or two
#
# One switch gives up an old saving: a GPT of 2019 has **one** table of tokens for both ends. A piece's row is the
# vector that it becomes when it is read, and what the last vector is compared with when it might be written.

# %% tags=["hide-input"]
guess("11a.two_tables")

# %% [markdown]
# **11.tied.** `tokens` [batch, tokens] become rows of `table` [vocabulary, dim], `blocks` makes vectors of them, and
# these are compared with all rows: logits [batch, tokens, vocabulary]. Gradients must reach the table from both ends.

# %%
def tied(tokens, table, blocks):
    ...


check("11.tied", tied)

# %%
hint("11.tied")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def tied(tokens, table, blocks):
#     return blocks(table[tokens]) @ table.T
# ```
# </details>
#
# ## 7. Do you answer differently now?
#
# Before lesson 01 you were asked six questions (in lesson 00). Here they are again. Once you have answered one, your
# answer then, your answer now and the right one stand side by side; the last asks for a sentence of your own, to
# be compared with ours.

# %%
SixQuestions("after")

# %% [markdown]
# Where an answer is still not the right one, the number of the lesson to go back to stands beside it.
#
# `from attnlab.exercises import export, status` brings two more: `status()` shows the course so far, a line for each
# lesson, and `export("my_progress.json")` writes your answers, your first guesses and the exercises you have passed
# into one file, to keep or to hand in.
#
# **Sources.** K. Jordan et al., *Muon: An optimizer for hidden layers in neural networks*, 2024. J. Su et al.,
# *RoFormer*, 2021. A. Henry et al., *Query-Key Normalization for Transformers*, 2020. B. Zhang and R. Sennrich, *Root
# Mean Square Layer Normalization*, 2019. D. So et al., *Primer*, 2021: squared relu. B. Peng et al., *RWKV*, 2023, and
# Z. Allen-Zhu, *Canon layers*, 2025: token shift. H. Zhang, Y. Dauphin, T. Ma, *Fixup Initialization*, 2019: blocks
# that begin as nothing. Gemma Team, *Gemma 2*, 2024: the cap. O. Press and L. Wolf, *Using the Output Embedding to
# Improve Language Models*, 2017: tying. The set-up of the plain large GPT: A. Karpathy's *nanoGPT*. The measurements
# are ours, by `train_switches.py` and `train_large.py` in `attnlab/trained`.
