"""What hard attention learns from: the exact gradient of the expected reward, and what single draws say of it.

A reader is called as `model(letters, digits, weigh=...)` and returns the logits of its answers, [batch, kinds,
questions, digits], and the `Attention` that gave them. Its reward for an answer is ln of the probability of the right
one, in nats.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.analysis.learning.accuracy import right_answers
from attnlab.analysis.words.next_token import surprise
from attnlab.attention import Attention, Weigh
from attnlab.checks import checked
from attnlab.hard_attention import sampled

Reader = Callable[..., tuple[Tensor, Attention]]


class Rewarded(NamedTuple):
    """weights: of each question over the keys, in `reward_of_each_key` those of the softmax, in `draw_rewards` those of
    the draws. rewards: see there."""

    weights: Float[Tensor, "*draws questions keys"]
    rewards: Float[Tensor, "..."]


@checked
@torch.no_grad()
def reward_of_each_key(
    model: Reader,
    letters: Int[Tensor, "1 keys"],
    digits: Int[Tensor, "1 keys"],
    right: Int[Tensor, "1 kinds questions"],
) -> Rewarded:
    """Both [questions, keys], all kinds of questions one after the other: the weights of one example, and the reward of
    each question if it read this key alone.

    Raises ValueError for more than one example.
    """
    if len(letters) != 1:
        raise ValueError(f"expected one example, got {len(letters)}")
    _, seen = model(letters, digits)
    rewards = []
    for chosen in torch.eye(letters.shape[1]):
        reward, _ = _rewards(model, _fixed(chosen), letters, digits, right)
        rewards.append(reward[0])
    return Rewarded(seen.weights[0].flatten(0, 1), torch.stack(rewards, dim=1))


@checked
@torch.no_grad()
def draw_rewards(
    model: Reader,
    letters: Int[Tensor, "1 keys"],
    digits: Int[Tensor, "1 keys"],
    right: Int[Tensor, "1 kinds questions"],
    draws: int,
    generator: torch.Generator | None = None,
) -> Rewarded:
    """Weights [draws, questions, keys], 1 for the key that was drawn, and rewards [draws, questions], of one example.

    Raises ValueError for more than one example, and for less than one draw.
    """
    if len(letters) != 1 or draws < 1:
        raise ValueError(f"expected one example and one draw or more, got {len(letters)} and {draws}")
    copies = (part.expand(draws, *part.shape[1:]) for part in (letters, digits, right))
    rewards, seen = _rewards(model, sampled(generator), *copies)
    return Rewarded(seen.weights.flatten(1, 2), rewards)


@checked
def exact_gradient(weights: Float[Tensor, " keys"], rewards: Float[Tensor, " keys"]) -> Float[Tensor, " keys"]:
    """The gradient of the expected reward with respect to the scores: a_j (R_j - E[R]) for key j.

    weights: the softmax of the scores. rewards: of reading each key alone.

    **Source:** Williams 1992, "Simple Statistical Gradient-Following Algorithms for Connectionist Reinforcement
    Learning", whose estimates have this mean. **Names:** a -> weights, R -> rewards.
    """
    return weights * (rewards - (weights * rewards).sum())


@checked
def reinforce_estimates(
    weights: Float[Tensor, " keys"],
    drawn: Float[Tensor, "draws keys"],
    rewards: Float[Tensor, " draws"],
    baseline: Float[Tensor, ""] | int | float = 0.0,
) -> Float[Tensor, "draws keys"]:
    """What each draw says of `exact_gradient`: (R - b) (onehot(j) - a); right on average over all draws.

    drawn: 1 for the key that was drawn. rewards: what each draw led to. baseline: see `hard_attention.surrogate`, whose
    gradient this is.

    **Source:** Williams 1992, theorem 1; Xu et al. 2015, "Show, Attend and Tell", section 4.1.
    **Names:** a -> weights, onehot(j) -> drawn, R -> rewards, b -> baseline.
    """
    return (rewards - baseline).unsqueeze(1) * (drawn - weights)


def _fixed(weights: Float[Tensor, " keys"]) -> Weigh:
    """A `weigh` that gives every query these weights."""
    return lambda scores, allowed: weights.expand_as(scores)


def _rewards(
    model: Reader, weigh: Weigh, letters: Tensor, digits: Tensor, right: Tensor
) -> tuple[Float[Tensor, "batch questions"], Attention]:
    answers, seen = model(letters, digits, weigh=weigh)
    return -surprise(answers, right_answers(digits, right)).flatten(1), seen
