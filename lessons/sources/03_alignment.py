# %% [markdown]
# # Alignment: how should we score a match?
#
# A decoder that looks back must say how well each key answers its query: one number for each pair, the score. Lesson 02
# used a small network for it. A lecture (ECNU, 2019) lists eight ways, with eight names. Are all eight different? Do
# they all work? Some of them cannot, and you will see why.
#
# **You will be able to** compute and write all eight, say what each can and cannot see, and tell from the gradient
# whether a model is still learning or stuck.
#
# **You should know** lesson 02: query, key, score, weights, context.

# %%
from copy import deepcopy

import torch

from attnlab import SCORES, Location, Perceptron, content, dot, fit, measured, scaled_dot
from attnlab.exercises import check, hint
from attnlab.tasks.cards import CardReader, deal, loss_at_cards, right_at_cards
from attnlab.trained import scores as measured_scores
from attnlab.training import side_by_side
from widgets import QueryDirectionExplorer, ScoreComparisonExplorer, Table, Training, guess

torch.set_num_threads(1)  # with models this small, two threads wait for each other
torch.set_printoptions(precision=2, sci_mode=False)

# %% [markdown]
# ## 1. Turn the query
#
# One query, five keys, two numbers each, so that they can be drawn as arrows. Each row of the matrix is one of the
# eight scores and shows the weights that it gives to the five keys.

# %% tags=["hide-input"]
guess("03.turn", then=QueryDirectionExplorer())

# %% [markdown]
# **Try** this, and watch all rows:
#
# * **Stretch the query**, and let it shrink, but not to 0. Two rows do not care: one reads directions only; in the
#   other the query's part is the same for every key, and cancels.
# * With the query at 40°, **stretch key b**. *b* points closer to the query than *a* does, yet *dot* prefers the longer
#   *a* until *b* is long enough. *content* has chosen *b* all along.
# * *additive* and *perceptron* are the same row, whatever you do. Section 4 proves it.
#
# The parameters were set by hand, to show what a score **can** do: *general* was told that a key matches if it lies a
# quarter turn to the right, and *additive* measures how near two tips are.
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
# The dot product says b, c, a, d; the cosine says b, a, c, d. Key c is less well aligned than a, and beats it
# by being long. The scaled dot product divides all by $\sqrt 2$, the square root of the number of dimensions: the
# same order, softer weights.

# %%
query = torch.tensor([[3.0, 4.0]])
key = torch.tensor([[4.0, 3.0], [9.0, 12.0], [0.0, 10.0], [-4.0, 3.0]])
print("dot       ", dot(query, key)[0])
print("scaled_dot", scaled_dot(query, key)[0])
print("content   ", content(query, key)[0])
print("weights of content", content(query, key).softmax(dim=-1)[0])

# %% [markdown]
# Key b is a perfect match, d has nothing in common with the query, and still b gets only 0.32 of the weight and d 0.12.
# A cosine lies between −1 and 1, so $e^{\text{score}}$ lies between 0.37 and 2.72: **no key can be more than 7.4 times
# as heavy as another**.
#
# ## 3. Eight formulas
#
# | name | score of $q$ with $k$ | parameters | from |
# |---|---|---|---|
# | `dot` | $q^\top k$ | none | Luong 2015 |
# | `scaled_dot` | $q^\top k / \sqrt d$ | none | Vaswani 2017 |
# | `additive` | $v^\top \tanh(W_q\, q + W_k\, k)$ | $W_q, W_k, v$ | Bahdanau 2015 |
# | `general` | $q^\top W k$ | $W$ | Luong 2015 |
# | `concat` | $w^\top [q; k]$ | $w$ | the lecture's table |
# | `perceptron` | $v^\top \tanh(W [q; k])$ | $W, v$ | Luong 2015, there called *concat* |
# | `content` | $\cos(q, k)$ | none | Graves 2014, there with a gain |
# | `location` | $(W q)_j$ for the key at place $j$ | $W$ | Luong 2015 |
#
# $q$ is `query` [batch, queries, dim], in papers $s_t$ or $h_t$; $k$ is `key` [batch, keys, dim], $h_i$ or $\bar h_s$;
# $[q; k]$ is one after the other. The score is $e_{t,i}$, `scores` [batch, queries, keys].
#
# ## 4. In torch
#
# Parameters are those of attnlab's modules (which add a bias before each tanh); all results are compared.

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
# are the same numbers.

# %%
twin = Perceptron.from_additive(a)
assert torch.allclose(twin(q, k), a(q, k), atol=1e-6)

a(q, k).sum().backward()
twin(q, k).sum().backward()
in_one = torch.cat([a.query.weight.grad, a.key.weight.grad], dim=1)
assert torch.allclose(twin.hidden.weight.grad, in_one, atol=1e-5)
print("parameters:", *(sum(w.numel() for w in score.parameters()) for score in (a, twin)))

# %% [markdown]
# ## 5. One task, eight models
#
# Now they must learn. Five cards lie in a row, each with a letter and a digit: each of the letters a to e once, while
# digits may repeat. There are five questions of each of two kinds, and the answer is a digit.
#
# * **By place**: what is on the 3rd card? The place says where to look, whatever the cards say.
# * **By letter**: what is on card c? The letter may lie anywhere. Only the cards themselves say where.
#
# The model (`CardReader`) is as small as it can be, so that the score decides most. A key is the sum of three
# vectors, for the letter, the digit and the place of a card; the value is the same sum. Each question has a vector of
# its own, and a linear map of the context names the digit. All models start equal, but for the score's own numbers.

# %%
cards = deal(200, torch.Generator().manual_seed(99))  # held out: never trained on
scores = {**SCORES, "location": lambda query, key, dim: Location(query, places=5)}
models, history = {}, {}

# %%
def train(model):
    return fit(model, lambda g: loss_at_cards(model, deal(32, g)), steps=200, rate=1e-2)


def start():  # Reset calls it again
    for name, score in scores.items():
        torch.manual_seed(0)  # the same start for all
        models[name] = CardReader(score)
        history[name] = {0: deepcopy(models[name])}
    return measured(side_by_side([train(model) for model in models.values()]), right, every=10)


def right():
    return {name: right_at_cards(model, cards).mean() for name, model in models.items()}

# %%
rows = [0, 1, 2, 5, 6, 7]  # of the film: three questions by place, three by letter


def watch():  # the weights of all eight while they read the first of the held-out deals
    seen = [model(cards.letters[:1], cards.digits[:1])[1] for model in models.values()]
    return torch.stack([found.weights[0].flatten(0, 1)[rows] for found in seen])


def keep(step):  # for section 6
    if step.step % 10 == 0:
        for name, model in models.items():
            history[name][step.step] = deepcopy(model)

# %% tags=["hide-input"]
first = [f"{'abcde'[i]}{digit}" for i, digit in zip(cards.letters[0], cards.digits[0], strict=True)]
training = Training(
    start, steps=200, watch=watch, film_every=10, seconds=5, name="eight scores",
    metrics=list(scores), panel_names=list(scores), key_labels=first, key_title="cards",
    query_labels=["1st", "2nd", "3rd", "a", "b", "c"], query_title="questions",
)
training.on_step(keep)

# %% tags=["hide-input"]
guess("03.letter", then=training)

# %% [markdown]
# Press **Start**. The upper three rows of each are questions by place, the lower three by letter. The curves are shares
# of right answers to all ten questions. The next cell finishes it.

# %%
training.run()
training

# %% [markdown]
# ## 6. What the loss would like to change
#
# Choose a score, drag the training step. On the left the weights. On the right the **push**, minus the gradient of the
# loss with respect to the scores: blue where the loss would like the score to be higher, brown where lower.

# %%
ScoreComparisonExplorer(history, cards, score="location")

# %% [markdown]
# **Try**
#
# * **location.** A sharp diagonal above, a grey half below. The lower half is full of push, at the end as at the
#   start: the loss knows very well which scores are wrong, and no parameter can answer. *Much push that no training
#   takes away: a sign that the score cannot express what is asked.*
# * **concat.** All ten rows are the same, at every step.
# * **content.** Pale everywhere, and right more often than not. Accuracy and weight are different things.
# * **dot at step 30.** Find a row with all its weight on one *wrong* card. Its push is 0.00: where a weight is near 1,
#   softmax lets almost no gradient through. *Wrong and no push: saturated.* Compare *scaled_dot* at the same step.
#
# ## 7. Which of the eight work?
#
# One seed is an anecdote. Here are five, by `attnlab/trained/train_scores.py`. Click a column's header to sort; thin
# lines span the seeds.

# %%
runs = measured_scores()["runs"]
Table({
    "score": list(runs),
    "parameters": [found[0]["parameters"] for found in runs.values()],
    "right by place": [[run["right"][0] for run in found] for found in runs.values()],
    "right by letter": [[run["right"][1] for run in found] for found in runs.values()],
    "weight on the right card, by letter": [[run["on the right card"][1] for run in found] for found in runs.values()],
}, sort="right by letter", title="200 steps, five seeds: mean, lowest and highest",
    roles={"right by place": "context", "right by letter": "context", "weight on the right card, by letter": "key"})

# %% [markdown]
# **What cannot work.** *location* is right by place and useless by letter. *concat* is useless at both. Useless is not
# zero: a model that reads all five cards evenly can still answer with the commonest digit. The weight on the right
# card, one fifth, gives it away.
#
# **What is one and the same.** *additive* and *perceptron*: their rows agree within the spread of the seeds.
#
# **What depends on luck.** Look at the range of *dot*, by place. With 32 dimensions its first scores are large, and
# many rows begin saturated (step 0 of the picture); at this rate not every seed gets out, at twice the rate all five
# do. Divided by $\sqrt{32}$ the same product is right in every seed: [lesson 04a](04a_why_the_root.ipynb) takes that
# apart.
#
# **What was only blurred.** *content* cannot be sharp: its scores lie between −1 and 1. But are they in the right
# **order**? Then a smaller temperature is nearly all it needs, and no training:

# %%
for temperature in (1.0, 0.5, 0.125):
    share = right_at_cards(models["content"], cards, temperature=temperature).min()  # the harder of the two questions
    print(f"temperature {temperature:5}: right, to the nearest 5 %: {5 * round(20 * share.item())} %")

# %% [markdown]
# After its training *content* knew where to look; it could not point. Graves' Neural Turing Machine multiplies the
# cosine by a gain, set anew at each step. In *content with gain 8* it is one learned number, 8 at first.
#
# *dot* and *content* look for what is like the query; *general* can look for something else:
#
# **03.follow.** Queries and keys are vectors of `letters + places` numbers: a single 1 among the first `letters` says
# the letter, a single 1 among the others the place. Give the $W$ of *general*, $q^\top W k$, for which the score is
# `gain` where the key's letter is the one **after** the query's (after the last, the first), and 0 elsewhere, whatever
# the places. All other numbers of $W$ are 0.

# %%
def follow(letters, places, gain):
    ...


check("03.follow", follow)

# %%
hint("03.follow")

# %% [markdown]
# <details><summary>A solution</summary>
#
# ```python
# def follow(letters, places, gain):
#     W = torch.zeros(letters + places, letters + places)
#     W[:letters, :letters] = gain * torch.eye(letters).roll(1, dims=1)
#     return W
# ```
# </details>
#
# <details><summary>Think first, then unfold: with <i>W</i>, tanh and <i>v</i> in place of its one row, concat is the
# perceptron, and it works. What does the tanh change?</summary>
#
# Without it the score is a number from the query plus a number from the key. The first is the same for all keys, and
# softmax takes out what all scores share. Behind a tanh the two are no longer a sum: how far the key moves
# the score depends on where on the curve the query has put it. One tanh alone would still rank the keys alike for every
# query; several, weighed by $v$, need not.
# </details>
#
# Today nearly every model uses the scaled dot product: one matrix product and no parameters. What *general* learns in
# its $W$, a Transformer learns in the layers that make queries and keys.
#
# <details><summary>For another day: the exercise 03.general</summary>
#
# The scores of Luong's general score. `query` [batch, queries, query_dim], `key` [batch, keys, key_dim], and `W` as an
# `nn.Linear` keeps it, [key_dim, query_dim]. `check("03.general", general)` of `general(query, key, W)` names the
# mistake.
# </details>
#
# ## 8. What is still broken
#
# * Every card was read a little. Must a model read everything? [Lesson 03a](03a_hard_attention.ipynb) reads one card.
# * At this rate *dot* needed luck, divided by $\sqrt{32}$ none. Why the root of the size, and not the
#   size? **Lesson 04a** measures it.
# * Keys were values, too: what one finds a card by is also what one reads from it. **Lesson 04** separates them.
# * *location* knew five places by heart. **Lesson 07** has other ways.
#
# **Sources.** The list of eight follows the ECNU lecture *Attention Is All You Need* (2019). D. Bahdanau, K. Cho,
# Y. Bengio, *Neural Machine Translation by Jointly Learning to Align and Translate*, 2015: additive. M.-T. Luong,
# H. Pham, C. Manning, *Effective Approaches to Attention-based Neural Machine Translation*, 2015: dot, general,
# concat with tanh, location. A. Graves, G. Wayne, I. Danihelka, *Neural Turing Machines*, 2014: the cosine and its
# gain. A. Vaswani et al., *Attention Is All You Need*, 2017: scaled. Task and measurements are ours.
