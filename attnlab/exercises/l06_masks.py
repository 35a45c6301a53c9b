"""Exercises of lesson 06: who may look at whom, when a text is written and when a batch is filled up; who did look."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import masks


def _first(wrong: Tensor) -> list[int]:
    return wrong.nonzero()[0].tolist()


# 06.causal -----------------------------------------------------------------------------------------------------------


def causal(queries: int, keys: int) -> Tensor:
    """The solution."""
    place = torch.arange(keys - queries, keys)  # where the queries stand
    return torch.arange(keys) <= place.unsqueeze(1)


def causal_spec(queries: int, keys: int) -> Tensor:
    """The same in loops."""
    return masks.causal(queries, keys, start=keys - queries)


def _shifted(queries: int, keys: int, diagonal: int = 0) -> Tensor:
    """True up to a diagonal, counted from that of a query's own place."""
    return torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries + diagonal)


def _square(queries: int, keys: int) -> Tensor:
    """Queries that are taken for the first tokens."""
    return torch.ones(queries, keys, dtype=torch.bool).tril()


def _minus_infinity(mask: Tensor) -> Tensor:
    return torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)


def _future(mask: Tensor, queries: int, keys: int) -> str | None:
    leak = mask & ~causal_spec(queries, keys)
    if not leak.any():
        return None
    i, j = _first(leak)
    return f"the future leaks: query {i} stands at place {keys - queries + i} and must not see place {j}"


def _past(mask: Tensor, queries: int, keys: int) -> str | None:
    lost = ~mask & causal_spec(queries, keys)
    if not lost.any():
        return None
    i, j = _first(lost)
    return (
        f"query {i} stands at place {keys - queries + i} and may see all places up to it, itself too; here it does "
        f"not see place {j}"
    )


CAUSAL = Exercise(
    name="06.causal",
    title="The causal mask",
    statement="""Return the causal mask [queries, keys], boolean, True = may attend.

A text has `keys` tokens so far. The queries are the **last** `queries` of them: all of them in training, perhaps only
one when a text is written and the keys of the earlier tokens are kept. Each query may look at every token before it and
at itself, and never at one that follows.

queries and keys are whole numbers, 1 <= queries <= keys.""",
    axes="[queries, keys]",
    stub="""def causal(queries, keys):
    ...
""",
    hints=(
        "Row i is a query, column j a key. Write down the place of each in the text, counted from 0; then the mask is "
        "one comparison of the two.",
        "Key j stands at place j. The first query stands at place keys - queries, the last one at keys - 1.",
        "`torch.arange(keys) <= places.unsqueeze(1)`: the axis that was put in makes the places a column, and the "
        "comparison broadcasts to [queries, keys].",
    ),
    solution=causal,
    spec=causal_spec,
    inputs=lambda: [(5, 5), (3, 7)],
    edges=lambda: [(1, 11), (1, 1)],
    diagnoses=(_future, _past),
    mistakes=(
        Mistake(
            "the past is hidden and the future seen: that is the upper triangle; take the lower one",
            lambda queries, keys: torch.ones(queries, keys, dtype=torch.bool).triu(keys - queries),
        ),
        Mistake(
            "the past is hidden and the future seen, and the queries stand at the first places: take the lower "
            "triangle, and move it",
            lambda queries, keys: torch.ones(queries, keys, dtype=torch.bool).triu(),
        ),
        Mistake(
            "True and False are exchanged: here True means may attend", lambda queries, keys: ~_shifted(queries, keys)
        ),
        Mistake(
            "True and False are exchanged, and the queries stand at the first places: True means may attend, and the "
            "last query sees all keys",
            lambda queries, keys: ~_square(queries, keys),
        ),
        Mistake(
            "the queries stand at the first places: they are the last tokens of the text, so query 0 stands at place "
            "keys - queries, and the last query sees all keys",
            _square,
        ),
        Mistake(
            "no query sees itself: it may look at its own token, so compare with <=, not with <",
            lambda queries, keys: _shifted(queries, keys, -1),
        ),
        Mistake(
            "no query sees itself, and the queries stand at the first places: compare with <=, and add keys - queries",
            lambda queries, keys: torch.ones(queries, keys, dtype=torch.bool).tril(-1),
        ),
        Mistake(
            "the next token leaks: each query sees one place too far, just the token that it must predict",
            lambda queries, keys: _shifted(queries, keys, 1),
        ),
        Mistake(
            "the triangle was moved the wrong way: query 0 stands at place keys - queries, not at queries - keys",
            lambda queries, keys: torch.ones(queries, keys, dtype=torch.bool).tril(queries - keys),
        ),
        Mistake(
            "numbers 1 and 0 in place of True and False: the mask must be boolean; a comparison makes one",
            lambda queries, keys: _shifted(queries, keys).float(),
        ),
        Mistake(
            "numbers 1 and 0 in place of True and False, and the queries stand at the first places: a comparison of "
            "places gives booleans",
            lambda queries, keys: _square(queries, keys).float(),
        ),
        Mistake(
            "0 and -inf are for adding to scores: here the mask itself is asked for, boolean, True = may attend",
            lambda queries, keys: _minus_infinity(_shifted(queries, keys)),
        ),
        Mistake(
            "0 and -inf are for adding to scores, and the queries stand at the first places: the boolean mask is asked "
            "for, and its last row is all True",
            lambda queries, keys: _minus_infinity(_square(queries, keys)),
        ),
        Mistake(
            "rows and columns are exchanged: expected [queries, keys], got [keys, queries]",
            lambda queries, keys: _shifted(queries, keys).T,
        ),
        Mistake(
            "a row for every token: only the last `queries` of them ask", lambda queries, keys: _square(keys, keys)
        ),
        Mistake(
            "everybody sees everything: that is no mask at all",
            lambda queries, keys: torch.ones(queries, keys, dtype=torch.bool),
        ),
        Mistake(
            "the triangle lies upside down: row 0 is the first query and sees the least",
            lambda queries, keys: _shifted(queries, keys).flip(0),
        ),
        Mistake(
            "the triangle lies the other way round: column 0 is the first key, which every query may see",
            lambda queries, keys: _shifted(queries, keys).flip(1),
        ),
        Mistake(
            "nobody sees anything: True means may attend",
            lambda queries, keys: torch.zeros(queries, keys, dtype=torch.bool),
        ),
        Mistake(
            "every query sees what the first one sees: each sees one place more than the one before it",
            lambda queries, keys: _shifted(queries, keys)[:1].expand(queries, -1),
        ),
        Mistake(
            "the queries see what came before all of them, and not one another: query i also sees the queries before "
            "it and itself",
            lambda queries, keys: (torch.arange(keys) < keys - queries).expand(queries, -1),
        ),
        Mistake(
            "the queries see one another, but not the keys of the earlier tokens: those are the past of all of them",
            lambda queries, keys: _shifted(queries, keys) & (torch.arange(keys) >= keys - queries),
        ),
        Mistake(
            "each query sees itself and one place before: it may look at all that came before it",
            lambda queries, keys: _shifted(queries, keys) & ~_shifted(queries, keys, -2),
        ),
        Mistake(
            "two future tokens leak: places count from 0, so compare key j with keys - queries + i",
            lambda queries, keys: _shifted(queries, keys, 2),
        ),
        Mistake(
            "no query sees itself or the token before it: compare j with keys - queries + i",
            lambda queries, keys: _shifted(queries, keys, -2),
        ),
        Mistake(
            "-inf stands where a query may look: a mask to be added has 0 there; here the boolean mask itself is asked "
            "for, True = may attend",
            lambda queries, keys: _minus_infinity(~_shifted(queries, keys)),
        ),
        Mistake(
            "0 and a very low number are for adding to scores: here the mask itself is asked for, boolean, True = may "
            "attend",
            lambda queries, keys: torch.zeros(queries, keys).masked_fill(~_shifted(queries, keys), -1e9),
        ),
        Mistake(
            "each query sees itself alone: it may look at all that came before it, too",
            lambda queries, keys: _shifted(queries, keys) & ~_shifted(queries, keys, -1),
        ),
    ),
)


# 06.combine ----------------------------------------------------------------------------------------------------------


def combine(lengths: Tensor, tokens: int) -> Tensor:
    """The solution."""
    place = torch.arange(tokens, device=lengths.device)
    causal = place <= place.unsqueeze(1)  # [queries, keys]
    words = place < lengths.unsqueeze(1)  # [batch, keys]
    return causal & words.unsqueeze(1)


def combine_spec(lengths: Tensor, tokens: int) -> Tensor:
    """The same in loops."""
    return masks.causal_and_padding(lengths.tolist(), tokens)


def _words(lengths: Tensor, tokens: int) -> Tensor:
    return torch.arange(tokens) < lengths.unsqueeze(1)


def _leak(mask: Tensor, lengths: Tensor, tokens: int) -> str | None:
    leak = mask & ~_square(tokens, tokens)
    if not leak.any():
        return None
    b, i, j = _first(leak)
    return f"the future leaks: in sequence {b} query {i} sees key {j}"


def _padding_seen(mask: Tensor, lengths: Tensor, tokens: int) -> str | None:
    leak = mask & ~_words(lengths, tokens).unsqueeze(1)
    if not leak.any():
        return None
    b, i, j = _first(leak)
    return f"padding is seen: sequence {b} has {lengths[b]} words, yet query {i} sees key {j}"


def _words_lost(mask: Tensor, lengths: Tensor, tokens: int) -> str | None:
    lost = ~mask & combine_spec(lengths, tokens)
    if not lost.any():
        return None
    b, i, j = _first(lost)
    return f"a word is hidden that may be seen: in sequence {b}, of {lengths[b]} words, query {i} does not see key {j}"


COMBINE = Exercise(
    name="06.combine",
    title="No future and no padding",
    statement="""Return the mask [batch, queries, keys] for a batch of texts, boolean, True = may attend.

All texts are filled up to `tokens` places: text b has `lengths[b]` words, then padding. Query i of text b may look at
key j when j is not after i, **and** is a word. Queries that are padding follow the same rule: nobody reads what they
find.

lengths [batch], whole numbers from 0 to tokens; queries and keys are both `tokens` many.""",
    axes="[batch, queries, keys]",
    stub="""def combine(lengths, tokens):
    ...
""",
    hints=(
        "Two masks, made apart and joined with `&`: one depends on query and key, the other on text and key.",
        "With `place = torch.arange(tokens)`: `place <= place.unsqueeze(1)` is [queries, keys], and "
        "`place < lengths.unsqueeze(1)` is [batch, keys].",
        "Padding hides columns, keys. Give that mask an axis of length 1 for the queries, `.unsqueeze(1)`, and `&` "
        "broadcasts to [batch, queries, keys].",
    ),
    solution=combine,
    spec=combine_spec,
    inputs=lambda: [(torch.tensor([3, 5]), 5), (torch.tensor([5, 7, 2]), 7)],
    edges=lambda: [(torch.tensor([0, 1, 3]), 3), (torch.tensor([1]), 1)],
    diagnoses=(_leak, _padding_seen, _words_lost),
    mistakes=(
        Mistake(
            "joined by or: a key must be no future **and** no padding, `&`",
            lambda lengths, tokens: _square(tokens, tokens) | _words(lengths, tokens).unsqueeze(1),
        ),
        Mistake(
            "the rows of padding see nothing: padding must hide columns, which are keys, `unsqueeze(1)`; leave the "
            "rows, for one without any key gives NaN in a plain softmax",
            lambda lengths, tokens: _square(tokens, tokens) & _words(lengths, tokens).unsqueeze(2),
        ),
        Mistake(
            "the causal mask is missing: the future leaks",
            lambda lengths, tokens: _words(lengths, tokens).unsqueeze(1).expand(-1, tokens, -1),
        ),
        Mistake(
            "the padding is missing: every text was taken for full",
            lambda lengths, tokens: _square(tokens, tokens).expand(len(lengths), -1, -1),
        ),
        Mistake(
            "this is the padding alone, [batch, keys]: give it an axis for the queries and join it with the causal "
            "mask",
            lambda lengths, tokens: _words(lengths, tokens),
        ),
        Mistake(
            "one place of padding is seen: places count from 0, so words are those with place < length, not <=",
            lambda lengths, tokens: _square(tokens, tokens) & _words(lengths + 1, tokens).unsqueeze(1),
        ),
        Mistake(
            "the last word is hidden: places count from 0, so words are those with place < length",
            lambda lengths, tokens: _square(tokens, tokens) & _words(lengths - 1, tokens).unsqueeze(1),
        ),
        Mistake(
            "no query sees itself: compare with <=, not with <",
            lambda lengths, tokens: _square(tokens, tokens).tril(-1) & _words(lengths, tokens).unsqueeze(1),
        ),
        Mistake(
            "the triangle is the wrong one: the past is hidden and the future seen",
            lambda lengths, tokens: _square(tokens, tokens).T & _words(lengths, tokens).unsqueeze(1),
        ),
        Mistake(
            "the padding is inverted: words are hidden and padding is seen",
            lambda lengths, tokens: _square(tokens, tokens) & ~_words(lengths, tokens).unsqueeze(1),
        ),
        Mistake(
            "True and False are exchanged: here True means may attend",
            lambda lengths, tokens: ~combine(lengths, tokens),
        ),
        Mistake(
            "words were looked for at the end: the words come first, then the padding",
            lambda lengths, tokens: _square(tokens, tokens) & _words(lengths, tokens).flip(1).unsqueeze(1),
        ),
        Mistake(
            "the causal mask was cut to the words of the shortest text: each has its own length",
            lambda lengths, tokens: combine(lengths.min().expand_as(lengths), tokens),
        ),
        Mistake(
            "the padding of the first text was used for all: each has its own length",
            lambda lengths, tokens: combine(lengths[:1].expand_as(lengths), tokens),
        ),
        Mistake(
            "numbers 1 and 0 in place of True and False: the mask must be boolean; join comparisons by `&`",
            lambda lengths, tokens: combine(lengths, tokens).float(),
        ),
        Mistake(
            "0 and -inf are for adding to scores: here the mask itself is asked for, boolean, True = may attend",
            lambda lengths, tokens: _minus_infinity(combine(lengths, tokens)),
        ),
        Mistake(
            "rows and columns are exchanged: rows are queries", lambda lengths, tokens: combine(lengths, tokens).mT
        ),
        Mistake(
            "the causal mask is missing, and the rows of padding see nothing: the future leaks, and padding must hide "
            "columns only",
            lambda lengths, tokens: _words(lengths, tokens).unsqueeze(1) & _words(lengths, tokens).unsqueeze(2),
        ),
        Mistake(
            "joined by exclusive or: a key must be no future **and** no padding, `&`",
            lambda lengths, tokens: _square(tokens, tokens) ^ _words(lengths, tokens).unsqueeze(1),
        ),
        Mistake(
            "the lengths were counted from the end: text b has `lengths[b]` words, then `tokens - lengths[b]` places "
            "of padding",
            lambda lengths, tokens: _square(tokens, tokens) & _words(tokens - lengths, tokens).unsqueeze(1),
        ),
        Mistake(
            "the next token leaks: each query sees one place too far, just the token that it must predict",
            lambda lengths, tokens: (
                torch.ones(tokens, tokens, dtype=torch.bool).tril(1) & _words(lengths, tokens).unsqueeze(1)
            ),
        ),
        Mistake(
            "padding sees itself: nobody may look at padding, not even padding",
            lambda lengths, tokens: combine(lengths, tokens) | torch.eye(tokens, dtype=torch.bool),
        ),
        Mistake(
            "each word sees itself alone: it may look at all words before it, too",
            lambda lengths, tokens: torch.eye(tokens, dtype=torch.bool) & _words(lengths, tokens).unsqueeze(1),
        ),
        Mistake(
            "nobody sees anything: True means may attend",
            lambda lengths, tokens: torch.zeros(len(lengths), tokens, tokens, dtype=torch.bool),
        ),
        Mistake(
            "everybody sees everything: that is no mask at all",
            lambda lengths, tokens: torch.ones(len(lengths), tokens, tokens, dtype=torch.bool),
        ),
        Mistake(
            "the two masks were added as numbers: join booleans by `&`",
            lambda lengths, tokens: _square(tokens, tokens).long() + _words(lengths, tokens).unsqueeze(1).long(),
        ),
        Mistake(
            "-inf stands where a query may look: a mask to be added has 0 there; here the boolean mask itself is asked "
            "for, True = may attend",
            lambda lengths, tokens: _minus_infinity(~combine(lengths, tokens)),
        ),
        Mistake(
            "this is the padding alone, [batch, 1, keys]: join it with the causal mask",
            lambda lengths, tokens: _words(lengths, tokens).unsqueeze(1),
        ),
    ),
)

# 06.leaks ------------------------------------------------------------------------------------------------------------

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
    """The mean of all places is added to each."""
    return x + x.mean(dim=1, keepdim=True)


def _asked(model: Model, batch: int, tokens: int, place: int) -> tuple:
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
    statement="""Return how far each of the first `place` outputs of a model moves when the future is another: [place].

Give the model x, then the same x with everything from `place` on taken from `other`, and compare what it says at the
places before. Of each place the largest absolute difference over the batch and over all numbers. For a model without a
leak all are 0.

model [batch, tokens, dim] -> [batch, tokens, dim]; x, other [batch, tokens, dim]; place, from 1.""",
    axes="[place]",
    stub="""def leaks(model, x, other, place):
    ...
""",
    hints=(
        "The past must stay as it is: places 0 to place - 1 of x. Only what comes from `place` on is exchanged.",
        "`changed = torch.cat([x[:, :place], other[:, place:]], dim=1)`, then ask the model twice.",
        "Of `(model(changed) - model(x))[:, :place]` take the absolute value, and the maximum over the batch and the "
        "numbers, axes 0 and 2: `.abs().amax(dim=(0, 2))`.",
    ),
    solution=leaks,
    spec=leaks_spec,
    inputs=lambda: [_asked(_looks_ahead, 2, 7, 4), _asked(_reads_all, 3, 6, 2), _asked(_honest, 2, 5, 3)],
    edges=lambda: [_asked(_looks_ahead, 1, 5, 1), _asked(_reads_all, 2, 4, 3)],
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
            "the mean in place of the largest: a leak of one number in a thousand would hide in it",
            lambda model, x, other, place: _moves(model, x, _another_future(x, other, place))[:, :place].mean((0, 2)),
        ),
    ),
)

EXERCISES = [CAUSAL, COMBINE, LEAKS]
