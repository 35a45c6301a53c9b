"""Exercises of lesson 08: a head set by hand; one wide vector cut into heads, put together, and attention between."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from attnlab.exercises import diagnoses
from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import each
from attnlab.specs import multihead as specs


def _origin(number: Tensor, x: Tensor) -> list[int]:
    return (x == number).nonzero()[0].tolist()


def _displaced(result: Tensor, expected: Tensor, x: Tensor) -> str | None:
    """Where the first number in a wrong place came from."""
    if not torch.equal(result.flatten().sort().values, x.flatten().sort().values):
        return None
    place = (result != expected).nonzero()[0].tolist()
    right, found = (_origin(numbers[tuple(place)], x) for numbers in (expected, result))
    return f"all numbers are there, but not in their places: at {place} expected x{right}, got x{found}"


def _random(*sizes: int) -> Tensor:
    return torch.randn(*sizes, generator=torch.Generator().manual_seed(sizes[0] * 100 + sizes[1]))


# 08.one_before -------------------------------------------------------------------------------------------------------


def one_before(letters: int, places: int, strength: int) -> Tensor:
    """The solution."""
    W_q, W_k = torch.zeros(2, letters + places, places)
    for place in range(places):
        W_k[letters + place, place] = 1  # a key carries its own place
    for place in range(1, places):
        W_q[letters + place, place - 1] = strength  # a query asks for the place before its own
    return torch.stack([W_q, W_k])


def _place_maps(letters: int, places: int, asks: Tensor, answers: Tensor) -> Tensor:
    """Maps that leave the letters out: what each place asks, and what it answers, [places, places]."""
    nothing = torch.zeros(letters, places)
    return torch.stack([torch.cat([nothing, asks]), torch.cat([nothing, answers])])


def _before(places: int) -> Tensor:
    """One at [place, place - 1]."""
    return torch.ones(places - 1).diag(-1)


def _letters_matter(maps: Tensor, letters: int, places: int, strength: int) -> str | None:
    if not maps[:, :letters].any():
        return None
    return "the rows of the letters, the first ones, must be 0 in both maps: what is read depends on places alone"


def _read_instead(maps: Tensor, letters: int, places: int, strength: int) -> str | None:
    """Which token a place reads that should read the one before."""
    query, key = maps[:, letters:]
    weights = (query @ key.T / places**0.5).softmax(-1)
    for place in range(1, places):
        share, most = weights[place].max(-1)
        if most != place - 1:
            return f"as a head, these maps let the token at place {place} read place {int(most)} most ({share:.2f})"
    return None


ONE_BEFORE = Exercise(
    name="08.one_before",
    title="A head that reads the one before",
    statement="""Return the maps of a head that reads the token before: [2, dim, head_dim], first W_q, then W_k.

A token is a row x of dim = letters + places numbers: its letter, a 1 among the first `letters` numbers, and its place,
a 1 among the last `places`. head_dim is `places`. The key x W_k is the token's own place, as it is. The query x W_q is
`strength` times the place before its own; the first token, with none before it, asks for nothing, all 0. Letters do not
matter.

letters, places, strength: whole numbers.""",
    axes="[2, letters + places, places]",
    stub="""def one_before(letters, places, strength):
    ...
""",
    hints=(
        "Row r of a map is what a token adds to its query, or to its key, if its number r is 1. So rows 0 to letters - "
        "1 of both maps belong to the letters, the rest to the places.",
        "The rows of the places: in W_k place p stands in row letters + p and hands on its own place, so a 1 in column "
        "p.",
        "In W_q the same row asks for the place before: `strength` in column p - 1. Begin with `torch.zeros`; the "
        "first place asks for nothing.",
    ),
    solution=one_before,
    spec=specs.one_before,
    inputs=lambda: [(3, 5, 8), (4, 7, 6)],
    edges=lambda: [(1, 2, 9), (5, 3, 1)],
    diagnoses=(_letters_matter, _read_instead),
    mistakes=(
        Mistake(
            "it reads itself: each query asks for its own place, and should ask for the one before, column p - 1",
            lambda letters, places, strength: _place_maps(
                letters, places, strength * torch.eye(places), torch.eye(places)
            ),
        ),
        Mistake(
            "it reads the next one: the query of place p asks in column p + 1, and the one before stands in column p "
            "- 1",
            lambda letters, places, strength: _place_maps(
                letters, places, strength * _before(places).T, torch.eye(places)
            ),
        ),
        Mistake(
            "queries and keys are exchanged, so every token is found by the next one's place, and reads the next one: "
            "W_q comes first",
            lambda letters, places, strength: one_before(letters, places, strength).flip(0),
        ),
        Mistake(
            "the maps are turned over: x W needs a row for each number of x, [dim, head_dim], not [head_dim, dim]",
            lambda letters, places, strength: one_before(letters, places, strength).mT,
        ),
        Mistake(
            "this head reads one before, too: its keys say which place may come next. But here a key is its own place, "
            "and the query does the shifting",
            lambda letters, places, strength: _place_maps(
                letters, places, strength * torch.eye(places), _before(places).T
            ),
        ),
        Mistake(
            "queries and keys are both shifted: then a query meets the key of its own place again, and it reads itself",
            lambda letters, places, strength: _place_maps(letters, places, strength * _before(places), _before(places)),
        ),
        Mistake(
            "the first token asks for the last place, as if the text were a ring: it has none before it, its query is "
            "all 0",
            lambda letters, places, strength: _place_maps(
                letters, places, strength * torch.eye(places).roll(1, 0), torch.eye(places)
            ),
        ),
        Mistake(
            "the first token reads itself: it has none before it, its query is all 0",
            lambda letters, places, strength: _place_maps(
                letters,
                places,
                strength * (_before(places) + torch.eye(places, 1) @ torch.eye(1, places)),
                torch.eye(places),
            ),
        ),
        Mistake(
            "it reads two before: column p - 2; the one before stands in column p - 1",
            lambda letters, places, strength: _place_maps(
                letters, places, strength * torch.ones(places - 2).diag(-2), torch.eye(places)
            ),
        ),
        Mistake(
            "the strength is missing: with queries of length 1 the scores are so small that the row stays nearly even",
            lambda letters, places, strength: one_before(letters, places, 1),
        ),
        Mistake(
            "the strength is in both maps, so it counts twice: keys are the place as it is",
            lambda letters, places, strength: _place_maps(
                letters, places, strength * _before(places), strength * torch.eye(places)
            ),
        ),
        Mistake(
            "the strength is in the keys: here queries are strong, and keys are the place as it is",
            lambda letters, places, strength: _place_maps(
                letters, places, _before(places), strength * torch.eye(places)
            ),
        ),
        Mistake(
            "the places were taken for the first numbers of x: those are the letters, the places come behind them",
            lambda letters, places, strength: one_before(letters, places, strength).roll(places, 1),
        ),
        Mistake(
            "the rows of the letters are missing: x has letters + places numbers, and a map needs a row for each",
            lambda letters, places, strength: one_before(letters, places, strength)[:, letters:],
        ),
        Mistake(
            "the keys are all 0: then all scores are 0, and every row stays even",
            lambda letters, places, strength: _place_maps(
                letters, places, strength * _before(places), torch.zeros(places, places)
            ),
        ),
        Mistake(
            "these are the scores of the places, not the maps that make them: [2, dim, head_dim], W_q and W_k stacked",
            lambda letters, places, strength: strength * _before(places),
        ),
        Mistake(
            "this is W_q alone: return both, `torch.stack([W_q, W_k])`",
            lambda letters, places, strength: one_before(letters, places, strength)[0],
        ),
    ),
)


# 08.split ------------------------------------------------------------------------------------------------------------


def split(x: Tensor, heads: int) -> Tensor:
    """The solution."""
    batch, tokens, dim = x.shape
    return x.reshape(batch, tokens, heads, dim // heads).transpose(1, 2)


def _split_diagnosis(result: Tensor, x: Tensor, heads: int) -> str | None:
    return _displaced(result, split(x, heads), x)


def _in_order(x: Tensor, heads: int, *order: int) -> Tensor:
    """[batch, tokens, heads, head_dim] with its axes in another order."""
    return x.unflatten(2, (heads, -1)).permute(order)


SPLIT = Exercise(
    name="08.split",
    title="Into heads",
    statement="""Return `x` [batch, tokens, dim] cut into heads, [batch, heads, tokens, head_dim].

head_dim is dim / heads. Head 0 takes the first head_dim numbers of every token, head 1 the next ones, and so on: no
number changes, and each head holds all tokens, in their order.

x [batch, tokens, dim]; heads: a whole number that divides dim.""",
    axes="[batch, heads, tokens, head_dim]",
    stub="""def split(x, heads):
    ...
""",
    hints=(
        "Two steps: cut the last axis in two, heads and head_dim; then bring the heads in front of the tokens.",
        "`reshape` only cuts: the numbers stay in the order they have in memory, so the two new axes must stand where "
        "dim stood. How long is each of the two?",
        "`transpose` exchanges two axes. A reshape cannot do that: it would deal the numbers out anew, and heads would "
        "get pieces of other tokens.",
    ),
    solution=split,
    spec=lambda x, heads: each(lambda tokens: specs.split(tokens, heads), x),
    inputs=lambda: [(_random(2, 5, 21), 3), (_random(3, 7, 10), 2)],
    edges=lambda: [(_random(2, 1, 15), 5), (_random(1, 11, 3), 1)],
    diagnoses=(_split_diagnosis,),
    mistakes=(
        Mistake(
            "reshaped straight to [batch, heads, tokens, head_dim]: the shape is right, but heads got pieces of other "
            "tokens; cut first, [batch, tokens, heads, head_dim], then transpose",
            lambda x, heads: x.reshape(len(x), heads, x.shape[1], -1),
        ),
        Mistake(
            "transposed first and reshaped then: cut the last axis first, [batch, tokens, heads, head_dim], and "
            "transpose that",
            lambda x, heads: x.transpose(1, 2).reshape(len(x), heads, x.shape[1], -1),
        ),
        Mistake(
            "tokens and heads have not been exchanged: expected [batch, heads, tokens, head_dim], got [batch, tokens, "
            "heads, head_dim]",
            lambda x, heads: _in_order(x, heads, 0, 1, 2, 3),
        ),
        Mistake(
            "head_dim and tokens are exchanged: expected [batch, heads, tokens, head_dim], got [batch, heads, "
            "head_dim, tokens]",
            lambda x, heads: _in_order(x, heads, 0, 2, 3, 1),
        ),
        Mistake(
            "heads stand in front of the batch: expected [batch, heads, tokens, head_dim], got [heads, batch, tokens, "
            "head_dim]",
            lambda x, heads: _in_order(x, heads, 2, 0, 1, 3),
        ),
        Mistake(
            "every head took each heads-th number: dim was cut to [head_dim, heads]; it must be [heads, head_dim], so "
            "that a head's numbers stand together",
            lambda x, heads: x.unflatten(2, (-1, heads)).permute(0, 3, 1, 2),
        ),
        Mistake(
            "heads and head_dim are exchanged: `x.split(n)` makes pieces **of** n, not n pieces; `x.chunk(heads, "
            "dim=-1)` makes that many",
            lambda x, heads: torch.stack(x.split(heads, -1), 1),
        ),
        Mistake(
            "the tokens were shared out among the heads: each head holds all tokens, and a part of every vector",
            lambda x, heads: x[:, : x.shape[1] // heads * heads].unflatten(1, (heads, -1)),
        ),
        Mistake(
            "every head got whole vectors: each gets head_dim = dim / heads numbers of them",
            lambda x, heads: x.unsqueeze(1).repeat(1, heads, 1, 1),
        ),
        Mistake(
            "batch and heads are one axis: expected [batch, heads, tokens, head_dim], got [batch · heads, tokens, "
            "head_dim]",
            lambda x, heads: split(x, heads).flatten(0, 1),
        ),
        Mistake(
            "batch and heads are one axis, and tokens are mixed: reshaped straight to [batch · heads, tokens, "
            "head_dim]",
            lambda x, heads: x.reshape(len(x) * heads, x.shape[1], -1),
        ),
        Mistake(
            "the last head alone: all are asked for, along an axis of their own",
            lambda x, heads: x[..., -(x.shape[2] // heads) :].unsqueeze(1),
        ),
        Mistake(
            "the tokens are in reverse order: each head holds them as they came",
            lambda x, heads: split(x, heads).flip(2),
        ),
        Mistake(
            "the numbers within each head are in reverse order: no number moves within its head",
            lambda x, heads: split(x, heads).flip(3),
        ),
        Mistake(
            "reshaped straight to [heads, batch, tokens, head_dim]: heads got pieces of other tokens and sentences; "
            "cut first, [batch, tokens, heads, head_dim], then transpose",
            lambda x, heads: x.reshape(heads, len(x), x.shape[1], -1).transpose(0, 1),
        ),
        Mistake(
            "the heads overlap: the second begins where the first ends, head_dim numbers further",
            lambda x, heads: x.unfold(2, x.shape[2] // heads, 1)[..., :heads, :].transpose(1, 2),
        ),
        Mistake("the numbers were scaled: no number changes", lambda x, heads: split(x, heads) / heads**0.5),
        Mistake(
            "the first head alone: all are asked for, along an axis of their own",
            lambda x, heads: x[..., : x.shape[2] // heads].unsqueeze(1),
        ),
        Mistake(
            "the heads are in reverse order: the first head takes the first numbers",
            lambda x, heads: split(x, heads).flip(1),
        ),
    ),
)


# 08.merge ------------------------------------------------------------------------------------------------------------


def merge(x: Tensor) -> Tensor:
    """The solution."""
    batch, heads, tokens, head_dim = x.shape
    return x.transpose(1, 2).reshape(batch, tokens, heads * head_dim)


def _merge_diagnosis(result: Tensor, x: Tensor) -> str | None:
    return _displaced(result, merge(x), x)


MERGE = Exercise(
    name="08.merge",
    title="Heads put together",
    statement="""Return the heads `x` [batch, heads, tokens, head_dim] put together again, [batch, tokens, dim].

dim is heads · head_dim. Each token's vector is what the first head found for it, then what the second found, and so on:
the way back from 08.split.

x [batch, heads, tokens, head_dim].""",
    axes="[batch, tokens, dim]",
    stub="""def merge(x):
    ...
""",
    hints=(
        "The way back, in the opposite order: first bring the tokens in front of the heads, then join the last two "
        "axes.",
        "`transpose` exchanges two axes. In [batch, tokens, heads, head_dim] all that belongs to a token stands "
        "together.",
        "Then `reshape` joins. `view` would complain here: a transposed tensor lies in memory as before, and `reshape` "
        "copies it where it must.",
    ),
    solution=merge,
    spec=lambda x: each(specs.merge, x),
    inputs=lambda: [(_random(2, 3, 5, 7),), (_random(3, 2, 7, 5),)],
    edges=lambda: [(_random(2, 5, 1, 3),), (_random(1, 1, 11, 2),)],
    diagnoses=(_merge_diagnosis,),
    mistakes=(
        Mistake(
            "reshaped without a transpose: the shape is right, but each vector holds pieces of several tokens; first "
            "bring the tokens in front of the heads",
            lambda x: x.reshape(len(x), x.shape[2], -1),
        ),
        Mistake(
            "the wrong axes were transposed, and then reshaped: exchange heads and tokens, axes 1 and 2",
            lambda x: x.transpose(2, 3).reshape(len(x), x.shape[2], -1),
        ),
        Mistake(
            "the heads' numbers were put by turns: what one head found must stand together; transpose to [batch, "
            "tokens, heads, head_dim], not to [batch, tokens, head_dim, heads]",
            lambda x: x.permute(0, 2, 3, 1).flatten(2),
        ),
        Mistake(
            "heads and tokens are exchanged, but the last two axes have not been joined", lambda x: x.transpose(1, 2)
        ),
        Mistake(
            "the heads stand one after the other along the tokens: each token has one vector, put together of all "
            "heads",
            lambda x: x.flatten(1, 2),
        ),
        Mistake(
            "the tokens were joined with head_dim: [batch, heads, tokens · head_dim]; the heads are to be joined with "
            "it",
            lambda x: x.flatten(2),
        ),
        Mistake("the heads were averaged: put them side by side, so that nothing of them is lost", lambda x: x.mean(1)),
        Mistake("the heads were summed: put them side by side, so that nothing of them is lost", lambda x: x.sum(1)),
        Mistake("the last head alone: put all of them side by side", lambda x: x[:, -1]),
        Mistake(
            "the highest of all heads: put them side by side, so that nothing of them is lost", lambda x: x.amax(1)
        ),
        Mistake("the tokens are in reverse order: they stay as they are", lambda x: merge(x).flip(1)),
        Mistake(
            "the numbers within each head are in reverse order: no number moves within its head",
            lambda x: merge(x.flip(3)),
        ),
        Mistake(
            "batch and heads were exchanged: it is tokens and heads, axes 1 and 2, that change places",
            lambda x: x.transpose(0, 1).reshape(len(x), x.shape[2], -1),
        ),
        Mistake(
            "heads and head_dim were exchanged: it is heads and tokens, axes 1 and 2, that change places",
            lambda x: x.transpose(1, 3).reshape(len(x), x.shape[2], -1),
        ),
        Mistake("everything in one vector: expected [batch, tokens, dim]", lambda x: merge(x).flatten()),
        Mistake("the first head alone: put all of them side by side", lambda x: x[:, 0]),
        Mistake(
            "rows and columns are exchanged: expected [batch, tokens, dim], got [batch, dim, tokens]",
            lambda x: merge(x).mT,
        ),
        Mistake("the heads are in reverse order: the first head comes first", lambda x: merge(x.flip(1))),
        Mistake(
            "everything in one row: expected [batch, tokens, dim], got [batch · tokens, dim]",
            lambda x: merge(x).flatten(0, 1),
        ),
    ),
)


# 08.multihead --------------------------------------------------------------------------------------------------------


def multihead(x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, W_o: Tensor, heads: int) -> Tensor:
    """The solution."""
    query, key, value = (split(x @ W, heads) for W in (W_q, W_k, W_v))  # [batch, heads, tokens, head_dim]
    scores = query @ key.mT / query.shape[-1] ** 0.5  # [batch, heads, tokens, tokens]
    return merge(scores.softmax(dim=-1) @ value) @ W_o


def _multihead_inputs(batch: int, tokens: int, heads: int, head_dim: int) -> tuple:
    chance = torch.Generator().manual_seed(batch * 100 + tokens)
    dim = heads * head_dim
    x = torch.randn(batch, tokens, dim, generator=chance)
    W_q, W_k, W_v, W_o = (torch.randn(dim, dim, generator=chance) / dim**0.5 for _ in range(4))
    return x, 1.5 * W_q, W_k, W_v, W_o, heads


def _by_turns(x: Tensor, heads: int) -> Tensor:
    """Heads of every heads-th number."""
    return x.unflatten(2, (-1, heads)).permute(0, 3, 1, 2)


def _straight(x: Tensor, heads: int) -> Tensor:
    return x.reshape(len(x), heads, x.shape[1], -1)


Cut = Callable[[Tensor, int], Tensor]


def _heads(
    x: Tensor,
    W_q: Tensor,
    W_k: Tensor,
    W_v: Tensor,
    heads: int,
    cut: Cut = split,
    weigh: Callable[[Tensor], Tensor] = lambda scores: scores.softmax(-1),
    scale: int | float | None = None,
) -> Tensor:
    """What each head finds, with another cut, scale or softmax."""
    query, key, value = (cut(x @ W, heads) for W in (W_q, W_k, W_v))
    return weigh(query @ key.mT / (scale or query.shape[-1] ** 0.5)) @ value


def _weighed(weigh: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    """Multi-head self-attention with these weights in place of the softmax."""
    return lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v, heads, weigh=weigh)) @ W_o


def _keys_reshaped(x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, W_o: Tensor, heads: int) -> Tensor:
    query, key, value = (split(x @ W, heads) for W in (W_q, W_k, W_v))
    scores = query @ key.reshape(key.mT.shape) / query.shape[-1] ** 0.5
    return merge(scores.softmax(-1) @ value) @ W_o


def _own_part(W: Tensor, heads: int) -> Tensor:
    """A matrix by which each head sees its own part of x alone."""
    size = len(W) // heads
    return W * torch.block_diag(*torch.ones(heads, size, size))


def _right_heads(
    result: Tensor, x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, W_o: Tensor, heads: int
) -> str | None:
    found, expected = (
        split(vectors @ W_o.inverse(), heads) for vectors in (result, multihead(x, W_q, W_k, W_v, W_o, heads))
    )
    right = [h for h in range(heads) if torch.allclose(found[:, h], expected[:, h], atol=1e-3)]
    message = "taken back through W_o, what you return is right for head {} of {}, and wrong for the others"
    return message.format(", ".join(map(str, right)), heads) if right else None


def _between_values(
    result: Tensor, x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, W_o: Tensor, heads: int
) -> str | None:
    message = diagnoses.average(result @ W_o.inverse(), x @ W_v)
    return f"taken back through W_o, these are no contexts of x W_v: {message}" if message else None


MULTIHEAD = Exercise(
    name="08.multihead",
    title="Multi-head self-attention",
    statement="""Return what multi-head self-attention makes of `x`, [batch, tokens, dim].

Queries x W_q, keys x W_k and values x W_v are cut into heads, as in 08.split: head h takes its head_dim = dim / heads
numbers of each. Every head attends for itself, its scores divided by the square root of head_dim. What the heads found
for a token is put side by side, as in 08.merge, and goes through W_o.

x [batch, tokens, dim]; W_q, W_k, W_v, W_o [dim, dim]; heads: a whole number that divides dim.""",
    axes="[batch, tokens, dim]",
    stub="""def multihead(x, W_q, W_k, W_v, W_o, heads):
    ...
""",
    hints=(
        "Project, split, attend, merge, project. With the heads as an axis of their own, beside the batch, the "
        "attention in the middle is the one that you know.",
        "Query, key and value are [batch, heads, tokens, head_dim] each; `query @ key.mT` is then [batch, heads, "
        "tokens, tokens].",
        "Which width belongs under the root: that of the token, or that of a head? And W_o comes last, when the heads "
        "have been put together.",
    ),
    solution=multihead,
    spec=lambda x, W_q, W_k, W_v, W_o, heads: each(
        lambda tokens: specs.multihead(tokens, W_q, W_k, W_v, W_o, heads), x
    ),
    inputs=lambda: [_multihead_inputs(2, 5, 3, 7), _multihead_inputs(1, 7, 5, 2)],
    edges=lambda: [_multihead_inputs(2, 1, 2, 3), _multihead_inputs(1, 5, 1, 3)],
    diagnoses=(_right_heads, _between_values),
    mistakes=(
        Mistake(
            "you divided by the square root of dim: each head's dot products sum over head_dim numbers only",
            lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v, heads, scale=x.shape[-1] ** 0.5)) @ W_o,
        ),
        Mistake(
            "the scale is missing: divide the scores by the square root of head_dim",
            lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v, heads, scale=1)) @ W_o,
        ),
        Mistake(
            "you divided by head_dim, not by its square root",
            lambda x, W_q, W_k, W_v, W_o, heads: (
                merge(_heads(x, W_q, W_k, W_v, heads, scale=x.shape[-1] // heads)) @ W_o
            ),
        ),
        Mistake(
            "you divided by the square root of the number of heads: it must be that of head_dim",
            lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v, heads, scale=heads**0.5)) @ W_o,
        ),
        Mistake(
            "this is one wide head: cut queries, keys and values into heads, each with a softmax of its own",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q, W_k, W_v, W_o, 1),
        ),
        Mistake(
            "this is one wide head, though with a head's scale: cut queries, keys and values into heads, each with a "
            "softmax of its own",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q * heads**0.5, W_k, W_v, W_o, 1),
        ),
        Mistake(
            diagnoses.KEYS_RESHAPED,
            _keys_reshaped,
        ),
        Mistake(
            "W_o is missing: what the heads found goes through one more map, which mixes them",
            lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v, heads)),
        ),
        Mistake(
            "reshaped straight to [batch, heads, tokens, head_dim], so heads got pieces of other tokens: cut to "
            "[batch, tokens, heads, head_dim], then transpose",
            lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v, heads, _straight)) @ W_o,
        ),
        Mistake(
            "reshaped straight to [batch, heads, tokens, head_dim] and straight back: heads got pieces of other "
            "tokens; a transpose belongs to both ways",
            lambda x, W_q, W_k, W_v, W_o, heads: _heads(x, W_q, W_k, W_v, heads, _straight).reshape(x.shape) @ W_o,
        ),
        Mistake(
            "merged without a transpose: vectors hold pieces of several tokens; bring tokens in front of heads first",
            lambda x, W_q, W_k, W_v, W_o, heads: _heads(x, W_q, W_k, W_v, heads).reshape(x.shape) @ W_o,
        ),
        Mistake(
            "the heads' numbers were put by turns before W_o: what one head found must stand together",
            lambda x, W_q, W_k, W_v, W_o, heads: _heads(x, W_q, W_k, W_v, heads).permute(0, 2, 3, 1).flatten(2) @ W_o,
        ),
        Mistake(
            "every head took each heads-th number: a head's numbers stand together",
            lambda x, W_q, W_k, W_v, W_o, heads: (
                _heads(x, W_q, W_k, W_v, heads, _by_turns).permute(0, 2, 3, 1).flatten(2) @ W_o
            ),
        ),
        Mistake(
            "every head took each heads-th number, yet they were merged as if each had taken neighbours: cut dim to "
            "[heads, head_dim], not to [head_dim, heads]",
            lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v, heads, _by_turns)) @ W_o,
        ),
        Mistake(
            "merged after the wrong transpose: exchange heads and tokens, axes 1 and 2, then join the last two",
            lambda x, W_q, W_k, W_v, W_o, heads: _heads(x, W_q, W_k, W_v, heads).mT.reshape(x.shape) @ W_o,
        ),
        Mistake(
            "no transpose: the heads of one token asked each other, and tokens never met; bring heads in front of "
            "tokens",
            lambda x, W_q, W_k, W_v, W_o, heads: (
                _heads(x, W_q, W_k, W_v, heads, lambda x, heads: x.unflatten(2, (heads, -1))).flatten(2) @ W_o
            ),
        ),
        Mistake(
            "x was cut before it was projected, and each head saw its own part only: project first, with all of dim",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(
                x, _own_part(W_q, heads), _own_part(W_k, heads), _own_part(W_v, heads), W_o, heads
            ),
        ),
        Mistake(
            "softmax over queries: each token that asks shares its weight out, the last axis",
            _weighed(lambda scores: scores.softmax(-2)),
        ),
        Mistake(
            "softmax over heads: axis 1 holds the heads now; the keys are the last axis",
            _weighed(lambda scores: scores.softmax(1)),
        ),
        Mistake(
            "the softmax is missing: you weighted with the scores",
            _weighed(lambda scores: scores),
        ),
        Mistake(
            "all heads share one matrix of weights, their average: each has its own",
            _weighed(lambda scores: scores.softmax(-1).mean(1, keepdim=True)),
        ),
        Mistake(
            "all heads share the average of their scores: each has its own",
            _weighed(lambda scores: scores.mean(1, keepdim=True).softmax(-1)),
        ),
        Mistake(
            "W_q made the keys too: keys are x W_k",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q, W_q, W_v, W_o, heads),
        ),
        Mistake(
            "W_k made the queries too: queries are x W_q",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_k, W_k, W_v, W_o, heads),
        ),
        Mistake(
            "x itself was averaged: the values are x W_v",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q, W_k, torch.eye(len(W_v)), W_o, heads),
        ),
        Mistake(
            "the keys were averaged: the values are x W_v",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q, W_k, W_k, W_o, heads),
        ),
        Mistake(
            "the weights were turned round before they met the values: row i of the weights makes context i",
            _weighed(lambda scores: scores.softmax(-1).mT),
        ),
        Mistake(
            "the future is hidden: nothing was said of a mask, every token may ask every other one",
            _weighed(
                lambda scores: scores.masked_fill(
                    torch.ones(scores.shape[2:], dtype=torch.bool).triu(1), -torch.inf
                ).softmax(-1)
            ),
        ),
        Mistake(
            "query and key are exchanged: row i must be what token i asks",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_k, W_q, W_v, W_o, heads),
        ),
        Mistake(
            "W_o is transposed: it stands behind the vectors as it is, `@ W_o`",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q, W_k, W_v, W_o.T, heads),
        ),
        Mistake(
            "W_q, W_k and W_v are transposed: `F.linear` turns its matrix round; here it is `x @ W_q`",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q.T, W_k.T, W_v.T, W_o, heads),
        ),
        Mistake(
            "all four matrices are transposed: `F.linear` turns its matrix round; here it is `x @ W_q`",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q.T, W_k.T, W_v.T, W_o.T, heads),
        ),
        Mistake(
            "W_o came first, on the values: it comes last, where it mixes what the heads found",
            lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v @ W_o, heads)),
        ),
        Mistake(
            "x was added: the residual connection belongs to the block around it, in lesson 09",
            lambda x, W_q, W_k, W_v, W_o, heads: x + multihead(x, W_q, W_k, W_v, W_o, heads),
        ),
        Mistake(
            "keys and values are exchanged: keys x W_k are compared with, values x W_v are averaged",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q, W_v, W_k, W_o, heads),
        ),
        Mistake(
            "queries and values are exchanged: queries are x W_q, values x W_v",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_v, W_k, W_q, W_o, heads),
        ),
        Mistake(
            "query, key and value took the wrong matrices, W_k, W_v and W_q: they are x W_q, x W_k and x W_v",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_k, W_v, W_q, W_o, heads),
        ),
        Mistake(
            "query, key and value took the wrong matrices, W_v, W_q and W_k: they are x W_q, x W_k and x W_v",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_v, W_q, W_k, W_o, heads),
        ),
        Mistake(
            "W_v and W_o are exchanged: W_v makes the values, W_o comes last",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q, W_k, W_o, W_v, heads),
        ),
        Mistake(
            "the queries were averaged: the values are x W_v",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q, W_k, W_q, W_o, heads),
        ),
        Mistake(
            "W_q is missing: the queries are x W_q, not x",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, torch.eye(len(W_q)), W_k, W_v, W_o, heads),
        ),
        Mistake(
            "W_k is missing: the keys are x W_k, not x",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q, torch.eye(len(W_k)), W_v, W_o, heads),
        ),
        Mistake(
            "x was compared with itself: queries and keys are x W_q and x W_k",
            lambda x, W_q, W_k, W_v, W_o, heads: multihead(
                x, torch.eye(len(W_q)), torch.eye(len(W_k)), W_v, W_o, heads
            ),
        ),
        Mistake("W_o came twice", lambda x, W_q, W_k, W_v, W_o, heads: multihead(x, W_q, W_k, W_v, W_o, heads) @ W_o),
        Mistake(
            "nobody asked anything: these are the values through W_o",
            lambda x, W_q, W_k, W_v, W_o, heads: x @ W_v @ W_o,
        ),
        Mistake(
            "the softmax came twice: once makes weights of scores, a second time makes them nearly even",
            _weighed(lambda scores: scores.softmax(-1).softmax(-1)),
        ),
        Mistake(
            "the sign is wrong: the worst match got the highest weight",
            _weighed(lambda scores: (-scores).softmax(-1)),
        ),
        Mistake(
            "argmax: each head took the one best value; what it finds is an average of all, weighted",
            _weighed(lambda scores: one_hot(scores.argmax(-1), scores.shape[-1]).float()),
        ),
        Mistake(
            "sigmoid in place of the softmax: the weights of a token must sum to 1",
            _weighed(torch.sigmoid),
        ),
        Mistake(
            "exp without the division: the weights of a token must sum to 1",
            _weighed(torch.exp),
        ),
        Mistake(
            "the scores were divided by their sum without an exponential: a negative one is no weight",
            _weighed(lambda scores: scores / scores.sum(-1, keepdim=True)),
        ),
        Mistake(
            "softmax over the batch: the keys are the last axis",
            _weighed(lambda scores: scores.softmax(0)),
        ),
        Mistake(
            "averaged instead of weighted: every value counts the same",
            _weighed(lambda scores: torch.full_like(scores, 1 / scores.shape[-1])),
        ),
        Mistake(
            "no token saw itself: its own key and value count as well",
            _weighed(
                lambda scores: (
                    scores
                    .masked_fill(torch.eye(scores.shape[-1], dtype=torch.bool), -torch.inf)
                    .softmax(-1)
                    .nan_to_num(0)
                )
            ),
        ),
        Mistake(
            "the scale came after the softmax: the weights no longer sum to 1",
            lambda x, W_q, W_k, W_v, W_o, heads: (
                merge(
                    _heads(
                        x,
                        W_q,
                        W_k,
                        W_v,
                        heads,
                        weigh=lambda scores: scores.softmax(-1) / (len(W_q) // heads) ** 0.5,
                        scale=1,
                    )
                )
                @ W_o
            ),
        ),
        Mistake(
            "you multiplied by the square root of head_dim: divide",
            lambda x, W_q, W_k, W_v, W_o, heads: (
                merge(_heads(x, W_q, W_k, W_v, heads, scale=(len(W_q) // heads) ** -0.5)) @ W_o
            ),
        ),
        Mistake(
            "you divided by the square root of the number of tokens: it must be that of head_dim",
            lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v, heads, scale=x.shape[1] ** 0.5)) @ W_o,
        ),
        Mistake(
            "you divided by dim: it must be the square root of head_dim",
            lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v, heads, scale=x.shape[-1])) @ W_o,
        ),
        Mistake(
            "the heads are merged in reverse order: the first head comes first",
            lambda x, W_q, W_k, W_v, W_o, heads: merge(_heads(x, W_q, W_k, W_v, heads).flip(1)) @ W_o,
        ),
        Mistake(
            "all heads use the weights of the first one: each has its own",
            _weighed(lambda scores: scores.softmax(-1)[:, :1].expand_as(scores)),
        ),
        Mistake(
            "the heads were averaged and repeated: put them side by side, so that nothing of them is lost",
            lambda x, W_q, W_k, W_v, W_o, heads: _heads(x, W_q, W_k, W_v, heads).mean(1).repeat(1, 1, heads) @ W_o,
        ),
        Mistake(
            "expected all heads put together, got one vector for each: [batch, heads, tokens, head_dim] must be merged",
            lambda x, W_q, W_k, W_v, W_o, heads: _heads(x, W_q, W_k, W_v, heads),
        ),
    ),
)

EXERCISES = [ONE_BEFORE, SPLIT, MERGE, MULTIHEAD]
