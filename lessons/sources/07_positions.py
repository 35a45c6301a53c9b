# %% [markdown]
# # Positions: how does a set learn its order?
#
# *Buffalo buffalo Buffalo buffalo buffalo buffalo Buffalo buffalo.* Eight times one word, and a correct English
# sentence: buffalo of the town of Buffalo, whom buffalo of that town bully, bully buffalo of that town. Which ones are
# verbs, only their places tell. Lesson 05 showed that self-attention has no places. Here are six ways to give it some,
# and each gives it something else.
#
# **You will be able to** write the sinusoidal code and rotary positions, prove that one matrix shifts every place by
# the same distance, tell absolute from relative codes by what they can and cannot do, and predict what happens to
# each on a sequence longer than any it was trained on.
#
# The cells run for about a minute on two cores. **You should know** lesson 05: the output of self-attention follows
# its word, wherever the word stands.

# %%
import torch
from torch import nn

from attnlab import MultiHeadAttention, fit, scaled_dot
from attnlab.blocks import AttentionBlock
from attnlab.exercises import check, hint
from attnlab.positions import POSITIONS, OneHot, Rotary, shift, sinusoidal
from attnlab.tasks import TAGGINGS
from attnlab.tasks.tagging import accuracy, tagging_loss
from attnlab.training import measured, weights_of
from widgets import ShiftMatrixExplorer, PositionSchemesExplorer, LengthGeneralisationExplorer, SinusoidsExplorer
from widgets import RotaryHandsExplorer, Chart, Predict, PredictNumber, Table, Training, curve, figure

torch.set_num_threads(1)  # with models this small, two threads wait for each other
torch.set_printoptions(precision=2, sci_mode=False)

# %% [markdown]
# ## 1. Eight buffalo
#
# One head of self-attention, its matrices random, reads the herd. On the left the weights, on the right the outputs,
# one row for every word.

# %% tags=["hide-input"]
Predict(
    "Seven ways to tell the places stand behind the switch. With how many of them do the eight equal words get eight "
    "different outputs?",
    choices=[
        ("all but “none”", "Four of the seven are no help here. Try relative, alibi and rotary: the weights do change, "
                           "but all eight words have the same value, and a mixture of equal things is that thing."),
        ("three", "One_hot, learned and sinusoidal change the vector of the word, so the values differ. Relative, "
                  "alibi and rotary change who reads whom, and a mixture of eight equal values is that value, "
                  "however one mixes."),
        ("one", "Three: any that changes the vector of the word itself will do."),
    ],
    answer="three",
    then=PositionSchemesExplorer(),
)

# %% [markdown]
# **Try**, and watch the sentence under the picture:
#
# 1. Go through the **positions**, with the herd. The matrices of *alibi* and *rotary* have stripes along the diagonal,
#    yet all output rows stay equal.
# 2. Type *dog bites man*, and switch **backwards** on and off. With *none* the outputs do not change: lesson 05. With
#    *alibi* they do not either! It lowers a score by the distance, to the left as to the right, so a sentence and
#    its mirror image are the same to it.
# 3. Move **words before** from 0 to 40: the same three words, later in a longer text. With *relative*, *alibi* and
#    *rotary* not one weight changes. With the others all of them do: to these, *dog bites man* at place 20 is
#    something new.
#
# So there are two families. **Absolute** codes say *I am the fifth*; **relative** codes say *you are two before me*.
# Keep both in mind: the experiment will set one against the other.
#
# ## 2. By hand
#
# Take one clock whose hand turns by a quarter of a circle at every place. Its code is (sin, cos):
#
# | place | 0 | 1 | 2 | 3 | 4 |
# |---|---|---|---|---|---|
# | P | (0, 1) | (1, 0) | (0, −1) | (−1, 0) | (0, 1) |
#
# How alike are two places? Multiply: P(0) · P(1) = 0, P(1) · P(2) = 0, P(0) · P(2) = −1, P(1) · P(3) = −1. One apart
# always gives 0, two apart always −1, wherever one begins: it is the cosine of the angle between two hands. And places
# 0 and 4 look the same: one clock is not enough, as one hand is not enough to tell the day.

# %%
angles = torch.arange(5) * torch.pi / 2
P = torch.stack([angles.sin(), angles.cos()], dim=1)
print((P @ P.T).round().int())

# %% tags=["hide-input"]
PredictNumber(
    "Another clock turns by a sixth of a circle at every place. P(7) · P(9) = ?",
    answer=-0.5, close=0.01,
    why="Two places apart are two sixths of a circle, 120 degrees, and cos 120° = −0.5. That it is place 7 does not "
        "matter.",
)

# %% [markdown]
# ## 3. The formulas
#
# The paper takes a set of clocks, each slower than the one before:
#
# $$P_{t,\,2i} = \sin(t f_i) \qquad P_{t,\,2i+1} = \cos(t f_i) \qquad f_i = 10000^{-2i/d}$$
#
# | paper | here | shape | what it is |
# |---|---|---|---|
# | pos | `t` | number | the place, from 0 |
# | $PE$ | `P` | tokens, dim | one row for every place, added to the embedding |
# | $1/10000^{2i/d_{model}}$ | $f_i$ | dim / 2 | how far clock $i$ turns at every place, in radians |
#
# All seven, and where they act:
#
# | name | what it does | where | learned | knows |
# |---|---|---|---|---|
# | `none` | nothing | | | nothing |
# | `one_hot` | $W\,[x; p]$ with $p$ one-hot | embedding | $W$ | places |
# | `learned` | $x + p_t$ | embedding | a vector a place | places |
# | `sinusoidal` | $x + P_t$ | embedding | nothing | places |
# | `relative` | score + $b_{j-i}$ | score | a number a distance, far ones share | distances |
# | `alibi` | score − slope · $\lvert j-i\rvert$ | score | nothing | distances, not sides |
# | `rotary` | $R^i q \cdot R^j k$ | query and key | nothing | distances |
#
# $i$ is the place of the query and $j$ that of the key. $R$ turns every pair of numbers by its $f$.
#
# ## 4. In torch
#
# **Sinusoidal**, in four lines:

# %%
def waves(tokens, dim):
    f = 10000 ** (-torch.arange(0, dim, 2) / dim)
    angles = torch.arange(tokens)[:, None] * f  # [tokens, dim / 2]
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)


assert torch.allclose(waves(50, 64), sinusoidal(50, 64), atol=1e-4)
print("P", list(waves(50, 64).shape))

# %% [markdown]
# **One-hot, appended or added?** Hung-yi Lee asks why one *adds* the code to the word: are the two not muddled? Append
# a one-hot place $p$ to the word, he says, and let a matrix take both. Cut the matrix in two:
#
# $$W \begin{bmatrix} x \\ p \end{bmatrix} = W^I x + W^P p$$
#
# $W^P p$ is a column of $W^P$: a vector for the place, added. To append *is* to add.

# %%
torch.manual_seed(0)
code = OneHot(dim=6, longest=10)
x = torch.randn(4, 6)  # four words
appended = torch.cat([x, torch.eye(10)[:4]], dim=1) @ code.mix.weight.T
added = x @ code.inputs.T + code.places.T[:4]
with torch.no_grad():
    assert torch.allclose(appended, added, atol=1e-6)
    assert torch.allclose(appended, code(x), atol=1e-6)
print("W", list(code.mix.weight.shape), "is W_I", list(code.inputs.shape), "and W_P", list(code.places.shape))

# %% [markdown]
# **Rotary.** A pair of numbers is a point in the plane; in torch the shortest way to turn it is a product of complex
# numbers. Turn a query at place $i$ and a key at place $j$: the product of the two knows $i-j$ only, so moving both
# changes nothing.

# %%
def turn(x, start=0):
    tokens, dim = x.shape
    f = 10000 ** (-torch.arange(0, dim, 2) / dim)
    angles = torch.arange(start, start + tokens)[:, None] * f
    points = torch.view_as_complex(x.unflatten(1, (-1, 2)))
    return torch.view_as_real(points * torch.polar(torch.ones_like(angles), angles)).flatten(1)


query, key = torch.randn(2, 5, 8)
assert torch.allclose(turn(query), Rotary(8).rotate(query), atol=1e-5)
here, there = (scaled_dot(turn(query, t), turn(key, t)) for t in (0, 100))
print("moved by 100 places, scores change by less than 1e-4:", bool((here - there).abs().max() < 1e-4))

# %% [markdown]
# Eight numbers are four such points, so a query is four hands, and a key four more. The first turns by 57° at every
# place, each following one by a tenth of that.

# %% tags=["hide-input"]
Predict(
    "A query and a key stand 3 places apart, and both move on by one. What becomes of the angles between their hands?",
    choices=[
        ("all four stay", "Both hands of a pair turn by the same angle, so the one between them stays, in the fast "
                          "pair as in the slow ones: rotary positions know distances only."),
        ("all four grow by 57°", "That is what the first pair's hands turn by, both of them: between the two nothing "
                                 "changes. And the other pairs turn by less."),
        ("the fast one changes, the slow ones hardly", "So it is where only one of the two moves on. Here both do."),
    ],
    answer="all four stay",
    then=RotaryHandsExplorer(),
)

# %% [markdown]
# **Try**
#
# * **both from place**: eight hands turn, four angles stay, and the curve below travels along unchanged.
# * **query later by**: the fast pair parts first, and after 6.28 places it has come round: the score is almost back.
#   Only the slower pairs tell 5 from 11. *ALiBi* goes straight down on both sides. The *relative bias*, here set by
#   hand, has a number for each distance up to 7; farther ones share theirs, so its line becomes a stair.
# * **Drag a dot.** Pale is what the model makes, before the turn. Turn the first query until the highest point of the
#   curve stands five places before the query: a head that looks five back is nothing but a query turned by that much.
#
# ## 5. Waves and clocks
#
# On the left the whole code, a row for each place. On the right $P P^\top$: how alike any two places are.

# %%
SinusoidsExplorer()

# %% [markdown]
# **Try**
#
# * **waves**, from 1 upwards. One wave: stripes, for after 6.28 places the clock has gone round. With every slower wave
#   the false stripes fade, until one ridge is left: near is most alike.
# * **the last one alone**, and the same slider. You see each wave by itself. The last ones hardly move in 32 places;
#   make the **length** 64.
# * Click cells of the right matrix. Along each diagonal all numbers are equal. An absolute code, yet its products know
#   distances.
# * **learned**, before training: a diagonal, and noise. Nothing says that 3 comes before 4.
#
# The paper gives a reason for sines and cosines: for any fixed $k$, P(t + k) is a linear function of P(t). Is there
# really *one* matrix $M$ for all places? Do not believe it, solve for it: least squares, from the first 256 places,
# tested on 256 more.

# %%
P = sinusoidal(520, 8).double()
now, later = P[:512], P[7:519]  # k = 7
M = torch.linalg.lstsq(now[:256], later[:256]).solution

error = (now @ M - later).abs()
print("largest error, places 0 to 255 below 1e-5:", bool(error[:256].max() < 1e-5))
print("largest error, the 256 behind them below 1e-4:", bool(error[256:].max() < 1e-4))
assert torch.allclose(M, shift(7, 8).double(), atol=1e-4)
print(shift(7, 8)[:4, :4])

# %%
ShiftMatrixExplorer(place=5, k=7)

# %% [markdown]
# **Try** to move **place t** with $k$ held: both hands of a clock turn, the angle between them stays. Now move **k**:
# $M$ changes, block by block. Each block is a turn, $\begin{bmatrix} \cos & -\sin \\ \sin & \cos \end{bmatrix}$ of
# $k f$; the fast clock spins, the slow one hardly moves. Rotary positions are the same turns, on queries and keys. With
# the **learned** code there is no such matrix, not even for the places it was solved on.
#
# ## 6. The experiment: two questions about every letter
#
# Random letters, four to eight of them, and an end mark. At each place one letter of the same sequence is wanted:
#
# * **Two to the left.** A distance is all one needs.
# * **Mirrored**: the sequence in reverse. The first place wants the last letter, the second the last but one. Here one
#   needs to know *where one is*, and how long the sequence is.

# %%
tasks = {name: TAGGINGS[name](symbols=16) for name in ("back", "mirrored")}
for name, task in tasks.items():
    batch = task.batch(1, 8, torch.Generator().manual_seed(3))
    wanted = ["–" if i < 0 else task.vocabulary[i] for i in batch.targets[0]]
    print(f"{'letters':10}", *(task.vocabulary[i] for i in batch.inputs[0]))
    print(f"{name:10}", *wanted)

# %% [markdown]
# Two layers of attention with four heads; every scheme gets the same network, the same 200 steps, the same letters.
# Only `positions` differs. The two questions get a model each, so there are fourteen.

# %%
class Tagger(nn.Module):
    def __init__(self, scheme, dim=64, heads=4):
        super().__init__()
        self.letters, self.answer = nn.Embedding(17, dim), nn.Linear(dim, 16)
        self.positions = POSITIONS[scheme](dim, heads, 17)
        self.blocks = nn.Sequential(*(
            AttentionBlock(MultiHeadAttention(dim, heads, self.positions)) for _ in range(2)))
        self.norm = nn.LayerNorm(dim)

    def forward(self, letters):  # [batch, tokens] -> [batch, tokens, 16]
        x = torch.cat([letters, torch.full((len(letters), 1), 16)], dim=1)  # the end mark
        x = self.blocks(self.positions(self.letters(x)))
        return self.answer(self.norm(x))[:, :-1]

# %%
def new_models(seed):
    made = {name: {} for name in tasks}
    for name in tasks:
        for scheme in POSITIONS:
            torch.manual_seed(seed)
            made[name][scheme] = Tagger(scheme)
    return made


def loss_of(model, task):
    def loss(generator):
        length = int(torch.randint(4, 9, (), generator=generator))
        batch = task.batch(32, length, generator)
        return tagging_loss(model(batch.inputs), batch.targets)
    return loss

# %%
def together(models, seed):  # one step of each, then the next
    runs = [fit(model, loss_of(model, tasks[name]), steps=200, rate=6e-3, seed=seed)
            for name in models for model in models[name].values()]
    for steps in zip(*runs, strict=True):
        yield steps[0]._replace(loss=sum(step.loss for step in steps) / len(steps))


@torch.no_grad()
def right(model, task, length):
    batch = task.batch(200, length, torch.Generator().manual_seed(length))
    return accuracy(model(batch.inputs), batch.targets)

# %%
models = {}


def start():  # Reset calls it again
    models.update(new_models(seed=0))
    return measured(together(models, seed=0), mirrored_right, every=25)


def mirrored_right():
    return {scheme: right(model, tasks["mirrored"], 8)
            for scheme, model in models["mirrored"].items()}


def watch():  # the four heads of the second layer, rotary, two to the left
    return weights_of(models["back"]["rotary"], "blocks.1.attention", letters)[0, :, :8]

# %% [markdown]
# Guess, then press **Start**. The curves: right answers to *mirrored*, at length 8, one curve a scheme. The film
# shows the four heads of the second layer of one of the other seven, *rotary* on *two to the left*.

# %%
letters = tasks["back"].batch(1, 8, torch.Generator().manual_seed(3)).inputs
shown = [tasks["back"].vocabulary[i] for i in letters[0]]
training = Training(
    start, steps=200, watch=watch, film_every=10, seconds=15, name="positions",
    metrics=list(POSITIONS), panel_names=[f"head {i}" for i in range(1, 5)],
    query_labels=shown, key_labels=[*shown, "."],
)

# %% tags=["hide-input"]
Predict(
    "Trained on 4 to 8 letters, then asked about 9 to 16. Which scheme will still write a sequence backwards?",
    choices=[
        ("sinusoidal: it goes on for any length", "Its waves go on, but what the layers made of them was learned from "
                                                  "nine places. A code for place 14 exists; nobody has learned what "
                                                  "to do with it."),
        ("rotary: it knows distances", "It does, and will shine at “two to the left”. But the mirrored place is at "
                                       "another distance for each letter and each length."),
        ("none of them", "To mirror, one needs the place itself. Places above 8 were never seen in training, and "
                         "distances do not help."),
    ],
    answer="none of them",
    then=training,
)

# %%
training.run()
LengthGeneralisationExplorer(models, tasks, longest=8, question="two to the left", scheme="rotary", length=8,
              lock=training.lock)

# %% [markdown]
# **Try**, and watch the letters in the picture: what is wanted, what was answered, and under it the head that looks
# best.
#
# 1. *Two to the left*, *rotary*. A line beside the diagonal. Make the **length** 9, 12, 16: the line goes on, where no
#    model has ever been.
# 2. The same with *learned*. Up to 8 letters perfect; then the line breaks off, and the answers with it. Place 9 was
#    only ever that of an end mark, and from place 10 on the vectors are still random: no gradient has touched them.
# 3. *Mirrored*, *learned*: the other diagonal, up to 8. At length 9 it is lost, all of it at once.
# 4. *Two to the left*, *alibi*. It knows that a letter is near, and not on which side.
#
# ## 7. The measurement
#
# Two seeds of all fourteen. **Inside** are the lengths 4 to 8, **outside** 9 to 16, twice as long as any in training.

# %%
runs = [models]
runs.append(new_models(seed=1))
list(together(runs[-1], seed=1))

lengths = range(4, 17)
found = {(name, scheme): torch.tensor([[right(run[name][scheme], tasks[name], length)
                                        for length in lengths] for run in runs])
         for name in tasks for scheme in POSITIONS}  # [seeds, lengths]
inside = {pair: shares[:, :5].mean(dim=1) for pair, shares in found.items()}
outside = {pair: shares[:, 5:].mean(dim=1) for pair, shares in found.items()}

# %%
columns = {"two to the left, 4–8": (inside, "back"), "9–16": (outside, "back"),
           "mirrored, 4–8": (inside, "mirrored"), "mirrored, 9–16": (outside, "mirrored")}
Table({
    "positions": list(POSITIONS),
    **{title: [shares[name, scheme] for scheme in POSITIONS]
       for title, (shares, name) in columns.items()},
}, sort="9–16", title="Right answers after 200 steps, two seeds", roles={
    "two to the left, 4–8": "context", "9–16": "key", "mirrored, 4–8": "context", "mirrored, 9–16": "key"})

# %%
absolute, relative = ["one_hot", "learned", "sinusoidal"], ["relative", "rotary"]
print("two to the left, inside at least 0.95, every seed:",
      [s for s in POSITIONS if inside["back", s].min() >= 0.95])
print("two to the left, outside: relative and rotary above 0.8, absolute ones below 0.75:",
      bool(min(outside["back", s].min() for s in relative) > 0.8
           and max(outside["back", s].max() for s in absolute) < 0.75))
print("two to the left, below 0.5 inside:",
      [s for s in POSITIONS if inside["back", s].max() < 0.5])
print("mirrored, inside at least 0.95, every seed:",
      [s for s in POSITIONS if inside["mirrored", s].min() >= 0.95])
print("mirrored, inside below 0.6, every seed:",
      [s for s in POSITIONS if inside["mirrored", s].max() < 0.6])
print("mirrored, outside below 0.3, every seed:",
      [s for s in POSITIONS if outside["mirrored", s].max() < 0.3])

# %% [markdown]
# **Absolute codes** answer both questions inside, and stop at the last place they have seen. The sinusoidal one needs
# longer for the mirror: its vectors for neighbouring places are alike, so it takes more steps to tell them apart.
# **Relative codes** take *two to the left* to lengths never seen, and did not learn the mirror in 200 steps.
# **Nobody** mirrors longer sequences. The right code depends on the question, and goes on only as far as the question
# does.
#
# The paper hopes that sinusoids "may allow the model to extrapolate". In this experiment they do not: that $P_{14}$
# exists, and even that one matrix leads to it, is no reason for a network to use that matrix. Where does it break?
# Place by place, in sequences of 16:

# %%
@torch.no_grad()
def by_place(model, task):
    batch = task.batch(500, 16, torch.Generator().manual_seed(5))
    return (model(batch.inputs).argmax(dim=-1) == batch.targets).float().mean(dim=0)[2:]


places = {scheme: torch.stack([by_place(run["back"][scheme], tasks["back"]) for run in runs])
          for scheme in ("learned", "sinusoidal", "relative", "rotary")}

# %%
Chart(figure(
    *(curve(shares.mean(dim=0), range(3, 17), scheme) for scheme, shares in places.items()),
    title="Two to the left, in 16 letters: mean of two seeds", x="the letter's place, from 1",
    y="right answers", y_range=[0, 1.05], x_range=[3, 17],
    shapes=[{"type": "line", "x0": 8.5, "x1": 8.5, "y0": 0, "y1": 1, "line": {"dash": "dot", "width": 1}}],
    annotations=[{"x": 8.6, "y": 0.06, "text": "no longer seen in training", "xanchor": "left",
                  "showarrow": False}],
))

# %%
early, late = slice(0, 6), slice(8, 14)  # places 3 to 8, and 11 to 16
learned, rotary = places["learned"].mean(dim=0), places["rotary"].mean(dim=0)
print("learned: places 3 to 8 above 0.8, places 11 to 16 below 0.4:",
      bool(learned[early].mean() > 0.8 and learned[late].mean() < 0.4))
print("rotary: both above 0.7:", bool(rotary[early].mean() > 0.7 and rotary[late].mean() > 0.7))

# %% [markdown]
# **One trap.** Learned positions begin as random numbers, but of which size? Many programs take 0.02. Beside letters
# whose numbers have size 1, places of 0.02 are a whisper. One change to the model, the table times 0.02:

# %%
torch.manual_seed(0)
quiet = Tagger("learned")
quiet.positions.table.data *= 0.02
list(fit(quiet, loss_of(quiet, tasks["mirrored"]), steps=200, rate=6e-3))
loud, quiet = (right(model, tasks["mirrored"], 8)
               for model in (models["mirrored"]["learned"], quiet))
print("mirrored, 8 letters: loud above 0.95, quiet below 0.6:", loud > 0.95, quiet < 0.6)

# %% [markdown]
# Where the letters start at 0.02 as well, places of 0.02 are loud enough: what counts is the ratio. And ALiBi, which
# did so badly here, was made for models under a **causal mask**: where all keys lie to the left, distance says all. Its
# paper shows how well it goes on to longer texts when what matters is *near*. *Exactly two back* is another matter.
#
# ## 8. Exercises
#
# Replace the dots and run the cell; `check` names the mistake.
#
# **07.sinusoidal.** The code P [tokens, dim] of the places 0 to tokens − 1. `dim` is even.

# %%
def sinusoidal_code(tokens, dim):
    ...


check("07.sinusoidal", sinusoidal_code)

# %%
hint("07.sinusoidal")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def sinusoidal_code(tokens, dim):
#     frequencies = 10000 ** (-torch.arange(0, dim, 2) / dim)  # [dim / 2]
#     angles = torch.arange(tokens).unsqueeze(1) * frequencies  # [tokens, dim / 2]
#     return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
# ```
# </details>
#
# **07.rotary.** `x` [batch, tokens, dim] with every token turned by its place, the first one standing at place 0.
# Columns $2i$ and $2i+1$ are a point; at place $t$ it turns by $t f_i$. Complex numbers are not needed.

# %%
def rotary_turn(x):
    ...


check("07.rotary", rotary_turn)

# %%
hint("07.rotary")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def rotary_turn(x):
#     tokens, dim = x.shape[-2:]
#     frequencies = 10000 ** (-torch.arange(0, dim, 2) / dim)  # [dim / 2]
#     angles = torch.arange(tokens).unsqueeze(1) * frequencies  # [tokens, dim / 2]
#     a, b = x[..., 0::2], x[..., 1::2]
#     turned = [a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()]
#     return torch.stack(turned, dim=-1).flatten(-2)
# ```
# </details>
#
# ## 9. What is still broken
#
# * No code here carries the mirror to longer sequences. Going on where one has never been remains an open question.
# * In section 6 several heads looked at several places at once, and you saw only the best. What do the others do, and
#   why not one wide head? **Lesson 08.**
# * Two layers of bare attention were enough for letters. What else a Transformer needs around attention: **lesson
#   09.**
#
# **Sources.** A. Vaswani et al., *Attention Is All You Need*, 2017, section 3.5: sines and cosines, and the linear
# shift. Hung-yi Lee's lecture *Transformer*: the one-hot place appended. J. Gehring et al., *Convolutional Sequence to
# Sequence Learning*, 2017: learned places. C. Raffel et al., *Exploring the Limits of Transfer Learning with a Unified
# Text-to-Text Transformer*, 2020: a bias for each distance. O. Press, N. Smith, M. Lewis, *Train Short, Test Long:
# Attention with Linear Biases Enables Input Length Extrapolation*, 2022. J. Su et al., *RoFormer: Enhanced
# Transformer with Rotary Position Embedding*, 2021. The sentence of the buffalo is William Rapaport's. Task and
# measurements are ours.
