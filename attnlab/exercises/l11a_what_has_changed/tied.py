"""Exercise 11.tied: one table at both ends."""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs.alignment import dot

Blocks = Callable[[Tensor], Tensor]
"""[batch, tokens, dim] -> [batch, tokens, dim]"""


def tied(tokens: Tensor, table: Tensor, blocks: Blocks) -> Tensor:
    """The solution."""
    return blocks(table[tokens]) @ table.T


def tied_spec(tokens: Tensor, table: Tensor, blocks: Blocks) -> Tensor:
    """The same in loops."""
    batch, places = tokens.shape
    vocabulary, dim = table.shape
    read = table.new_zeros(batch, places, dim)
    for b in range(batch):
        for i in range(places):
            read[b, i] = table[tokens[b, i]]
    vectors, logits = blocks(read), table.new_zeros(batch, places, vocabulary)
    for b in range(batch):
        for i in range(places):
            for token in range(vocabulary):
                logits[b, i, token] = dot(vectors[b, i], table[token])
    return logits


def _blocks(x: Tensor) -> Tensor:
    """Stands in for the blocks: something to the stream that is no linear map."""
    return x + (x.cumsum(1) * 0.3).tanh().roll(1, -1)


def _read(batch: int, places: int, vocabulary: int, dim: int) -> tuple:
    chance = torch.Generator().manual_seed(vocabulary)
    tokens = torch.randint(vocabulary, (batch, places), generator=chance)
    return tokens, torch.randn(vocabulary, dim, generator=chance), _blocks


TIED = Exercise(
    name="11.tied",
    title="One table at both ends",
    statement="""Return the logits [batch, tokens, vocabulary] of a model whose output map is its table of tokens.

Each token becomes its row of the table; the blocks make a vector at each place of these; the logit of a token is the
dot product of that vector with the token's row. The table learns from both ends, so its gradient must come from both.

tokens [batch, tokens], ids; table [vocabulary, dim].
blocks, a function from [batch, tokens, dim] to the same shape.""",
    axes="[batch, tokens, vocabulary]",
    stub="""def tied(tokens, table, blocks):
    ...
""",
    hints=(
        "Three steps, one after the other: rows of the table, the blocks, products with the rows of the table.",
        "A table can be asked for many rows at once: `table[tokens]` is [batch, tokens, dim].",
        "The products of each vector [dim] with all rows of the table [vocabulary, dim] are one matrix product. No "
        "copy and no detach: the gradient must find its way back, from both ends.",
    ),
    solution=tied,
    spec=tied_spec,
    inputs=lambda: [_read(2, 5, 7, 4), _read(3, 4, 11, 6)],
    edges=lambda: [_read(1, 1, 5, 3), _read(2, 6, 3, 5)],
    mistakes=(
        Mistake(
            "at the output the table is a constant, without a gradient: half of what it could learn is lost; use the "
            "table itself",
            lambda tokens, table, blocks: blocks(table[tokens]) @ table.detach().T,
        ),
        Mistake(
            "at the input the table is a constant, without a gradient: it learns from the output alone",
            lambda tokens, table, blocks: blocks(table.detach()[tokens]) @ table.T,
        ),
        Mistake(
            "the blocks were left out: these are the products of the tokens with each other",
            lambda tokens, table, blocks: table[tokens] @ table.T,
        ),
        Mistake(
            "the vectors were compared with the rows of this text alone: every token of the vocabulary needs a logit",
            lambda tokens, table, blocks: blocks(table[tokens]) @ table[tokens].mT,
        ),
        Mistake(
            "the vectors themselves were returned: their products with the rows of the table are asked for",
            lambda tokens, table, blocks: blocks(table[tokens]),
        ),
        Mistake(
            "the products were divided by the root of dim: that is for scores, and these are logits",
            lambda tokens, table, blocks: tied(tokens, table, blocks) / table.shape[1] ** 0.5,
        ),
        Mistake(
            "these are probabilities: return the logits, before a softmax",
            lambda tokens, table, blocks: tied(tokens, table, blocks).softmax(-1),
        ),
        Mistake(
            "these are log-probabilities: return the logits as they are",
            lambda tokens, table, blocks: tied(tokens, table, blocks).log_softmax(-1),
        ),
        Mistake(
            "the rows at the output went through the blocks, too: the table stands there as it is",
            lambda tokens, table, blocks: blocks(table[tokens]) @ blocks(table[None])[0].T,
        ),
        Mistake(
            "the blocks came before the table was asked: they work on the vectors of a text, not on the vocabulary",
            lambda tokens, table, blocks: blocks(table[None])[0][tokens] @ table.T,
        ),
    ),
)
