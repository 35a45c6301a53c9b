# %% [markdown]
# # Alignment: how should we score a match?
#
# A decoder that looks back must say how well each key answers its query: one number for each pair, the score.
# Lesson 02 used a small network for it. A well-known lecture lists eight ways, with eight names. Are they eight?
# Do they all work? Some of them cannot, and you will see why, with your hand on the query.
#
# **You will be able to** compute and write all eight, say what each can and cannot see, tell from the gradient
# whether a model is still learning or stuck, and choose between soft, hard and local attention.
#
# The cells run for about a minute on two cores. **You should know** lesson 02: query, key, score, weights, context.

# %%
from copy import deepcopy
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attnlab import SCORES, attend, dot, fit, scaled_dot
from attnlab.alignment import ContentWithGain, Location, Perceptron, content
from attnlab.exercises import check, hint
from attnlab.hard_attention import argmax, moving_average, sampled, surrogate
from attnlab.training import measured
from widgets import QueryDirectionExplorer, HardAttentionGradientExplorer, WeightingExplorer, ScoreComparisonExplorer
from widgets import Chart, Predict, Table, Training, curve, figure

# %%
torch.set_num_threads(1)  # with models this small, two threads wait for each other
torch.set_printoptions(precision=2, sci_mode=False)

# %% [markdown]
# ## 1. Turn the query
#
# One query, five keys, two numbers each, so that they can be drawn as arrows. Each row of the matrix is one of the
# eight scores and shows the weights that it gives to the five keys.

# %% tags=["hide-input"]
Predict(
    "You take the query by its tip and turn it once all the way round. Which of the eight rows will not move at all?",
    choices=[
        ("dot", "The dot product is the product of both lengths and the cosine of the angle between them: turn the "
                "query, and the angle to every key changes."),
        ("content", "The content score is the cosine of the angle. It ignores lengths, but it lives on directions."),
        ("concat", "w·[q; k] is a sum, w₁·q + w₂·k. The first part moves with the query, but it is the same for every "
                   "key, and softmax only looks at differences. The query asks, and nobody listens."),
        ("location", "It ignores the keys, not the query: the query alone says which place to read."),
    ],
    answer="concat",
    then=QueryDirectionExplorer(),
)

# %% [markdown]
# **Try** this, and watch the rows, not only the one whose weights the blue arrows show:
#
# * **Drag the dot** round the circle. One row stands still.
# * **Stretch the query**, and let it shrink. Two rows do not care: one reads directions only, the other does not
#   read the query at all.
# * **Stretch key b**. It points almost exactly where the query points, yet *dot* prefers the longer *a* until *b*
#   is long enough. *content* has chosen *b* all along. *location* does not even notice.
# * *additive* and *perceptron* are the same row, whatever you do. Section 4 proves it.
#
# Scores without parameters are what they are. Those with parameters have numbers here that were set by hand, to
# show what each **can** do: *general* was told that a key matches if it lies a quarter turn to the right, and
# *additive* measures how near two tips are, which no product of query and key can say.
#
# ## 2. By hand
#
# The query is (3, 4); its length is 5. Four keys, and a pencil:
#
# | key | | dot product | its length | cosine = dot / (5 · length) |
# |---|---|---|---|---|
# | a | (4, 3) | 3·4 + 4·3 = 24 | 5 | 0.96 |
# | b | (9, 12) | 27 + 48 = 75 | 15 | 1 |
# | c | (0, 10) | 0 + 40 = 40 | 10 | 0.8 |
# | d | (−4, 3) | −12 + 12 = 0 | 5 | 0 |
#
# The dot product says b, c, a, d; the cosine says b, a, c, d. Key c is less well aligned than a, and wins over it
# by being long. The scaled dot product divides all by $\sqrt 2$, the root of the number of dimensions: another
# softness, the same order.

# %%
query = torch.tensor([[3.0, 4.0]])
key = torch.tensor([[4.0, 3.0], [9.0, 12.0], [0.0, 10.0], [-4.0, 3.0]])
print("dot       ", dot(query, key)[0])
print("scaled_dot", scaled_dot(query, key)[0])
print("content   ", content(query, key)[0])
print("weights of content", content(query, key).softmax(dim=-1)[0])

# %% [markdown]
# Look at the last line. Key b is a perfect match, d has nothing in common with the query, and still b gets only 0.32
# of the weight and d 0.12. A cosine is at most 1 and at least −1, so $e^{\text{score}}$ lies between 0.37 and 2.72:
# **no key can be more than 7.4 times as heavy as another**. Keep it in mind for section 6.
#
# ## 3. Eight formulas
#
# | name | score of $q$ with $k$ | parameters | from |
# |---|---|---|---|
# | `dot` | $q^\top k$ | none | Luong 2015 |
# | `scaled_dot` | $q^\top k / \sqrt d$ | none | Vaswani 2017 |
# | `additive` | $v^\top \tanh(W q + U k)$ | $W, U, v$ | Bahdanau 2015 |
# | `general` | $q^\top W k$ | $W$ | Luong 2015 |
# | `concat` | $w^\top [q; k]$ | $w$ | the lecture's table |
# | `perceptron` | $v^\top \tanh(W [q; k])$ | $W, v$ | Luong 2015, there called *concat* |
# | `content` | $\cos(q, k)$ | none | Graves 2014, there with a gain |
# | `location` | $(W q)_j$ for the key at place $j$ | $W$ | Luong 2015 |
#
# | paper | here | shape | what it is |
# |---|---|---|---|
# | $s_t$ or $h_t$ | `query` $q$ | batch, queries, dim | what is asked |
# | $h_i$ or $\bar h_s$ | `key` $k$ | batch, keys, dim | what answers; $[q; k]$ is both, one behind the other |
# | $e_{t,i}$ | `scores` | batch, queries, keys | how well they match, before the softmax |
#
# Names differ from text to text. The lecture that this list follows writes Bahdanau's score with one matrix on
# $[q; k]$ and the *perceptron* with two; in Bahdanau's paper there are two, and one in what Luong calls *concat*.
# The lecture's own *concat* has lost its tanh, and with it, as you saw, its query. Of *location* it says that it
# depends on the target's position alone. Luong's depends on the decoder's whole state, and on nothing of the
# source but how its places are numbered. We keep the eight and say what they do.
#
# `dot`, `scaled_dot` and `content` need queries and keys of one size. The learned ones do not.
#
# ## 4. In torch
#
# Without parameters first. Then with: the numbers are taken from attnlab's modules, and the results compared.

# %%
torch.manual_seed(0)
q, k = torch.randn(2, 3, 4), torch.randn(2, 5, 4)  # [batch, queries, dim], [batch, keys, dim]
ours = {name: make(4, 4, 7) for name, make in SCORES.items()}
a, g, p = ours["additive"], ours["general"], ours["perceptron"]
both = torch.cat([q.unsqueeze(2).expand(-1, -1, 5, -1), k.unsqueeze(1).expand(-1, 3, -1, -1)], dim=3)
written = {
    "dot": q @ k.mT,
    "scaled_dot": q @ k.mT / 4 ** 0.5,
    "content": q @ k.mT / (q.norm(dim=2).unsqueeze(2) * k.norm(dim=2).unsqueeze(1)),
    "general": q @ g.key.weight @ k.mT,
    "additive": torch.tanh(a.query(q).unsqueeze(2) + a.key(k).unsqueeze(1)) @ a.combine.weight[0],
    "perceptron": torch.tanh(p.hidden(both)) @ p.combine.weight[0],
    "concat": both @ ours["concat"].pair.weight[0],
    "location": ours["location"].place(q)[..., :5],
}

# %%
for name, scores in written.items():
    assert torch.allclose(scores, ours[name](q, k), atol=1e-5), name
print(len(written), "scores, each", list(scores.shape), "and equal to attnlab's")

# %% [markdown]
# **Two names, one function.** A matrix that is multiplied with $[q; k]$ is two matrices side by side:
# $W [q; k] = W_q\, q + W_k\, k$. So the perceptron is the additive score. Copy the weights, and scores and gradients
# are the same numbers. What differs is only how torch draws fresh weights: from a narrower range for the wider matrix.

# %%
twin = Perceptron.from_additive(a)
assert torch.allclose(twin(q, k), a(q, k), atol=1e-6)

a(q, k).sum().backward()
twin(q, k).sum().backward()
side_by_side = torch.cat([a.query.weight.grad, a.key.weight.grad], dim=1)
assert torch.allclose(twin.hidden.weight.grad, side_by_side, atol=1e-5)
print("parameters:", *(sum(w.numel() for w in score.parameters()) for score in (a, twin)))

# %% [markdown]
# **One name, half a function.** *concat* really gives every query the same weights:

# %%
weights = ours["concat"](q, k).softmax(dim=-1)
assert torch.allclose(weights[:, 0], weights[:, 1], atol=1e-6)
print(weights[0].detach())

# %% [markdown]
# ## 5. One task, eight models
#
# Now they must learn. The task: five cards lie in a row, each with a letter and a digit. There are two kinds of
# question, and the answer to each is a digit.
#
# * **By place**: what is on the 3rd card? The place says where to look, what the cards say does not matter.
# * **By letter**: what is on card c? The letter may lie anywhere. Only the cards themselves say where.

# %%
class Cards(NamedTuple):
    letters: Tensor  # [batch, 5]
    digits: Tensor   # [batch, 5]
    right: Tensor    # [batch, 2, 5]: where the right card lies, by place and by letter


def deal(batch, generator):
    letters = torch.rand(batch, 5, generator=generator).argsort(dim=1)
    digits = torch.randint(10, (batch, 5), generator=generator)
    places = torch.arange(5).expand(batch, 5)
    return Cards(letters, digits, torch.stack([places, letters.argsort(dim=1)], dim=1))


def wanted(cards):  # the right answers [batch, 2, 5]
    return cards.digits.unsqueeze(1).expand(-1, 2, -1).gather(2, cards.right)

# %% [markdown]
# The model is as small as it can be, so that nothing but the score decides. A key is the sum of three vectors, for
# the letter, the digit and the place of a card. Each of the ten questions is a vector of its own. The value is the
# key. All eight models start from the same numbers; only `score` differs.

# %%
class Reader(nn.Module):
    def __init__(self, score, dim=32):
        super().__init__()
        self.letter, self.digit = nn.Embedding(5, dim), nn.Embedding(10, dim)
        self.place, self.question = nn.Embedding(5, dim), nn.Parameter(torch.randn(2, 5, dim))
        self.answer = nn.Linear(dim, 10)
        self.score = score(dim, dim, dim)

    def forward(self, letters, digits, **look):
        key = self.letter(letters) + self.digit(digits) + self.place.weight
        key = key.unsqueeze(1)  # the same cards for both kinds of question
        seen = attend(self.question, key, key, self.score, **look)
        return self.answer(seen.context), seen

# %%
scores = {**SCORES, "location": lambda query, key, dim: Location(query, places=5)}


def readers(seed):
    made = {}
    for name, score in scores.items():
        torch.manual_seed(seed)  # the same start for all
        made[name] = Reader(score)
    return made

# %%
def loss_of(model):
    def loss(generator):
        cards = deal(32, generator)
        answers, _ = model(cards.letters, cards.digits)
        return cross_entropy(answers.flatten(0, 2), wanted(cards).flatten())
    return loss

# %% [markdown]
# All eight are trained at once, one step each, then the next, with the same cards. `right` counts right answers on
# 200 deals that are never trained on.

# %%
held_out = deal(200, torch.Generator().manual_seed(99))


def together(models, seed):
    runs = [fit(model, loss_of(model), steps=200, rate=1e-2, seed=seed)
            for model in models.values()]
    for steps in zip(*runs, strict=True):
        yield steps[0]._replace(loss=sum(step.loss for step in steps) / len(steps))


@torch.no_grad()
def right(model, **look):  # the share of right answers by place and by letter
    answers, _ = model(held_out.letters, held_out.digits, **look)
    return (answers.argmax(dim=-1) == wanted(held_out)).float().mean(dim=(0, 2))

# %% tags=["hide-input"]
Predict(
    "Two of the eight can never learn to find a card by its letter, however long they train. Which two?",
    choices=[
        ("dot and scaled_dot", "They have no parameters of their own, but the vectors that they compare are learned: "
                               "the model can move the question “c” towards the letter c. That is enough."),
        ("additive and perceptron", "They are one function, and a flexible one. A few dozen steps are all "
                                    "they need."),
        ("concat and location", "To find the letter, the score must bring together what the question asks and what "
                                "the card says. concat adds the two, and the question cancels. location never looks "
                                "at the card."),
        ("content and location", "You are half right: location never looks at the card. content does, and compares "
                                 "it with the question. It has another weakness."),
    ],
    answer="concat and location",
)

# %%
models, history = {}, {}


def start():  # Reset calls it again
    models.update(readers(seed=0))
    history.update({name: {0: deepcopy(model)} for name, model in models.items()})
    return measured(together(models, seed=0), accuracies, every=10)


def accuracies():
    return {name: right(model).mean() for name, model in models.items()}

# %%
rows = [0, 1, 2, 5, 6, 7]  # of the film: three questions by place, three by letter


def watch():  # the weights of all eight while they read the first of the held-out deals
    with torch.no_grad():
        seen = [m(held_out.letters[:1], held_out.digits[:1])[1] for m in models.values()]
    return torch.stack([found.weights[0].flatten(0, 1)[rows] for found in seen])


def keep(step):  # for section 6
    if step.step % 10 == 0:
        for name, model in models.items():
            history[name][step.step] = deepcopy(model)

# %% [markdown]
# Press **Start** and watch the eight side by side. The upper three rows of each are questions by place, the lower
# three by letter. The curves are the shares of right answers to all ten questions.

# %%
first = [f"{'abcde'[letter]}{digit}" for letter, digit
         in zip(held_out.letters[0], held_out.digits[0], strict=True)]
training = Training(
    start, steps=200, watch=watch, film_every=10, seconds=5, name="eight scores",
    metrics=list(scores), panel_names=list(scores), key_labels=first, key_title="cards",
    query_labels=["1st", "2nd", "3rd", "a", "b", "c"], query_title="questions",
)
training.on_step(keep)
training

# %% [markdown]
# ## 6. One switch over all eight
#
# The next cell finishes the training, if it is not done yet. Then it is all yours: choose a score, drag the
# training step. On the left the weights. On the right the **push**: minus the gradient of the loss with respect to
# the scores. Blue means that the loss would like this score to be higher, brown that it would like it lower.

# %%
training.run()
ScoreComparisonExplorer(history, held_out, score="location")

# %% [markdown]
# **Try**
#
# * **location.** A sharp diagonal above, a grey half below. The lower half is full of push, at the end as at the
#   start: the loss knows very well which scores are wrong, and no parameter can answer. *No weight and much push:
#   the score cannot express it.*
# * **concat.** All ten rows are the same, at every step.
# * **content.** Pale everywhere, and right more often than not. Accuracy and weight are different things: with a
#   third of the weight on the right card, a model can still be right three times out of four.
# * **dot at step 30.** Find a row with all its weight on one *wrong* card. Its push is 0.00. It is wrong, quite
#   sure, and nothing tells it so: where a weight is near 1, softmax lets almost no gradient through. *Wrong and no
#   push: saturated.* Compare *scaled_dot* at the same step.
# * **Other cards.** Where a digit lies twice in a row, the push is blue on both cards. The loss only knows the
#   right answer, nobody tells it the right card.
#
# ## 7. The measurement
#
# One seed is an anecdote. Four more, and all in one table. Press the head of a column to sort by it; the thin line
# on a bar spans the five seeds.

# %%
def on_the_right_card(model):  # the share of weight, by place and by letter
    with torch.no_grad():
        _, seen = model(held_out.letters, held_out.digits)
    return seen.weights.gather(3, held_out.right.unsqueeze(3)).mean(dim=(0, 2, 3))


trained = [models]
for seed in range(1, 5):
    trained.append(readers(seed))
    for _ in together(trained[-1], seed):
        pass
accuracy = {name: torch.stack([right(one[name]) for one in trained]) for name in scores}
weight = {name: torch.stack([on_the_right_card(one[name]) for one in trained]) for name in scores}

# %%
parameters = {name: sum(p.numel() for n, p in model.named_parameters() if n.startswith("score."))
              for name, model in models.items()}
Table({
    "score": list(scores),
    "parameters": list(parameters.values()),
    "right by place": [accuracy[name][:, 0] for name in scores],
    "right by letter": [accuracy[name][:, 1] for name in scores],
    "weight on the right card, by letter": [weight[name][:, 1] for name in scores],
}, sort="right by letter", title="Eight scores after 200 steps, five seeds",
    roles={"right by place": "context", "right by letter": "context",
           "weight on the right card, by letter": "key"})

# %%
both_kinds = ["scaled_dot", "additive", "general", "perceptron"]
print("at least 98 % of both kinds, every seed:",
      [name for name in both_kinds if accuracy[name].min() >= 0.98])
print("location by place at least 0.98, by letter below 0.42:",
      bool(accuracy["location"][:, 0].min() >= 0.98 and accuracy["location"][:, 1].max() < 0.42))
print("concat below 0.42 at both:", bool(accuracy["concat"].max() < 0.42))
print("content between 0.55 and 0.85, with less than 0.4 of the weight:",
      bool(accuracy["content"].min() > 0.55 and accuracy["content"].max() < 0.85
           and weight["content"].max() < 0.4))
print("some seed of dot falls short of 0.97:", bool(accuracy["dot"].min() < 0.97))

# %% [markdown]
# **What cannot work.** *location* is perfect by place and useless by letter. *concat* is useless at both. Useless
# is not zero: a model that reads all five cards evenly can still answer with the digit that lies there most often,
# and is right about a third of the time. That is the floor, and the weight on the right card, one fifth, says the
# same.
#
# **What is one and the same.** *additive* and *perceptron* differ in the table as much as two draws of fresh
# weights differ, and by nothing else. Whoever ranks one above the other has measured luck.
#
# **What depends on luck.** Look at the range of *dot*. With 32 dimensions its first scores are large, so some rows
# are saturated before they have learned anything, and how soon they come loose depends on the seed. Divided by
# $\sqrt{32}$ the same product is reliable: lesson 04 takes that apart.
#
# **What was only blurred.** *content* cannot be sharp: its scores lie between −1 and 1. But are they in the right
# **order**? Then a smaller temperature is all it needs, and no training:

# %%
for temperature in (1.0, 0.5, 0.125):
    share = right(models["content"], temperature=temperature)
    print(f"temperature {temperature:5}: at least 90 % right:", bool(share.min() >= 0.9))

# %% [markdown]
# It knew all along where to look; it could not point. Graves' Neural Turing Machine multiplies the cosine by a gain
# that is learned, and so does `ContentWithGain`. A gain of 8 and a temperature of 1/8 are the same thing.

# %%
torch.manual_seed(0)
gained = Reader(lambda query, key, dim: ContentWithGain(gain=8.0))
for _ in fit(gained, loss_of(gained), steps=200, rate=1e-2):
    pass
print("cosine with a gain, at least 98 % right:", bool(right(gained).min() >= 0.98))

# %% [markdown]
# In 2015 Luong, Pham and Manning compared four scores on English to German translation. Their location score did
# not learn good alignments. Their concat, our perceptron, did poorly, and they suspected a shortcut of theirs: a
# part of its matrix was fixed to the identity. Dot did well with the whole sentence in view, general in a window.
# Today nearly every model uses the scaled dot product: one matrix product and no parameters, and what *general*
# learns in its $W$ a Transformer learns in the layers that make queries and keys.
#
# ## 8. Soft, hard, local
#
# So far every card was read a little. Here are the trained models again, unchanged, and other ways to turn their
# scores into weights. **Hard** attention reads one card only. A **window** reads the cards near one's own place.

# %%
WeightingExplorer(models, held_out, score="content")

# %% [markdown]
# **Try**
#
# * **Temperature**, with *content* and *soft*: from 1 down to 0.1 the grey rows become points and the answers
#   right. Up to 3 they go grey again.
# * **hard, the likeliest**: nothing is lost, even without any temperature. The order was right.
# * **hard, drawn**: one card, drawn with the weights as chances. *content* is now right far less often than when it
#   reads softly; with *general*, whose weights are all but 1, nothing changes.
# * **window**, with *general*: at radius 1 the questions by place lose nothing. They stand side by side with their
#   cards, as words do in languages of like order, and a window reads 3 cards instead of 5; of 1000, it would still
#   be 3. The questions by letter lose whatever lies outside of the hatching. A window is a bet on order.
# * **window and bell**: Luong's *local-p* multiplies the weights in the window by a bell curve and leaves them so:
#   rows no longer sum to 1. In the paper the centre $p$ of the window is itself computed from the query, for a
#   source of $S$ words: $p = S \cdot \mathrm{sigmoid}(v^\top \tanh(W q))$. Exercise 03.local is this one.
#
# ### Learning from one glance
#
# A soft reader learns by its gradient: a little more of this card would have helped. A hard one has read one card,
# and knows nothing of the others. It can only try, and make what went well more likely. With $a$ the weights, $j$
# the card that was drawn and a reward $R$, the estimate of the gradient of the expected reward is (REINFORCE):
#
# $$ (R - b)\; \nabla \ln a_j = (R - b)\,(\mathrm{onehot}(j) - a) $$
#
# $R$ is the logarithm of the probability of the right answer, and $b$ a **baseline**, any number that does not
# depend on the draw. On average over all draws this is exactly right. A single draw can be far off.

# %% tags=["hide-input"]
Predict(
    "Every reward becomes larger by 10, a constant. What happens to the estimates, without a baseline?",
    choices=[
        ("nothing: a constant cancels", "On average it cancels, since onehot(j) − a is 0 on average. In one draw it "
                                        "does not: whatever was drawn, good or bad, is praised with 10 more."),
        ("right on average, spread wider", "The constant times (onehot(j) − a) is 0 on average and large in each draw. "
                                           "So one may subtract any constant, and should subtract the one that makes "
                                           "the rest small: the expected reward."),
        ("they become wrong", "Their average stays right: the constant is multiplied by something that is 0 on "
                              "average."),
    ],
    answer="right on average, spread wider",
    then=HardAttentionGradientExplorer(history["scaled_dot"][40], held_out),
)

# %% [markdown]
# The first row is the exact gradient; it can be computed here, since five cards can all be tried. Each row below
# is an estimate. **Try** it with one draw: they agree neither with each other nor with the truth, and praise or
# blame what happened to be drawn. Raise the **draws**: four times as many halve the spread. Switch the
# **baseline** on: it is the expected reward, exact here, a moving average of past rewards where one cannot compute
# it. Then reward the draw **for all ten answers**, as if the whole row of answers got one mark: nine other
# questions now shake this one's reward, and the gradient that one wants is still the same.
#
# Does it matter for learning? Four models, three seeds each: soft; hard with a mark for each answer; hard with one
# mark for all ten, with a baseline and without.

# %%
def hard_loss_of(model, reward_of, baseline):
    average = torch.tensor(0.0)

    def loss(generator):
        nonlocal average
        cards = deal(32, generator)
        answers, seen = model(cards.letters, cards.digits, weigh=sampled(generator))
        logs = answers.log_softmax(-1).gather(3, wanted(cards).unsqueeze(3)).squeeze(3)
        reward = reward_of(logs.detach())
        look = surrogate(seen.scores, seen.weights, reward, average)
        average = moving_average(average, reward) if baseline else average
        return (look - logs.sum()) / logs.numel()  # where to look, and what to answer
    return loss

# %%
def each(logs):
    return logs


def all_ten(logs):
    return logs.sum(dim=(1, 2), keepdim=True)


ways = {  # name: the loss, and how it looks when it is tested
    "soft": (loss_of, {}),
    "hard, a mark for each": (lambda m: hard_loss_of(m, each, True), {"weigh": argmax}),
    "hard, one mark": (lambda m: hard_loss_of(m, all_ten, True), {"weigh": argmax}),
    "hard, one mark, no baseline": (lambda m: hard_loss_of(m, all_ten, False), {"weigh": argmax}),
}
curves = {name: [] for name in ways}

# %%
for name, (make_loss, look) in ways.items():
    for seed in range(3):
        torch.manual_seed(seed)
        model = Reader(scores["scaled_dot"])
        run = fit(model, make_loss(model), steps=300, rate=1e-2, seed=seed)
        share = [right(model, **look).mean() for step in run if step.step % 20 == 0]
        curves[name].append(torch.stack(share))

# %%
means = {name: torch.stack(runs).mean(dim=0) for name, runs in curves.items()}
ends = {name: torch.stack(runs)[:, -1] for name, runs in curves.items()}
Chart(figure(
    *(curve(mean, x=range(20, 301, 20), name=f"{name}: {ends[name].min():.2f}–{ends[name].max():.2f}")
      for name, mean in means.items()),
    title="Right answers while they learn: mean of three seeds, range at the end",
    x="training step", y="right answers", y_range=[0, 1.05],
))

# %%
print("at the end, every seed: soft at least 98 %, hard with a mark for each at least 92 %:",
      bool(ends["soft"].min() >= 0.98 and ends["hard, a mark for each"].min() >= 0.92))
halfway = {name: mean[4] for name, mean in means.items()}  # after 100 steps
print("after 100 steps, in this order, each more than 0.05 behind the one before it:")
for worse, better in zip(list(ways)[2:], list(ways)[1:], strict=False):
    print(f"   {worse}:", bool(halfway[worse] < halfway[better] - 0.05))
print("one mark without a baseline below 0.6 at the end:",
      bool(ends["hard, one mark, no baseline"].max() < 0.6))

# %% [markdown]
# Hard attention learns, and reads one card for it. The noisier the mark, the longer it takes; the average is right
# every time. That is why soft attention won wherever one can afford to read everything, and why hard attention
# comes back, in lesson 14, where looking is expensive.
#
# ## 9. Exercises
#
# Replace the dots and run the cell; `check` names the mistake.
#
# **03.general.** The scores of Luong's general score. `query` [batch, queries, query_dim], `key` [batch, keys,
# key_dim], `W` [query_dim, key_dim].

# %%
def general(query, key, W):
    ...


check("03.general", general)

# %%
hint("03.general")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def general(query, key, W):
#     return query @ W @ key.mT
# ```
# </details>
#
# **03.cosine.** The scores of the content score with a gain. `query` [batch, queries, dim], `key` [batch, keys,
# dim], `gain` a tensor of one number. No vector is all zeros.

# %%
def cosine(query, key, gain):
    ...


check("03.cosine", cosine)

# %%
hint("03.cosine")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def cosine(query, key, gain):
#     query = query / query.norm(dim=-1, keepdim=True)
#     key = key / key.norm(dim=-1, keepdim=True)
#     return gain * query @ key.mT
# ```
# </details>
#
# **03.local.** The weights of Luong's local-p. `scores` [batch, queries, keys], `centre` [batch, queries], counted
# in keys from 0 and not always whole, `radius` a number. A softmax over the keys at most `radius` from the centre,
# then times $\exp(-\text{distance}^2 / 2\sigma^2)$ with $\sigma$ half the radius, and left so.

# %%
def local(scores, centre, radius):
    ...


check("03.local", local)

# %%
hint("03.local")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def local(scores, centre, radius):
#     distance = torch.arange(scores.shape[-1]) - centre.unsqueeze(-1)  # [batch, queries, keys]
#     weights = scores.masked_fill(distance.abs() > radius, -torch.inf).softmax(dim=-1)
#     return weights * torch.exp(-(distance**2) / (2 * (radius / 2)**2))
# ```
# </details>
#
# ## 10. What is still broken
#
# * *dot* was saturated before it had learned anything, and a division by $\sqrt{32}$ cured it. Why the root of the
#   size, and not the size? **Lesson 04** measures it.
# * Keys were values, too: what one finds a card by is also what one reads from it. **Lesson 04** separates them.
# * *location* knew its places by heart, five of them. How else can a model know where something stands? **Lesson
#   07**.
#
# **Sources.** The list of eight follows the ECNU lecture *Attention Is All You Need* (2019). D. Bahdanau, K. Cho,
# Y. Bengio, *Neural Machine Translation by Jointly Learning to Align and Translate*, 2015: additive. M.-T. Luong,
# H. Pham, C. Manning, *Effective Approaches to Attention-based Neural Machine Translation*, 2015: dot, general,
# concat with tanh, location, and both kinds of window. A. Graves, G. Wayne, I. Danihelka, *Neural Turing
# Machines*, 2014: the cosine and its gain. A. Vaswani et al., *Attention Is All You Need*, 2017: scaled. K. Xu et
# al., *Show, Attend and Tell*, 2015: soft and hard. R. Williams, *Simple Statistical Gradient-Following Algorithms
# for Connectionist Reinforcement Learning*, 1992: REINFORCE and its baseline. Task and measurements are ours.
