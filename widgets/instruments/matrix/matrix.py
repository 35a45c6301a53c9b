"""Matrix: attention weights or scores, queries by keys, to look at, to select in and to change by hand."""

from itertools import product

import numpy as np
from ipywidgets import CallbackDispatcher
from traitlets import Bool, Dict, Enum, Float, Int, List, TraitError, Unicode, observe, validate

from widgets.base.instrument import Array, Fitting
from widgets.base.misfits import edited, miscounted, misordered, shares_out
from widgets.base.words import number, shortened


class Padded(Array):
    """An array of at least two axes (of one for a `least` of 1), stored with leading axes of length 1 up to `axes`."""

    def __init__(self, axes: int, least: int = 2, **kwargs) -> None:
        self.axes, self.least = axes, least
        super().__init__(**kwargs)

    def validate(self, obj, value) -> np.ndarray:
        array = super().validate(obj, value)
        if not self.least <= array.ndim <= self.axes:
            raise TraitError(f"{self.name}: expected {self.least} to {self.axes} axes, got shape {array.shape}")
        return array.reshape((1,) * (self.axes - array.ndim) + array.shape)


def _shape(array, *shapes) -> str | None:
    if array is None or array.shape in shapes:
        return None
    return f"shape {' or '.join(dict.fromkeys(map(_bare, shapes)))}, got {_bare(array.shape)}"


def _bare(shape) -> str:
    """A shape in words, without the leading axes that padding put there."""
    lead = next((i for i in range(len(shape) - 2) if shape[i] != 1), len(shape) - 2)
    return str(tuple(shape[lead:]))


def _groups(groups, size) -> str | None:
    for group in groups:
        form = len(group) == 3 and isinstance(group[2], str) and all(isinstance(end, int) for end in group[:2])
        if not form or not 0 <= group[0] < group[1] <= size:
            return f"[start, stop, name] with 0 <= start < stop <= {size}, got {group}"
    return None


def _cells(cells, queries, keys) -> str | None:
    for cell in cells:
        if len(cell) != 2 or not (0 <= cell[0] < queries and 0 <= cell[1] < keys):
            return f"[query, key] within {queries} queries and {keys} keys, got {cell}"
    return None


def _selectable(selected, panels, queries, keys) -> bool:
    if len(selected) != 3:
        return not selected
    panel, query, key = selected
    return 0 <= panel < panels and -1 <= query < queries and -1 <= key < keys and max(query, key) >= 0


def _selection(selected, frames, panels, queries, keys) -> str | None:
    if _selectable(selected, panels, queries, keys):
        return None
    return (
        f"[panel, query, key] within {panels} panels, {queries} queries and {keys} keys "
        f"(-1 for a whole row or column), or [], got {selected}"
    )


def _edits(edits, frames, panels, queries, keys) -> str | None:
    for name, row in edits.items():
        try:
            panel, query = edited(name)
        except ValueError:
            return f"names such as '3', or '1:3' for query 3 of panel 1, got {name!r}"
        if not (0 <= panel < panels and 0 <= query < queries):
            return f"rows within {panels} panels and {queries} queries, got {name!r}"
        weights = np.asarray(row, dtype=float)
        if not shares_out(weights, keys):
            return f"{keys} weights that sum to 1 in row {name!r}, got {len(row)} that sum to {weights.sum():.3g}"
    return None


# What must follow the shape of the values: from the trait and the frames, panels, queries, keys to what is expected.
FOLLOW = {
    "query_labels": lambda labels, f, p, q, k: miscounted(labels, q, "labels, one a query"),
    "key_labels": lambda labels, f, p, q, k: miscounted(labels, k, "labels, one a key"),
    "panel_names": lambda names, f, p, q, k: miscounted(names, p, "names, one a panel"),
    "frame_names": lambda names, f, p, q, k: miscounted(names, f, "names, one a frame"),
    "scores": lambda scores, f, p, q, k: _shape(scores, (f, p, q, k)),
    "mask": lambda mask, f, p, q, k: _shape(mask, (1, q, k), (p, q, k)),
    "query_groups": lambda groups, f, p, q, k: _groups(groups, q),
    "key_groups": lambda groups, f, p, q, k: _groups(groups, k),
    "marked": lambda marked, f, p, q, k: _cells(marked, q, k),
}
# What points into the values, and is dropped where they take another shape.
POINT = {
    "frame": lambda frame, f, p, q, k: None if 0 <= frame < max(f, 1) else f"a frame of 0 to {f - 1}, got {frame}",
    "current": lambda query, f, p, q, k: None if -1 <= query < q else f"a query of 0 to {q - 1}, or -1, got {query}",
    "produced": lambda query, f, p, q, k: None if -1 <= query < q else f"a query of 0 to {q - 1}, or -1, got {query}",
    "selected": _selection,
    "edits": _edits,
    "query_order": lambda order, f, p, q, k: misordered(order, q),
    "key_order": lambda order, f, p, q, k: misordered(order, k),
}


class Matrix(Fitting):
    """One or more panels (heads) of `queries x keys` numbers, with frames to scrub, a selection and three ways to edit.

        matrix = Matrix(weights, query_labels=["the", "cat"], key_labels=["le", "chat"])
        matrix.selected = [0, 1, 1]                       # panel, query, key
        matrix.show(values=other, query_labels=[...])     # several at once, checked together

    Shapes are checked against each other; a misfit raises `TraitError` with what was expected and what came.
    Values need not be finite: the page draws not-a-number and infinity as such.
    """

    bundle = "matrix"

    values = Padded(4, help="[frames, panels, queries, keys]; two and three axes are taken as one panel or one frame")
    scores = Padded(4, help="the scores behind the weights, same shape, for the read-out")
    mask = Padded(3, help="[panels or 1, queries, keys], nonzero = may attend; the rest is hatched")
    query_labels = List(Unicode(), help="one word a row, or none for numbers").tag(sync=True)
    key_labels = List(Unicode(), help="one word a column, or none for numbers").tag(sync=True)
    panel_names = List(Unicode(), help="one name a panel, or none").tag(sync=True)
    query_title = Unicode("queries").tag(sync=True)
    key_title = Unicode("keys").tag(sync=True)
    query_groups = List(List(), help="[start, stop, name] of rows, stop excluded").tag(sync=True)
    key_groups = List(List(), help="[start, stop, name] of columns, stop excluded").tag(sync=True)
    scale = Enum(["weights", "scores"], "weights", help="weights 0..1, or scores around zero").tag(sync=True)
    measure = Unicode("", help='what the values are, where rows do not attend to columns: "chance"').tag(sync=True)
    limit = Float(0.0, min=0.0, help="the scores' greatest colour; 0 = found, and still during a drag").tag(sync=True)
    frame = Int(0, min=0, help="the frame that is shown").tag(sync=True)
    frame_names = List(Unicode(), help="one name a frame, or none").tag(sync=True)
    selected = List(Int(), help="[panel, query, key]; -1 as query or key: all of them; [] nothing").tag(sync=True)
    current = Int(-1, help="the query now written; -1 none").tag(sync=True)
    produced = Int(-1, help="queries after this one are faded; -1 = all are produced").tag(sync=True)
    marked = List(List(Int()), help="[query, key] of cells with a frame, such as the right ones").tag(sync=True)
    row_bars = Bool(False, help="the selected row as bars under the matrix").tag(sync=True)
    editing = Enum(["", "mask", "weights", "order"], "", help="what the hand may change").tag(sync=True)
    edits = Dict(help="{query: [weights]} by hand; in panel p > 0 the name is 'p:query'").tag(sync=True)
    query_order = List(Int(), help="which query stands at each row; [] = as given").tag(sync=True)
    key_order = List(Int(), help="which key stands at each column; [] = as given").tag(sync=True)
    distribution_title = List(List(), help="runs [text, role] above the distribution").tag(sync=True)
    distribution_labels = List(Unicode()).tag(sync=True)
    distribution = Padded(2, least=1, help="[frames or 1, labels]: probabilities in the side column")
    distribution_chosen = Int(-1, help="the label that was chosen; -1 none").tag(sync=True)
    action = Unicode("", help="label of the button that appears when something was edited").tag(sync=True)

    def __init__(self, values=None, **traits) -> None:
        self._pressed = CallbackDispatcher()
        super().__init__(values=values, **traits)
        self.on_msg(self._hear)

    # --- the hand's wishes ---

    def on_action(self, callback, remove=False) -> None:
        """Call `callback(matrix)` when the action's button is pressed."""
        self._pressed.register_callback(callback, remove=remove)

    def press(self) -> None:
        """Press the action's button from Python."""
        self._pressed(self)

    def _hear(self, _, content, buffers) -> None:
        if content.get("kind") == "action":
            self.press()

    def offers(self, trait) -> list:
        """What may be selected: nothing, a row, a column, a cell."""
        if trait != "selected" or self.values is None:
            return []
        _, panels, queries, keys = self.values.shape
        places = product(range(panels), range(-1, queries), range(-1, keys))
        return [[], *([*place] for place in places if max(place[1:]) >= 0)]

    # --- what is seen ---

    @property
    def shown(self) -> np.ndarray:
        """[panels, queries, keys]: the frame that is shown, with what the hand edited, in the data's own order."""
        shown = self.values[self.frame].copy()
        for name, row in self.edits.items():
            shown[edited(name)] = row
        return shown

    # --- checks ---

    @validate("values", *FOLLOW, *POINT)
    def _fits(self, proposal) -> object:
        """Whatever follows the values' shape is checked with them, whatever points into them when it changes itself."""
        name, value = proposal.trait.name, proposal.value
        values = value if name == "values" else self.values
        if values is None:
            return value
        for trait in FOLLOW if name == "values" else [name]:
            checked = value if trait == name else getattr(self, trait)
            if reason := (FOLLOW | POINT)[trait](checked, *values.shape):
                raise TraitError(f"{trait}: expected {reason}")
        return value

    @validate("distribution", "distribution_labels")
    def _distribution_fits(self, proposal) -> object:
        labels, numbers = self.distribution_labels, self.distribution
        if proposal.trait.name == "distribution":
            numbers = proposal.value
        else:
            labels = proposal.value
        if numbers is not None and labels and len(labels) != numbers.shape[1]:
            raise TraitError(f"distribution: expected one number a label, {len(labels)}, got shape {numbers.shape}")
        return proposal.value

    @observe("values")
    def _forget(self, change) -> None:
        """What pointed into a matrix of another shape is dropped."""
        if change.new is None:
            return
        for name, misfit in POINT.items():
            if misfit(getattr(self, name), *change.new.shape):
                setattr(self, name, self.traits()[name].default())

    # --- in words ---

    def __repr__(self) -> str:
        if self.values is None:
            return "Matrix(empty)"
        frames, panels, queries, keys = self.values.shape
        rows = f"{queries} queries" if self.query_title == "queries" else f"{queries} rows ({self.query_title})"
        columns = f"{keys} keys" if self.key_title == "keys" else f"{keys} columns ({self.key_title})"
        words = f"{rows} x {columns}"
        if panels > 1:
            words = f"{panels} panels of {words}"
        if frames > 1:
            name = f" {self._name(self.frame_names, self.frame)}" if self.frame_names else f" {self.frame + 1}"
            words += f", frame{name} of {frames}"
        return f"Matrix({self.measure or self.scale}, {words}{self._selected_words()})"

    def _selected_words(self) -> str:
        if not self.selected:
            return ""
        panel, query, key = self.selected
        where = f"{self._name(self.panel_names, panel)}: " if self.values.shape[1] > 1 else ""
        names = [self._name(self.query_labels, query), self._name(self.key_labels, key)]
        if query < 0 or key < 0:
            return f"; selected {where}{f'row {names[0]}' if key < 0 else f'column {names[1]}'}"
        masked = self.mask is not None and not self.mask[panel % len(self.mask), query, key]
        value = "masked" if masked else number(self.shown[panel, query, key])
        return f"; selected {where}{names[0]} -> {names[1]}: {value}"

    @staticmethod
    def _name(labels, index) -> str:
        if not labels or index < 0:
            return str(index + 1)
        return f'"{shortened(labels[index], 40)}"'
