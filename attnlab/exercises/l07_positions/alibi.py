"""Exercise 07.alibi: weights with ALiBi."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import each, positions


def alibi(scores: Tensor, slopes: Tensor) -> Tensor:
    """The solution."""
    queries, keys = scores.shape[-2:]
    places = torch.arange(keys, device=scores.device)
    distance = places[keys - queries :].unsqueeze(1) - places  # [queries, keys], negative for what follows
    lowered = scores - slopes.view(-1, 1, 1) * distance
    return lowered.masked_fill(distance < 0, -torch.inf).softmax(dim=-1)


def _alibi_inputs(batch: int, heads: int, queries: int, keys: int, size: float = 1.0) -> tuple:
    generator = torch.Generator().manual_seed(100 * heads + 10 * queries + keys)
    scores = size * torch.randn(batch, heads, queries, keys, generator=generator)
    return scores, torch.rand(heads, generator=generator) + 0.2


def _distance(scores: Tensor) -> Tensor:
    """[queries, keys]: how many places the key stands before the query."""
    queries, keys = scores.shape[-2:]
    return torch.arange(keys - queries, keys).unsqueeze(1) - torch.arange(keys)


def _from_the_front(scores: Tensor) -> Tensor:
    """The same if the queries were the first tokens."""
    queries, keys = scores.shape[-2:]
    return torch.arange(queries).unsqueeze(1) - torch.arange(keys)


def _weights(lowered: Tensor, distance: Tensor, least: int = 0) -> Tensor:
    return lowered.masked_fill(distance < least, -torch.inf).softmax(dim=-1)


def _naive(lowered: Tensor, distance: Tensor) -> Tensor:
    """A softmax that takes the exponentials as they are."""
    exponentials = lowered.masked_fill(distance < 0, -torch.inf).exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


def _steep(slopes: Tensor) -> Tensor:
    return slopes.view(-1, 1, 1)


def _sees_the_future(weights: Tensor, scores: Tensor, slopes: Tensor) -> str | None:
    seen = ((_distance(scores) < 0) & (weights.abs() > 1e-6)).nonzero()
    message = "the future leaks: query {} stands at place {} and has weight on the key at place {}"
    if not len(seen):
        return None
    *_, i, j = seen[0].tolist()
    return message.format(i, scores.shape[-1] - scores.shape[-2] + i, j)


def _rows_of_one(weights: Tensor, scores: Tensor, slopes: Tensor) -> str | None:
    sums = weights.sum(dim=-1)
    message = "each row of weights must sum to 1: the softmax over the keys comes last; one of yours sums to {:.3g}"
    wrong = (sums - 1).abs() > 1e-4
    return message.format(sums[wrong][0].item()) if wrong.any() else None


def _steepness(weights: Tensor, scores: Tensor, slopes: Tensor) -> str | None:
    """What was taken off for one more place of distance, read off the last query's weights."""
    if scores.shape[-1] < 2:
        return None
    logs = (weights[:, :, -1].log() - scores[:, :, -1]).diff(dim=-1)[..., -1]  # [batch, heads]
    wrong = ((logs - slopes).abs() > 1e-3).nonzero()
    message = "in head {} one more place of distance lowers the score by {:.3g}; its slope is {:.3g}"
    return (
        message.format(int(wrong[0, 1]), logs[tuple(wrong[0])].item(), slopes[wrong[0, 1]].item())
        if len(wrong)
        else None
    )


ALIBI = Exercise(
    name="07.alibi",
    title="Weights with ALiBi",
    statement="""Return the weights [batch, heads, queries, keys] of attention with ALiBi under a causal mask.

Each score is lowered by its distance in places, times the slope of its head. A query looks at itself and at what
stands before it, at nothing else. The softmax over the keys comes last (Press et al. 2022, section 3).

scores [batch, heads, queries, keys] are not masked yet; slopes [heads]. The queries are the **last** `queries` of
the `keys` tokens, as in 06.causal: all of them in training, one when a text is written.""",
    axes="[batch, heads, queries, keys]",
    stub="""def alibi(scores, slopes):
    ...
""",
    hints=(
        "First the distances [queries, keys]: where does the first query stand, if the queries are the last tokens? "
        "On paper, for 2 queries and 5 keys.",
        "Every head has its own slope. To reach the axis of the heads it needs two axes behind it: "
        "`slopes.view(-1, 1, 1)` is [heads, 1, 1].",
        "A distance below 0 is a key in the future. Such scores become -inf before the softmax (lesson 06), not 0 and "
        "not after it.",
    ),
    solution=alibi,
    spec=lambda scores, slopes: each(lambda one: positions.causal_alibi(one, slopes), scores),
    inputs=lambda: [_alibi_inputs(2, 3, 5, 5), _alibi_inputs(2, 4, 2, 6)],
    edges=lambda: [_alibi_inputs(1, 2, 1, 7), _alibi_inputs(3, 1, 1, 1), _alibi_inputs(2, 2, 3, 4, size=200.0)],
    diagnoses=(_sees_the_future, _rows_of_one, _steepness),
    mistakes=(
        Mistake(
            "NaN where numbers are large: the exponential of 100 is already infinite, and infinity by infinity is no "
            "number; subtract the highest of each row first, as `softmax` does",
            lambda scores, slopes: _naive(scores - _steep(slopes) * _distance(scores), _distance(scores)),
        ),
        Mistake(
            "a number such as -30 in place of -inf: where the real scores are lower than that, the future is seen",
            lambda scores, slopes: (
                (scores - _steep(slopes) * _distance(scores)).masked_fill(_distance(scores) < 0, -30.0).softmax(dim=-1)
            ),
        ),
        Mistake(
            "far keys count more: the distance was added, or it was counted as j - i, which is below 0 for what stands "
            "before, and taken off; take slope · (i - j) off",
            lambda scores, slopes: _weights(scores + _steep(slopes) * _distance(scores), _distance(scores)),
        ),
        Mistake(
            "the causal mask is missing: keys after the query have weight; that the distance lowers them, too, does "
            "not hide them",
            lambda scores, slopes: (scores - _steep(slopes) * _distance(scores).abs()).softmax(dim=-1),
        ),
        Mistake(
            "the causal mask is missing, and what follows gains by its distance, since that is negative there",
            lambda scores, slopes: (scores - _steep(slopes) * _distance(scores)).softmax(dim=-1),
        ),
        Mistake(
            "the mask alone: no distance was taken off", lambda scores, slopes: _weights(scores, _distance(scores))
        ),
        Mistake(
            "the queries stand at the first places: they are the last tokens, query 0 stands at place keys - queries",
            lambda scores, slopes: _weights(scores - _steep(slopes) * _from_the_front(scores), _from_the_front(scores)),
        ),
        Mistake(
            "the mask is right, but the distances are those of queries at the first places: query 0 stands at place "
            "keys - queries",
            lambda scores, slopes: _weights(scores - _steep(slopes) * _from_the_front(scores).abs(), _distance(scores)),
        ),
        Mistake(
            "no query sees itself: its own distance is 0, and it may look",
            lambda scores, slopes: _weights(scores - _steep(slopes) * _distance(scores), _distance(scores), 1),
        ),
        Mistake(
            "the next token leaks: only distances of 0 and more may be seen",
            lambda scores, slopes: _weights(scores - _steep(slopes) * _distance(scores), _distance(scores), -1),
        ),
        Mistake(
            "the past is hidden and the future seen: mask the keys that follow",
            lambda scores, slopes: _weights(scores - _steep(slopes) * _distance(scores).abs(), -_distance(scores)),
        ),
        Mistake(
            "every head has the slope of the first one: each has its own",
            lambda scores, slopes: _weights(scores - slopes[0] * _distance(scores), _distance(scores)),
        ),
        Mistake(
            "every head has the mean of the slopes: each has its own",
            lambda scores, slopes: _weights(scores - slopes.mean() * _distance(scores), _distance(scores)),
        ),
        Mistake(
            "the slopes are in reverse order: the first belongs to head 0",
            lambda scores, slopes: _weights(scores - _steep(slopes.flip(0)) * _distance(scores), _distance(scores)),
        ),
        Mistake(
            "the slopes were left out: every place takes 1 off in each head",
            lambda scores, slopes: _weights(scores - _distance(scores), _distance(scores)),
        ),
        Mistake(
            "the slope was raised to the power of the distance: slope times distance is taken off the score",
            lambda scores, slopes: _weights(
                scores - _steep(slopes) ** _distance(scores).clamp(min=0), _distance(scores)
            ),
        ),
        Mistake(
            "the distance was squared: it is taken as it is",
            lambda scores, slopes: _weights(scores - _steep(slopes) * _distance(scores) ** 2, _distance(scores)),
        ),
        Mistake(
            "the distance was divided by the slope: multiply",
            lambda scores, slopes: _weights(scores - _distance(scores) / _steep(slopes), _distance(scores)),
        ),
        Mistake(
            "the scores were multiplied by the bias: it is added to them",
            lambda scores, slopes: _weights(scores * -_steep(slopes) * _distance(scores), _distance(scores)),
        ),
        Mistake(
            "the bias was taken off the weights: it belongs to the scores, before the softmax",
            lambda scores, slopes: (
                _weights(scores, _distance(scores)) - _steep(slopes) * _distance(scores).clamp(min=0)
            ),
        ),
        Mistake(
            "the mask came after the softmax: the rows no longer sum to 1, and the future has left its trace (06)",
            lambda scores, slopes: (
                (scores - _steep(slopes) * _distance(scores).abs()).softmax(dim=-1) * (_distance(scores) >= 0)
            ),
        ),
        Mistake(
            "masked scores were set to 0: a score of 0 is a score like any other; -inf hides",
            lambda scores, slopes: (
                (scores - _steep(slopes) * _distance(scores)).masked_fill(_distance(scores) < 0, 0.0).softmax(dim=-1)
            ),
        ),
        Mistake(
            "these are the scores: the softmax over the keys is missing",
            lambda scores, slopes: (scores - _steep(slopes) * _distance(scores)).masked_fill(
                _distance(scores) < 0, -torch.inf
            ),
        ),
        Mistake(
            "the softmax came twice: once makes weights of scores, a second time makes them nearly even, and the "
            "future has weight",
            lambda scores, slopes: _weights(scores - _steep(slopes) * _distance(scores), _distance(scores)).softmax(
                dim=-1
            ),
        ),
        Mistake(
            "the softmax went over the heads: it goes over the keys, the last axis",
            lambda scores, slopes: (
                (scores - _steep(slopes) * _distance(scores))
                .masked_fill(_distance(scores) < 0, -torch.inf)
                .softmax(dim=1)
                .nan_to_num()
            ),
        ),
    ),
)
