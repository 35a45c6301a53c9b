"""Molecules: a reaction, the precursors above, the product below; an atom of the product lights those it reads."""

from collections.abc import Callable

import numpy as np
from ipywidgets import CallbackDispatcher
from traitlets import Dict, Int, List, TraitError, Unicode, validate

from widgets.base.instrument import Array, Fitting

NOTHING = {"labels": [], "places": [], "bonds": []}


class Molecules(Fitting):
    """Two drawings and what the atoms of the second weigh of the atoms of the first.

        molecules.show(
            precursors={"labels": ["C", "O"], "places": [[0, 0], [1, 0]], "bonds": [[0, 1, 1.0]]},
            product={"labels": ["O"], "places": [[0, 0]], "bonds": []},
            weights=[[0.1, 0.7]],
            right=[[1]],
        )

    places: in bond lengths. bonds: [one atom, another, how often bound]; 1.5 is the bond of an aromatic ring.
    An atom that nobody points at bears a number, and each atom above the numbers of those below that weigh it most.
    With `pens` the hand takes one and presses an atom of either drawing, or the blank beside it: `on_draw` is told.
    """

    bundle = "molecules"

    precursors = Dict(NOTHING, help="what is read: labels, places, bonds").tag(sync=True)
    product = Dict(NOTHING, help="what reads, in the same form").tag(sync=True)
    weights = Array(ndim=2, help="[atoms of the product, atoms of the precursors]")
    right = List(List(Int()), help="for each atom of the product the atoms that it may have been; [] unknown").tag(
        sync=True
    )
    selected = Int(-1, help="the atom of the product whose weights are shown; -1: none").tag(sync=True)
    titles = List(Unicode(), ["precursors", "product"], help="names of the two drawings").tag(sync=True)
    refused = Unicode("", help="why a pen could not draw, below the drawings").tag(sync=True)
    pens = List(Unicode(), help="what the hand can draw with, by the names on the buttons; none: it looks").tag(
        sync=True
    )

    def __init__(self, **traits) -> None:
        self._drawn = CallbackDispatcher()
        super().__init__(**traits)
        self.on_msg(self._hear)

    def on_draw(self, callback: Callable[[str, int, int], object]) -> None:
        """Call `callback(pen, side, atom)` when a pen has touched an atom; side: 0 precursors, 1 product; atom -1: the
        blank there."""
        self._drawn.register_callback(callback)

    def draw(self, pen: str, side: int, atom: int = -1) -> None:
        """Touch it from Python. Raises ValueError for a pen, a side or an atom that there is not."""
        atoms = [len(drawing["labels"]) for drawing in (self.precursors, self.product)]
        if pen not in self.pens or side not in (0, 1) or not -1 <= atom < atoms[side]:
            wanted = f"one of the pens {self.pens}, side 0 or 1 of {atoms} atoms"
            raise ValueError(f"expected {wanted}, got {pen!r}, {side}, {atom}")
        self._drawn(pen, side, atom)

    def _hear(self, _, content, buffers) -> None:
        if content.get("kind") == "action":
            self.draw(content["pen"], content["side"], content["atom"])

    @validate("precursors", "product")
    def _is_a_drawing(self, proposal) -> dict:
        name, given = proposal.trait.name, proposal.value
        count = len(given.get("labels", []))
        if given.keys() != NOTHING.keys() or len(given["places"]) != count:
            raise TraitError(f"{name}: expected labels, a place for each, and bonds, got {given}")
        if any(not 0 <= end < count for bond in given["bonds"] for end in bond[:2]):
            raise TraitError(f"{name}: expected bonds between atoms from 0 to {count - 1}, got {given['bonds']}")
        return given

    @validate("weights", "right", "selected")
    def _fits(self, proposal) -> object:
        name, given = proposal.trait.name, proposal.value
        rows, columns = (len(side["labels"]) for side in (self.product, self.precursors))
        if name == "weights" and given is not None and given.shape != (rows, columns):
            raise TraitError(f"weights: expected shape {(rows, columns)}, got {given.shape}")
        if name == "right" and given and len(given) != rows:
            raise TraitError(f"right: expected a list for each of {rows} atoms, or none, got {len(given)}")
        if name == "selected" and not -1 <= given < max(rows, 1):
            raise TraitError(f"selected: expected an atom from 0 to {rows - 1}, or -1, got {given}")
        return given

    @property
    def found(self) -> list[int]:
        """For each atom of the product the atom of the precursors that it weighs most."""
        return [] if self.weights is None else np.argmax(self.weights, axis=1).tolist()

    def __repr__(self) -> str:
        if not self.product["labels"]:
            return "Molecules(empty)"
        rows, columns = (len(side["labels"]) for side in (self.product, self.precursors))
        words = f"{rows} atoms of the product, {columns} of the precursors"
        if self.right:
            good = sum(one in some for one, some in zip(self.found, self.right, strict=True))
            words += f"; {good} of {rows} right"
        return f"Molecules({words})"
