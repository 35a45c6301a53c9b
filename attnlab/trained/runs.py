"""What the scripts beside this file do alike: train to the end, and count what is right."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from torch import Generator, Tensor, nn

from attnlab.decoding import exact
from attnlab.training import fit

Model = TypeVar("Model", bound=nn.Module)
Found = TypeVar("Found")


def fitted(model: Model, loss: Callable[[Generator], Tensor], *settings: Any) -> Model:
    """The model, when `fit(model, loss, *settings)` has taken its last step."""
    for _ in fit(model, loss, *settings):
        pass
    return model


def at_best_rate(
    run: Callable[[float, int], Found], rates: Sequence[float], seeds: Sequence[int], cost: Callable[[Found], float]
) -> tuple[dict[float, Found], float, list[Found]]:
    """{rate: what `run` finds with the first seed}, the rate of the least cost, what all seeds find there."""
    tried = {rate: run(rate, seeds[0]) for rate in rates}
    best = min(tried, key=lambda rate: cost(tried[rate]))
    return tried, best, [tried[best], *(run(best, seed) for seed in seeds[1:])]


def rounded(numbers: dict[str, float]) -> dict[str, float]:
    """With four decimals."""
    return {name: round(number, 4) for name, number in numbers.items()}


def share_exact(model: nn.Module, batch: tuple) -> float:
    """Of the texts in a batch, the share that the model writes without a mistake, with four decimals."""
    return round(float(exact(model, *batch).float().mean()), 4)


def share_right(said: Tensor, right: Tensor) -> float:
    """The share of answers that are the right ones, with three decimals."""
    return round((said == right).double().mean().item(), 3)
