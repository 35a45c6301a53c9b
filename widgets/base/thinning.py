"""Fewer values of the controls, where all combinations would be too many: which stay, and which come first."""

import json
from collections.abc import Iterable
from math import prod
from typing import Any

STEPS = 40  # values of a stepper, about where it stands: one more at each press, be there a thousand
KEEPS = {"slider": 3, "stepper": 3, "cell": 2, "button": 1}  # values kept at least, before a control is left out


def thinned(axes: dict[str, tuple[str, list]], start: dict, most: int) -> dict[str, list]:
    """The values of each control such that all combinations are at most `most`, or one: where the controls stand stays,
    and of those with most values every second one goes, until it fits; then whole controls go."""
    kept = {name: list(values) for name, (_, values) in axes.items()}
    while combinations(kept.values()) > max(most, 1):
        rest = [name for name in kept if len(kept[name]) > KEEPS.get(axes[name][0], len(kept[name]))]
        if rest:
            name = max(rest, key=lambda name: len(kept[name]))
            kept[name] = every_second(kept[name], start[name])
        else:
            longest = max(kept, key=lambda name: len(kept[name]))
            kept[longest] = [value for value in kept[longest] if same_text(value, start[longest])][:1]
            if not kept[longest]:
                del kept[longest]
    return kept


def combinations(lists: Iterable[list]) -> int:
    """How many combinations there are."""
    return prod(map(len, lists))


def every_second(values: list, start: Any) -> list:
    """Half of the values: the first, the last, and the one that the control stands at."""
    kept = {0, len(values) - 1, *range(0, len(values), 2)} if len(values) > 3 else {0}
    at = next((i for i, value in enumerate(values) if same_text(value, start)), 0)
    chosen = sorted(kept | {at})
    return [values[i] for i in chosen] if len(chosen) < len(values) else values[:-1]


def around(values: list, start: Any) -> list:
    """At most `STEPS` of the values, those about `start`."""
    at = next((i for i, value in enumerate(values) if same_text(value, start)), 0)
    first = max(0, min(at - STEPS // 2, len(values) - STEPS))
    return values[first : first + STEPS]


def ends_first(values: list) -> list:
    """The values in another order: both ends, the middle, the middles between these, and so on."""
    order: dict[int, None] = {}
    parts, last = 1, len(values) - 1
    while len(order) < len(values):
        order |= dict.fromkeys(round(i * last / parts) for i in range(parts + 1))
        parts *= 2
    return [values[i] for i in order]


def same_text(a: Any, b: Any) -> bool:
    """Whether two values of a state are the same on their way to the page."""
    return text_of(a) == text_of(b)


def text_of(value: Any) -> str:
    """A value as text: 1 and 1.0 are the same."""
    return json.dumps(_whole(value), sort_keys=True, default=repr)


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {str(name): _whole(item) for name, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, (list, tuple)) else value
