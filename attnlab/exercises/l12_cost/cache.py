"""Exercise 12.cache: what a writing model keeps."""

from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.exercises.l12_cost.tables import WHOLE, of_each_model, off_by, table_of
from attnlab.specs import costs


def cache(layers: Tensor, dim: Tensor, tokens: Tensor, batch: Tensor, bytes_each: Tensor) -> Tensor:
    """The solution."""
    return 2 * layers * dim * tokens * batch * bytes_each


CACHE = Exercise(
    name="12.cache",
    title="What a writing model keeps",
    statement=f"""Return the bytes of the key-value cache of a model that has read `tokens` tokens of each text.

In each layer it keeps a key and a value of width dim for each token of each of the `batch` texts; a number takes
`bytes_each` bytes.

layers, dim, tokens, batch, bytes_each. {WHOLE}""",
    axes="[models]",
    stub="""def cache(layers, dim, tokens, batch, bytes_each):
    ...
""",
    hints=(
        "What is kept of one token in one layer? Two vectors.",
        "The heads share the width: H heads of dim / H numbers are dim numbers together. The query is used once and "
        "forgotten.",
        "And how many layers, tokens and texts are there? Each of them has its own; then from numbers to bytes.",
    ),
    solution=cache,
    spec=of_each_model(costs.cache_bytes),
    inputs=lambda: [
        table_of((2, 3, 5), (8, 16, 12), (11, 29, 17), (1, 3, 2), (2, 4, 4)),
        table_of((1, 7), (4, 20), (5, 31), (2, 5), (4, 2)),
    ],
    edges=lambda: [table_of((1, 12), (2, 24), (1, 101), (1, 7), (1, 8))],
    diagnoses=(lambda result, *columns: off_by(result, *columns, right=cache),),
    mistakes=(
        Mistake("only keys or only values: both are kept", lambda *columns: cache(*columns) // 2),
        Mistake(
            "queries are kept too in your count: a query asks once and is never needed again",
            lambda *columns: cache(*columns) // 2 * 3,
        ),
        Mistake(
            "tokens²: the cache holds keys and values, one of each a token; the weights are not kept",
            lambda layers, dim, tokens, batch, bytes_each: cache(layers, dim, tokens**2, batch, bytes_each),
        ),
        Mistake(
            "these are numbers, not bytes: each takes `bytes_each`",
            lambda layers, dim, tokens, batch, bytes_each: cache(layers, dim, tokens, batch, bytes_each**0),
        ),
        Mistake("these are bits: a byte has eight", lambda *columns: 8 * cache(*columns)),
        Mistake(
            "one layer only: each has keys and values of its own",
            lambda layers, dim, tokens, batch, bytes_each: cache(layers**0, dim, tokens, batch, bytes_each),
        ),
        Mistake(
            "one text only: each of the batch has keys and values of its own",
            lambda layers, dim, tokens, batch, bytes_each: cache(layers, dim, tokens, batch**0, bytes_each),
        ),
        Mistake(
            "dim²: the maps are parameters of the model; the cache holds vectors of width dim",
            lambda layers, dim, tokens, batch, bytes_each: cache(layers, dim**2, tokens, batch, bytes_each),
        ),
        Mistake(
            "this is for one token: all that were read are kept",
            lambda layers, dim, tokens, batch, bytes_each: cache(layers, dim, tokens**0, batch, bytes_each),
        ),
        Mistake(
            "queries and outputs are kept too in your count: keys and values alone are needed again",
            lambda *columns: 2 * cache(*columns),
        ),
        Mistake(
            "these are the weights of attention, tokens² of each layer: they are used once and forgotten; keys and "
            "values are kept",
            lambda layers, dim, tokens, batch, bytes_each: layers * tokens**2 * batch * bytes_each,
        ),
        Mistake(
            "the maps were counted too: they are parameters of the model",
            lambda layers, dim, tokens, batch, bytes_each: (
                cache(layers, dim, tokens, batch, bytes_each) + 2 * layers * dim**2 * bytes_each
            ),
        ),
        Mistake(
            "tokens and texts were added: each of the `batch` texts has `tokens` tokens",
            lambda layers, dim, tokens, batch, bytes_each: 2 * layers * dim * (tokens + batch) * bytes_each,
        ),
        Mistake(
            "one token too few: all that were read are kept, the last one, too",
            lambda layers, dim, tokens, batch, bytes_each: cache(layers, dim, tokens - 1, batch, bytes_each),
        ),
        Mistake(
            "one token too many: the model has read `tokens` of them",
            lambda layers, dim, tokens, batch, bytes_each: cache(layers, dim, tokens + 1, batch, bytes_each),
        ),
        Mistake(
            "divided by the bytes: each number takes `bytes_each` of them, multiply",
            lambda layers, dim, tokens, batch, bytes_each: (
                cache(layers, dim, tokens, batch, bytes_each**0) // bytes_each
            ),
        ),
        Mistake(
            "the width is 4 dim in your count: that is inside the feed-forward network; keys and values have dim",
            lambda *columns: 4 * cache(*columns),
        ),
        Mistake(
            "only keys or only values, and of one layer: both are kept, in every layer",
            lambda layers, dim, tokens, batch, bytes_each: dim * tokens * batch * bytes_each,
        ),
        Mistake(
            "the width is missing: a key is a vector of dim numbers",
            lambda layers, dim, tokens, batch, bytes_each: cache(layers, dim**0, tokens, batch, bytes_each),
        ),
    ),
)
