"""Table: rows to compare, sorted by the column whose head is pressed; repeated measurements as mean, bar and range."""

import math
from collections.abc import Iterable
from typing import Any

from traitlets import Bool, Dict, List, TraitError, Unicode, validate

from widgets.base.instrument import Instrument


class Table(Instrument):
    """Columns of equal length, one row for each of what is compared.

        Table({"score": ["dot", "general"], "parameters": [0, 1024], "right": [[0.9, 1.0], [1.0, 1.0]]}, sort="right")

    An entry is a text, a number, a list of repeated measurements, or None for what cannot be measured. Measurements are
    shown by their mean, the range from the lowest to the highest, and a bar from 0 to 1, or in a column with larger
    numbers to the largest. What is below 0 has none.
    `roles` gives columns of measurements the colour of a role.
    Errors: `TraitError` for columns of different lengths, for measurements that are not finite, or none, and for a sort
    by no column.
    """

    bundle = "table"

    columns = Dict(help="{name: entries}").tag(sync=True)
    roles = Dict(help="{name: role} of columns of measurements").tag(sync=True)
    sort = Unicode("", help="the column that the rows are sorted by; empty: as given").tag(sync=True)
    descending = Bool(True, help="the largest first").tag(sync=True)
    title = Unicode("", help="what is compared").tag(sync=True)
    order = List(help="the rows from top to bottom; the page follows it").tag(sync=True)

    def __init__(self, columns, **traits) -> None:
        super().__init__(columns=_plain_columns(columns), **traits)
        self._sorted()
        self.observe(self._sorted, ["columns", "sort", "descending"])

    @validate("columns")
    def _of_one_length(self, proposal) -> object:
        lengths = {name: len(entries) for name, entries in proposal.value.items()}
        if len(set(lengths.values())) > 1:
            raise TraitError(f"columns: expected columns of one length, got {lengths}")
        return proposal.value

    @validate("sort")
    def _known(self, proposal) -> object:
        if proposal.value and proposal.value not in self.columns:
            raise TraitError(f"sort: expected one of {list(self.columns)}, got {proposal.value!r}")
        return proposal.value

    def _sorted(self, change=None) -> None:
        self.order = self._order(self.sort, self.descending)

    def _order(self, sort: str, descending: bool) -> list[int]:
        entries = self.columns.get(sort, [])
        count = len(next(iter(self.columns.values()), []))
        rows = [row for row in range(count) if not entries or entries[row] is not None]
        there = sorted(rows, key=lambda i: _rank(entries[i]) if entries else i, reverse=bool(entries) and descending)
        return there + [row for row in range(count) if row not in rows]

    def offline(self) -> dict:
        """The orders that a page without a kernel may be asked for."""
        told = [
            [[sort, descending], {self.model_id: {"order": self._order(sort, descending)}}]
            for sort in self.columns
            for descending in (False, True)
        ]
        return {"kind": "table", "parts": [], "traits": ["sort", "descending"], "told": told}

    def __repr__(self) -> str:
        rows = len(next(iter(self.columns.values()), []))
        title = f"{self.title}: " if self.title else ""
        return f"Table({title}{rows} rows of {', '.join(self.columns)})"


def mean(entry) -> Any:
    """What an entry is sorted by."""
    return math.fsum(entry) / len(entry) if isinstance(entry, list) else entry


def _rank(entry) -> tuple[bool, Any]:
    """Numbers before texts."""
    return isinstance(entry, str), mean(entry)


def _plain_columns(columns) -> dict[str, list]:
    if not isinstance(columns, dict):
        raise TraitError(f"columns: expected {{name: entries}}, got {columns!r}")
    for name, entries in columns.items():
        if isinstance(entries, str) or not isinstance(entries, Iterable):
            raise TraitError(f"columns: expected a list of entries for {name!r}, got {entries!r}")
    return {name: [_plain(entry) for entry in entries] for name, entries in columns.items()}


def _plain(entry) -> str | int | float | list[float] | None:
    if hasattr(entry, "item") and not getattr(entry, "ndim", 0):  # a number of numpy or torch
        entry = entry.item()
    if entry is None or isinstance(entry, str | int | float):
        return entry
    measured = [float(x) for x in entry]
    if not measured or not all(map(math.isfinite, measured)):
        raise TraitError(f"columns: expected finite measurements, one or more, got {measured}")
    return measured
