"""Exercise 15.rollout: which patches a token has read from, through all layers."""

import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs.analysis.heads import rollout as specs


def rollout(weights: Tensor) -> Tensor:
    """The solution."""
    identity = torch.eye(weights.shape[-1], device=weights.device)
    whole = identity
    for heads in weights:
        whole = (0.5 * heads.mean(0) + 0.5 * identity) @ whole
    return whole


def rollout_spec(weights: Tensor) -> Tensor:
    """The same in loops."""
    return specs.attention_rollout(list(weights))


def _product(layers: Tensor) -> Tensor:
    """layers [layers, ..., tokens, tokens]: the last one times those before it."""
    whole, *above = layers
    for layer in above:
        whole = layer @ whole
    return whole


def _first_kept(weights: Tensor) -> Tensor:
    """In every layer half of a token is its own input, in place of what it was by then."""
    whole = torch.eye(weights.shape[-1])
    for layer in weights.mean(1):
        whole = _mixed(layer @ whole)
    return whole


def _mixed(means: Tensor, own: int | float = 0.5, others: int | float = 0.5) -> Tensor:
    return others * means + own * torch.eye(means.shape[-1])


def _weights(layers: int, heads: int, tokens: int) -> tuple:
    chance = torch.Generator().manual_seed(100 * layers + tokens)
    return ((2 * torch.randn(layers, heads, tokens, tokens, generator=chance)).softmax(-1),)


def _rows(result: Tensor, weights: Tensor) -> str | None:
    """A diagnosis: what the rows sum to."""
    if result.shape != weights.shape[-2:]:
        return None
    sums = result.sum(-1)
    far = sums[(sums - 1).abs().argmax()].item()
    return (
        None if abs(far - 1) < 1e-3 else f"rows should sum to 1, since they are shares; one of yours sums to {far:.3g}"
    )


ROLLOUT = Exercise(
    name="15.rollout",
    title="Which patches a token has read from, through all layers",
    statement="""Return the roll-out of one picture: row i says which share of each input it finds in token i in the
end.

In every layer take the mean of the heads. The stream keeps what it had (the residual connection): half of each
token is itself, half is what attention brought. Then multiply the layers.

weights [layers, heads, tokens, tokens]: the first layer first, rows are queries and sum to 1.""",
    axes="[tokens, tokens]",
    stub="""def rollout(weights):
    ...
""",
    hints=(
        "With one layer the answer is 0.5 * mean + 0.5 * identity. What does a second layer read from?",
        "The second layer reads from tokens that are mixtures already: its matrix, with the identity, times the "
        "first one's. Does the later layer stand on the left or on the right of the product?",
        "A loop over the layers, which begins with `torch.eye(weights.shape[-1])`: before the first layer each token "
        "is made of itself. In every round mix the mean over the heads with the identity, and multiply the mixture "
        "with what the rounds before have made: on the side that the second hint asks for.",
    ),
    solution=rollout,
    spec=rollout_spec,
    inputs=lambda: [_weights(2, 3, 5), _weights(3, 2, 4)],
    edges=lambda: [_weights(1, 2, 3), _weights(4, 1, 2)],
    has_gradients=False,  # who adds the identity and divides each row by its sum, which is 2, is as right
    diagnoses=(_rows,),
    mistakes=(
        Mistake(
            "the identity is forgotten: through the residual connection each token keeps half of itself",
            lambda weights: _product(weights.mean(1)),
        ),
        Mistake(
            "the heads are averaged after the product: then no way leads from one head to another in the next layer, "
            "though all heads read the same stream; average them in each layer, before the product",
            lambda weights: _product(_mixed(weights)).mean(0),
        ),
        Mistake(
            "identity forgotten, and heads averaged after the product instead of in each layer",
            lambda weights: _product(weights).mean(0),
        ),
        Mistake(
            "the identity is added but nothing is halved: rows sum to 2 for each layer, and to 1 again when "
            "each layer is divided by 2",
            lambda weights: _product(_mixed(weights.mean(1), 1, 1)),
        ),
        Mistake(
            "the layers are multiplied in the wrong order: the last layer reads what the earlier ones made, "
            "so it stands on the left",
            lambda weights: _product(_mixed(weights.mean(1)).flip(0)),
        ),
        Mistake(
            "the identity is added once, at the end: every layer has a residual connection of its own",
            lambda weights: _mixed(_product(weights.mean(1))),
        ),
        Mistake(
            "the identity is forgotten, and the layers are multiplied in the wrong order: the last one stands on the "
            "left",
            lambda weights: _product(weights.mean(1).flip(0)),
        ),
        Mistake(
            "half of the input was kept in every layer, not half of what the token was by then: mix the identity with "
            "the layer's matrix before you multiply",
            _first_kept,
        ),
        Mistake(
            "the layers were averaged and the heads multiplied: take the mean of the heads in each layer, `mean(1)`, "
            "and multiply the layers",
            lambda weights: _product(_mixed(weights.mean(0))),
        ),
        Mistake(
            "this is the first layer alone; those after it read what it has made",
            lambda weights: _mixed(weights[0].mean(0)),
        ),
        Mistake(
            "this is the last layer alone; multiply it with those before it",
            lambda weights: _mixed(weights[-1].mean(0)),
        ),
        Mistake(
            "this is the last layer alone, and without the identity",
            lambda weights: weights[-1].mean(0),
        ),
        Mistake(
            "layers are averaged here; one reads from the other, so they are multiplied",
            lambda weights: _mixed(weights.mean(1)).mean(0),
        ),
        Mistake(
            "number by number: the layers are matrices, and ways through all tokens between add up; use @",
            lambda weights: _mixed(weights.mean(1)).prod(0),
        ),
        Mistake(
            "number by number, so that only the diagonal of the first identity is left: the layers are matrices, use @",
            lambda weights: _mixed(weights.mean(1)).prod(0) * torch.eye(weights.shape[-1]),
        ),
        Mistake(
            "the heads are summed, not averaged: attention then counts as often as there are heads",
            lambda weights: _product(_mixed(weights.sum(1))),
        ),
        Mistake(
            "the largest of the heads is taken, not their mean: rows no longer sum to 1",
            lambda weights: _product(_mixed(weights.amax(1))),
        ),
        Mistake(
            "rows and columns are exchanged: row i belongs to token i at the end, column j to input j",
            lambda weights: _product(_mixed(weights.mean(1))).T,
        ),
    ),
)
