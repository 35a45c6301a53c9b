"""HeadMap: every head of a model as a small picture, a row for each layer; one is chosen, any can be switched off."""

import numpy as np
from traitlets import Bytes, Int, List, TraitError, Unicode, observe, validate

from widgets.base.instrument import Fitting, numpy_of

SIDE = 24  # cells of a small picture, at most


class HeadMap(Fitting):
    """Small pictures of weights, to see at a glance which head is worth a look.

        from widgets.instruments.head_map.head_map import HeadMap, thumbnails

        heads = HeadMap()
        heads.show(**thumbnails([layer_0, layer_1], names=["layer 1", "layer 2"]))   # weights [heads, queries, keys]
        heads.chosen      # [row, head]
        heads.off         # [[row, head], ...], switched off by hand

    Errors: `TraitError` for bytes that do not fit the counts, and for a head that there is not.
    """

    bundle = "head_map"

    rows = List(Unicode(), help="one name a layer").tag(sync=True)
    counts = List(Int(), help="how many heads each layer has").tag(sync=True)
    side = Int(1, min=1, help="cells of a small picture, across and down").tag(sync=True)
    cells = Bytes(help="[heads of all layers, side, side]: weights from 0 to 255").tag(sync=True)
    chosen = List(Int(), help="[row, head]; [] nothing").tag(sync=True)
    off = List(List(Int()), help="[row, head] of each head that is off").tag(sync=True)
    changed = List(List(Int()), help="[row, head] of each head whose weights were changed by hand").tag(sync=True)

    @validate("rows", "counts", "side", "cells", "chosen", "off", "changed")
    def _fits(self, proposal) -> object:
        name, value = proposal.trait.name, proposal.value
        now = {**{trait: getattr(self, trait) for trait in ("rows", "counts", "side", "cells")}, name: value}
        if len(now["rows"]) != len(now["counts"]):
            raise TraitError(f"{name}: expected a count for each of {len(now['rows'])} rows, got {now['counts']}")
        if name in ("rows", "counts", "side", "cells"):
            expected = sum(now["counts"]) * now["side"] ** 2
            if len(now["cells"]) != expected:
                raise TraitError(f"{name}: expected {expected} cells, got {len(now['cells'])}")
        for head in [value] if name == "chosen" and value else value if name in ("off", "changed") else []:
            if not (len(head) == 2 and 0 <= head[0] < len(self.counts) and 0 <= head[1] < self.counts[head[0]]):
                raise TraitError(f"{name}: expected [row, head] within rows of {self.counts} heads, got {head}")
        return sorted(value) if name in ("off", "changed") else value

    @observe("counts")
    def _forget(self, change) -> None:
        """Heads that there are no longer are neither chosen nor off."""
        there = self.offers("chosen")
        if self.chosen not in there:
            self.chosen = []
        for name in ("off", "changed"):
            setattr(self, name, [head for head in getattr(self, name) if head in there])

    def offers(self, trait) -> list:
        """Every head may be chosen."""
        if trait != "chosen":
            return []
        return [[row, head] for row, count in enumerate(self.counts) for head in range(count)]

    def __repr__(self) -> str:
        heads = f"{sum(self.counts)} heads in {len(self.rows)} rows"
        chosen = f"; chosen {self.rows[self.chosen[0]]}, head {self.chosen[1] + 1}" if self.chosen else ""
        off = "".join(f"; off {self.rows[row]}, head {head + 1}" for row, head in self.off)
        return f"HeadMap({heads}{chosen}{off})"


def thumbnails(layers, names) -> dict:
    """The traits that show these weights: of each layer [heads, queries, keys].

    A small picture has a cell for the largest weight of each block of queries and keys: a thin line stays a line.
    """
    layers = [np.asarray(numpy_of(layer), dtype=np.float32) for layer in layers]
    side = min(SIDE, max(max(layer.shape[1:]) for layer in layers))
    small = [largest(largest(layer, 1, side), 2, side) for layer in layers]
    cells = np.concatenate([np.nan_to_num(one, nan=0.0).clip(0, 1).reshape(-1) for one in small])
    return {
        "rows": list(names),
        "counts": [len(layer) for layer in layers],
        "side": side,
        "cells": np.rint(255 * cells).astype(np.uint8).tobytes(),
    }


def largest(values, axis: int, side: int) -> np.ndarray:
    """The largest of each of `side` blocks along an axis, as even as can be; of too few values some repeat."""
    length = values.shape[axis]
    starts = np.arange(side) * length // side
    if length >= side:
        return np.maximum.reduceat(values, starts, axis=axis)
    return np.take(values, starts, axis=axis)
