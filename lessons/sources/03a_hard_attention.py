# %% [markdown]
# # Hard attention: what if a model may look at one place only?
#
# So far a model read every key a little. Reading everything costs, and an eye cannot do it. Here a question reads one
# card, or a few near its own place. Where it reads just one, no gradient flows through the choice, and the model learns
# by trying.
#
# **You will be able to** choose between soft, hard and local attention, write the loss that lets a model learn from a
# drawn choice, and say what a baseline is for.
#
# **You should know** lesson 03: its eight scores and its cards.

# %%
import torch

from attnlab import SCORES, fit, measured, trained
from attnlab.analysis import draw_rewards, reinforce_estimates, reward_of_each_key
from attnlab.exercises import check, hint
from attnlab.hard_attention import argmax, sampled
from attnlab.tasks.cards import CardReader, answers_of, deal, loss_at_cards, right_at_cards
from attnlab.trained import train_scores
from attnlab.training import side_by_side
from widgets import Chart, HardAttentionGradientExplorer, Table, Training, WeightingExplorer, curve, figure, guess

torch.set_num_threads(1)  # with models this small, two threads wait for each other
cards = train_scores.held_out()  # never trained on

# %% [markdown]
# ## 1. Three ways to use the same scores
#
# Lesson 03's task: five cards in a row, each with a letter and a digit. Questions by place (what is on the 3rd card?)
# and by letter (what is on card c?). Before anything is learned, a reader set **by hand**: a card's key has a 1 for its
# letter, one for its place and one for its digit, each question a single 1. Its score is the cosine, lesson 03's
# *content*: $1/\sqrt 3 = 0.58$ for the right card and 0 for the four others. So the right one gets $e^{0.58} /
# (e^{0.58} + 4) = 0.31$ of the weight, and about six answers of ten are right.

# %%
one, reader = torch.eye(20), CardReader(SCORES["content"], dim=20)
with torch.no_grad():
    for part, rows in (reader.letter, one[:5]), (reader.place, one[5:10]), (reader.digit, one[10:]):
        part.weight.copy_(rows)
    reader.question.copy_(torch.stack([one[5:10], one[:5]]))  # by place, by letter
    reader.answer.weight.copy_(one[10:])  # each digit's 1 is read back
    reader.answer.bias.zero_()
by_hand = {"content": reader}
guess("03a.one_card", then=WeightingExplorer(by_hand, cards, score="content"))

# %% [markdown]
# **Try** *hard, the likeliest*, and *hard, drawn*, which papers call hard attention: one card, drawn with the weights
# as chances. How many answers are right each time?
#
# Now with learned numbers. Three models learn by reading softly, each with another score. Press **Start**; it takes
# about five seconds. The next cell finishes it, if it is not done yet.

# %% tags=["hide-input"]
models = {score: train_scores.reader(SCORES[score], seed=0)
          for score in ("content", "general", "scaled_dot")}


def start():  # Reset calls it again
    for score, model in models.items():
        model.load_state_dict(train_scores.reader(SCORES[score], seed=0).state_dict())
    runs = [fit(model, train_scores.soft_loss(model), steps=200, rate=1e-2) for model in models.values()]
    return measured(side_by_side(runs),
                    lambda: {score: right_at_cards(model, cards).mean() for score, model in models.items()}, every=40)


training = Training(start, steps=200, seconds=5, name="soft", metrics=list(models))
training

# %%
training.run()  # trains it now, unless Start has done so

# %%
WeightingExplorer(models, cards, score="general", weighting="window", lock=training.lock)

# %% [markdown]
# **Try** other ways to turn the same scores into weights:
#
# * **hard, drawn**: *content* is now right far less often than when it reads softly; with *general*, whose largest
#   weights are nearly 1, hardly anything changes.
# * **window**, with *general*: only the cards near one's own place. At radius 1 the questions by place lose nothing:
#   question 3 stands at place 3, level with its card, as words do where word order is similar, and a window reads 3
#   cards instead of 5; of 1,000, it would still be 3. The questions by letter lose whatever lies under the hatching. A
#   window is a bet on order.
# * **window and bell**: Luong's *local-p* multiplies the weights in the window by a bell curve and does not normalise
#   again: rows no longer sum to 1. In the paper the centre $p$ of the window is itself computed from the query, for a
#   source of $S$ words: $p = S \cdot \mathrm{sigmoid}(v^\top \tanh(W q))$.

# %% [markdown]
# **03.local.** The weights of local-p. `scores` [batch, queries, keys], `centre` [batch, queries], counted in keys from
# 0 and not always whole, `radius` a number of at least 1, so that no window is empty. A softmax over the keys at most
# `radius` from the centre, then times $\exp(-\text{distance}^2 / 2\sigma^2)$ with $\sigma$ half the radius, and not
# normalised again: [batch, queries, keys].

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
# ## 2. By hand: learning from one glance
#
# A soft reader learns by its gradient: a little more of this card would have helped. A hard one has read one card,
# and knows nothing of the others. It can try, and make what went well more likely. With $a$ the weights, $j$
# the card that was drawn and a reward $R$, the estimate of the gradient of the expected reward, with respect to the
# scores, is (REINFORCE):
#
# $$ (R - b)\; \nabla \ln a_j = (R - b)\,(\mathrm{onehot}(j) - a) $$
#
# The expected reward is $\sum_j a_j R_j$, and its gradient $\sum_j R_j \nabla a_j = \sum_j a_j\, (R_j \nabla \ln
# a_j)$: the mean over draws of what stands in brackets. The gradient of $\ln a_j$ with respect to the scores is
# onehot($j$) − $a$, where onehot($j$) is 1 at the card drawn and 0 elsewhere. Onehot is $a$ on average, so $b$ drops
# out. $R$ is the logarithm of the probability of the right answer, and $b$ a **baseline**, any number that does not
# depend on the draw. Say the weights are 0.5, 0.3, 0.2, the second card was drawn, and the answer was better than
# expected: $R - b = 2$. The scores are pushed by 2 · (0 − 0.5, 1 − 0.3, 0 − 0.2):

# %%
scores = torch.tensor([0.5, 0.3, 0.2]).log().requires_grad_()  # their softmax gives back 0.5, 0.3, 0.2
(2 * scores.log_softmax(-1)[1]).backward()
print([round(push, 1) for push in scores.grad.tolist()])

# %% [markdown]
# The card that was drawn gains, the others lose (with $R - b$ below 0 it is the other way round). On average over all
# draws this is exactly right.

# %% tags=["hide-input"]
torch.manual_seed(0)
learning = CardReader(SCORES["scaled_dot"])
for _ in fit(learning, lambda g: loss_at_cards(learning, deal(32, g)), steps=40, rate=1e-2):
    pass
one = [part[:1] for part in cards]  # one deal; its row 7 is question c
weights, _ = reward_of_each_key(learning, *one)
drawn, reward = draw_rewards(learning, *one, 512, torch.Generator().manual_seed(0))
spread = [reinforce_estimates(weights[7], drawn[:, 7], reward[:, 7] + more, 0.0).std(0).mean() for more in (0, 100)]
guess("03a.constant", then=[
    HardAttentionGradientExplorer(learning, cards),
    f"One question, one draw, no baseline: the spread is {spread[0]:.1f}, and {spread[1]:.0f} with 100 more."])

# %% [markdown]
# The first row is the exact gradient; it can be computed here, since five cards can all be tried. Each row below
# is an estimate. **Try** it with one draw: they agree neither with each other nor with the truth. Raise the **draws**:
# four times as many halve the spread. Switch the **baseline** on. Then reward the draw **for all ten answers**, as if
# the whole row of answers got one mark: nine other questions now shake this one's reward, and the gradient to be
# estimated is still the same.
#
# ## 3. Does it learn?
#
# The loss of a hard reader has two parts: what to answer is learned from the card that was read, where to look
# from the reward.

# %%
torch.manual_seed(0)
hard = CardReader(SCORES["scaled_dot"])


def hard_loss(generator):
    deals = deal(32, generator)
    logits, seen = hard(deals.letters, deals.digits, weigh=sampled(generator))  # one drawn card for each question
    logs = logits.log_softmax(-1).gather(3, answers_of(deals).unsqueeze(3)).squeeze(3)  # ln p(right answer)
    reward = logs.detach()
    log_drawn = (seen.scores.log_softmax(-1) * seen.weights).sum(-1)  # ln a_j: the weights are 1 at j, else 0
    baseline = reward.mean()  # strictly it depends on the draw: by 1/320
    return -(logs + (reward - baseline) * log_drawn).mean()

# %%
for _ in fit(hard, hard_loss, steps=300, rate=1e-2):
    pass
right = right_at_cards(hard, cards, weigh=argmax).mean()  # reads the card with the most weight
print(f"right answers, to a tenth: {right:.1f}")

# %% [markdown]
# Four ways, three seeds each, 300 steps, by `attnlab/trained/train_scores.py`: soft; hard with a mark for each answer,
# as above but with a moving average of past rewards as its baseline; hard with one mark for all ten answers, with such
# a baseline and without.

# %% tags=["hide-input"]
runs = {name: torch.tensor(run) for name, run in trained.scores()["hard"].items()}  # [seeds, times]
chart = Chart(figure(
    *(curve(found.mean(dim=0), x=range(20, 301, 20), name=name) for name, found in runs.items()),
    title="Right answers while they learn: mean of three seeds", x="training step", y="right answers",
    y_range=[0, 1.05],
))
numbers = Table({"way": list(runs)} | {
    f"after {step} steps": [found[:, step // 20 - 1].tolist() for found in runs.values()] for step in (100, 300)
}, title="Right answers, three seeds: mean, lowest and highest")

# %% tags=["hide-input"]
guess("03a.one_mark", then=[chart, numbers])

# %% [markdown]
# <details><summary>Think first, then unfold: why may the baseline not be the reward of this very draw?</summary>
#
# Then R − b would be 0 whatever was drawn, and nothing would be learned. The proof that a baseline changes nothing on
# average needs it to be a constant for the draw that it judges: only then does it multiply something whose mean is 0.
# </details>
#
# ## What is still broken
#
# Here the model read one card, yet the scores of all cards were computed to choose it. An eye cannot do that either: it
# sees nothing sharply where it has not looked. **Lesson 14** does without such scores.
#
# **Sources.** K. Xu et al., *Show, Attend and Tell*, 2015: soft and hard, and the moving average. M.-T. Luong, H. Pham,
# C. Manning, *Effective Approaches to Attention-based Neural Machine Translation*, 2015: both kinds of window. R.
# Williams, *Simple Statistical Gradient-Following Algorithms for Connectionist Reinforcement Learning*, 1992: REINFORCE
# and its baseline. Task and measurements are ours.
