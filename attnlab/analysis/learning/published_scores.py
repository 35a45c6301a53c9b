"""What pre-trained models scored on eight tasks of language, as the papers that the lectures quote have printed it."""

from typing import NamedTuple

from attnlab.checks import checked
from attnlab.registry import Table

EXAMPLES: dict[str, int] = Table({
    "MNLI": 392_000,
    "QQP": 363_000,
    "QNLI": 108_000,
    "SST-2": 67_000,
    "CoLA": 8_500,
    "STS-B": 5_700,
    "MRPC": 3_500,
    "RTE": 2_500,
})
"""Labelled examples that there are to learn each task from: second line of table 1 of Devlin et al. 2019."""

GPT_ABLATIONS: dict[str, tuple[float, ...]] = Table({
    "Transformer, pre-trained": (81.8, 70.3, 88.1, 91.3, 45.4, 82.0, 82.3, 56.0),
    "Transformer, not pre-trained": (75.7, 65.5, 71.2, 84.0, 18.9, 30.9, 79.4, 53.8),
    "Transformer, no second objective": (81.1, 69.8, 86.9, 92.0, 47.9, 83.2, 84.9, 54.4),
    "LSTM, pre-trained": (73.7, 68.1, 81.1, 90.5, 30.3, 71.8, 83.2, 54.6),
})
"""Scores x 100 in the order of `EXAMPLES`: accuracy; F1 of QQP and MRPC; correlation of STS-B, and
Matthews' of CoLA.

**Source:** Radford et al. 2018, table 5.
"""

GLUE: dict[str, tuple[float, ...]] = Table({
    "best before": (80.6, 66.1, 82.3, 93.2, 35.0, 81.0, 86.0, 61.7),
    "BiLSTM + ELMo": (76.4, 64.8, 79.8, 90.4, 36.0, 73.3, 84.9, 56.8),
    "GPT": (82.1, 70.3, 87.4, 91.3, 45.4, 80.0, 82.3, 56.0),
    "BERT, base": (84.6, 71.2, 90.5, 93.5, 52.1, 85.8, 88.9, 66.4),
    "BERT, large": (86.7, 72.1, 92.7, 94.9, 60.5, 86.5, 89.3, 70.1),
})
"""The same on the server's test; MNLI: matched. **Source:** Devlin et al. 2019, table 1."""


class Gains(NamedTuple):
    """Of each task: how many examples there are, and by how many points the second model is better. mean: of all."""

    tasks: list[str]
    examples: list[int]
    points: list[float]
    mean: float


@checked
def gains(before: tuple[float, ...], after: tuple[float, ...]) -> Gains:
    """By how much each task gains. Raises ValueError where a task has no score."""
    if not len(before) == len(after) == len(EXAMPLES):
        raise ValueError(f"expected {len(EXAMPLES)} scores each, got {len(before)} and {len(after)}")
    points = [round(new - old, 1) for old, new in zip(before, after, strict=True)]
    return Gains(list(EXAMPLES), list(EXAMPLES.values()), points, sum(points) / len(points))
