"""Patches covered one by one, and the correlation of two orders. Of one picture [channels, height, width]."""

from collections.abc import Callable, Sequence

from torch import Tensor


def fall_of_logit(model: Callable[[Tensor], Tensor], image: Tensor, size: int, cover: int | float) -> list[float]:
    """model: one picture -> logits [classes]. Patch by patch, row by row."""
    logits = model(image)
    best = max(range(len(logits)), key=lambda c: logits[c])
    falls = []
    for top in range(0, image.shape[1], size):
        for left in range(0, image.shape[2], size):
            changed = image.clone()
            for row in range(top, top + size):
                for column in range(left, left + size):
                    changed[:, row, column] = cover
            falls.append((logits[best] - model(changed)[best]).item())
    return falls


def ranks(numbers: Sequence[float]) -> list[float]:
    """The place of each number in the sorted list, from 0; equal numbers share the mean of their places."""
    ordered = sorted(numbers)
    found = []
    for number in numbers:
        places = [place for place, other in enumerate(ordered) if other == number]
        found.append(sum(places) / len(places))
    return found


def rank_correlation(x: Sequence[float], y: Sequence[float]) -> float:
    """The covariance of the ranks by the roots of their variances; 0 where all numbers of a list are equal."""
    a, b = ranks(x), ranks(y)
    mean = (len(x) - 1) / 2
    together = sum((p - mean) * (q - mean) for p, q in zip(a, b, strict=True))
    own = [sum((p - mean) ** 2 for p in c) for c in (a, b)]
    return together / (own[0] * own[1]) ** 0.5 if all(own) else 0.0
