"""Exercise 04.softmax: a softmax that survives."""

import torch
from torch import Tensor

from attnlab.exercises import diagnoses
from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import attention, each


def softmax(scores: Tensor) -> Tensor:
    """The solution."""
    highest = scores.amax(dim=-1, keepdim=True)
    exponentials = (scores - highest).exp()  # at most exp(0) = 1
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


def _softmax_inputs(batch: int, queries: int, keys: int) -> tuple:
    """Scores spread by about 1.5."""
    chance = torch.Generator().manual_seed(batch * 100 + keys)
    return (1.5 * torch.randn(batch, queries, keys, generator=chance),)


def _large_scores() -> tuple:
    """Rows far above and below 0 beside ordinary ones, one score far above the others of its row, and a row so wide
    that only its ends are too far apart for exp."""
    (scores,) = _softmax_inputs(3, 3, 7)
    scores += torch.tensor([[-4.9e4, 0, 4.9e4], [4.9e4, 0, -4.9e4], [0, 4.9e4, 0]]).unsqueeze(-1)
    scores[0, 0, 2] += 300
    scores[2, 0] += torch.linspace(-60, 60, 7)
    return (scores,)


def _shares(exponentials: Tensor) -> Tensor:
    return exponentials / exponentials.sum(-1, keepdim=True)


def _without(scores: Tensor, number: Tensor, least: float = 0.0) -> Tensor:
    """exp and sum, with `number` subtracted from the scores first, and a sum of at least `least`."""
    exponentials = (scores - number).exp()
    return exponentials / exponentials.sum(-1, keepdim=True).clamp(min=least)


def _too_large(weights: Tensor, scores: Tensor) -> str | None:
    wrong = weights.isnan().any(-1) | (weights.sum(-1) < 1e-3)
    if not wrong.any():
        return None
    row = tuple(wrong.nonzero()[0].tolist())
    symptom = "NaN" if weights[row].isnan().any() else "nearly all weight is lost"
    return (
        f"{symptom} in row {list(row)}, whose scores reach {scores[row].max().item():.0f}: subtract the row's own "
        "highest score before exp, so that no exponential is infinite and not all are 0"
    )


def _wrong_sum(weights: Tensor, scores: Tensor) -> str | None:
    """What sums to 1 in place of the rows."""
    sums = {
        "your columns sum": weights.sum(1),
        "each of your matrices sums": weights.sum((1, 2)),
        "all your weights together sum": weights.sum(),
    }
    found = next((what for what, total in sums.items() if bool(((total - 1).abs() < 1e-4).all())), None)
    return found and f"{found} to 1: each row must, over its keys, `sum(dim=-1, keepdim=True)`"


SOFTMAX = Exercise(
    name="04.softmax",
    title="A softmax that survives",
    statement="""Return the weights [batch, queries, keys] of a softmax over the keys. Write it with exp and sum, to see
what torch's softmax takes care of.

weight = exp(score) / sum of exp(score) over the keys. Scores may be as large as 50000 or as low as -50000, and exp(89)
is infinity in float32, exp(-104) is 0: still no NaN, please.

scores [batch, queries, keys].""",
    axes="[batch, queries, keys]",
    stub="""def softmax(scores):
    ...
""",
    hints=(
        "In section 1 you asked for 1 of each colour, then for 8 of each, and the weights stayed. So the same number "
        "may be subtracted from all scores of a row. Which number makes all exponentials at most 1?",
        "Each row needs a number of its own. `keepdim=True` leaves an axis of length 1 where a row was summed up or "
        "searched, so that the result can be subtracted from the row, or divide it.",
        "With the highest of its row subtracted, one score is 0 and no other is above it: exp gives 1 there and less "
        "elsewhere, so the sum is neither infinite nor 0. Then divide by it.",
    ),
    solution=softmax,
    spec=lambda scores: each(attention.softmax, scores),
    inputs=lambda: [_softmax_inputs(2, 3, 5), _softmax_inputs(1, 5, 7)],
    edges=lambda: [_large_scores(), (torch.tensor([[[2.0], [-3.0]]]),)],
    diagnoses=(diagnoses.negative, _too_large, _wrong_sum, diagnoses.all_row_sums),
    mistakes=(
        Mistake(
            "softmax over queries: your columns sum to 1, but each query shares its weight out among its keys, the "
            "last axis",
            lambda scores: scores.softmax(1),
        ),
        Mistake(
            "one sum for the whole matrix: each row must sum to 1 by itself",
            lambda scores: scores.flatten(1).softmax(-1).reshape(scores.shape),
        ),
        Mistake(
            "one sum for all matrices of the batch: each row must sum to 1 by itself, `sum(dim=-1, keepdim=True)`",
            lambda scores: scores.flatten().softmax(-1).reshape(scores.shape),
        ),
        Mistake(
            "the sum of exponentials ran over the batch: it must run over the keys, the last axis",
            lambda scores: scores.softmax(0),
        ),
        Mistake("exp without the division: each row must be divided by its sum", lambda scores: scores.exp()),
        Mistake(
            "the highest of each row has weight 1: subtracting it before exp is right, but each row must then be "
            "divided by its sum",
            lambda scores: (scores - scores.amax(-1, keepdim=True)).exp(),
        ),
        Mistake(
            "1 stands below the line beside the sum, so that rows sum to less than 1: divide by the sum alone",
            lambda scores: scores.exp() / (1 + scores.exp().sum(-1, keepdim=True)),
        ),
        Mistake(
            "the highest of each column was subtracted: weights stay what they are only when the same number is "
            "subtracted from a whole row, `amax(dim=-1, keepdim=True)`",
            lambda scores: _without(scores, scores.amax(1, keepdim=True)),
        ),
        Mistake(
            "the highest along the batch was subtracted: weights stay what they are only when the same number is "
            "subtracted from a whole row, `amax(dim=-1, keepdim=True)`",
            lambda scores: _without(scores, scores.amax(0, keepdim=True)),
        ),
        Mistake(
            "the scores were divided by the highest of their row: subtract it, so that their differences stay",
            lambda scores: _shares((scores / scores.amax(-1, keepdim=True)).exp()),
        ),
        Mistake(
            "the scores were divided by the root of the number of keys: they come scaled, and only exp and the "
            "division are asked for",
            lambda scores: (scores / scores.shape[-1] ** 0.5).softmax(-1),
        ),
        Mistake(
            "the softmax came twice: once makes weights of scores, a second time makes them nearly even",
            lambda scores: scores.softmax(-1).softmax(-1),
        ),
        Mistake("the sign is wrong: the lowest score got the highest weight", lambda scores: (-scores).softmax(-1)),
        Mistake(
            "the sign of the scores is gone: a negative score must get less weight than a positive one",
            lambda scores: scores.abs().softmax(-1),
        ),
        Mistake(
            "2 was raised to the scores: softmax raises e, `exp`",
            lambda scores: (scores * 0.6931471805599453).softmax(-1),
        ),
        Mistake(
            "all keys of a row have the same weight: the scores do not count",
            lambda scores: torch.full_like(scores, 1 / scores.shape[-1]),
        ),
        Mistake(
            "argmax: all weight on the highest score; softmax shares it out",
            lambda scores: torch.nn.functional.one_hot(scores.argmax(-1), scores.shape[-1]).float(),
        ),
        Mistake("the exponential is missing: scores can be negative, weights cannot", _shares),
        Mistake(
            "divided by the number of keys, not by the sum of the exponentials",
            lambda scores: scores.exp() / scores.shape[-1],
        ),
        Mistake("these are logarithms of the weights: softmax, not log_softmax", lambda scores: scores.log_softmax(-1)),
        Mistake(
            "sigmoid in place of the softmax: each weight was found by itself, so rows do not sum to 1",
            torch.sigmoid,
        ),
        Mistake(
            "large scores give NaN: exp(50000) is infinity, and infinity divided by infinity is NaN; subtract each "
            "row's highest score first",
            lambda scores: _shares(scores.exp()),
        ),
        Mistake(
            "what was subtracted from each row is its lowest, or near it: it must be the highest, so that no "
            "exponential is above 1",
            lambda scores: _without(scores, scores.amin(-1, keepdim=True)),
        ),
        Mistake(
            "what was subtracted from each row lies in its middle: a score far above it still makes an infinity; "
            "subtract the highest",
            lambda scores: _without(scores, scores.mean(-1, keepdim=True)),
        ),
        Mistake(
            "one highest score for all rows: rows far below it become 0 divided by 0; each row needs its own, "
            "`amax(dim=-1, keepdim=True)`",
            lambda scores: _without(scores, scores.max()),
        ),
        Mistake(
            "one highest score for all rows: in rows far below it all exponentials are 0, so their weights vanish; "
            "each row needs its own, `amax(dim=-1, keepdim=True)`",
            lambda scores: _without(scores, scores.max(), least=1e-9),
        ),
        Mistake(
            "the logarithm of the sum was subtracted: right on paper, but beside a score near 50000 float32 rounds it "
            "by thousandths, and the rows miss 1; subtract the highest alone, and divide by the sum of exponentials",
            lambda scores: (scores - scores.logsumexp(-1, keepdim=True)).exp(),
        ),
        Mistake(
            "scores were cut off before exp: all that are larger, or lower, became equal; their differences must stay",
            lambda scores: _shares(scores.clamp(-80, 80).exp()),
        ),
    ),
)
