"""Exercise 06.leaks: does the future change the past?"""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake

Model = Callable[[Tensor], Tensor]
"""[batch, tokens, dim] -> [batch, tokens, dim]"""


def leaks(model: Model, x: Tensor, other: Tensor, place: int) -> Tensor:
    """The solution."""
    changed = torch.cat([x[:, :place], other[:, place:]], dim=1)  # the same past, another future
    moved = (model(changed) - model(x))[:, :place].abs()
    return moved.amax(dim=(0, 2))


def leaks_spec(model: Model, x: Tensor, other: Tensor, place: int) -> Tensor:
    """The same in loops."""
    changed = x.clone()
    for i in range(place, x.shape[1]):
        changed[:, i] = other[:, i]
    before, after = model(x), model(changed)
    moved = []
    for i in range(place):
        largest = (after[0, i, 0] - before[0, i, 0]).abs()
        for b in range(before.shape[0]):
            for d in range(before.shape[2]):
                largest = torch.maximum(largest, (after[b, i, d] - before[b, i, d]).abs())
        moved.append(largest)
    return torch.stack(moved)


def _honest(x: Tensor) -> Tensor:
    """Each place is the mean of those up to it."""
    return x.cumsum(dim=1) / torch.arange(1, x.shape[1] + 1).view(1, -1, 1)


def _looks_ahead(x: Tensor) -> Tensor:
    """Each place has something of the next one."""
    return _honest(x) + 0.5 * x.roll(-1, dims=1)


def _reads_all(x: Tensor) -> Tensor:
    """Each place is multiplied by the mean of all, so that it matters whose past is kept."""
    return x * x.mean(dim=1, keepdim=True)


def _random_case(model: Model, batch: int, tokens: int, place: int) -> tuple:
    chance = torch.Generator().manual_seed(10 * tokens + place)
    x, other = (torch.randn(batch, tokens, 3, generator=chance) for _ in range(2))
    return model, x, other, place


def _moves(model: Model, x: Tensor, changed: Tensor) -> Tensor:
    return (model(changed) - model(x)).abs()


def _another_future(x: Tensor, other: Tensor, place: int) -> Tensor:
    return torch.cat([x[:, :place], other[:, place:]], dim=1)


LEAKS = Exercise(
    name="06.leaks",
    title="Does the future change the past?",
    statement="""Return how far each of the first `place` outputs of a model moves when the future is replaced: [place].

Give the model x, then the same x with everything from `place` on taken from `other`, and compare what it says at the
places before. For each place, return the largest absolute difference over batch and numbers. For a model without a
leak all are 0.

model [batch, tokens, dim] -> [batch, tokens, dim]; x, other [batch, tokens, dim]; place, from 1.""",
    axes="[place]",
    stub="""def leaks(model, x, other, place):
    ...
""",
    hints=(
        "The past must stay as it is: places 0 to place - 1 of x. Only what comes from `place` on is exchanged.",
        "`torch.cat` joins the past of x and the future of `other` along the axis of the places. Then ask the model "
        "twice: about x, and about that.",
        "Compare the first `place` outputs of the two. A move may go up or down, hence the absolute value; `amax` "
        "finds the largest over several axes at once.",
    ),
    solution=leaks,
    spec=leaks_spec,
    inputs=lambda: [
        _random_case(_reads_all, 3, 6, 2),
        _random_case(_looks_ahead, 2, 7, 4),
        _random_case(_honest, 2, 5, 3),
    ],
    edges=lambda: [_random_case(_looks_ahead, 1, 5, 1), _random_case(_reads_all, 2, 4, 3)],
    has_gradients=False,  # nothing learns from a measurement: who asks the model under no_grad is as right
    mistakes=(
        Mistake(
            "the past was exchanged too: then of course everything moves; only what comes from `place` on may change",
            lambda model, x, other, place: _moves(model, x, other)[:, :place].amax(dim=(0, 2)),
        ),
        Mistake(
            "the past was exchanged and the future kept: a model that reads its own past moves, as it should",
            lambda model, x, other, place: _moves(model, x, _another_future(other, x, place))[:, :place].amax((0, 2)),
        ),
        Mistake(
            "x and other are exchanged: the past is that of `x`, and only the future comes from `other`",
            lambda model, x, other, place: leaks(model, other, x, place),
        ),
        Mistake(
            "the first axis was cut, which is the batch: places stand along axis 1, `x[:, :place]`",
            lambda model, x, other, place: _moves(model, x, torch.cat([x[:place], other[place:]]))[:, :place].amax((
                0,
                2,
            )),
        ),
        Mistake(
            "one place too early: `place` - 1 belongs to the past, and an honest model may hear of it",
            lambda model, x, other, place: _moves(model, x, _another_future(x, other, place - 1))[:, :place].amax((
                0,
                2,
            )),
        ),
        Mistake(
            "one place too late: the token at `place` is the future, too, and a model that looks one place ahead is "
            "caught by it alone",
            lambda model, x, other, place: _moves(model, x, _another_future(x, other, place + 1))[:, :place].amax((
                0,
                2,
            )),
        ),
        Mistake(
            "the inputs were compared, not what the model says of them: before `place` they are equal by themselves",
            lambda model, x, other, place: (_another_future(x, other, place) - x)[:, :place].abs().amax((0, 2)),
        ),
        Mistake(
            "the absolute value is missing: differences below 0 are moves, too",
            lambda model, x, other, place: (model(_another_future(x, other, place)) - model(x))[:, :place].amax((0, 2)),
        ),
        Mistake(
            "the absolute value is missing: whichever you subtract, a difference below 0 is a move, too",
            lambda model, x, other, place: (model(x) - model(_another_future(x, other, place)))[:, :place].amax((0, 2)),
        ),
        Mistake(
            "the future was set to 0: take it from `other`",
            lambda model, x, other, place: _moves(model, x, _another_future(x, torch.zeros_like(x), place))[
                :, :place
            ].amax((0, 2)),
        ),
        Mistake(
            "this is the length of each move: the largest single number is asked for",
            lambda model, x, other, place: (
                _moves(model, x, _another_future(x, other, place))[:, :place].norm(dim=2).amax(0)
            ),
        ),
        Mistake(
            "the mean in place of the largest: a leak of one number in a thousand would hide in it",
            lambda model, x, other, place: _moves(model, x, _another_future(x, other, place))[:, :place].mean((0, 2)),
        ),
        Mistake(
            "the sum in place of the largest: how far a place moves must not depend on how many numbers there are",
            lambda model, x, other, place: _moves(model, x, _another_future(x, other, place))[:, :place].sum((0, 2)),
        ),
        Mistake(
            "only the token at `place` was exchanged: all that follows it is the future, too",
            lambda model, x, other, place: (
                _moves(model, x, torch.cat([_another_future(x, other, place)[:, : place + 1], x[:, place + 1 :]], 1))
            )[:, :place].amax((0, 2)),
        ),
        Mistake(
            "the future was cut off, not exchanged: a text of another length is another question, even to a model that "
            "only counts its tokens",
            lambda model, x, other, place: (model(x[:, :place]) - model(x)[:, :place]).abs().amax((0, 2)),
        ),
    ),
)
