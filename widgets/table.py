"""Table: rows to compare, sorted by the column whose head is pressed; repeated measurements as mean, bar and range."""

import math

from traitlets import Bool, Dict, List, TraitError, Unicode, validate

from .instrument import Instrument, script, style
from .words import number


class Table(Instrument):
    """Columns of equal length, one row for each of what is compared.

        Table({"score": ["dot", "general"], "parameters": [0, 1024], "right": [[0.9, 1.0], [1.0, 1.0]]}, sort="right")

    An entry is a text, a number, or a list of repeated measurements between 0 and 1: these are shown by their mean, a
    bar, and the range from the lowest to the highest. `roles` gives columns of measurements the colour of a role.
    Errors: `TraitError` for columns of different lengths, and for a sort by no column.
    """

    _esm = script("table")
    _css = style("table")

    columns = Dict(help="{name: entries}").tag(sync=True)
    roles = Dict(help="{name: role} of columns of measurements").tag(sync=True)
    sort = Unicode("", help="the column that the rows are sorted by; empty: as given").tag(sync=True)
    descending = Bool(True, help="the largest first").tag(sync=True)
    title = Unicode("", help="what is compared").tag(sync=True)
    order = List(help="the rows from top to bottom; the page follows it").tag(sync=True)

    def __init__(self, columns, **traits):
        plain = {name: [_plain(entry) for entry in entries] for name, entries in columns.items()}
        super().__init__(columns=plain, **traits)
        self._sorted()
        self.observe(self._sorted, ["columns", "sort", "descending"])

    @validate("columns")
    def _of_one_length(self, proposal):
        lengths = {name: len(entries) for name, entries in proposal.value.items()}
        if len(set(lengths.values())) > 1:
            raise TraitError(f"columns: expected columns of one length, got {lengths}")
        return proposal.value

    @validate("sort")
    def _known(self, proposal):
        if proposal.value and proposal.value not in self.columns:
            raise TraitError(f"sort: expected one of {list(self.columns)}, got {proposal.value!r}")
        return proposal.value

    def _sorted(self, change=None):
        entries = self.columns.get(self.sort, [])
        count = len(next(iter(self.columns.values()), []))
        self.order = sorted(range(count), key=lambda i: mean(entries[i]) if entries else i,
                            reverse=bool(entries) and self.descending)

    def __repr__(self):
        rows = len(next(iter(self.columns.values()), []))
        title = f"{self.title}: " if self.title else ""
        return f"Table({title}{rows} rows of {', '.join(self.columns)})"

    @property
    def still_size(self):
        return 7.5, 0.5 + 0.32 * len(self.order)

    def still(self, axes):
        if not self.order:
            return False
        cells = [[_words(entries[row]) for entries in self.columns.values()] for row in self.order]
        drawn = axes.table(cells, colLabels=list(self.columns), loc="center", cellLoc="left", edges="horizontal")
        drawn.auto_set_font_size(False)
        drawn.set_fontsize(8)
        drawn.auto_set_column_width(range(len(self.columns)))
        drawn.scale(1, 1.35)
        axes.axis("off")


def mean(entry):
    """What an entry is sorted by."""
    return math.fsum(entry) / len(entry) if isinstance(entry, list) else entry


def _words(entry) -> str:
    if isinstance(entry, list):
        return f"{number(mean(entry))}  ({number(min(entry))} to {number(max(entry))})"
    return entry if isinstance(entry, str) else f"{entry:g}"


def _plain(entry):
    if isinstance(entry, str | int):
        return entry
    return float(entry) if isinstance(entry, float) else [float(x) for x in entry]
