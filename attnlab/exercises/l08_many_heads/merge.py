"""Exercise 08.merge: heads put together."""

from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.exercises.l08_many_heads.places import displaced, random_tensor
from attnlab.specs import each
from attnlab.specs import multihead as specs


def merge(x: Tensor) -> Tensor:
    """The solution."""
    batch, heads, tokens, head_dim = x.shape
    return x.transpose(1, 2).reshape(batch, tokens, heads * head_dim)


def _merge_diagnosis(result: Tensor, x: Tensor) -> str | None:
    return displaced(result, merge(x), x)


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
    inputs=lambda: [(random_tensor(2, 3, 5, 7),), (random_tensor(3, 2, 7, 5),)],
    edges=lambda: [(random_tensor(2, 5, 1, 3),), (random_tensor(1, 1, 11, 2),)],
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
