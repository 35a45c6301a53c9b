"""Hard attention learns from draws: the gradient that each draw suggests, and the one that all draws agree on."""

from typing import NamedTuple

import torch

from attnlab.analysis import draw_rewards, exact_gradient, reinforce_estimates, reward_of_each_key
from widgets.base.controls import button, select, slider, switch
from widgets.base.explorer import Explorer
from widgets.base.words import key, number, one_or_more, query, quote, say
from widgets.explorers.l03_alignment.cards import CARDS, QUESTIONS, card_names
from widgets.instruments.matrix.matrix import Matrix

ESTIMATES, MOST = 8, 64  # estimates that are shown, and draws that each of them may use
OWN, ALL = "for its own answer", "for all ten answers"


class Gradients(NamedTuple):
    """exact: [cards], the gradient of the expected reward with respect to the scores of one question. estimates:
    [estimates, cards], each the mean over some draws. spread: the standard deviation of a number of one estimate,
    averaged over the cards."""

    exact: torch.Tensor
    estimates: torch.Tensor
    spread: float


class HardAttentionGradientExplorer(Explorer):
    """Eight estimates of one gradient, each from as many draws as the slider says; above them the exact one.

    The reward of a draw is ln of the probability that the model then gives to the right answer.
    model: see `ScoreComparisonExplorer`; one that is still learning has something to learn.
    examples: the first one is shown.
    """

    draws = slider(1, 1, MOST, label="draws", help="how many draws each estimate is the mean of")
    reward = select([OWN, ALL], label="rewarded", help="what a draw is rewarded for")
    baseline = switch(False, label="baseline", help="subtract the expected reward from each reward")
    question = select(QUESTIONS, "c", label="question", help="the question whose scores learn")
    again = button(label="draw again", help="other draws")

    shows = {"gradients": ("matrix", "values")}
    unstable = True

    def __init__(self, model, examples, lock=None, **state) -> None:
        self.model, self.examples = model, examples
        super().__init__(lock=lock, **state)

    @property
    def spread(self) -> float:
        """The standard deviation of one number of an estimate, averaged over the cards."""
        return self.result.spread

    def views(self) -> dict:
        names = ["exact", *(f"estimate {i + 1}" for i in range(ESTIMATES))]
        return {
            "matrix": Matrix(
                torch.zeros(1 + ESTIMATES, CARDS),
                scale="scores",
                limit=1.0,
                query_labels=names,
                current=0,
                query_title="gradients",
                key_title="cards",
                key_labels=card_names(self.examples, 0),
            )
        }

    def compute(self, state) -> Gradients:
        at, own = QUESTIONS.index(state.question), state.reward == OWN
        letters, digits, right = (part[:1] for part in self.examples)
        weights, rewards = reward_of_each_key(self.model, letters, digits, right)
        chance = torch.Generator().manual_seed(state.again)
        drawn, reward = draw_rewards(self.model, letters, digits, right, ESTIMATES * MOST, chance)
        expected = (weights * rewards).sum(dim=1)  # [questions]
        reward, expected = (reward[:, at], expected[at]) if own else (reward.sum(dim=1), expected.sum())
        single = reinforce_estimates(weights[at], drawn[:, at], reward, expected if state.baseline else 0.0)
        estimates = single.view(ESTIMATES, MOST, CARDS)[:, : state.draws].mean(dim=1)
        spread = single.std(dim=0).mean().item() / state.draws**0.5
        return Gradients(exact_gradient(weights[at], rewards[at]), estimates, spread)

    def picture(self, state, result) -> dict:
        return {"matrix": {"values": torch.cat([result.exact[None], result.estimates])}}

    def sentence(self, state, result) -> list:
        size = float(result.exact.abs().mean())
        times = result.spread / max(size, 1e-9)
        return say(
            "Question ",
            query(quote(state.question)),
            f": a number of the exact gradient is {number(size)} in size on average; an estimate from "
            f"{one_or_more(state.draws, 'draw')} misses it by ",
            key(number(result.spread)),
            f" (standard deviation), {number(times, 1)} times as much.",
        )

    def code(self, state) -> str:
        at = QUESTIONS.index(state.question)
        own = state.reward == OWN
        reward, mean = (f"reward[:, {at}]", f".sum(1)[{at}]") if own else ("reward.sum(1)", ".sum()")
        return "\n".join([
            "import torch",
            "from attnlab.analysis import draw_rewards, exact_gradient, reinforce_estimates, reward_of_each_key",
            "",
            f"one, chance = [part[:1] for part in examples], torch.Generator().manual_seed({state.again})",
            "weights, rewards = reward_of_each_key(model, *one)  # [questions, cards]: if it read this card",
            f"drawn, reward = draw_rewards(model, *one, draws={ESTIMATES * MOST}, generator=chance)",
            f"baseline = {f'(weights * rewards){mean}' if state.baseline else '0.0'}",
            f"exact = exact_gradient(weights[{at}], rewards[{at}])",
            f"single = reinforce_estimates(weights[{at}], drawn[:, {at}], {reward}, baseline)  # [draws, cards]",
            f"estimates = single.view({ESTIMATES}, {MOST}, {CARDS})[:, :{state.draws}].mean(1)",
            "gradients = torch.cat([exact[None], estimates])",
        ])
