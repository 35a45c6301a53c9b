"""Exercise 00.weights: from scores to weights."""

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from attnlab.exercises import diagnoses
from attnlab.exercises.exercise import Exercise, Mistake
from attnlab.specs.attention import softmax


def weights(scores: Tensor, temperature: int | float) -> Tensor:
    """The solution."""
    return (scores / temperature).softmax(dim=-1)


def _inputs(queries: int, keys: int, temperature: float) -> tuple:
    chance = torch.Generator().manual_seed(keys)
    return 1.5 * torch.randn(queries, keys, generator=chance), temperature


def _shares(numbers: Tensor) -> Tensor:
    return numbers / numbers.sum(dim=-1, keepdim=True)


WEIGHTS = Exercise(
    name="00.weights",
    title="From scores to weights",
    statement="""Return the weights [queries, keys] of `scores` [queries, keys] at a temperature.

Divide the scores by the temperature, then take the softmax of each row, so that every query's weights sum to 1.""",
    axes="[queries, keys]",
    stub="""def weights(scores, temperature):
    ...
""",
    hints=(
        "Two steps: the scores are divided by the temperature, then each row becomes weights that sum to 1.",
        "A tensor has a method for the second step: `something.softmax(dim=...)`.",
        "Rows are queries, columns are keys. Each row is to sum to 1, so softmax runs over the keys. Which axis?",
    ),
    solution=weights,
    spec=lambda scores, temperature: softmax(scores, temperature=temperature),
    inputs=lambda: [_inputs(3, 5, 0.7), _inputs(7, 2, 2.5)],
    edges=lambda: [_inputs(1, 11, 3.0), _inputs(5, 1, 0.3)],
    diagnoses=(diagnoses.negative, diagnoses.all_row_sums),
    mistakes=(
        Mistake(
            "softmax over queries: your columns sum to 1, but it is each row, a query, that shares its weight out",
            lambda scores, temperature: (scores / temperature).softmax(dim=0),
        ),
        Mistake(
            "these are the weights at temperature 1: the temperature is missing, or it came after the exponential, "
            "where it cancels; divide the scores by it",
            lambda scores, temperature: scores.softmax(dim=-1),
        ),
        Mistake(
            "you multiplied by the temperature: a high temperature must make the weights more even, not less",
            lambda scores, temperature: (scores * temperature).softmax(dim=-1),
        ),
        Mistake(
            "the temperature came after the softmax: the rows no longer sum to 1",
            lambda scores, temperature: scores.softmax(dim=-1) / temperature,
        ),
        Mistake(
            "these are exponentials that nobody has divided by their sum: the rows do not sum to 1",
            lambda scores, temperature: (scores / temperature).exp(),
        ),
        Mistake(
            "divided by the sum without the exponential: scores can be negative, weights cannot",
            lambda scores, temperature: (scores / temperature) / (scores / temperature).sum(dim=-1, keepdim=True),
        ),
        Mistake(
            "this is the logarithm of the weights: softmax, not log_softmax",
            lambda scores, temperature: (scores / temperature).log_softmax(dim=-1),
        ),
        Mistake(
            "the softmax ran over all cells at once: each row must sum to 1 by itself",
            lambda scores, temperature: (scores / temperature).flatten().softmax(dim=0).reshape(scores.shape),
        ),
        Mistake(
            "the softmax came twice: once makes weights of scores, a second time makes them nearly even",
            lambda scores, temperature: (scores / temperature).softmax(dim=-1).softmax(dim=-1),
        ),
        Mistake(
            "the sign is wrong: the lowest score got the highest weight",
            lambda scores, temperature: (-scores / temperature).softmax(dim=-1),
        ),
        Mistake(
            "argmax: all weight on the highest score; softmax shares it out",
            lambda scores, temperature: one_hot(scores.argmax(dim=-1), scores.shape[-1]).float(),
        ),
        Mistake(
            "sigmoid in place of the softmax: each weight was found by itself, so rows do not sum to 1",
            lambda scores, temperature: (scores / temperature).sigmoid(),
        ),
        Mistake(
            "sigmoid in place of the exponential: divided by their sum the rows sum to 1, but this is no softmax",
            lambda scores, temperature: _shares((scores / temperature).sigmoid()),
        ),
        Mistake(
            "2 was raised to the scores: softmax raises e, `exp`",
            lambda scores, temperature: _shares(2 ** (scores / temperature)),
        ),
        Mistake(
            "the scores were squared: softmax takes their exponentials, so that a low score gets less than a high one",
            lambda scores, temperature: _shares((scores / temperature) ** 2),
        ),
        Mistake(
            "the exponentials were divided by the highest of the row, not by their sum",
            lambda scores, temperature: (scores / temperature - (scores / temperature).amax(-1, keepdim=True)).exp(),
        ),
        Mistake(
            "the exponentials were divided by the number of keys, not by their sum",
            lambda scores, temperature: (scores / temperature).exp() / scores.shape[-1],
        ),
        Mistake(
            "you divided by the square root of the temperature: divide by the temperature itself",
            lambda scores, temperature: (scores / temperature**0.5).softmax(dim=-1),
        ),
        Mistake(
            "you divided by the temperature twice",
            lambda scores, temperature: (scores / temperature**2).softmax(dim=-1),
        ),
        Mistake(
            "these are the scores divided by the temperature: the softmax is missing",
            lambda scores, temperature: scores / temperature,
        ),
        Mistake("these are the scores as they came", lambda scores, temperature: scores.clone()),
        Mistake(
            "the temperature is missing, and the exponentials are not divided by their sum",
            lambda scores, temperature: scores.exp(),
        ),
        Mistake(
            "the temperature is missing, and the softmax ran over queries: each row must sum to 1",
            lambda scores, temperature: scores.softmax(dim=0),
        ),
        Mistake(
            "all keys of a query have the same weight: the scores do not count",
            lambda scores, temperature: torch.full_like(scores, 1 / scores.shape[-1]),
        ),
    ),
)
