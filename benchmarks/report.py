"""Records and their table."""

import json
import math
from pathlib import Path
from typing import NamedTuple

LATEST = Path(__file__).parent / "latest.json"


class Record(NamedTuple):
    """One measured number and the most that it may be (None: only for comparison). `spread`: from lowest to highest."""

    name: str
    value: float
    limit: float | None
    unit: str
    spread: tuple[float, float] | None = None


def percentile(numbers, share: float) -> float:
    """The smallest of `numbers` that is not exceeded by a `share` of them (nearest rank); nan where there are none."""
    ordered = sorted(numbers)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan


def latencies(name: str, rounds: list[list[float]], p50=None, p95=None) -> list[Record]:
    """Two records of milliseconds over all rounds; the spread is that of the rounds."""
    together = [ms for one in rounds for ms in one]
    records = []
    for label, share, limit in (("p50", 0.5, p50), ("p95", 0.95, p95)):
        spread = span(percentile(one, share) for one in rounds)
        records.append(Record(f"{name}, {label}", percentile(together, share), limit, "ms", spread))
    return records


def span(numbers) -> tuple[float, float]:
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
    head = ("what", "measured", "at most", "unit", "spread", "")
    rows = [
        (r.name, figures(r.value), figures(r.limit), r.unit, " to ".join(map(figures, r.spread or ())), verdict(r))
        for r in records
    ]
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    aligned = "  ".join(f"{{:{side}{width}}}" for side, width in zip("<>><<<", widths, strict=True))
    return "\n".join(aligned.format(*row).rstrip() for row in [head, *rows])


def write(records: list[Record], path: Path = LATEST) -> None:
    """The records as JSON: a list of name, value, limit, unit. What could not be measured has no value."""
    plain = [
        {"name": r.name, "value": None if math.isnan(r.value) else r.value, "limit": r.limit, "unit": r.unit}
        for r in records
    ]
    path.write_text(json.dumps(plain, indent=1, ensure_ascii=False) + "\n")
