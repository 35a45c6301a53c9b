"""A logarithmic axis that suits the numbers on it."""

import math

import torch


def log_axis(numbers: torch.Tensor, least: int = 3) -> dict:
    """Plotly's settings of an axis for positive numbers: whole powers of ten, at least so many, so that flat looks
    flat."""
    logs = numbers[numbers.isfinite() & (numbers > 0)].log10()
    if not len(logs):
        return {"range": [-1, least - 1], "dtick": 1}
    low, high = math.floor(float(logs.min())), math.ceil(float(logs.max()))
    short = max(0, least - (high - low))
    low, high = low - (short + 1) // 2, high + short // 2
    return {"range": [low, high + 0.1], "dtick": math.ceil((high - low) / 6)}
