"""Exercise 05.changed: where equivariance fails."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake


def changed(order: Tensor) -> Tensor:
    """The solution."""
    place = torch.arange(len(order), device=order.device)
    latest = order.cummax(0).values  # of those it sees now, the one that stood farthest to the right
    return (order != place) | (latest > place)


def changed_spec(order: Tensor) -> Tensor:
    """What each token sees, written down before and after."""
    now = [set(order[: place + 1].tolist()) for place in range(len(order))]
    before = [set(range(int(token) + 1)) for token in order]
    return torch.tensor([a != b for a, b in zip(now, before, strict=True)])


def _has_moved(order: Tensor) -> Tensor:
    return order != torch.arange(len(order))


def _by_the_past(marked: Tensor, order: Tensor) -> str | None:
    wrong = (marked != changed_spec(order)).nonzero()
    if not len(wrong):
        return None
    place = int(wrong[0])
    return (
        f"order {order.tolist()}: the token at place {place} sees the tokens {sorted(order[: place + 1].tolist())} "
        f"now, and saw {list(range(int(order[place]) + 1))} before"
    )


CHANGED = Exercise(
    name="05.changed",
    title="Where equivariance fails",
    statement="""Return [tokens], boolean: entry i is True where the token that now stands at place i has a different
output from before.

A layer of self-attention has a causal mask: each token sees itself and what stands before it. So f(s(X)) is not s(f(X))
any more. All tokens differ; they were shuffled so that the one at place i is the one that stood at place order[i].
Predict, without computing any attention, which of them now have a different output from before.

order [tokens], each place once.""",
    axes="[tokens]",
    stub="""def changed(order):
    ...
""",
    hints=(
        "A token's output changes if it sees other tokens than before. Write down for the order [1, 0, 2, 4, 3] what "
        "each of the five sees now, and what it saw where it stood.",
        "A token that has moved sees more tokens than before, or fewer. But is one that stayed in its place safe? Try "
        "the order [2, 1, 0].",
        "The token that stayed at place i saw those that stood at places 0 to i. It still does, unless one from "
        "farther right has come before it. Which running value over `order` tells?",
    ),
    solution=changed,
    spec=changed_spec,
    inputs=lambda: [
        (torch.tensor([1, 0, 2, 5, 4, 3, 6]),),
        (torch.tensor([0, 3, 2, 1, 4]),),
        (torch.tensor([2, 0, 1, 3]),),
    ],
    edges=lambda: [
        (torch.tensor([0]),),
        (torch.arange(4),),
        (torch.tensor([3, 1, 2, 0]),),
        (torch.tensor([0, 5, 1, 2, 4, 3]),),
    ],
    diagnoses=(_by_the_past,),
    mistakes=(
        Mistake(
            "you marked those that have moved: a token that has stayed notices, too, when one from behind it has come "
            "before it",
            _has_moved,
        ),
        Mistake(
            "you marked everything from the first that has moved on: what counts is which tokens stand before, not in "
            "which order; a token that sees the same ones as before has the same output",
            lambda order: _has_moved(order).cumsum(0) > 0,
        ),
        Mistake(
            "you compared what a place sees with what the same place saw: ask it of the token, which may have moved "
            "there",
            lambda order: order.cummax(0).values > torch.arange(len(order)),
        ),
        Mistake(
            "these are the tokens whose output stays: True is wanted where it changes",
            lambda order: ~changed(order),
        ),
        Mistake(
            "you marked every token: one that stayed, and sees the same tokens as before, has the same output",
            lambda order: torch.ones(len(order), dtype=torch.bool),
        ),
        Mistake(
            "you marked none: that holds without a mask, where each token sees all others wherever they stand",
            lambda order: torch.zeros(len(order), dtype=torch.bool),
        ),
        Mistake(
            "you marked only those that stayed and have others before them now: one that has moved has changed as well",
            lambda order: ~_has_moved(order) & (order.cummax(0).values > torch.arange(len(order))),
        ),
    ),
)
