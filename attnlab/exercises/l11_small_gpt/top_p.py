"""Exercise 11.top_p: the smallest set that reaches p."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.exercises.l11_small_gpt.chosen import STATEMENT, changed_logits, how_many_stay, logits_and, masked
from attnlab.exercises.l11_small_gpt.top_k import rank_of
from attnlab.specs import decoding, each


def top_p(logits: Tensor, p: int | float) -> Tensor:
    """The solution."""
    ordered, ids = logits.sort(dim=-1, descending=True)
    shares = ordered.softmax(dim=-1)
    before = shares.cumsum(dim=-1) - shares  # what the more probable tokens have together
    keep = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, ids, before < p)
    return logits.masked_fill(~keep, -torch.inf)


def _shares(logits: Tensor) -> tuple[Tensor, Tensor]:
    """Probabilities, falling, and where each stood."""
    shares, ids = logits.softmax(-1).sort(descending=True)
    return shares, ids


def _back(logits: Tensor, ids: Tensor, keep: Tensor) -> Tensor:
    """The logits without what is not kept in sorted order."""
    return masked(logits, torch.zeros_like(logits, dtype=torch.bool).scatter(-1, ids, keep))


def _before(logits: Tensor) -> tuple[Tensor, Tensor]:
    shares, ids = _shares(logits)
    return shares.cumsum(-1) - shares, ids


def _below(logits: Tensor, p: int | float) -> tuple[Tensor, Tensor]:
    """The set that does not reach p."""
    shares, ids = _shares(logits)
    return shares.cumsum(-1) <= p, ids


def _and_first(keep: Tensor) -> Tensor:
    return keep | (torch.arange(keep.shape[-1]) == 0)


def _by_size(logits: Tensor, p: int | float) -> Tensor:
    """The set that begins with the largest logit by absolute value."""
    ids = logits.abs().argsort(descending=True)
    shares = logits.softmax(-1).gather(-1, ids)
    return _back(logits, ids, shares.cumsum(-1) - shares < p)


def _stays(logits: Tensor, p: int | float) -> Tensor:
    return top_p(logits, p) > -torch.inf


def _stays_from_below(logits: Tensor, p: int | float) -> Tensor:
    """The set that begins with the least probable token."""
    shares, ids = logits.softmax(-1).sort()
    return torch.zeros_like(logits, dtype=torch.bool).scatter(-1, ids, shares.cumsum(-1) - shares < p)


TOP_P = Exercise(
    name="11.top_p",
    title="The smallest set that reaches p",
    statement=f"""Return the logits [batch, vocabulary]; in each row only the nucleus stays.

The nucleus is the smallest set of tokens whose probabilities together reach p: the most probable first, up to and
including the one with which the sum is p or more. So there is always at least one. {STATEMENT}

logits [batch, vocabulary], no two in a row are equal; p, a number above 0 and at most 1; p = 1 keeps all of so few
(of very many a sum in float32 may reach 1 before the last).""",
    axes="[batch, vocabulary]",
    stub="""def top_p(logits, p):
    ...
""",
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
    spec=lambda logits, p: each(lambda row: decoding.top_p(row, p), logits),
    inputs=lambda: [logits_and(3, 7, 0.7, seed=2), logits_and(5, 11, 0.8, seed=36)],
    edges=lambda: [logits_and(2, 5, 0.05, seed=3), logits_and(1, 7, 0.5, seed=4), logits_and(3, 5, 1.0, seed=1)],
    diagnoses=(
        lambda result, logits, p: changed_logits(result, logits),
        lambda result, logits, p: how_many_stay(result, top_p(logits, p)),
    ),
    mistakes=(
        Mistake(
            "the token with which p is reached went: without it the sum stays below p, and where one token alone has "
            "more than p nothing is left",
            lambda logits, p: _back(logits, _below(logits, p)[1], _below(logits, p)[0]),
        ),
        Mistake(
            "the token with which p is reached went: it belongs to the set, else the sum stays below p",
            lambda logits, p: _back(logits, _below(logits, p)[1], _and_first(_below(logits, p)[0])),
        ),
        Mistake(
            "one token too many: the set ends with the token with which p is reached, the one behind it goes",
            lambda logits, p: _back(logits, _before(logits)[1], _and_first((_before(logits)[0] < p).roll(1, -1))),
        ),
        Mistake(
            "the mask is still in sorted order, so the wrong tokens went: bring it back to their own places with "
            "`scatter` and the ids of the sort",
            lambda logits, p: masked(logits, _before(logits)[0] < p),
        ),
        Mistake(
            "the logits are sorted, so nobody knows any more which token they belong to: bring them back to their own "
            "places",
            lambda logits, p: masked(logits.sort(descending=True).values, _before(logits)[0] < p),
        ),
        Mistake(
            "sorted the wrong way: the set begins with the most probable token, `descending=True`",
            lambda logits, p: masked(logits, _stays_from_below(logits, p)),
        ),
        Mistake(
            "the running sum went over the tokens as they stand: sort them first, the most probable in front",
            lambda logits, p: masked(logits, logits.softmax(-1).cumsum(-1) - logits.softmax(-1) < p),
        ),
        Mistake(
            "the running sum is one of logits: p is a probability, so a softmax comes first",
            lambda logits, p: _back(
                logits,
                logits.argsort(descending=True),
                logits.sort(descending=True).values.cumsum(-1) - logits.sort(descending=True).values < p,
            ),
        ),
        Mistake(
            "each token was compared with p by itself: it is the sum of the most probable that must reach p",
            lambda logits, p: masked(logits, logits.softmax(-1) >= p),
        ),
        Mistake(
            "each token was compared with 1 - p by itself: it is the sum of the most probable that must reach p",
            lambda logits, p: masked(logits, logits.softmax(-1) >= 1 - p),
        ),
        Mistake(
            "each token was compared with p times the best one: that is another filter (min-p); here a sum must reach "
            "p",
            lambda logits, p: masked(logits, logits.softmax(-1) >= p * logits.softmax(-1).amax(-1, keepdim=True)),
        ),
        Mistake(
            "1 - p in place of p: the set was ended too early or too late",
            lambda logits, p: _back(logits, _before(logits)[1], _before(logits)[0] < 1 - p),
        ),
        Mistake("the set went and the others stay", lambda logits, p: masked(logits, ~_stays(logits, p))),
        Mistake(
            "the others became 0, but exp(0) is 1, so they can still be drawn: they must be -inf",
            lambda logits, p: logits * _stays(logits, p),
        ),
        Mistake(
            "the others became very low numbers: here they must be -inf",
            lambda logits, p: logits.masked_fill(~_stays(logits, p), -1e9),
        ),
        Mistake(
            "the others became the lowest number there is: here they must be -inf",
            lambda logits, p: logits.masked_fill(~_stays(logits, p), torch.finfo(logits.dtype).min),
        ),
        Mistake(
            "these are probabilities: the choice is right, now return the logits",
            lambda logits, p: top_p(logits, p).softmax(-1),
        ),
        Mistake(
            "these are probabilities that do not sum to 1: return the logits, then a softmax shares out anew",
            lambda logits, p: logits.softmax(-1) * _stays(logits, p),
        ),
        Mistake(
            "probability was shared out over the whole batch at once: each row sums to 1 and has a set of its own",
            lambda logits, p: masked(logits, _stays(logits.reshape(1, -1), p).reshape(logits.shape)),
        ),
        Mistake(
            "softmax and sum went down the columns: the vocabulary is the last axis",
            lambda logits, p: top_p(logits.T, p).T,
        ),
        Mistake(
            "every row keeps as many tokens as one of them needs: each row has a set of its own size",
            lambda logits, p: masked(logits, rank_of(logits) < _stays(logits, p)[0].sum()),
        ),
        Mistake(
            "this is the mask of what stays: fill the logits with -inf where it is False",
            lambda logits, p: _stays(logits, p),
        ),
        Mistake(
            "the mask was brought back with `gather`: that reads it at the ids, and puts every token's answer in the "
            "wrong place; `scatter` writes it there",
            lambda logits, p: masked(logits, (_before(logits)[0] < p).gather(-1, _before(logits)[1])),
        ),
        Mistake(
            "the mask was brought back with `gather`, and the token with which p is reached went: `scatter` writes "
            "where `gather` reads, and that token belongs to the set",
            lambda logits, p: masked(logits, _below(logits, p)[0].gather(-1, _below(logits, p)[1])),
        ),
        Mistake(
            "sorted by absolute value: the set begins with the most probable token, that is the highest logit",
            lambda logits, p: _by_size(logits, p),
        ),
        Mistake(
            "the tokens behind the set stay, and the set goes: compare with <",
            lambda logits, p: _back(logits, _shares(logits)[1], _shares(logits)[0].cumsum(-1) > p),
        ),
        Mistake(
            "only the most probable token stays: more follow until p is reached",
            lambda logits, p: masked(logits, rank_of(logits) < 1),
        ),
        Mistake(
            "the first row's set was used for all: each row has its own",
            lambda logits, p: masked(logits, _stays(logits, p)[:1].expand_as(logits)),
        ),
        Mistake(
            "the softmax came twice: once makes probabilities of logits, a second time makes them nearly even",
            lambda logits, p: masked(logits, _stays(logits.softmax(-1), p)),
        ),
        Mistake(
            "the running sum is one of exponentials: they must be divided by their sum before they reach p",
            lambda logits, p: _back(
                logits, _shares(logits)[1], logits.sort(descending=True).values.exp().cumsum(-1) < p
            ),
        ),
        Mistake(
            "the set ends too early, it is that of p / 2: the sum counts each probability once",
            lambda logits, p: top_p(logits, p / 2),
        ),
        Mistake(
            "a share of all tokens stays, p times the vocabulary: it is probability that must reach p",
            lambda logits, p: masked(logits, rank_of(logits) < int(p * logits.shape[1])),
        ),
        Mistake(
            "the others became infinite: they must be minus infinity",
            lambda logits, p: logits.masked_fill(~_stays(logits, p), torch.inf),
        ),
        Mistake(
            "these are log-probabilities: the choice is right, now leave the logits that stay as they are",
            lambda logits, p: masked(logits.log_softmax(-1), _stays(logits, p)),
        ),
        Mistake(
            "these are probabilities in their places: the choice is right, now return the logits",
            lambda logits, p: masked(logits.softmax(-1), _stays(logits, p)),
        ),
        Mistake(
            "what stays became 0: each must keep its logit",
            lambda logits, p: torch.where(_stays(logits, p), 0.0, -torch.inf),
        ),
        Mistake("the sign is wrong: each must keep its logit", lambda logits, p: -top_p(logits, p)),
        Mistake(
            "the logits are sorted, so nobody knows any more which token they belong to, and the token with which p "
            "is reached went",
            lambda logits, p: masked(logits.sort(descending=True).values, _below(logits, p)[0]),
        ),
        Mistake("these are the logits as they came: nothing was taken away", lambda logits, p: logits.clone()),
    ),
)
