"""Records and their table."""

import json
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

LATEST = Path(__file__).parent / "latest.json"


class Record(NamedTuple):
    """One measured number and the most that it may be (None: only for comparison).

    spread: from lowest to highest. bare: what the bare text behind an ipywidgets slider took on this machine, for a
    limit in milliseconds of which a slow machine needs some for Jupyter alone.
    """

    name: str
    value: float
    limit: float | None
    unit: str
    spread: tuple[float, float] | None = None
    bare: float | None = None


def percentile(numbers: Iterable[float], share: float) -> float:
    """The smallest of `numbers` that is not exceeded by a `share` of them (nearest rank); nan where there are none."""
    ordered = sorted(numbers)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan


def latencies(
    name: str,
    rounds: list[list[float]],
    p50: float | None = None,
    p95: float | None = None,
    bare: list[list[float]] | None = None,
) -> list[Record]:
    """Two records of milliseconds over all rounds; the spread is that of the rounds. bare: rounds of the bare text."""
    together, beside = [[ms for one in many for ms in one] for many in (rounds, bare or [])]
    records = []
    for label, share, limit in (("p50", 0.5, p50), ("p95", 0.95, p95)):
        spread = span(percentile(one, share) for one in rounds)
        value, text = percentile(together, share), percentile(beside, share) if beside else None
        records.append(Record(f"{name}, {label}", value, limit, "ms", spread, text))
    return records


def span(numbers: Iterable[float]) -> tuple[float, float]:
    numbers = list(numbers)
    return min(numbers), max(numbers)


def verdict(record: Record) -> str:
    if record.limit is None:
        return ""
    return "ok" if record.value <= record.limit else "MORE"  # nan is not ok


def figures(number: float | None) -> str:
    if number is None:
        return ""
    return f"{number:.2f}" if abs(number) < 10 else f"{number:.1f}"


def table(records: list[Record]) -> str:
    """The records as text in columns."""
    head = ("what", "measured", "at most", "bare text", "unit", "spread", "")
    rows = [
        (
            r.name,
            figures(r.value),
            figures(r.limit),
            figures(r.bare),
            r.unit,
            " to ".join(map(figures, r.spread or ())),
            verdict(r),
        )
        for r in records
    ]
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    aligned = "  ".join(f"{{:{side}{width}}}" for side, width in zip("<>>><<<", widths, strict=True))
    return "\n".join(aligned.format(*row).rstrip() for row in [head, *rows])


def write(records: list[Record], path: Path = LATEST) -> None:
    """The records as JSON: a list of name, value, limit, unit. What could not be measured has no value.

    Whoever reads the file meanwhile, or stops the writing, has the old records or the new ones, never half of them.
    """
    plain = [
        {"name": r.name, "value": None if math.isnan(r.value) else r.value, "limit": r.limit, "unit": r.unit}
        for r in records
    ]
    new = path.with_suffix(".new")
    new.write_text(json.dumps(plain, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(new, path)
