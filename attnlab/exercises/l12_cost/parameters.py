"""Exercise 12.parameters: what a GPT weighs."""

from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.exercises.l12_cost.tables import WHOLE, left_out_of, of_each_model, off_by, table_of
from attnlab.specs import costs


def parameters(layers: Tensor, dim: Tensor, vocabulary: Tensor, longest: Tensor) -> Tensor:
    """The solution."""
    attention = 4 * (dim * dim + dim)  # maps of query, key, value, output, with biases
    feed_forward = (4 * dim * dim + 4 * dim) + (4 * dim * dim + dim)
    norm = 2 * dim  # gain and shift
    tables = (vocabulary + longest) * dim  # tokens and places; the output is the token table again
    return tables + layers * (attention + feed_forward + 2 * norm) + norm


def _parts(layers: Tensor, dim: Tensor, vocabulary: Tensor, longest: Tensor) -> dict[str, Tensor]:
    """What a GPT's parameters are made of."""
    return {
        "the token table": vocabulary * dim,
        "the table of places": longest * dim,
        "the maps of attention": 4 * layers * dim**2,
        "the maps of the feed-forward network": 8 * layers * dim**2,
        "the biases of the maps": 9 * layers * dim,
        "the norms of the blocks": 4 * layers * dim,
        "the last norm": 2 * dim,
    }


PARAMETERS = Exercise(
    name="12.parameters",
    title="What a GPT weighs",
    statement=f"""Return the number of parameters of a GPT.

A table of tokens and a table of learned positions, both of width dim; `layers` blocks, each with the four maps of
attention, a feed-forward network of 4 dim hidden numbers and two layer norms; one norm at the end. All maps have
biases. The output map is the token table once more (tied), so it costs nothing.

layers, dim, vocabulary, longest. {WHOLE}""",
    axes="[models]",
    stub="""def parameters(layers, dim, vocabulary, longest):
    ...
""",
    hints=(
        "A map from a numbers to b numbers has a * b weights and b biases. How many maps are there in a block, and "
        "from what to what?",
        "Attention has four maps from dim to dim. The feed-forward network has one from dim to 4 dim and one back. A "
        "norm has a gain and a shift for each of the dim numbers. So a block has 12 dim² and 13 dim.",
        "Add up: two tables, `layers` blocks, and one more norm behind the last of them. What stands once must not be "
        "multiplied by `layers`.",
    ),
    solution=parameters,
    spec=of_each_model(costs.parameters),
    inputs=lambda: [
        table_of((2, 3, 5), (8, 16, 12), (11, 29, 17), (7, 13, 23)),
        table_of((1, 7), (4, 20), (5, 31), (3, 19)),
    ],
    edges=lambda: [table_of((1, 12), (2, 24), (2, 101), (1, 64))],
    diagnoses=(
        lambda result, *columns: left_out_of(result, *columns, parts=_parts),
        lambda result, *columns: off_by(result, *columns, right=parameters),
    ),
    mistakes=(
        Mistake(
            "the tables are missing: one of tokens, one of places",
            lambda layers, dim, vocabulary, longest: parameters(layers, dim, 0 * vocabulary, 0 * longest),
        ),
        Mistake(
            "the table of places is missing: here positions are learned, `longest` times dim",
            lambda layers, dim, vocabulary, longest: parameters(layers, dim, vocabulary, 0 * longest),
        ),
        Mistake(
            "the token table is missing: vocabulary times dim",
            lambda layers, dim, vocabulary, longest: parameters(layers, dim, 0 * vocabulary, longest),
        ),
        Mistake(
            "the token table counts twice: the output map is the same table (tied)",
            lambda layers, dim, vocabulary, longest: parameters(layers, dim, 2 * vocabulary, longest),
        ),
        Mistake(
            "the token table counts twice, and the output has a bias: it is the same table (tied), without one",
            lambda layers, dim, vocabulary, longest: parameters(layers, dim, 2 * vocabulary, longest) + vocabulary,
        ),
        Mistake(
            "the biases of the maps are missing: dim for each map of attention, 4 dim and dim for the feed-forward's",
            lambda layers, dim, vocabulary, longest: parameters(layers, dim, vocabulary, longest) - 9 * layers * dim,
        ),
        Mistake(
            "4 dim are missing in each layer: the biases of attention's four maps, or the two norms, each with gain "
            "and shift",
            lambda layers, dim, vocabulary, longest: parameters(layers, dim, vocabulary, longest) - 4 * layers * dim,
        ),
        Mistake(
            "the biases of the feed-forward network are missing: 4 dim on the way up, dim on the way back",
            lambda layers, dim, vocabulary, longest: parameters(layers, dim, vocabulary, longest) - 5 * layers * dim,
        ),
        Mistake(
            "3 dim are missing in each layer: the feed-forward network's bias on the way up is 4 dim long, not dim, "
            "and the maps of query, key and value have biases, too",
            lambda layers, dim, vocabulary, longest: parameters(layers, dim, vocabulary, longest) - 3 * layers * dim,
        ),
        Mistake(
            "the feed-forward network has two biases of 4 dim: the one of the way back is dim long",
            lambda layers, dim, vocabulary, longest: parameters(layers, dim, vocabulary, longest) + 3 * layers * dim,
        ),
        Mistake(
            "the norms are missing: two in each block and one at the end, each with gain and shift",
            lambda layers, dim, vocabulary, longest: (
                parameters(layers, dim, vocabulary, longest) - (4 * layers + 2) * dim
            ),
        ),
        Mistake(
            "the last norm is missing: behind all blocks, gain and shift",
            lambda layers, dim, vocabulary, longest: parameters(layers, dim, vocabulary, longest) - 2 * dim,
        ),
        Mistake(
            "each norm has dim numbers in your count: it has a gain and a shift, 2 dim",
            lambda layers, dim, vocabulary, longest: (
                parameters(layers, dim, vocabulary, longest) - (2 * layers + 1) * dim
            ),
        ),
        Mistake(
            "one norm in each block is missing: attention and feed-forward network have one each",
            lambda layers, dim, vocabulary, longest: parameters(layers, dim, vocabulary, longest) - 2 * layers * dim,
        ),
        Mistake(
            "only 12 layers dim²: that is a good estimate for a wide model; here everything counts",
            lambda layers, dim, vocabulary, longest: 12 * layers * dim**2,
        ),
        Mistake(
            "this is the rule of thumb, 12 layers dim² and the token table: here the table of places, biases and norms "
            "count too",
            lambda layers, dim, vocabulary, longest: 12 * layers * dim**2 + vocabulary * dim,
        ),
        Mistake(
            "12 layers dim² and the tables: biases and norms count too",
            lambda layers, dim, vocabulary, longest: 12 * layers * dim**2 + (vocabulary + longest) * dim,
        ),
        Mistake(
            "attention has three maps in your count: the output map is the fourth",
            lambda layers, dim, vocabulary, longest: (
                parameters(layers, dim, vocabulary, longest) - layers * (dim**2 + dim)
            ),
        ),
        Mistake(
            "the feed-forward network has one map in your count: it goes up to 4 dim and back",
            lambda layers, dim, vocabulary, longest: (
                parameters(layers, dim, vocabulary, longest) - layers * (4 * dim**2 + dim)
            ),
        ),
        Mistake(
            "4 dim² and 4 dim are missing in each layer: attention's four maps with their biases",
            lambda layers, dim, vocabulary, longest: (
                parameters(layers, dim, vocabulary, longest) - 4 * layers * (dim**2 + dim)
            ),
        ),
        Mistake(
            "8 dim² and 5 dim are missing in each layer: the feed-forward network's two maps with their biases",
            lambda layers, dim, vocabulary, longest: (
                parameters(layers, dim, vocabulary, longest) - layers * (8 * dim**2 + 5 * dim)
            ),
        ),
        Mistake(
            "the feed-forward network has dim hidden numbers in your count: it has 4 dim",
            lambda layers, dim, vocabulary, longest: (
                parameters(layers, dim, vocabulary, longest) - layers * (6 * dim**2 + 3 * dim)
            ),
        ),
        Mistake(
            "the output map has a bias in your count: it is the token table once more, without one",
            lambda layers, dim, vocabulary, longest: parameters(layers, dim, vocabulary, longest) + vocabulary,
        ),
        Mistake(
            "the width of the tables is missing: each token and each place has a vector of dim numbers",
            lambda layers, dim, vocabulary, longest: (
                parameters(layers, dim, vocabulary, longest) - (vocabulary + longest) * (dim - 1)
            ),
        ),
        Mistake(
            "the width of the table of places is missing: each place has a vector of dim numbers",
            lambda layers, dim, vocabulary, longest: parameters(layers, dim, vocabulary, longest) - longest * (dim - 1),
        ),
        Mistake(
            "the two tables were multiplied: there is one of tokens and one of places",
            lambda layers, dim, vocabulary, longest: (
                parameters(layers, dim, vocabulary, longest) - (vocabulary + longest) * dim + vocabulary * longest
            ),
        ),
        Mistake(
            "the table of places has longest² rows in your count: it has `longest`",
            lambda layers, dim, vocabulary, longest: parameters(layers, dim, vocabulary, longest**2),
        ),
        Mistake(
            "the table of places counts in every layer: it stands once, before the first block",
            lambda layers, dim, vocabulary, longest: (
                parameters(layers, dim, vocabulary, longest) + (layers - 1) * longest * dim
            ),
        ),
        Mistake(
            "the last norm counts in every layer: it stands once, behind all blocks",
            lambda layers, dim, vocabulary, longest: (
                parameters(layers, dim, vocabulary, longest) + 2 * (layers - 1) * dim
            ),
        ),
        Mistake(
            "three norms in each block: there are two, one for the attention and one for the feed-forward network",
            lambda layers, dim, vocabulary, longest: parameters(layers, dim, vocabulary, longest) + 2 * layers * dim,
        ),
        Mistake(
            "4 dim² are missing in each layer: attention's four maps have dim² each, the feed-forward network's two 4 "
            "dim² each",
            lambda layers, dim, vocabulary, longest: parameters(layers, dim, vocabulary, longest) - 4 * layers * dim**2,
        ),
        Mistake(
            "everything was multiplied by `layers`: the tables and the last norm stand once",
            lambda layers, dim, vocabulary, longest: parameters(layers, dim, vocabulary, longest) * layers,
        ),
        Mistake(
            "one block only: there are `layers` of them",
            lambda layers, dim, vocabulary, longest: parameters(layers**0, dim, vocabulary, longest),
        ),
        Mistake(
            "the tables were counted in every layer: they stand once, before the first block",
            lambda layers, dim, vocabulary, longest: (
                parameters(layers, dim, vocabulary, longest) + (layers - 1) * (vocabulary + longest) * dim
            ),
        ),
        Mistake(
            "this is one sum over all models: each has a count of its own",
            lambda *columns: parameters(*columns).sum().expand(len(columns[0])),
        ),
    ),
)
