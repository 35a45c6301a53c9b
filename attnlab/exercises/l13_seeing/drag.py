"""Exercise 13.drag: a map dragged to another place."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.exercises.l13_seeing.blind_spot import seeded
from attnlab.specs.vision import captioner as specs


def drag(weights: Tensor, down: int, right: int) -> Tensor:
    """The solution."""
    rows, columns = weights.shape
    row, column = (torch.arange(size, device=weights.device) for size in (rows, columns))
    row, column = row - down, column - right
    stays = ((row >= 0) & (row < rows)).unsqueeze(1) & (column >= 0) & (column < columns)
    moved = weights.roll((down, right), (0, 1)) * stays
    return moved * weights.sum() / moved.sum()


def _map(rows: int, columns: int, down: int, right: int) -> tuple:
    weights = (2 * torch.randn(rows * columns, generator=seeded(rows + 10 * columns))).softmax(0)
    share = 0.5 if rows == 5 else 1  # of a map that has been dragged before, say
    return share * weights.view(rows, columns), down, right


def _cut_off(weights: Tensor, down: int, right: int) -> Tensor:
    """Moved, and nothing made up for."""
    found = drag(weights, down, right)
    return found * weights.roll((down, right), (0, 1)).where(found > 0, 0).sum() / found.sum()


def _from_the_end(weights: Tensor, down: int, right: int) -> Tensor:
    """Asked is only whether there is such a row below and such a column to the right."""
    moved = torch.zeros_like(weights)
    for row in range(moved.shape[0]):
        for column in range(moved.shape[1]):
            if row - down < moved.shape[0] and column - right < moved.shape[1]:
                moved[row, column] = weights[row - down, column - right]
    return moved * weights.sum() / moved.sum()


def _even(weights: Tensor, down: int, right: int) -> Tensor:
    """What was lost is handed out to all places alike."""
    moved = _cut_off(weights, down, right)
    return moved + (weights.sum() - moved.sum()) / moved.numel()


def _stopped(weights: Tensor, down: int, right: int) -> Tensor:
    """What would leave stays at the edge."""
    rows, columns = weights.shape
    moved = torch.zeros_like(weights)
    row = (torch.arange(rows) + down).clamp(0, rows - 1).unsqueeze(1).expand_as(weights)
    column = (torch.arange(columns) + right).clamp(0, columns - 1).expand_as(weights)
    return moved.index_put((row, column), weights, accumulate=True)


DRAG = Exercise(
    name="13.drag",
    title="A map dragged to another place",
    statement="""Return the map of a word, moved as a whole: `down` rows down and `right` columns to the right.

Both may be negative: then it moves up or to the left. What would leave the grid is lost and does not come back in on
the other side. What is left is scaled so that it sums to what the map summed to before: it is to be a map of weights
again, which the decoder can use.

weights [rows, columns]; down, right: whole numbers. Something always stays on the grid.""",
    axes="[rows, columns]",
    stub="""def drag(weights, down, right):
    ...
""",
    hints=(
        "Three steps: move, drop what has left, scale. Which of them does `torch.roll` do, and which does it spoil?",
        "The number at [row, column] comes from [row - down, column - right], if there is such a place; else it is 0.",
        "Copy a slice into zeros. With down = 2, `moved[2:]` is `weights[: rows - 2]`; with down = -2 it is the other "
        "way round, and `max` and `min` with 0 write both in one line. Then scale: the sum must stay what it was.",
    ),
    solution=drag,
    spec=specs.dragged,
    inputs=lambda: [_map(5, 7, 1, 2), _map(5, 3, -2, 1)],
    edges=lambda: [_map(3, 5, 0, -4), _map(7, 2, 0, 0), _map(3, 3, 2, -2)],
    mistakes=(
        Mistake(
            "what leaves the grid comes back in on the other side: a picture has edges; `roll` is for a ring",
            lambda weights, down, right: weights.roll((down, right), (0, 1)),
        ),
        Mistake(
            "what is left sums to less than before: part of the weight has left the grid, so scale the rest",
            _cut_off,
        ),
        Mistake(
            "what is left was scaled to 1: scale it to what the map summed to before, which need not be 1",
            lambda weights, down, right: drag(weights / weights.sum(), down, right),
        ),
        Mistake(
            "the missing weight was handed out to all places alike: scale what is there, and empty places stay empty",
            _even,
        ),
        Mistake(
            "a softmax instead of a scale: these are weights, not scores; places without weight must keep 0",
            lambda weights, down, right: _cut_off(weights, down, right).flatten().softmax(0).view(weights.shape),
        ),
        Mistake(
            "up and down are exchanged, and left and right: the number at [row, column] comes from [row - down, "
            "column - right]",
            lambda weights, down, right: drag(weights, -down, -right),
        ),
        Mistake(
            "up and down are exchanged: row 0 is the top, so down means a larger row",
            lambda weights, down, right: drag(weights, -down, right),
        ),
        Mistake(
            "left and right are exchanged: right means a larger column",
            lambda weights, down, right: drag(weights, down, -right),
        ),
        Mistake(
            "some places come back in on the other side: an index below 0 counts from the end, so ask whether `row - "
            "down` and `column - right` are at least 0, too",
            _from_the_end,
        ),
        Mistake(
            "rows and columns are exchanged: `down` changes the row, `right` the column",
            lambda weights, down, right: drag(weights, right, down),
        ),
        Mistake(
            "rows and columns are exchanged, and what leaves the grid comes back in: `down` changes the row, `right` "
            "the column, and `roll` is for a ring",
            lambda weights, down, right: weights.roll((right, down), (0, 1)),
        ),
        Mistake(
            "only the rows move: `right` was not used",
            lambda weights, down, right: drag(weights, down, 0),
        ),
        Mistake(
            "only the columns move: `down` was not used",
            lambda weights, down, right: drag(weights, 0, right),
        ),
        Mistake(
            "what would leave piles up at the edge: it is to be lost",
            _stopped,
        ),
        Mistake(
            "what has left was cut off before the map moved, on the wrong side: the map is where it was",
            lambda weights, down, right: weights * (drag(weights, down, right) > 0),
        ),
        Mistake(
            "nothing moves: this is the map as it was",
            lambda weights, down, right: weights.clone(),
        ),
        Mistake(
            "each row is scaled for itself: one scale for the whole map, which is one look",
            lambda weights, down, right: (
                _cut_off(weights, down, right)
                * (weights.sum(1, keepdim=True) / _cut_off(weights, down, right).sum(1, keepdim=True).clamp(min=1e-9))
            ),
        ),
        Mistake(
            "the largest number is 1: the map is to sum to what it summed to before",
            lambda weights, down, right: _cut_off(weights, down, right) / _cut_off(weights, down, right).max(),
        ),
    ),
)
