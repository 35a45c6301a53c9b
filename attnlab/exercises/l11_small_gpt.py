"""Exercises of lesson 11: which tokens may be drawn when a model writes."""
import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake

STATEMENT = "Those that stay keep their logit and their place, the others become -inf, so that a softmax gives them 0."


def _inputs(batch: int, vocabulary: int, chosen: int | float, seed: int) -> tuple:
    """Logits without equals, spread so that some rows have one favourite and others several."""
    chance = torch.Generator().manual_seed(seed)
    spread = torch.linspace(0.8, 2, batch).unsqueeze(1)
    return spread * torch.randn(batch, vocabulary, generator=chance), chosen


def _without(logits, keep):
    return logits.masked_fill(~keep, -torch.inf)


def _kept(result: Tensor, logits: Tensor) -> str | None:
    """A doubt of both exercises: whatever stays is as it was."""
    stays = result > -torch.inf
    if bool((stays & ~torch.isclose(result, logits, rtol=1e-4, atol=1e-5)).any()):
        return "what stays must keep its logit, and what goes must become -inf; some of yours are other numbers"
    return None


def _numbers(result: Tensor, expected: Tensor) -> str | None:
    got, wanted = (result > -torch.inf).sum(-1), (expected > -torch.inf).sum(-1)
    wrong = (got != wanted).nonzero()
    if not len(wrong):
        return None
    row = int(wrong[0])
    return f"in row {row} stay {int(got[row])} tokens, expected {int(wanted[row])}"


# 11.top_k ------------------------------------------------------------------------------------------------------------


def top_k(logits, k):
    """The solution."""
    k = min(k, logits.shape[-1])
    lowest = logits.topk(k, dim=-1).values[:, -1:]  # [batch, 1]: the k-th highest
    return logits.masked_fill(logits < lowest, -torch.inf)


def top_k_spec(logits: Tensor, k: int) -> Tensor:
    """The same, token by token."""
    rows = []
    for row in logits:
        higher = [sum(other.item() > logit.item() for other in row) for logit in row]
        rows.append(torch.stack([logit if above < k else torch.tensor(-torch.inf)
                                 for logit, above in zip(row, higher, strict=True)]))
    return torch.stack(rows)


def _rank(logits, dim=-1):
    """How many logits are higher."""
    return logits.argsort(dim=dim, descending=True).argsort(dim=dim)


TOP_K = Exercise(
    name="11.top_k",
    title="Only the k best tokens",
    statement=f"""Return the logits [batch, vocabulary] of which in each row only the k highest stay.

{STATEMENT}

logits [batch, vocabulary], no two in a row are equal; k, a whole number of at least 1. A k above the vocabulary's size
keeps all.""",
    axes="[batch, vocabulary]",
    stub='''def top_k(logits, k):
    ...
''',
    hints=(
        "Find the k-th highest logit of each row; everything below it goes.",
        "`logits.topk(k, dim=-1).values` are the k highest of each row, falling: the last column is the limit. Keep "
        "its axis, `[:, -1:]`, and it broadcasts against the rows.",
        "`logits.masked_fill(logits < limit, -torch.inf)`. And `topk` raises an error when k is above the vocabulary's "
        "size: take `min(k, logits.shape[-1])`.",
    ),
    solution=top_k,
    spec=top_k_spec,
    inputs=lambda: [_inputs(3, 7, 2, seed=1), _inputs(5, 11, 4, seed=2)],
    edges=lambda: [_inputs(1, 5, 1, seed=3), _inputs(2, 3, 3, seed=4), _inputs(3, 5, 13, seed=5)],
    doubts=(lambda result, logits, k: _kept(result, logits),
            lambda result, logits, k: _numbers(result, top_k_spec(logits, k))),
    mistakes=(
        Mistake(
            "only k - 1 tokens stay: the k-th highest is the limit and stays too, so compare with < and not with <=",
            lambda logits, k: _without(logits, _rank(logits) < k - 1)),
        Mistake(
            "k + 1 tokens stay: counted from 0, the k-th highest has index k - 1",
            lambda logits, k: _without(logits, _rank(logits) < k + 1)),
        Mistake(
            "the k lowest stay: it is the highest that are wanted",
            lambda logits, k: _without(logits, _rank(-logits) < k)),
        Mistake(
            "the k highest went and the others stay: fill where a logit is below the limit",
            lambda logits, k: _without(logits, _rank(logits) >= k)),
        Mistake(
            "the others became 0, but exp(0) is 1, so they can still be drawn: they must be -inf",
            lambda logits, k: logits * (_rank(logits) < k)),
        Mistake(
            "the others became very low numbers: here they must be -inf",
            lambda logits, k: logits.masked_fill(_rank(logits) >= k, -1e9)),
        Mistake(
            "the others became the lowest number there is: here they must be -inf",
            lambda logits, k: logits.masked_fill(_rank(logits) >= k, torch.finfo(logits.dtype).min)),
        Mistake(
            "these are probabilities: the choice is right, now return the logits",
            lambda logits, k: top_k(logits, k).softmax(-1)),
        Mistake(
            "these are probabilities, and they do not sum to 1: the softmax came before the cut; return logits, then a "
            "softmax shares out anew",
            lambda logits, k: logits.softmax(-1) * (_rank(logits) < k)),
        Mistake(
            "these are log-probabilities: the choice is right, now leave the logits that stay as they are",
            lambda logits, k: top_k(logits, k).log_softmax(-1)),
        Mistake(
            "the k highest of the whole batch: each row has k of its own",
            lambda logits, k: _without(logits, _rank(logits.flatten()).reshape(logits.shape) < k)),
        Mistake(
            "the first row's limit was used for all: each row has its own; keep its axis, [batch, 1]",
            lambda logits, k: _without(logits, logits >= logits[0].topk(k).values[-1])),
        Mistake(
            "the k highest of each column: the vocabulary is the last axis",
            lambda logits, k: _without(logits, _rank(logits, dim=0) < k)),
        Mistake(
            "the first k tokens stay, not the best k: sort first, or ask for the limit",
            lambda logits, k: _without(logits, torch.arange(logits.shape[1]).expand_as(logits) < k)),
        Mistake(
            "the logits are sorted, so nobody knows any more which token they belong to: each must keep its place",
            lambda logits, k: _without(logits.sort(descending=True).values,
                                       torch.arange(logits.shape[1]).expand_as(logits) < k)),
        Mistake(
            "only the k highest logits were returned, [batch, k]: each must keep its place among the vocabulary",
            lambda logits, k: logits.topk(k).values),
        Mistake(
            "these are the ids of the k best tokens: return the logits, with -inf for all others",
            lambda logits, k: logits.topk(k).indices),
        Mistake(
            "this is the mask of what stays: fill the logits with -inf where it is False",
            lambda logits, k: _rank(logits) < k),
        Mistake(
            "these are the logits as they came: nothing was taken away",
            lambda logits, k: logits.clone()),
    ),
)


# 11.top_p ------------------------------------------------------------------------------------------------------------


def top_p(logits, p):
    """The solution."""
    ordered, ids = logits.sort(dim=-1, descending=True)
    shares = ordered.softmax(dim=-1)
    before = shares.cumsum(dim=-1) - shares  # what the more probable tokens have together
    keep = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, ids, before < p)
    return logits.masked_fill(~keep, -torch.inf)


def top_p_spec(logits: Tensor, p: float) -> Tensor:
    """The same, token by token."""
    rows = []
    for row in logits:
        total = sum(torch.exp(logit) for logit in row)
        result, reached = [torch.tensor(-torch.inf)] * len(row), 0.0
        for token in sorted(range(len(row)), key=lambda token: -row[token].item()):
            if reached < p:
                result[token] = row[token]
            reached += (torch.exp(row[token]) / total).item()
        rows.append(torch.stack(result))
    return torch.stack(rows)


def _shares(logits):
    """Probabilities, falling, and where each stood."""
    shares, ids = logits.softmax(-1).sort(descending=True)
    return shares, ids


def _back(logits, ids, keep):
    """The logits without what is not kept in sorted order."""
    return _without(logits, torch.zeros_like(logits, dtype=torch.bool).scatter(-1, ids, keep))


def _before(logits):
    shares, ids = _shares(logits)
    return shares.cumsum(-1) - shares, ids


def _below(logits, p):
    """The set that does not reach p."""
    shares, ids = _shares(logits)
    return shares.cumsum(-1) <= p, ids


def _and_first(keep):
    return keep | (torch.arange(keep.shape[-1]) == 0)


def _stays(logits, p):
    return top_p(logits, p) > -torch.inf


def _stays_from_below(logits, p):
    """The set that begins with the least probable token."""
    shares, ids = logits.softmax(-1).sort()
    return torch.zeros_like(logits, dtype=torch.bool).scatter(-1, ids, shares.cumsum(-1) - shares < p)


TOP_P = Exercise(
    name="11.top_p",
    title="The smallest set that reaches p",
    statement=f"""Return the logits [batch, vocabulary] of which in each row only the nucleus stays.

The nucleus is the smallest set of tokens whose probabilities together reach p: the most probable first, up to and
including the one with which the sum is p or more. So there is always at least one. {STATEMENT}

logits [batch, vocabulary], no two in a row are equal; p, a number above 0 and at most 1; p = 1 keeps all.""",
    axes="[batch, vocabulary]",
    stub='''def top_p(logits, p):
    ...
''',
    hints=(
        "Sort each row, falling: `ordered, ids = logits.sort(dim=-1, descending=True)`. A softmax makes probabilities "
        "of it, `cumsum(dim=-1)` their running sum.",
        "A token stays when those before it have not reached p yet. What those before it have is the running sum minus "
        "the token's own probability. The first token has 0 before it, so it always stays.",
        "That mask is in sorted order. Bring it back to the tokens' own places: "
        "`torch.zeros_like(logits, dtype=torch.bool).scatter(-1, ids, keep)`. Where it is False, fill the logits with "
        "-inf.",
    ),
    solution=top_p,
    spec=top_p_spec,
    inputs=lambda: [_inputs(3, 7, 0.7, seed=2), _inputs(5, 11, 0.8, seed=36)],
    edges=lambda: [_inputs(2, 5, 0.05, seed=3), _inputs(1, 7, 0.5, seed=4), _inputs(3, 5, 1.0, seed=1)],
    doubts=(lambda result, logits, p: _kept(result, logits),
            lambda result, logits, p: _numbers(result, top_p_spec(logits, p))),
    mistakes=(
        Mistake(
            "the token with which p is reached went: without it the sum stays below p, and where one token alone has "
            "more than p nothing is left",
            lambda logits, p: _back(logits, _below(logits, p)[1], _below(logits, p)[0])),
        Mistake(
            "the token with which p is reached went: it belongs to the set, else the sum stays below p",
            lambda logits, p: _back(logits, _below(logits, p)[1], _and_first(_below(logits, p)[0]))),
        Mistake(
            "one token too many: the set ends with the token with which p is reached, the one behind it goes",
            lambda logits, p: _back(logits, _before(logits)[1], _and_first(
                (_before(logits)[0] < p).roll(1, -1)))),
        Mistake(
            "the mask is still in sorted order, so the wrong tokens went: bring it back to their own places with "
            "`scatter` and the ids of the sort",
            lambda logits, p: _without(logits, _before(logits)[0] < p)),
        Mistake(
            "the logits are sorted, so nobody knows any more which token they belong to: bring them back to their own "
            "places",
            lambda logits, p: _without(logits.sort(descending=True).values, _before(logits)[0] < p)),
        Mistake(
            "sorted the wrong way: the set begins with the most probable token, `descending=True`",
            lambda logits, p: _without(logits, _stays_from_below(logits, p))),
        Mistake(
            "the running sum went over the tokens as they stand: sort them first, the most probable in front",
            lambda logits, p: _without(logits, logits.softmax(-1).cumsum(-1) - logits.softmax(-1) < p)),
        Mistake(
            "the running sum is one of logits: p is a probability, so a softmax comes first",
            lambda logits, p: _back(logits, logits.argsort(descending=True), logits.sort(descending=True).values.cumsum(
                -1) - logits.sort(descending=True).values < p)),
        Mistake(
            "each token was compared with p by itself: it is the sum of the most probable that must reach p",
            lambda logits, p: _without(logits, logits.softmax(-1) >= p)),
        Mistake(
            "each token was compared with 1 - p by itself: it is the sum of the most probable that must reach p",
            lambda logits, p: _without(logits, logits.softmax(-1) >= 1 - p)),
        Mistake(
            "each token was compared with p times the best one: that is another filter (min-p); here a sum must reach "
            "p",
            lambda logits, p: _without(
                logits, logits.softmax(-1) >= p * logits.softmax(-1).amax(-1, keepdim=True))),
        Mistake(
            "1 - p in place of p: the set was ended too early or too late",
            lambda logits, p: _back(logits, _before(logits)[1], _before(logits)[0] < 1 - p)),
        Mistake(
            "the set went and the others stay",
            lambda logits, p: _without(logits, ~_stays(logits, p))),
        Mistake(
            "the others became 0, but exp(0) is 1, so they can still be drawn: they must be -inf",
            lambda logits, p: logits * _stays(logits, p)),
        Mistake(
            "the others became very low numbers: here they must be -inf",
            lambda logits, p: logits.masked_fill(~_stays(logits, p), -1e9)),
        Mistake(
            "the others became the lowest number there is: here they must be -inf",
            lambda logits, p: logits.masked_fill(~_stays(logits, p), torch.finfo(logits.dtype).min)),
        Mistake(
            "these are probabilities: the choice is right, now return the logits",
            lambda logits, p: top_p(logits, p).softmax(-1)),
        Mistake(
            "these are probabilities that do not sum to 1: return the logits, then a softmax shares out anew",
            lambda logits, p: logits.softmax(-1) * _stays(logits, p)),
        Mistake(
            "probability was shared out over the whole batch at once: each row sums to 1 and has a set of its own",
            lambda logits, p: _without(logits, _stays(logits.reshape(1, -1), p).reshape(logits.shape))),
        Mistake(
            "softmax and sum went down the columns: the vocabulary is the last axis",
            lambda logits, p: top_p(logits.T, p).T),
        Mistake(
            "every row keeps as many tokens as the first: each row has a set of its own size",
            lambda logits, p: _without(logits, _rank(logits) < _stays(logits, p)[0].sum())),
        Mistake(
            "this is the mask of what stays: fill the logits with -inf where it is False",
            lambda logits, p: _stays(logits, p)),
        Mistake(
            "these are the logits as they came: nothing was taken away",
            lambda logits, p: logits.clone()),
    ),
)

EXERCISES = [TOP_K, TOP_P]
