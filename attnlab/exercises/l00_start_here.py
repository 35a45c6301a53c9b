"""The exercise of lesson 00: a row of scores becomes a row of weights."""
import torch
from torch import Tensor

from attnlab.exercises.exercise import Exercise, Mistake


def weights(scores, temperature):
    """The solution."""
    return (scores / temperature).softmax(dim=-1)


def weights_spec(scores: Tensor, temperature: float) -> Tensor:
    """The same, number by number."""
    rows = []
    for row in scores:
        exponentials = [torch.exp(score / temperature) for score in row]
        rows.append(torch.stack([exponential / sum(exponentials) for exponential in exponentials]))
    return torch.stack(rows)


def _inputs(queries: int, keys: int, temperature: float) -> tuple:
    chance = torch.Generator().manual_seed(keys)
    return 1.5 * torch.randn(queries, keys, generator=chance), temperature


WEIGHTS = Exercise(
    name="00.weights",
    title="From scores to weights",
    statement="""Return the weights [queries, keys] of `scores` [queries, keys] at a temperature.

Divide the scores by the temperature, then take the softmax of each row, so that every query's weights sum to 1.""",
    axes="[queries, keys]",
    stub='''def weights(scores, temperature):
    ...
''',
    hints=(
        "Two steps: the scores are divided by the temperature, then each row becomes weights that sum to 1.",
        "A tensor has a method for the second step: `something.softmax(dim=...)`.",
        "Rows are queries and columns are keys. Each row sums to 1, so the softmax runs over the last axis: `dim=-1`.",
    ),
    solution=weights,
    spec=weights_spec,
    inputs=lambda: [_inputs(3, 5, 0.7), _inputs(7, 2, 2.5)],
    edges=lambda: [_inputs(1, 11, 3.0), _inputs(5, 1, 0.3)],
    mistakes=(
        Mistake(
            "softmax over queries: your columns sum to 1, but it is each row, a query, that shares its weight out",
            lambda scores, temperature: (scores / temperature).softmax(dim=0)),
        Mistake(
            "the temperature is missing: these are the weights at temperature 1",
            lambda scores, temperature: scores.softmax(dim=-1)),
        Mistake(
            "you multiplied by the temperature: a high temperature must make the weights more even, not less",
            lambda scores, temperature: (scores * temperature).softmax(dim=-1)),
        Mistake(
            "the temperature came after the softmax: the rows no longer sum to 1",
            lambda scores, temperature: scores.softmax(dim=-1) / temperature),
        Mistake(
            "these are exponentials that nobody has divided by their sum: the rows do not sum to 1",
            lambda scores, temperature: (scores / temperature).exp()),
        Mistake(
            "divided by the sum without the exponential: scores can be negative, weights cannot",
            lambda scores, temperature: (scores / temperature) / (scores / temperature).sum(dim=-1, keepdim=True)),
        Mistake(
            "this is the logarithm of the weights: softmax, not log_softmax",
            lambda scores, temperature: (scores / temperature).log_softmax(dim=-1)),
        Mistake(
            "the softmax ran over all cells at once: each row must sum to 1 by itself",
            lambda scores, temperature: (scores / temperature).flatten().softmax(dim=0).reshape(scores.shape)),
    ),
)

EXERCISES = [WEIGHTS]
