"""What several instruments ask of their traits: what was expected and what came, in words; None where it fits."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import Any

import numpy as np
from traitlets import TraitError


def check_names(kind: str, names: Iterable[str], known: Collection[str]) -> None:
    """Raises TypeError for a name that a thing of this kind has not, with the one that may have been meant."""
    for name in sorted(set(names) - set(known)):
        near = get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise TypeError(f"{kind} has no {name!r}, it has {', '.join(known)}{hint}")


def pairs(given: Any, name: str, of: str) -> list[tuple]:
    """The pairs of a dict, or of a list of them. Raises `TraitError` for anything else. of: names a pair."""
    found = list(given.items() if isinstance(given, dict) else given) if isinstance(given, Iterable) else [given]
    for one in found:
        if not (isinstance(one, list | tuple) and len(one) == 2):
            raise TraitError(f"{name}: expected pairs {of}, got {one!r}")
    return [tuple(one) for one in found]


def miscounted(names, many: int, what: str) -> str | None:
    """Unless there are as many as there should be, or none. what: names them, "labels, one a query"."""
    return f"{many} {what}, or none, got {len(names)}" if names and len(names) != many else None


def misordered(order, size: int) -> str | None:
    """Unless it is another order of so many things, or none."""
    right = not order or sorted(order) == list(range(size))
    return None if right else f"each of 0 to {size - 1} once, or none, got {order}"


def edited(name) -> tuple[int, int]:
    """Which numbers a name in `edits` speaks of: '3' is (0, 3), row or frame 3 of panel 0; '1:3' is that of panel 1.
    Raises ValueError for other names."""
    panel, _, at = str(name).rpartition(":")
    return int(panel or 0), int(at)


def shares_out(row: np.ndarray, size: int, total: float = 1.0) -> bool:
    """Whether these are `size` weights, none of them below 0, that sum to `total`; to any sum where that is NaN."""
    good = row.shape == (size,) and np.isfinite(row).all() and row.min() >= -1e-6
    return bool(good and not abs(row.sum() - total) > 1e-3)
