"""Exercises of lesson 06: who may look at whom, when a text is written and when a batch is filled up; who did look; a
softmax that survives what a mask leaves."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises import diagnoses
from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import attention, each, masks

LOWEST = torch.finfo(torch.float32).min


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
        "Make a column of the queries' places with `unsqueeze(1)`: compared with a row of the keys' places it "
        "broadcasts to [queries, keys].",
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
    words = place >= tokens - lengths.unsqueeze(1)  # [batch, keys]
    return causal & words.unsqueeze(1)


def combine_spec(lengths: Tensor, tokens: int) -> Tensor:
    """The same in loops."""
    return masks.causal_and_padding_left(lengths.tolist(), tokens)


def _words(lengths: Tensor, tokens: int) -> Tensor:
    return torch.arange(tokens) >= tokens - lengths.unsqueeze(1)


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

The texts are to be written on, so all of them end at the last place, and the padding stands at the **left**: of the
`tokens` places of text b the last `lengths[b]` are words. Query i of text b may look at key j when j is not after i,
**and** is a word. Queries that are padding follow the same rule, and find nothing.

lengths [batch], whole numbers from 0 to tokens; queries and keys are both `tokens` many.""",
    axes="[batch, queries, keys]",
    stub="""def combine(lengths, tokens):
    ...
""",
    hints=(
        "Two masks, made apart and joined with `&`: one depends on query and key, the other on text and key.",
        "With `place = torch.arange(tokens)`: `place <= place.unsqueeze(1)` is [queries, keys], and "
        "where a text's words begin is one number for each text, to be compared with the places of the keys.",
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
            "the rows of padding were emptied, but words still see padding: padding must hide columns, which are keys, "
            "`unsqueeze(1)`",
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
            "one place of padding is seen: places count from 0, so words begin at place tokens - length",
            lambda lengths, tokens: _square(tokens, tokens) & _words(lengths + 1, tokens).unsqueeze(1),
        ),
        Mistake(
            "the first word is hidden: places count from 0, so words begin at place tokens - length",
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
            "words were looked for at the beginning: here the padding comes first, and all texts end at the last place",
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

# 06.softmax ----------------------------------------------------------------------------------------------------------


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

EXERCISES = [
    CAUSAL,
    COMBINE,
    LEAKS,
    SOFTMAX,
]
