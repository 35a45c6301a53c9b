"""Exercise 06.softmax: a softmax with a mask that survives."""

import torch
from torch import Tensor

from attnlab.exercises import diagnoses
from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import attention, each

LOWEST = torch.finfo(torch.float32).min


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """The solution."""
    scores = scores.masked_fill(~mask, -torch.inf)
    highest = scores.amax(dim=-1, keepdim=True).masked_fill(~mask.any(dim=-1, keepdim=True), 0)
    exponentials = (scores - highest).exp()  # at most exp(0) = 1, and exp(-inf) = 0
    total = exponentials.sum(dim=-1, keepdim=True)
    return exponentials / total.masked_fill(total == 0, 1)


def _softmax_inputs(batch: int, queries: int, keys: int) -> tuple:
    """Scores spread by about 1, and a mask with True and False in each row."""
    chance = torch.Generator().manual_seed(batch * 100 + keys)
    place = torch.arange(queries).unsqueeze(1) + torch.arange(keys) + torch.arange(batch).reshape(-1, 1, 1)
    return 1.5 * torch.randn(batch, queries, keys, generator=chance), place % 3 != 0


def _large_scores() -> tuple:
    """Rows far above and below 0, one far above its own mean, hidden scores far above all others, a row with
    nothing to attend to, and ordinary rows beside large ones."""
    scores, mask = _softmax_inputs(3, 3, 7)
    scores += torch.tensor([[-4.9e4, 0, 4.9e4], [4.9e4, 0, -4.9e4], [0, 4.9e4, 0]]).unsqueeze(-1)
    scores[0, 0, mask[0, 0].nonzero()[0]] += 300
    scores[:2, 1][~mask[:2, 1]] = 5e4
    mask[1, 2] = False
    return scores, mask


def _one_key() -> tuple:
    return torch.tensor([[[2.0], [-3.0]]]), torch.tensor([[[True], [False]]])


def _by_hand(scores: Tensor, mask: Tensor, highest: Tensor | int = 0, least: float = 0.0) -> Tensor:
    """exp and sum, with `highest` subtracted from the scores first, and a sum of at least `least`."""
    exponentials = (scores.masked_fill(~mask, -torch.inf) - highest).exp()
    return exponentials / exponentials.sum(-1, keepdim=True).clamp(min=least)


def _shares(exponentials: Tensor) -> Tensor:
    return exponentials / exponentials.sum(-1, keepdim=True)


def _plain(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    return scores.masked_fill(~mask, LOWEST).softmax(dim).masked_fill(~mask, 0)


def _too_large(weights: Tensor, scores: Tensor, mask: Tensor) -> str | None:
    wrong = weights.isnan().any(-1) | ((weights.sum(-1) < 1e-3) & mask.any(-1))
    if not wrong.any():
        return None
    row = wrong.nonzero()[0].tolist()
    if not mask[tuple(row)].any():
        return f"NaN in row {row}, which may attend to nothing: there 0 is divided by 0; such a row must hold zeros"
    symptom = "NaN" if weights[tuple(row)].isnan().any() else "nearly all weight is lost"
    highest = scores[tuple(row)][mask[tuple(row)]].max().item()
    return (
        f"{symptom} in row {row}, whose visible scores reach {highest:.0f}: subtract the row's own "
        "highest visible score before exp, so that no exponential is infinite and not all are 0"
    )


SOFTMAX = Exercise(
    name="06.softmax",
    title="A softmax with a mask that survives",
    statement="""Return the weights [batch, queries, keys] of a softmax over the keys that `mask` allows. Write it with
exp and sum, to see what torch's softmax takes care of.

weight = exp(score) / sum of exp(score) over the allowed keys. Where the mask is False the weight is 0; a row in which
nothing may be attended to holds only zeros. Scores may be as large as 50000 or as low as -50000, hidden ones too, and
exp(89) is infinity in float32, exp(-104) is 0: still no NaN, please.

scores [batch, queries, keys]; mask [batch, queries, keys], True = may attend.""",
    axes="[batch, queries, keys]",
    stub="""def masked_softmax(scores, mask):
    ...
""",
    hints=(
        "Subtract the same number from all scores of a row, and the weights stay what they were: exp(s - c) = exp(s) / "
        "exp(c), above and below the line. Which number makes all exponentials at most 1?",
        "Fill hidden scores with -inf first; then each row's own highest, `scores.amax(dim=-1, keepdim=True)`, is one "
        "that may be seen, and exp(-inf) is 0.",
        "A row of nothing but -inf has -inf as its highest, and -inf - -inf is NaN: put 0 there. Its sum is 0 then: "
        "put 1 there before you divide.",
    ),
    solution=masked_softmax,
    spec=lambda scores, mask: each(attention.softmax, scores, mask),
    inputs=lambda: [_softmax_inputs(2, 3, 5), _softmax_inputs(1, 5, 7)],
    edges=lambda: [_large_scores(), _one_key()],
    diagnoses=(diagnoses.negative, _too_large, diagnoses.hidden, diagnoses.row_sums),
    mistakes=(
        Mistake(
            "softmax over queries: your columns sum to 1, but each query shares its weight out among its keys, the "
            "last axis",
            lambda scores, mask: _plain(scores, mask, dim=1),
        ),
        Mistake(
            "one sum for the whole matrix: each row must sum to 1 by itself",
            lambda scores, mask: _plain(scores.flatten(1), mask.flatten(1)).reshape(scores.shape),
        ),
        Mistake(
            "the sum of exponentials ran over the batch: it must run over the keys, the last axis",
            lambda scores, mask: _plain(scores, mask, dim=0),
        ),
        Mistake(
            "the mask came after the softmax: rows no longer sum to 1, since hidden keys took their share first",
            lambda scores, mask: scores.softmax(-1) * mask,
        ),
        Mistake(
            "hidden scores became 0, but exp(0) is 1, so they still get weight: they must become -inf",
            lambda scores, mask: (scores * mask).softmax(-1),
        ),
        Mistake(
            "the mask was added as numbers 0 and 1: hidden keys must be shut out, not lowered by 1",
            lambda scores, mask: (scores + mask).softmax(-1),
        ),
        Mistake(
            "0 times infinity is NaN: do not multiply the mask with inf; `masked_fill(~mask, -torch.inf)` puts -inf "
            "only where it belongs",
            lambda scores, mask: (scores + (~mask) * -torch.inf).softmax(-1),
        ),
        Mistake(
            "the mask is inverted: you hid what may be seen; True means may attend",
            lambda scores, mask: _plain(scores, ~mask),
        ),
        Mistake("the mask is not used: hidden keys still have weight", lambda scores, mask: scores.softmax(-1)),
        Mistake(
            "exp without the division: each row must be divided by its sum", lambda scores, mask: scores.exp() * mask
        ),
        Mistake(
            "the highest of each row has weight 1: subtracting it before exp is right, but each row must then be "
            "divided by its sum",
            lambda scores, mask: (
                (scores - scores.masked_fill(~mask, LOWEST).amax(-1, keepdim=True)).exp().masked_fill(~mask, 0)
            ),
        ),
        Mistake(
            "the highest of each column was subtracted: weights stay what they are only when the same number is "
            "subtracted from a whole row, `amax(dim=-1, keepdim=True)`",
            lambda scores, mask: _by_hand(scores, mask, scores.masked_fill(~mask, -torch.inf).amax(1, keepdim=True)),
        ),
        Mistake(
            "the highest along the batch was subtracted: weights stay what they are only when the same number is "
            "subtracted from a whole row, `amax(dim=-1, keepdim=True)`",
            lambda scores, mask: _by_hand(scores, mask, scores.masked_fill(~mask, -torch.inf).amax(0, keepdim=True)),
        ),
        Mistake(
            "the lowest of each row was subtracted: it must be the highest, so that no exponential is above 1",
            lambda scores, mask: _by_hand(scores, mask, scores.amin(-1, keepdim=True)),
        ),
        Mistake(
            "the scores were divided by the highest of their row: subtract it, so that their differences stay",
            lambda scores, mask: _by_hand(scores / scores.amax(-1, keepdim=True), mask),
        ),
        Mistake(
            "the softmax came twice: once makes weights of scores, a second time makes them nearly even, and hidden "
            "keys have weight",
            lambda scores, mask: _plain(scores, mask).softmax(-1),
        ),
        Mistake(
            "the softmax came twice: once makes weights of scores, a second time makes them nearly even",
            lambda scores, mask: _plain(_plain(scores, mask), mask),
        ),
        Mistake(
            "the sign is wrong: the lowest score got the highest weight", lambda scores, mask: _plain(-scores, mask)
        ),
        Mistake(
            "2 was raised to the scores: softmax raises e, `exp`",
            lambda scores, mask: _plain(scores * 0.6931471805599453, mask),
        ),
        Mistake(
            "all visible keys of a row have the same weight: the scores do not count",
            lambda scores, mask: mask / mask.sum(-1, keepdim=True).clamp(min=1),
        ),
        Mistake(
            "argmax: all weight on the highest score; softmax shares it out",
            lambda scores, mask: torch.nn.functional.one_hot(
                scores.masked_fill(~mask, LOWEST).argmax(-1), scores.shape[-1]
            ).float(),
        ),
        Mistake(
            "the exponential is missing: scores can be negative, weights cannot",
            lambda scores, mask: (scores * mask) / (scores * mask).sum(-1, keepdim=True),
        ),
        Mistake(
            "divided by the number of keys, not by the sum of the exponentials",
            lambda scores, mask: scores.exp() * mask / mask.sum(-1, keepdim=True),
        ),
        Mistake(
            "these are logarithms of the weights: softmax, not log_softmax",
            lambda scores, mask: scores.masked_fill(~mask, -torch.inf).log_softmax(-1),
        ),
        Mistake(
            "sigmoid in place of the softmax: each weight was found by itself, so rows do not sum to 1",
            lambda scores, mask: scores.sigmoid() * mask,
        ),
        Mistake(
            "large scores give NaN, and so does a row with nothing to attend to: exp(50000) is infinity, and infinity "
            "divided by infinity is NaN; subtract each row's highest visible score first, and do not divide by 0",
            lambda scores, mask: _by_hand(scores, mask),
        ),
        Mistake(
            "large scores give NaN: exp(50000) is infinity, and infinity divided by infinity is NaN; subtract each "
            "row's highest visible score first",
            lambda scores, mask: _by_hand(scores, mask, least=1e-9),
        ),
        Mistake(
            "large scores give NaN: exp(50000) is infinity, infinity divided by infinity is NaN, and so is a hidden "
            "infinity times 0; hide the scores first, then subtract each row's highest visible one",
            lambda scores, mask: _shares(scores.exp() * mask),
        ),
        Mistake(
            "one highest score for all rows: rows far below it become 0 divided by 0; each row needs its own, "
            "`amax(dim=-1, keepdim=True)`",
            lambda scores, mask: _by_hand(scores, mask, scores.max()),
        ),
        Mistake(
            "one highest score for all rows: in rows far below it all exponentials are 0, so their weights vanish; "
            "each row needs its own, `amax(dim=-1, keepdim=True)`",
            lambda scores, mask: _by_hand(scores, mask, scores.max(), least=1e-9),
        ),
        Mistake(
            "a hidden score decides: the highest was taken before hiding, the visible exponentials all became 0, and "
            "0 divided by 0 is NaN; fill with -inf first, then look for the highest",
            lambda scores, mask: _by_hand(scores, mask, scores.amax(-1, keepdim=True)),
        ),
        Mistake(
            "a hidden score decides: the highest was taken before hiding, and beside it the visible exponentials all "
            "became 0; fill with -inf first, then look for the highest",
            lambda scores, mask: _by_hand(scores, mask, scores.amax(-1, keepdim=True), least=1e-9),
        ),
        Mistake(
            "hidden scores were filled with a number that is not low enough: visible scores can be lower still; "
            "use -inf",
            lambda scores, mask: scores.masked_fill(~mask, -1e3).softmax(-1),
        ),
        Mistake(
            "hidden scores were filled with a number that is not low enough: where all visible scores are lower, "
            "the visible keys lost their weight; use -inf",
            lambda scores, mask: scores.masked_fill(~mask, -1e3).softmax(-1).masked_fill(~mask, 0),
        ),
        Mistake(
            "NaN where a row may attend to nothing: a softmax of nothing but -inf divides 0 by 0; such a row must "
            "hold zeros",
            lambda scores, mask: scores.masked_fill(~mask, -torch.inf).softmax(-1),
        ),
        Mistake(
            "a row that may attend to nothing shares its weight out evenly; it must hold zeros: fill the hidden places "
            "once more after the softmax",
            lambda scores, mask: scores.masked_fill(~mask, LOWEST).softmax(-1),
        ),
        Mistake(
            "the weights are right, but their gradient is NaN: -inf was added to the scores, and the NaN of an empty "
            "row flows back through the sum; masked_fill stops it",
            lambda scores, mask: (
                (scores + torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)).softmax(-1).masked_fill(~mask, 0)
            ),
        ),
    ),
)
