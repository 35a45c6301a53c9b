"""The eight scores for vectors of two numbers, with weights that one can follow on paper."""

import math

import torch

from attnlab.alignment import Additive, Concat, General, Location, Perceptron, Score, content, dot, scaled_dot
from attnlab.checks import checked
from attnlab.training import seeded


@checked
def plane_scores(keys: int = 5) -> dict[str, Score]:
    """{name: score}: `SCORES` for queries and keys [..., 2]; those that would be learned have weights set by hand.

    general: a quarter turn of the keys before the product. additive and perceptron: one function, highest where query
    and key are near. concat: w = [1, -0.5, 0.5, 0.5]. location: the first `keys` places lie evenly around the circle,
    and a query prefers the place it points to. Raises ValueError for less than one key.
    """
    if keys < 1:
        raise ValueError(f"expected one key or more, got {keys}")
    sides = torch.tensor([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    around = torch.arange(keys) * 2 * math.pi / keys
    with seeded(0), torch.no_grad():  # fresh weights are drawn, and all of them overwritten
        general, additive, concat, location = General(2, 2), Additive(2, 2, 4), Concat(2, 2), Location(2, places=keys)
        general.key.weight.copy_(torch.tensor([[0.0, -1.0], [1.0, 0.0]]))
        additive.query.weight.copy_(sides)
        additive.query.bias.fill_(-1.0)
        additive.key.weight.copy_(-sides)
        additive.combine.weight.fill_(-2.0)  # small where query and key differ
        concat.pair.weight.copy_(torch.tensor([[1.0, -0.5, 0.5, 0.5]]))
        location.place.weight.copy_(torch.stack([around.cos(), around.sin()], dim=1))
        perceptron = Perceptron.from_additive(additive)
    learned = {
        "general": general,
        "additive": additive,
        "perceptron": perceptron,
        "concat": concat,
        "location": location,
    }
    for score in learned.values():
        score.requires_grad_(False)
    return {"dot": dot, "scaled_dot": scaled_dot, "content": content, **learned}
