"""Hard attention learns from draws: the gradient that each draw suggests, and the one that all draws agree on."""

from typing import NamedTuple

import torch

from attnlab.hard import sampled, surrogate

from .controls import button, select, slider, switch
from .explorer import Explorer
from .matrix import Matrix
from .score import CARDS, LABELS, cards, wanted
from .words import key, number, query, quote, say

SHOWN, MOST = 8, 64  # estimates that are shown, and draws that each of them may use
REWARDS = {"for its own answer": "rewards", "for all ten answers": "rewards.sum(1, keepdim=True)"}


class Draws(NamedTuple):
    """exact: [cards], the gradient of the expected reward with respect to the scores of one question. estimates:
    [estimates, cards], each the mean over some draws. spread: the standard deviation of a number of one estimate, in
    the mean over the cards."""

    exact: torch.Tensor
    estimates: torch.Tensor
    spread: float


class DrawExplorer(Explorer):
    """Eight estimates of one gradient, each from as many draws as the slider says; above them the exact one.

    The reward of a draw is ln of the probability that the model then gives to the right answer.
    model: see `ScoreExplorer`; one that is still learning has something to learn. examples: the first one is shown.
    """

    draws = slider(1, 1, MOST, label="draws", help="how many draws each estimate is the mean of")
    reward = select(REWARDS, label="rewarded", help="what a draw is rewarded for")
    baseline = switch(False, label="baseline", help="subtract the expected reward from each reward")
    question = select(LABELS["query_labels"], "c", label="question", help="the question whose scores learn")
    again = button(label="draw again", help="other draws")

    shows = {"gradients": ("matrix", "values")}

    def __init__(self, model, examples, lock=None, **state):
        self.model, self.examples = model, examples
        super().__init__(lock=lock, **state)

    @property
    def spread(self) -> float:
        """The standard deviation of one number of an estimate, in the mean over the cards."""
        return self.result.spread

    def __repr__(self):
        # Without the spread: it differs a little from one machine's training to the next.
        if not hasattr(self, "parts"):
            return super().__repr__()
        baseline = "a baseline" if self.baseline else "no baseline"
        draws = "1 draw" if self.draws == 1 else f"{self.draws} draws"
        return f"{type(self).__name__}({SHOWN} estimates from {draws} each, rewarded {self.reward}, {baseline})"

    def views(self):
        names = ["exact", *(f"estimate {i + 1}" for i in range(SHOWN))]
        return {"matrix": Matrix(torch.zeros(1 + SHOWN, CARDS), scale="scores", limit=1.0, query_labels=names,
                                 current=0, query_title="gradients", key_title="cards",
                                 key_labels=cards((self.examples.letters[0], self.examples.digits[0])))}

    def compute(self, state):
        at = LABELS["query_labels"].index(state.question)
        letters, digits, goal = (part[:1] for part in (self.examples.letters, self.examples.digits,
                                                       wanted(self.examples)))
        every = torch.eye(CARDS)  # one card each: what the reward would be
        with torch.no_grad():
            rewards = torch.stack([self._rewards(letters, digits, goal, lambda scores, allowed, card=card:
                                                 card.expand_as(scores))[0][0] for card in every])  # [cards, questions]
            weights = self.model(letters, digits)[1].weights[0].flatten(0, 1)
        expected = (weights.T * rewards).sum(dim=0)  # [questions]
        exact = weights[at] * (rewards[:, at] - expected[at])
        many = SHOWN * MOST
        generator = torch.Generator().manual_seed(state.again)
        drawn, seen = self._rewards(*(part.expand(many, *part.shape[1:]) for part in (letters, digits, goal)),
                                    sampled(generator))
        whole = state.reward != "for its own answer"
        drawn, base = (drawn.sum(1, keepdim=True), expected.sum()) if whole else (drawn, expected[None])
        scores, chosen = seen.scores.flatten(1, 2), seen.weights.flatten(1, 2)
        loss = surrogate(scores, chosen, drawn, base if state.baseline else 0.0)
        single = -torch.autograd.grad(loss, seen.scores)[0].flatten(1, 2)[:, at]  # [draws, cards]
        estimates = single.view(SHOWN, MOST, CARDS)[:, : state.draws].mean(dim=1)
        return Draws(exact, estimates, single.std(dim=0).mean().item() / state.draws**0.5)

    def _rewards(self, letters, digits, goal, weigh):
        """ln of the probability of the right answers, [batch, questions], and what was seen."""
        answers, seen = self.model(letters, digits, weigh=weigh)
        logs = answers.log_softmax(-1).gather(3, goal.unsqueeze(3)).squeeze(3)
        return logs.flatten(1, 2).detach(), seen

    def picture(self, state, result):
        return {"matrix": {"values": torch.cat([result.exact[None], result.estimates])}}

    def sentence(self, state, result):
        size = float(result.exact.abs().mean())
        times = result.spread / max(size, 1e-9)
        draws = "one draw" if state.draws == 1 else f"{state.draws} draws"
        return say("Question ", query(quote(state.question)), f": a number of the exact gradient is {number(size)} in "
                   f"size on average; an estimate from {draws} misses it by ", key(number(result.spread)),
                   f" (standard deviation), {number(times, 1)} times as much.")

    def code(self, state):
        at = LABELS["query_labels"].index(state.question)
        whole = state.reward != "for its own answer"
        base = ("expected.sum()" if whole else "expected[None]") if state.baseline else "0.0"
        return "\n".join([
            "import torch",
            "from attnlab.hard import sampled, surrogate",
            "",
            "letters, digits, right = (part[:1] for part in examples)",
            "goal = digits.unsqueeze(1).expand_as(right).gather(2, right)",
            "",
            "def look(weigh, copies):  # the rewards and what was seen",
            "    answers, seen = model(letters.expand(copies, -1), digits.expand(copies, -1), weigh=weigh)",
            "    logs = answers.log_softmax(-1).gather(3, goal.expand(copies, -1, -1).unsqueeze(3))",
            "    return logs.flatten(1).detach(), seen",
            "",
            f"one = [look(lambda scores, allowed: card.expand_as(scores), 1)[0] for card in torch.eye({CARDS})]",
            "rewards = torch.cat(one)  # [cards, questions]: if it read this card",
            "weights = model(letters, digits)[1].weights[0].flatten(0, 1).detach()",
            "expected = (weights.T * rewards).sum(0)",
            f"exact = weights[{at}] * (rewards[:, {at}] - expected[{at}])",
            "",
            f"rewards, seen = look(sampled(torch.Generator().manual_seed({state.again})), {SHOWN * MOST})",
            "scores, drawn = seen.scores.flatten(1, 2), seen.weights.flatten(1, 2)",
            f"loss = surrogate(scores, drawn, {REWARDS[state.reward]}, {base})",
            f"single = -torch.autograd.grad(loss, seen.scores)[0].flatten(1, 2)[:, {at}]",
            f"estimates = single.view({SHOWN}, {MOST}, {CARDS})[:, :{state.draws}].mean(1)",
            "gradients = torch.cat([exact[None], estimates])",
        ])
