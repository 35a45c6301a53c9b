"""Exercise 06.combine: no future and no padding."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.exercises.l06_masks.causal import first_place, minus_infinity, square
from attnlab.specs import masks


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
    leak = mask & ~square(tokens, tokens)
    if not leak.any():
        return None
    b, i, j = first_place(leak)
    return f"the future leaks: in sequence {b} query {i} sees key {j}"


def _padding_seen(mask: Tensor, lengths: Tensor, tokens: int) -> str | None:
    leak = mask & ~_words(lengths, tokens).unsqueeze(1)
    if not leak.any():
        return None
    b, i, j = first_place(leak)
    return f"padding is seen: sequence {b} has {lengths[b]} words, yet query {i} sees key {j}"


def _words_lost(mask: Tensor, lengths: Tensor, tokens: int) -> str | None:
    lost = ~mask & combine_spec(lengths, tokens)
    if not lost.any():
        return None
    b, i, j = first_place(lost)
    return f"a word is hidden that may be seen: in sequence {b}, of {lengths[b]} words, query {i} does not see key {j}"


COMBINE = Exercise(
    name="06.combine",
    title="No future and no padding",
    statement="""Return the mask [batch, queries, keys] for a batch of texts, boolean, True = may attend.

The texts are to be continued, so all of them end at the last place, and the padding stands at the **left**: of the
`tokens` places of text b the last `lengths[b]` are words. Query i of text b may look at key j when j is not after i,
**and** is a word. Queries that are padding follow the same rule, and find nothing.

lengths [batch], whole numbers from 0 to tokens; there are `tokens` queries and as many keys.""",
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
            lambda lengths, tokens: square(tokens, tokens) | _words(lengths, tokens).unsqueeze(1),
        ),
        Mistake(
            "the rows of padding were emptied, but words still see padding: padding must hide columns, which are keys, "
            "`unsqueeze(1)`",
            lambda lengths, tokens: square(tokens, tokens) & _words(lengths, tokens).unsqueeze(2),
        ),
        Mistake(
            "the causal mask is missing: the future leaks",
            lambda lengths, tokens: _words(lengths, tokens).unsqueeze(1).expand(-1, tokens, -1),
        ),
        Mistake(
            "the padding is missing: every text was taken for full",
            lambda lengths, tokens: square(tokens, tokens).expand(len(lengths), -1, -1),
        ),
        Mistake(
            "this is the padding alone, [batch, keys]: give it an axis for the queries and join it with the causal "
            "mask",
            lambda lengths, tokens: _words(lengths, tokens),
        ),
        Mistake(
            "one place of padding is seen: places count from 0, so words begin at place tokens - length",
            lambda lengths, tokens: square(tokens, tokens) & _words(lengths + 1, tokens).unsqueeze(1),
        ),
        Mistake(
            "the first word is hidden: places count from 0, so words begin at place tokens - length",
            lambda lengths, tokens: square(tokens, tokens) & _words(lengths - 1, tokens).unsqueeze(1),
        ),
        Mistake(
            "no query sees itself: compare with <=, not with <",
            lambda lengths, tokens: square(tokens, tokens).tril(-1) & _words(lengths, tokens).unsqueeze(1),
        ),
        Mistake(
            "the triangle is the wrong one: the past is hidden and the future seen",
            lambda lengths, tokens: square(tokens, tokens).T & _words(lengths, tokens).unsqueeze(1),
        ),
        Mistake(
            "the padding is inverted: words are hidden and padding is seen",
            lambda lengths, tokens: square(tokens, tokens) & ~_words(lengths, tokens).unsqueeze(1),
        ),
        Mistake(
            "True and False are exchanged: here True means may attend",
            lambda lengths, tokens: ~combine(lengths, tokens),
        ),
        Mistake(
            "words were looked for at the beginning: here the padding comes first, and all texts end at the last place",
            lambda lengths, tokens: square(tokens, tokens) & _words(lengths, tokens).flip(1).unsqueeze(1),
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
            lambda lengths, tokens: minus_infinity(combine(lengths, tokens)),
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
            lambda lengths, tokens: square(tokens, tokens) ^ _words(lengths, tokens).unsqueeze(1),
        ),
        Mistake(
            "the lengths were counted from the end: text b has `lengths[b]` words, then `tokens - lengths[b]` places "
            "of padding",
            lambda lengths, tokens: square(tokens, tokens) & _words(tokens - lengths, tokens).unsqueeze(1),
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
            lambda lengths, tokens: square(tokens, tokens).long() + _words(lengths, tokens).unsqueeze(1).long(),
        ),
        Mistake(
            "-inf stands where a query may look: a mask to be added has 0 there; here the boolean mask itself is asked "
            "for, True = may attend",
            lambda lengths, tokens: minus_infinity(~combine(lengths, tokens)),
        ),
        Mistake(
            "this is the padding alone, [batch, 1, keys]: join it with the causal mask",
            lambda lengths, tokens: _words(lengths, tokens).unsqueeze(1),
        ),
    ),
)
