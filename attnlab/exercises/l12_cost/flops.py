"""Exercise 12.flops: what a training costs."""

from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.exercises.l12_cost.parameters import parameters
from attnlab.exercises.l12_cost.tables import WHOLE, left_out_of, of_each_model, off_by, table_of
from attnlab.specs import costs


def flops(layers: Tensor, dim: Tensor, vocabulary: Tensor, context: Tensor, tokens: Tensor) -> Tensor:
    """The solution."""
    weights = 12 * layers * dim**2 + vocabulary * dim  # of all maps; the output's is the token table
    maps = 6 * weights * tokens  # 2 forward, 4 backward
    attention = 12 * layers * dim * context * tokens  # query · key and weights · value: 2 * 2 forward, 8 backward
    return maps + attention


def _work(layers: Tensor, dim: Tensor, vocabulary: Tensor, context: Tensor, tokens: Tensor) -> dict[str, Tensor]:
    """What a training's FLOPs are made of."""
    forward = {
        "the maps of attention": 8 * layers * dim**2 * tokens,
        "the maps of the feed-forward network": 16 * layers * dim**2 * tokens,
        "the output map": 2 * vocabulary * dim * tokens,
        "query · key": 2 * layers * dim * context * tokens,
        "weights · value": 2 * layers * dim * context * tokens,
    }
    return forward | {f"the backward pass through {name}": 2 * part for name, part in forward.items()}


FLOPS = Exercise(
    name="12.flops",
    title="What a training costs",
    statement=f"""Return the FLOPs of training a GPT on `tokens` tokens, in sequences of `context`.

A multiplication and an addition are two FLOPs. Count all maps, the output's [dim, vocabulary] too, and in each layer
query · key and weights · value, for which a token meets all `context` tokens of its sequence. Backward is twice
forward. Leave out what is small: biases, norms, softmax, and to look up a table.

layers, dim, vocabulary, context, tokens. {WHOLE}""",
    axes="[models]",
    stub="""def flops(layers, dim, vocabulary, context, tokens):
    ...
""",
    hints=(
        "Each weight of a map is used once for each token: one multiplication and one addition forward, twice that "
        "backward: 6 FLOPs.",
        "The maps of a block have 12 dim² weights, the output map vocabulary * dim. And attention, for one token and "
        "layer: context products of dim numbers for the scores, as many for the context: 4 dim context FLOPs forward.",
        "Add the maps, 6 FLOPs for each weight and token, and attention, three times what it costs forward.",
    ),
    solution=flops,
    spec=of_each_model(costs.training_flops),
    inputs=lambda: [
        table_of((2, 3, 5), (8, 16, 12), (11, 29, 17), (7, 13, 23), (101, 211, 307)),
        table_of((1, 7), (4, 20), (5, 31), (3, 19), (64, 512)),
    ],
    edges=lambda: [table_of((1, 12), (2, 24), (2, 101), (1, 64), (1, 4096))],
    diagnoses=(
        lambda result, *columns: left_out_of(result, *columns, parts=_work),
        lambda result, *columns: off_by(result, *columns, right=flops),
    ),
    mistakes=(
        Mistake(
            "this is the way forward alone: backward costs twice as much again", lambda *columns: flops(*columns) // 3
        ),
        Mistake(
            "this is the way forward alone, and of the blocks' maps only: backward costs twice as much again, and the "
            "output map and what attention does between tokens are missing",
            lambda layers, dim, vocabulary, context, tokens: 24 * layers * dim**2 * tokens,
        ),
        Mistake(
            "this is the way forward alone, and the output map is missing: backward costs twice as much again",
            lambda layers, dim, vocabulary, context, tokens: flops(layers, dim, 0 * vocabulary, context, tokens) // 3,
        ),
        Mistake(
            "this is the way forward alone, 2 FLOPs for every parameter: backward costs twice as much again, tables "
            "are looked up, and what attention does between tokens is missing",
            lambda layers, dim, vocabulary, context, tokens: 2 * parameters(layers, dim, vocabulary, context) * tokens,
        ),
        Mistake(
            "6 FLOPs for every parameter, and attention: a table is only looked up, and biases and norms are left out",
            lambda layers, dim, vocabulary, context, tokens: (
                6 * parameters(layers, dim, vocabulary, context) * tokens + 12 * layers * dim * context * tokens
            ),
        ),
        Mistake(
            "backward was counted like forward: it has two gradients to compute, of the weights and of the input",
            lambda *columns: flops(*columns) // 3 * 2,
        ),
        Mistake(
            "multiplications and additions count as one in your sum: they are two FLOPs",
            lambda *columns: flops(*columns) // 2,
        ),
        Mistake(
            "what attention does between tokens is missing: 12 layers dim context for each token",
            lambda layers, dim, vocabulary, context, tokens: flops(layers, dim, vocabulary, 0 * context, tokens),
        ),
        Mistake(
            "half of attention is missing: it computes scores and contexts, a multiplication and an addition are two "
            "FLOPs, and the causal mask halves nothing here",
            lambda layers, dim, vocabulary, context, tokens: (
                flops(layers, dim, vocabulary, context, tokens) - 6 * layers * dim * context * tokens
            ),
        ),
        Mistake(
            "backward through attention costs too: its products count three times as well",
            lambda layers, dim, vocabulary, context, tokens: (
                flops(layers, dim, vocabulary, context, tokens) - 8 * layers * dim * context * tokens
            ),
        ),
        Mistake(
            "a token meets the `context` tokens of its sequence, not all tokens of the training",
            lambda layers, dim, vocabulary, context, tokens: flops(layers, dim, vocabulary, tokens, tokens),
        ),
        Mistake(
            "context² for each token: it is context for one token, context² for a whole sequence",
            lambda layers, dim, vocabulary, context, tokens: flops(layers, dim, vocabulary, context**2, tokens),
        ),
        Mistake(
            "attention counts in one layer only: each layer has one",
            lambda layers, dim, vocabulary, context, tokens: (
                flops(layers, dim, vocabulary, 0 * context, tokens) + 12 * dim * context * tokens
            ),
        ),
        Mistake(
            "the output map is missing: its weights are looked up as a table on the way in, but multiplied on the way "
            "out",
            lambda layers, dim, vocabulary, context, tokens: flops(layers, dim, 0 * vocabulary, context, tokens),
        ),
        Mistake(
            "the token table counts twice: to look a token up costs nothing, only the output map does",
            lambda layers, dim, vocabulary, context, tokens: flops(layers, dim, 2 * vocabulary, context, tokens),
        ),
        Mistake(
            "the feed-forward network is missing: two thirds of a block's weights, 8 dim²",
            lambda layers, dim, vocabulary, context, tokens: (
                flops(layers, dim, vocabulary, context, tokens) - 48 * layers * dim**2 * tokens
            ),
        ),
        Mistake(
            "4 dim² are missing in each layer: the four maps of attention, or one of the feed-forward network's two",
            lambda layers, dim, vocabulary, context, tokens: (
                flops(layers, dim, vocabulary, context, tokens) - 24 * layers * dim**2 * tokens
            ),
        ),
        Mistake(
            "attention has three maps in your count: the output map is the fourth",
            lambda layers, dim, vocabulary, context, tokens: (
                flops(layers, dim, vocabulary, context, tokens) - 6 * layers * dim**2 * tokens
            ),
        ),
        Mistake(
            "biases and norms count too in your sum: they are small, leave them out, as the rule 6 N D does",
            lambda layers, dim, vocabulary, context, tokens: (
                flops(layers, dim, vocabulary, context, tokens) + 6 * (layers * 13 * dim + 2 * dim) * tokens
            ),
        ),
        Mistake(
            "only 6 FLOPs for each weight of the blocks: the output map is missing, and what attention does between "
            "tokens",
            lambda layers, dim, vocabulary, context, tokens: 6 * 12 * layers * dim**2 * tokens,
        ),
        Mistake(
            "6 FLOPs for every parameter: tables are looked up, biases and norms are small; and what attention does "
            "between tokens is missing",
            lambda layers, dim, vocabulary, context, tokens: (
                6 * (12 * layers * dim**2 + 13 * layers * dim + 2 * dim + (vocabulary + context) * dim) * tokens
            ),
        ),
        Mistake(
            "the table of places was counted: to look it up costs nothing",
            lambda layers, dim, vocabulary, context, tokens: (
                flops(layers, dim, vocabulary, context, tokens) + 6 * context * dim * tokens
            ),
        ),
        Mistake(
            "the way forward alone, and what attention does between tokens is missing",
            lambda layers, dim, vocabulary, context, tokens: 2 * (12 * layers * dim**2 + vocabulary * dim) * tokens,
        ),
        Mistake(
            "backward counts three times forward in your sum: twice, for the gradients of weights and of the input",
            lambda *columns: flops(*columns) // 3 * 4,
        ),
        Mistake(
            "the maps count one FLOP for a multiplication and an addition: they are two",
            lambda layers, dim, vocabulary, context, tokens: flops(layers, dim, vocabulary, 2 * context, tokens) // 2,
        ),
        Mistake(
            "the output map counts in each layer: it stands once, behind the last block",
            lambda layers, dim, vocabulary, context, tokens: flops(layers, dim, layers * vocabulary, context, tokens),
        ),
        Mistake(
            "backward through the output map is missing: it costs like any other map",
            lambda layers, dim, vocabulary, context, tokens: (
                flops(layers, dim, vocabulary, context, tokens) - 4 * vocabulary * dim * tokens
            ),
        ),
        Mistake(
            "attention was counted for one sequence: a token of any sequence meets `context` others",
            lambda layers, dim, vocabulary, context, tokens: (
                flops(layers, dim, vocabulary, 0 * context, tokens) + 12 * layers * dim * context**2
            ),
        ),
        Mistake(
            "attention was counted for one token: all `tokens` of the training attend, not only the maps see them",
            lambda layers, dim, vocabulary, context, tokens: (
                flops(layers, dim, vocabulary, 0 * context, tokens) + 12 * layers * dim * context
            ),
        ),
        Mistake(
            "the maps count forward alone: backward through them costs twice as much again, 6 FLOPs for each weight "
            "and token",
            lambda layers, dim, vocabulary, context, tokens: flops(layers, dim, vocabulary, 3 * context, tokens) // 3,
        ),
        Mistake(
            "this is for one sequence: the training reads `tokens` tokens",
            lambda layers, dim, vocabulary, context, tokens: flops(layers, dim, vocabulary, context, context),
        ),
        Mistake(
            "everything was multiplied by `context`: the maps see each token once",
            lambda *columns: flops(*columns) * columns[3],
        ),
        Mistake(
            "attention's width is missing: its products are of vectors of dim numbers",
            lambda layers, dim, vocabulary, context, tokens: (
                flops(layers, dim, vocabulary, 0 * context, tokens) + 12 * layers * context * tokens
            ),
        ),
        Mistake(
            "one block only: there are `layers` of them",
            lambda layers, dim, vocabulary, context, tokens: flops(layers**0, dim, vocabulary, context, tokens),
        ),
        Mistake(
            "the softmax was counted: it is small, leave it out",
            lambda layers, dim, vocabulary, context, tokens: (
                flops(layers, dim, vocabulary, context, tokens) + 3 * layers * context * tokens
            ),
        ),
        Mistake(
            "attention was halved for the causal mask: here a token meets all `context` tokens",
            lambda layers, dim, vocabulary, context, tokens: flops(layers, dim, vocabulary, context // 2, tokens),
        ),
        Mistake(
            "this is for one token: the training reads `tokens` of them",
            lambda layers, dim, vocabulary, context, tokens: flops(layers, dim, vocabulary, context, tokens**0),
        ),
    ),
)
