"""Exercises of lesson 12: where attention and recurrence cost the same, what a model weighs, what its training costs,
what it keeps while it writes."""

from collections.abc import Callable
from inspect import signature
from itertools import combinations

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs import costs

WHOLE = "All arguments are tensors of whole numbers [models], one entry for each model; so is the result."


def _table(*columns: tuple) -> tuple:
    """One tensor of whole numbers [models] for each column."""
    return tuple(torch.tensor(column) for column in columns)


def _each(count: Callable[..., int]) -> Callable[..., Tensor]:
    """A count for one model, as a function of tensors [models]."""

    def counted(*columns: Tensor) -> Tensor:
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return torch.tensor([count(*row) for row in rows])

    return counted


def _missing(result: Tensor, *columns: Tensor, parts: Callable[..., dict[str, Tensor]]) -> str | None:
    """A diagnosis: which parts are left out of a count that is the sum of the others."""
    named = parts(*columns)
    for few in range(1, len(named)):
        fitting = [
            left_out
            for left_out in combinations(named, few)
            if torch.equal(result, torch.stack([named[name] for name in named if name not in left_out]).sum(dim=0))
        ]
        if fitting:
            or_so = ", or what costs as much" if len(fitting) > 1 else ""
            return f"missing in your count: {', '.join(fitting[0])}{or_so}"
    return None


def _off(result: Tensor, *columns: Tensor, right: Callable[..., Tensor]) -> str | None:
    """A diagnosis: by how much the first wrong model is off."""
    expected = right(*columns)
    wrong = (result != expected).nonzero()
    if not len(wrong):
        return None
    if torch.equal(result * expected[0], expected * result[0]) and result[0] > 0:
        return f"each count is {result[0].item() / expected[0].item():.4g} times the right one"
    at = int(wrong[0])
    got, wanted = result[at].item(), int(expected[at])
    names = signature(right).parameters
    sizes = ", ".join(f"{name} {int(column[at])}" for name, column in zip(names, columns, strict=True))
    return f"for model {at} ({sizes}) expected {wanted:,}, got {got:,}: {got - wanted:+,}"


# 12.crossing ---------------------------------------------------------------------------------------------------------


def crossing(dim: Tensor, gates: Tensor) -> Tensor:
    """The solution."""
    # 4 n dim² + 2 n² dim <= 2 gates n dim²  is  n <= (gates - 2) dim
    return ((gates - 2) * dim).clamp(min=0)


CROSSING = Exercise(
    name="12.crossing",
    title="Up to which length is attention cheaper?",
    statement=f"""Return the longest text, in tokens, for which self-attention needs no more multiply-adds than a
recurrent layer; 0 where there is none.

Now everything counts. For each token the recurrent layer multiplies its vector by `gates` matrices [dim, dim], and the
state before it by as many: 1 in a plain layer, 3 in a GRU, 4 in an LSTM. Self-attention has four maps [dim, dim] of
each token (query, key, value, output), and meets each pair of tokens twice: query · key and weight · value.

dim, gates. {WHOLE}""",
    axes="[models]",
    stub="""def crossing(dim, gates):
    ...
""",
    hints=(
        "Write both costs of n tokens down: one has n alone, the other n and n². Set them equal.",
        "The maps of attention cost 4 dim² for each token, its pairs 2 n² dim for the text. The recurrent layer costs "
        "2 gates dim² for each token. Divide both sides by n dim.",
        "What is left is a line in n: solve it. For few gates the answer is below 0, and no text is so short.",
    ),
    solution=crossing,
    spec=_each(costs.crossing),
    inputs=lambda: [_table((8, 6, 10, 4), (3, 4, 1, 6)), _table((12, 5), (5, 3))],
    edges=lambda: [_table((7, 9, 3), (2, 1, 4))],
    diagnoses=(lambda result, *columns: _off(result, *columns, right=crossing),),
    mistakes=(
        Mistake(
            "attention's four maps are missing: they cost 4 dim² for each token before any two tokens meet",
            lambda dim, gates: gates * dim,
        ),
        Mistake(
            "this compares only what the paper's table counts, where tokens meet: here the maps count, too, on both "
            "sides",
            lambda dim, gates: gates * dim // 2,
        ),
        Mistake(
            "half the width is where the plain layer's curve crosses in the picture, which leaves all maps out",
            lambda dim, gates: dim // 2,
        ),
        Mistake("the formulas without their factors meet at n = dim: factors decide here", lambda dim, gates: dim),
        Mistake(
            "the recurrent layer multiplies the token's vector, too, not only the state before it: 2 gates dim²",
            lambda dim, gates: ((gates - 4) * dim // 2).clamp(min=0),
        ),
        Mistake(
            "each pair meets twice: query · key, and weight · value",
            lambda dim, gates: (2 * (gates - 2) * dim).clamp(min=0),
        ),
        Mistake(
            "attention has three maps in your count: the output map is the fourth",
            lambda dim, gates: ((2 * gates - 3) * dim // 2).clamp(min=0),
        ),
        Mistake(
            "a text has no fewer than 0 tokens: where attention always costs more, the answer is 0",
            lambda dim, gates: (gates - 2) * dim,
        ),
        Mistake(
            "one token too few: where both cost the same, attention needs no more",
            lambda dim, gates: ((gates - 2) * dim - 1).clamp(min=0),
        ),
        Mistake(
            "one token too many: the longest text for which attention needs no more is asked for",
            lambda dim, gates: ((gates - 2) * dim).clamp(min=-1) + 1,
        ),
        Mistake(
            "each gate has two matrices, one for the token and one for the state; attention's four maps were counted "
            "as eight",
            lambda dim, gates: ((gates - 4) * dim).clamp(min=0),
        ),
        Mistake("the width is missing: the crossing moves with it", lambda dim, gates: (gates - 2).clamp(min=0)),
        Mistake(
            "the two costs were exchanged: attention is cheaper in short texts, and the more gates, the longer",
            lambda dim, gates: ((2 - gates) * dim).clamp(min=0),
        ),
    ),
)


# 12.parameters -------------------------------------------------------------------------------------------------------


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
    spec=_each(costs.parameters),
    inputs=lambda: [
        _table((2, 3, 5), (8, 16, 12), (11, 29, 17), (7, 13, 23)),
        _table((1, 7), (4, 20), (5, 31), (3, 19)),
    ],
    edges=lambda: [_table((1, 12), (2, 24), (2, 101), (1, 64))],
    diagnoses=(
        lambda result, *columns: _missing(result, *columns, parts=_parts),
        lambda result, *columns: _off(result, *columns, right=parameters),
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


# 12.flops ------------------------------------------------------------------------------------------------------------


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
    return forward | {f"the way back through {name}": 2 * part for name, part in forward.items()}


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
    spec=_each(costs.training_flops),
    inputs=lambda: [
        _table((2, 3, 5), (8, 16, 12), (11, 29, 17), (7, 13, 23), (101, 211, 307)),
        _table((1, 7), (4, 20), (5, 31), (3, 19), (64, 512)),
    ],
    edges=lambda: [_table((1, 12), (2, 24), (2, 101), (1, 64), (1, 4096))],
    diagnoses=(
        lambda result, *columns: _missing(result, *columns, parts=_work),
        lambda result, *columns: _off(result, *columns, right=flops),
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
            "biases and norms count too in yours: they are small, leave them out, as the rule 6 N D does",
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
            "backward counts three times forward in yours: twice, for the gradients of weights and of the input",
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


# 12.cache ------------------------------------------------------------------------------------------------------------


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
    spec=_each(costs.cache_bytes),
    inputs=lambda: [
        _table((2, 3, 5), (8, 16, 12), (11, 29, 17), (1, 3, 2), (2, 4, 4)),
        _table((1, 7), (4, 20), (5, 31), (2, 5), (4, 2)),
    ],
    edges=lambda: [_table((1, 12), (2, 24), (1, 101), (1, 7), (1, 8))],
    diagnoses=(lambda result, *columns: _off(result, *columns, right=cache),),
    mistakes=(
        Mistake("only keys or only values: both are kept", lambda *columns: cache(*columns) // 2),
        Mistake(
            "queries are kept too in yours: a query asks once and is never needed again",
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
            "queries and outputs are kept too in yours: keys and values alone are needed again",
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
            "the width is 4 dim in yours: that is inside of the feed-forward network; keys and values have dim",
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

EXERCISES = [CROSSING, PARAMETERS, FLOPS, CACHE]
