"""Exercises of lesson 11: how a GPT learns, reads on and writes, and which tokens may be drawn."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import decoding, each
from attnlab.specs.attention import scaled_dot_attention

STATEMENT = "Those that stay keep their logit and their place, the others become -inf, so that a softmax gives them 0."


def _inputs(batch: int, vocabulary: int, chosen: int | float, seed: int) -> tuple:
    """Logits without equals, spread so that some rows have one favourite and others several."""
    chance = torch.Generator().manual_seed(seed)
    spread = torch.linspace(0.8, 2, batch).unsqueeze(1)
    return spread * torch.randn(batch, vocabulary, generator=chance), chosen


def _without(logits: Tensor, keep: Tensor) -> Tensor:
    return logits.masked_fill(~keep, -torch.inf)


def _kept(result: Tensor, logits: Tensor) -> str | None:
    """A diagnosis of both exercises: whatever stays is as it was."""
    stays = result != -torch.inf
    if bool((stays & ~torch.isclose(result, logits, rtol=1e-4, atol=1e-5)).any()):
        return "what stays must keep its logit, and what goes must become -inf; some of yours are other numbers"
    return None


def _numbers(result: Tensor, expected: Tensor) -> str | None:
    got, wanted = (result > -torch.inf).sum(-1), (expected > -torch.inf).sum(-1)
    wrong = (got != wanted).nonzero()
    if not len(wrong):
        return _others(result, expected)
    row = int(wrong[0])
    return f"in row {row} stay {int(got[row])} tokens, expected {int(wanted[row])}"


def _others(result: Tensor, expected: Tensor) -> str | None:
    """As many tokens as there should be, but not the same ones."""
    stays, should = result > -torch.inf, expected > -torch.inf
    if torch.equal(stays, should):
        return None
    row = int((stays != should).any(-1).nonzero()[0])
    one, other = (int(tokens[row].nonzero()[0]) for tokens in (stays & ~should, should & ~stays))
    return f"in row {row} the wrong tokens stay: token {one} does, and token {other}, whose logit is higher, does not"


# 11.top_k ------------------------------------------------------------------------------------------------------------


def top_k(logits: Tensor, k: int) -> Tensor:
    """The solution."""
    k = min(k, logits.shape[-1])
    lowest = logits.topk(k, dim=-1).values[:, -1:]  # [batch, 1]: the k-th highest
    return logits.masked_fill(logits < lowest, -torch.inf)


def _rank(logits: Tensor, dim: int = -1) -> Tensor:
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
    stub="""def top_k(logits, k):
    ...
""",
    hints=(
        "Find the k-th highest logit of each row; everything below it goes.",
        "`logits.topk(k, dim=-1).values` are the k highest of each row, falling: the last column is the limit. Keep "
        "its axis, `[:, -1:]`, and it broadcasts against the rows.",
        "`masked_fill` writes one number wherever a condition holds. And `topk` raises an error when k is above the "
        "vocabulary's size: take `min(k, logits.shape[-1])`.",
    ),
    solution=top_k,
    spec=lambda logits, k: each(lambda row: decoding.top_k(row, k), logits),
    inputs=lambda: [_inputs(3, 7, 2, seed=1), _inputs(5, 11, 4, seed=2)],
    edges=lambda: [_inputs(1, 5, 1, seed=3), _inputs(2, 3, 3, seed=4), _inputs(3, 5, 13, seed=5)],
    diagnoses=(
        lambda result, logits, k: _kept(result, logits),
        lambda result, logits, k: _numbers(result, top_k(logits, k)),
    ),
    mistakes=(
        Mistake(
            "only k - 1 tokens stay: the k-th highest is the limit and stays too, so compare with < and not with <=",
            lambda logits, k: _without(logits, _rank(logits) < k - 1),
        ),
        Mistake(
            "k + 1 tokens stay: counted from 0, the k-th highest has index k - 1",
            lambda logits, k: _without(logits, _rank(logits) < k + 1),
        ),
        Mistake(
            "the k lowest stay: it is the highest that are wanted",
            lambda logits, k: _without(logits, _rank(-logits) < k),
        ),
        Mistake(
            "the k highest went and the others stay: fill where a logit is below the limit",
            lambda logits, k: _without(logits, _rank(logits) >= k),
        ),
        Mistake(
            "the others became 0, but exp(0) is 1, so they can still be drawn: they must be -inf",
            lambda logits, k: logits * (_rank(logits) < k),
        ),
        Mistake(
            "the others became very low numbers: here they must be -inf",
            lambda logits, k: logits.masked_fill(_rank(logits) >= k, -1e9),
        ),
        Mistake(
            "the others became the lowest number there is: here they must be -inf",
            lambda logits, k: logits.masked_fill(_rank(logits) >= k, torch.finfo(logits.dtype).min),
        ),
        Mistake(
            "these are probabilities: the choice is right, now return the logits",
            lambda logits, k: top_k(logits, k).softmax(-1),
        ),
        Mistake(
            "these are probabilities, and they do not sum to 1: the softmax came before the cut; return logits, then a "
            "softmax shares out anew",
            lambda logits, k: logits.softmax(-1) * (_rank(logits) < k),
        ),
        Mistake(
            "these are log-probabilities: the choice is right, now leave the logits that stay as they are",
            lambda logits, k: top_k(logits, k).log_softmax(-1),
        ),
        Mistake(
            "the k highest of the whole batch: each row has k of its own",
            lambda logits, k: _without(logits, _rank(logits.flatten()).reshape(logits.shape) < k),
        ),
        Mistake(
            "one limit was used for all rows: each row has its own; keep its axis, [batch, 1]",
            lambda logits, k: _without(logits, logits >= logits[0].topk(k).values[-1]),
        ),
        Mistake(
            "the k highest of each column: the vocabulary is the last axis",
            lambda logits, k: _without(logits, _rank(logits, dim=0) < k),
        ),
        Mistake(
            "the first k tokens stay, not the best k: sort first, or ask for the limit",
            lambda logits, k: _without(logits, torch.arange(logits.shape[1]).expand_as(logits) < k),
        ),
        Mistake(
            "the logits are sorted, so nobody knows any more which token they belong to: each must keep its place",
            lambda logits, k: _without(
                logits.sort(descending=True).values, torch.arange(logits.shape[1]).expand_as(logits) < k
            ),
        ),
        Mistake(
            "only the k highest logits were returned, [batch, k]: each must keep its place among the vocabulary",
            lambda logits, k: logits.topk(k).values,
        ),
        Mistake(
            "these are the ids of the k best tokens: return the logits, with -inf for all others",
            lambda logits, k: logits.topk(k).indices,
        ),
        Mistake(
            "this is the mask of what stays: fill the logits with -inf where it is False",
            lambda logits, k: _rank(logits) < k,
        ),
        Mistake(
            "the highest by absolute value stay: a logit far below 0 is the least probable",
            lambda logits, k: _without(logits, _rank(logits.abs()) < k),
        ),
        Mistake(
            "only the best token stays: the limit is the last of the k highest, not the first",
            lambda logits, k: _without(logits, _rank(logits) < 1),
        ),
        Mistake(
            "the k-th highest alone stays: those above it stay too",
            lambda logits, k: _without(logits, _rank(logits) == k - 1),
        ),
        Mistake(
            "the ids of a sort were compared with k, or read by `gather`: they say which token stands at a place, not "
            "at which place a token stands; compare each logit with the limit, or write with `scatter`",
            lambda logits, k: _without(
                logits,
                (torch.arange(logits.shape[1]) < k).expand_as(logits).gather(-1, logits.argsort(descending=True)),
            ),
        ),
        Mistake(
            "the last k tokens stay, not the best k: sort first, or ask for the limit",
            lambda logits, k: _without(logits, torch.arange(logits.shape[1]).expand_as(logits) >= logits.shape[1] - k),
        ),
        Mistake(
            "k tokens went: k stay, the others go",
            lambda logits, k: _without(logits, _rank(logits) < logits.shape[1] - k),
        ),
        Mistake(
            "the others became infinite: they must be minus infinity",
            lambda logits, k: logits.masked_fill(_rank(logits) >= k, torch.inf),
        ),
        Mistake(
            "the others became NaN: they must be -inf",
            lambda logits, k: logits.masked_fill(_rank(logits) >= k, torch.nan),
        ),
        Mistake(
            "the others became the lowest logit there is: they must be -inf",
            lambda logits, k: torch.where(_rank(logits) < k, logits, logits.min()),
        ),
        Mistake(
            "what stays became 0: each must keep its logit",
            lambda logits, k: torch.where(_rank(logits) < k, 0.0, -torch.inf),
        ),
        Mistake(
            "what stays became 1: each must keep its logit",
            lambda logits, k: torch.where(_rank(logits) < k, 1.0, -torch.inf),
        ),
        Mistake(
            "those above the mean stay: it is the k highest that do",
            lambda logits, k: _without(logits, logits >= logits.mean(-1, keepdim=True)),
        ),
        Mistake("the sign is wrong: each must keep its logit", lambda logits, k: -top_k(logits, k)),
        Mistake("these are the logits as they came: nothing was taken away", lambda logits, k: logits.clone()),
    ),
)


# 11.top_p ------------------------------------------------------------------------------------------------------------


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
    return _without(logits, torch.zeros_like(logits, dtype=torch.bool).scatter(-1, ids, keep))


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
    statement=f"""Return the logits [batch, vocabulary] of which in each row only the nucleus stays.

The nucleus is the smallest set of tokens whose probabilities together reach p: the most probable first, up to and
including the one with which the sum is p or more. So there is always at least one. {STATEMENT}

logits [batch, vocabulary], no two in a row are equal; p, a number above 0 and at most 1; p = 1 keeps all.""",
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
    inputs=lambda: [_inputs(3, 7, 0.7, seed=2), _inputs(5, 11, 0.8, seed=36)],
    edges=lambda: [_inputs(2, 5, 0.05, seed=3), _inputs(1, 7, 0.5, seed=4), _inputs(3, 5, 1.0, seed=1)],
    diagnoses=(
        lambda result, logits, p: _kept(result, logits),
        lambda result, logits, p: _numbers(result, top_p(logits, p)),
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
            lambda logits, p: _without(logits, _before(logits)[0] < p),
        ),
        Mistake(
            "the logits are sorted, so nobody knows any more which token they belong to: bring them back to their own "
            "places",
            lambda logits, p: _without(logits.sort(descending=True).values, _before(logits)[0] < p),
        ),
        Mistake(
            "sorted the wrong way: the set begins with the most probable token, `descending=True`",
            lambda logits, p: _without(logits, _stays_from_below(logits, p)),
        ),
        Mistake(
            "the running sum went over the tokens as they stand: sort them first, the most probable in front",
            lambda logits, p: _without(logits, logits.softmax(-1).cumsum(-1) - logits.softmax(-1) < p),
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
            lambda logits, p: _without(logits, logits.softmax(-1) >= p),
        ),
        Mistake(
            "each token was compared with 1 - p by itself: it is the sum of the most probable that must reach p",
            lambda logits, p: _without(logits, logits.softmax(-1) >= 1 - p),
        ),
        Mistake(
            "each token was compared with p times the best one: that is another filter (min-p); here a sum must reach "
            "p",
            lambda logits, p: _without(logits, logits.softmax(-1) >= p * logits.softmax(-1).amax(-1, keepdim=True)),
        ),
        Mistake(
            "1 - p in place of p: the set was ended too early or too late",
            lambda logits, p: _back(logits, _before(logits)[1], _before(logits)[0] < 1 - p),
        ),
        Mistake("the set went and the others stay", lambda logits, p: _without(logits, ~_stays(logits, p))),
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
            lambda logits, p: _without(logits, _stays(logits.reshape(1, -1), p).reshape(logits.shape)),
        ),
        Mistake(
            "softmax and sum went down the columns: the vocabulary is the last axis",
            lambda logits, p: top_p(logits.T, p).T,
        ),
        Mistake(
            "every row keeps as many tokens as one of them needs: each row has a set of its own size",
            lambda logits, p: _without(logits, _rank(logits) < _stays(logits, p)[0].sum()),
        ),
        Mistake(
            "this is the mask of what stays: fill the logits with -inf where it is False",
            lambda logits, p: _stays(logits, p),
        ),
        Mistake(
            "the mask was brought back with `gather`: that reads it at the ids, and puts every token's answer in the "
            "wrong place; `scatter` writes it there",
            lambda logits, p: _without(logits, (_before(logits)[0] < p).gather(-1, _before(logits)[1])),
        ),
        Mistake(
            "the mask was brought back with `gather`, and the token with which p is reached went: `scatter` writes "
            "where `gather` reads, and that token belongs to the set",
            lambda logits, p: _without(logits, _below(logits, p)[0].gather(-1, _below(logits, p)[1])),
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
            lambda logits, p: _without(logits, _rank(logits) < 1),
        ),
        Mistake(
            "the first row's set was used for all: each row has its own",
            lambda logits, p: _without(logits, _stays(logits, p)[:1].expand_as(logits)),
        ),
        Mistake(
            "the softmax came twice: once makes probabilities of logits, a second time makes them nearly even",
            lambda logits, p: _without(logits, _stays(logits.softmax(-1), p)),
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
            lambda logits, p: _without(logits, _rank(logits) < int(p * logits.shape[1])),
        ),
        Mistake(
            "the others became infinite: they must be minus infinity",
            lambda logits, p: logits.masked_fill(~_stays(logits, p), torch.inf),
        ),
        Mistake(
            "these are log-probabilities: the choice is right, now leave the logits that stay as they are",
            lambda logits, p: _without(logits.log_softmax(-1), _stays(logits, p)),
        ),
        Mistake(
            "these are probabilities in their places: the choice is right, now return the logits",
            lambda logits, p: _without(logits.softmax(-1), _stays(logits, p)),
        ),
        Mistake(
            "what stays became 0: each must keep its logit",
            lambda logits, p: torch.where(_stays(logits, p), 0.0, -torch.inf),
        ),
        Mistake("the sign is wrong: each must keep its logit", lambda logits, p: -top_p(logits, p)),
        Mistake(
            "the logits are sorted, so nobody knows any more which token they belong to, and the token with which p "
            "is reached went",
            lambda logits, p: _without(logits.sort(descending=True).values, _below(logits, p)[0]),
        ),
        Mistake("these are the logits as they came: nothing was taken away", lambda logits, p: logits.clone()),
    ),
)


# 11.windows ----------------------------------------------------------------------------------------------------------


def windows(text: Tensor, starts: Tensor, context: int) -> Tensor:
    """The solution."""
    places = starts.unsqueeze(1) + torch.arange(context + 1, device=starts.device)
    found = text[places]  # [batch, context + 1]
    return torch.stack([found[:, :-1], found[:, 1:]])


def windows_spec(text: Tensor, starts: Tensor, context: int) -> Tensor:
    """The same in loops."""
    read = text.new_zeros(2, len(starts), context)
    for b in range(len(starts)):
        for i in range(context):
            read[0, b, i] = text[starts[b] + i]
            read[1, b, i] = text[starts[b] + i + 1]
    return read


def _read(text: Tensor, starts: Tensor, context: int, ahead: int) -> Tensor:
    """Windows that begin `ahead` tokens later; behind the text's end its beginning."""
    return text[(starts.unsqueeze(1) + torch.arange(context) + ahead) % len(text)]


def _pair(text: Tensor, starts: Tensor, context: int, ahead: int) -> Tensor:
    return torch.stack([_read(text, starts, context, 0), _read(text, starts, context, ahead)])


def _text(tokens: int, starts: list[int], context: int) -> tuple:
    return torch.randperm(tokens, generator=torch.Generator().manual_seed(tokens)), torch.tensor(starts), context


WINDOWS = Exercise(
    name="11.windows",
    title="One window, as many questions as places",
    statement="""Return what a GPT reads and what it is asked: [2, batch, context], the inputs and then the targets.

Window b begins at place starts[b] of the text and is `context` tokens long. The target of each place is the token that
comes next in the text.

text [tokens], ids; starts [batch], places; context, a whole number. No window runs over the end of the text.""",
    axes="[2, batch, context]",
    stub="""def windows(text, starts, context):
    ...
""",
    hints=(
        "What comes after the last token of a window stands in the text, too, but not in the window.",
        "So read windows that are one token longer: `starts.unsqueeze(1) + torch.arange(context + 1)` are their "
        "places, and a text can be asked for many places at once.",
        "All of a window but its last token are inputs, all but its first are targets; `torch.stack` puts the two "
        "above each other.",
    ),
    solution=windows,
    spec=windows_spec,
    inputs=lambda: [_text(29, [3, 11], 5), _text(41, [0, 7, 20], 8)],
    edges=lambda: [_text(13, [8], 4), _text(11, [0, 9], 1)],
    mistakes=(
        Mistake(
            "the targets are the inputs: a model that copies would be right everywhere; they are one token further on",
            lambda text, starts, context: _pair(text, starts, context, 0),
        ),
        Mistake(
            "the targets were shifted the wrong way: asked is what comes next, not what came before",
            lambda text, starts, context: _pair(text, starts, context, -1),
        ),
        Mistake(
            "the targets are two tokens further on: the next one is never asked for",
            lambda text, starts, context: _pair(text, starts, context, 2),
        ),
        Mistake(
            "the targets are the next window: each place is asked for a token `context` places away",
            lambda text, starts, context: _pair(text, starts, context, context),
        ),
        Mistake(
            "the inputs were rolled, so that the last place is asked for the first token of its own window: the token "
            "behind the window is in the text",
            lambda text, starts, context: torch.stack([
                _read(text, starts, context, 0),
                _read(text, starts, context, 0).roll(-1, 1),
            ]),
        ),
        Mistake(
            "the last target of each window is 0: what comes after it is not in the window, but in the text",
            lambda text, starts, context: torch.stack([
                _read(text, starts, context, 0),
                torch.nn.functional.pad(_read(text, starts, context, 0)[:, 1:], (0, 1)),
            ]),
        ),
        Mistake(
            "each window's inputs and targets stand together, [batch, 2, context]: all inputs come first, then all "
            "targets, `torch.stack([...], dim=0)`",
            lambda text, starts, context: _pair(text, starts, context, 1).transpose(0, 1),
        ),
        Mistake(
            "inputs and targets are exchanged",
            lambda text, starts, context: _pair(text, starts, context, 1).flip(0),
        ),
        Mistake(
            "these are places, not tokens: ask the text for them",
            lambda text, starts, context: _pair(torch.arange(len(text)), starts, context, 1),
        ),
        Mistake(
            "all windows begin where the first does: each has a start of its own",
            lambda text, starts, context: _pair(text, starts[:1].expand_as(starts), context, 1),
        ),
        Mistake(
            "the starts were counted in windows: they are places in the text",
            lambda text, starts, context: _pair(text, starts * context, context, 1),
        ),
        Mistake(
            "each window begins one token late",
            lambda text, starts, context: _pair(text, starts + 1, context, 1),
        ),
    ),
)

# 11.causal_attention -------------------------------------------------------------------------------------------------


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The solution."""
    new, tokens = query.shape[1], key.shape[1]
    place = torch.arange(tokens, device=query.device)
    allowed = place <= place[tokens - new :].unsqueeze(1)  # the queries are the last ones
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return scores.masked_fill(~allowed, -torch.inf).softmax(dim=-1) @ value


def causal_attention_spec(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The same, one text and one query at a time, among the keys that it may look at."""
    batch, new, _ = query.shape
    earlier = key.shape[1] - new
    context = torch.zeros_like(query)
    for b in range(batch):
        for i in range(new):
            seen = earlier + i + 1
            context[b, i] = scaled_dot_attention(query[b, i : i + 1], key[b, :seen], value[b, :seen])[0]
    return context


def _attended(query: Tensor, key: Tensor, value: Tensor, allowed: Tensor, root: int | float = 0.5) -> Tensor:
    scores = query @ key.mT / query.shape[-1] ** root
    return scores.masked_fill(~allowed, -torch.inf).softmax(-1) @ value


def _causal_mask(query: Tensor, key: Tensor, further: int = 0, from_zero: bool = False) -> Tensor:
    """Up to a query's own place and `further`; from_zero: as if the queries stood at the beginning."""
    new, tokens = query.shape[1], key.shape[1]
    first = 0 if from_zero else tokens - new
    return torch.arange(tokens) <= torch.arange(first, first + new).unsqueeze(1) + further


def _everybody(query: Tensor, key: Tensor) -> Tensor:
    return torch.ones(query.shape[1], key.shape[1], dtype=torch.bool)


def _asking(batch: int, new: int, tokens: int, dim: int) -> tuple:
    chance = torch.Generator().manual_seed(tokens + dim)
    return tuple(torch.randn(batch, n, dim, generator=chance) for n in (new, tokens, tokens))


CAUSAL_ATTENTION = Exercise(
    name="11.causal_attention",
    title="The newest tokens ask, all have answers",
    statement="""Return the context [batch, new, dim] of the last `new` tokens of a text, with causal attention.

Keys and values are there for all tokens, as with a cache; queries only for the last `new` of them. Each may look at
itself and at every token before it, at none after it. Scaled dot products.

query [batch, new, dim]; key, value [batch, tokens, dim]; new is at most tokens.""",
    axes="[batch, new, dim]",
    stub="""def causal_attention(query, key, value):
    ...
""",
    hints=(
        "At which place of the text does the first of the queries stand? It is not 0.",
        "With n queries and N keys, query i stands at place N - n + i. `torch.arange` makes all of these places.",
        "A comparison of key places [keys] with query places [new, 1] is the mask; where it is False, the scores "
        "become -inf before the softmax.",
    ),
    solution=causal_attention,
    spec=causal_attention_spec,
    inputs=lambda: [_asking(2, 3, 7, 4), _asking(3, 2, 5, 8)],
    edges=lambda: [_asking(1, 1, 6, 4), _asking(2, 4, 4, 3)],
    mistakes=(
        Mistake(
            "the first query was put at place 0, so the newest tokens do not see the text before them: the queries "
            "are the last ones",
            lambda query, key, value: _attended(query, key, value, _causal_mask(query, key, from_zero=True)),
        ),
        Mistake(
            "there is no mask: of several new tokens the earlier ones see the later ones",
            lambda query, key, value: _attended(query, key, value, _everybody(query, key)),
        ),
        Mistake(
            "every token sees itself and the one after it, which it has to predict: compare with <=, and begin at the "
            "right place",
            lambda query, key, value: _attended(query, key, value, _causal_mask(query, key, 1)),
        ),
        Mistake(
            "no token sees itself: compare with <=, not with <",
            lambda query, key, value: _attended(query, key, value, _causal_mask(query, key, -1)),
        ),
        Mistake(
            "the scores were not divided by the root of dim",
            lambda query, key, value: _attended(query, key, value, _causal_mask(query, key), 0),
        ),
        Mistake(
            "the scores were divided by dim, not by its root",
            lambda query, key, value: _attended(query, key, value, _causal_mask(query, key), 1),
        ),
        Mistake(
            "the mask came after the softmax: the rows no longer sum to 1",
            lambda query, key, value: (
                (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1) * _causal_mask(query, key) @ value
            ),
        ),
        Mistake(
            "a hidden score became 0, and exp(0) is 1: it must become -inf",
            lambda query, key, value: (
                (query @ key.mT / query.shape[-1] ** 0.5 * _causal_mask(query, key)).softmax(-1) @ value
            ),
        ),
        Mistake(
            "the mask is the wrong way round: the past is hidden, and the future is seen",
            lambda query, key, value: _attended(query, key, value, ~_causal_mask(query, key, -1)),
        ),
        Mistake(
            "the mask is inverted: each query hides itself and all before it, the last one hides everything, and a "
            "softmax of nothing but -inf is NaN; where the mask is False, the scores become -inf",
            lambda query, key, value: _attended(query, key, value, ~_causal_mask(query, key)),
        ),
        Mistake(
            "only the newest keys and values were used: the queries are new, but all tokens before them answer, too",
            lambda query, key, value: causal_attention(query, key[:, -query.shape[1] :], value[:, -query.shape[1] :]),
        ),
        Mistake(
            "the scores were divided by the root of the number of keys: it is the root of dim, the length of a query",
            lambda query, key, value: causal_attention(query * (query.shape[-1] / key.shape[1]) ** 0.5, key, value),
        ),
        Mistake(
            "the keys were averaged, not the values",
            lambda query, key, value: causal_attention(query, key, key),
        ),
        Mistake(
            "the softmax ran over the queries: each query shares its weight out among the keys, the last axis",
            lambda query, key, value: (
                (query @ key.mT / query.shape[-1] ** 0.5)
                .masked_fill(~_causal_mask(query, key), -torch.inf)
                .softmax(-2)
                .nan_to_num()
                @ value
            ),
        ),
    ),
)

# 11.write ------------------------------------------------------------------------------------------------------------

Reader = Callable[[Tensor, Tensor | None], tuple[Tensor, Tensor]]
"""New tokens and what is kept of those read before -> logits after each new one, and what to keep now."""


def write(prompt: Tensor, model: Reader, steps: int) -> Tensor:
    """The solution."""
    text, new, cache = prompt, prompt, None
    for _ in range(steps):
        logits, cache = model(new, cache)
        new = logits[-1:].argmax(dim=-1)  # [1]: all that is left to read
        text = torch.cat([text, new])
    return text


def write_spec(prompt: Tensor, model: Reader, steps: int) -> Tensor:
    """Token by token, those of the prompt, too."""
    given, text, cache, best = prompt.tolist(), [], None, -1
    for place in range(len(given) + steps):
        text.append(given[place] if place < len(given) else best)
        logits, cache = model(torch.tensor(text[-1:]), cache)
        row = logits[-1].tolist()
        best = row.index(max(row))
    return torch.tensor(text)


class _Reader:
    """Stands in for a GPT: what it says hangs on all tokens read, in their order, each as often as it was read.

    `read`: how many tokens it was given, in all calls.
    """

    def __init__(self, seed: int, vocabulary: int) -> None:
        chance = torch.Generator().manual_seed(seed)
        self.table, self.output = (torch.randn(vocabulary, 8, generator=chance) for _ in range(2))
        self.read = 0

    def __call__(self, tokens: Tensor, cache: Tensor | None) -> tuple[Tensor, Tensor]:
        self.read += len(tokens)
        states = [torch.zeros(8) if cache is None else cache]
        for token in tokens:
            states.append(0.9 * states[-1].roll(1) + self.table[token])
        return torch.stack(states[1:]) @ self.output.T, states[-1]


def _read_twice(prompt: Tensor, model: _Reader, steps: int) -> str | None:
    enough = len(prompt) + steps  # the last token need not be read
    if model.read <= enough:
        return None
    return (
        f"the text is right, but the model was given {model.read} tokens where {enough - 1} are enough: give it only "
        "what is new, and the cache"
    )


def _written(
    prompt: Tensor,
    model: Reader,
    steps: int,
    reads: Callable[[Tensor, Tensor], Tensor] = lambda text, new: new,
    keeps: Callable[[Tensor], Tensor | None] = lambda cache: cache,
    choose: Callable[[Tensor], Tensor] = lambda logits: logits[-1:].argmax(-1),
) -> Tensor:
    """The loop with one thing wrong. reads: what is given to the model next. keeps: what becomes of its cache."""
    text, new, cache = prompt, prompt, None
    for _ in range(steps):
        logits, cache = model(new, cache)
        cache, chosen = keeps(cache), choose(logits)
        text = torch.cat([text, chosen])
        new = reads(text, chosen)
    return text


def _last_read_again(prompt: Tensor, model: Reader, steps: int) -> Tensor:
    text, cache = prompt, model(prompt, None)[1]
    for _ in range(steps):
        logits, cache = model(text[-1:], cache)
        text = torch.cat([text, logits[-1:].argmax(-1)])
    return text


def _begun(tokens: list[int], seed: int, steps: int) -> tuple:
    return torch.tensor(tokens), _Reader(seed, 23), steps


WRITE = Exercise(
    name="11.write",
    title="Write, and read each token once",
    statement="""Return a prompt and its continuation by `steps` tokens: [tokens], the prompt first.

Each new token is the one with the highest logit after all tokens before it. The model reads new tokens and what it
has kept of the earlier ones, so that no token is read twice:

logits, cache = model(new, cache)    # new [n] -> logits [n, vocabulary], one row for what comes after each new token

Before anything is read, the cache is None. prompt [tokens], ids, at least one; steps, a whole number.""",
    axes="[tokens]",
    stub="""def write(prompt, model, steps):
    ...
""",
    hints=(
        "In the first round all of the prompt is new. What is new in the second?",
        "Keep three things from round to round: the text so far, what is new in it, and the cache. The last row of the "
        "logits says what comes next.",
        "`logits[-1:].argmax(dim=-1)` is the next token as a tensor [1], ready for `torch.cat` and for the model.",
    ),
    solution=write,
    spec=write_spec,
    inputs=lambda: [_begun([3, 14, 7], 1, 9), _begun([5, 2, 20, 11, 8], 2, 12)],
    edges=lambda: [_begun([9], 3, 8), _begun([4, 4], 4, 1)],
    afterwards=_read_twice,
    mistakes=(
        Mistake(
            "all of the text was read again with the cache, which knows it already: give the model only what is new",
            lambda prompt, model, steps: _written(prompt, model, steps, reads=lambda text, new: text),
        ),
        Mistake(
            "the cache was not passed on, so each new token is read as if nothing stood before it",
            lambda prompt, model, steps: _written(prompt, model, steps, keeps=lambda cache: None),
        ),
        Mistake(
            "the first row of the logits was taken: what comes after the text is the last row",
            lambda prompt, model, steps: _written(prompt, model, steps, choose=lambda logits: logits[:1].argmax(-1)),
        ),
        Mistake(
            "the least probable token was taken: the highest logit is asked for",
            lambda prompt, model, steps: _written(prompt, model, steps, choose=lambda logits: logits[-1:].argmin(-1)),
        ),
        Mistake(
            "the last two tokens were read each time, so that each is read twice: only one is new",
            lambda prompt, model, steps: _written(prompt, model, steps, reads=lambda text, new: text[-2:]),
        ),
        Mistake(
            "the prompt's last token was read again, with a cache that knows it: the first new token comes out of the "
            "logits that the prompt has given",
            _last_read_again,
        ),
        Mistake(
            "the best token of every row was appended: only the last row says what comes after the text, `logits[-1:]`",
            lambda prompt, model, steps: _written(prompt, model, steps, choose=lambda logits: logits.argmax(-1)),
        ),
        Mistake(
            "only the continuation was returned: the prompt comes first",
            lambda prompt, model, steps: write(prompt, model, steps)[len(prompt) :],
        ),
        Mistake(
            "one token is missing at the end: what the last round chose belongs to the text",
            lambda prompt, model, steps: write(prompt, model, steps)[:-1],
        ),
        Mistake(
            "one token too many: the prompt does not count as a step",
            lambda prompt, model, steps: write(prompt, model, steps + 1),
        ),
        Mistake(
            "only the prompt's last token was read: all of it is new in the first round",
            lambda prompt, model, steps: torch.cat([prompt[:-1], write(prompt[-1:], model, steps)]),
        ),
        Mistake(
            "the logits were used once for all steps: after each token the model must be asked again",
            lambda prompt, model, steps: torch.cat([
                prompt,
                model(prompt, None)[0][-1].topk(steps).indices,
            ]),
        ),
    ),
)

EXERCISES = [TOP_K, TOP_P, WINDOWS, CAUSAL_ATTENTION, WRITE]
