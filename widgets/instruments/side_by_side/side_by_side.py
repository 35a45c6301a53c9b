"""Two side by side: an explorer twice, with something changed between them, and where their matrices differ."""

from typing import Any

import numpy as np
from ipywidgets import HBox, VBox

from widgets.base.caption import Caption
from widgets.base.explorer import Explorer, replace_earlier, same
from widgets.base.instrument import InWords, leave_boxes
from widgets.base.words import number, one_or_more, plain, quote, say, shortened
from widgets.instruments.matrix.matrix import Matrix

HALF = {"flex": "1 1 440px", "min_width": "0"}


class SideBySide(InWords, VBox):
    """Two of one explorer. What is changed between them stays changed; all other controls move both.

        SideBySide(TemperatureExplorer(), TemperatureExplorer(temperature=3.0))
        SideBySide(explorer, explorer.twin(off=["blocks.0.attention:1"]))
        SideBySide(HeadViewExplorer(trained, text), HeadViewExplorer(untrained, text))

    Below them, for every `Matrix` of their picture, right less left. A picture without one is compared by eye.
    An explorer that stood in another pair leaves it: that one is closed.
    Raises ValueError for explorers of different kinds, and for one explorer given twice.
    """

    def __init__(self, left: Explorer, right: Explorer) -> None:
        if type(left) is not type(right) or left is right:
            raise ValueError(f"expected two of one explorer, got {type(left).__name__} and {type(right).__name__}")
        super().__init__()
        replace_earlier(self)  # first: what it closes gives its explorers back
        for side in (left, right):
            if side.page.watched:
                side.page.watched.close()
        self.left, self.right = left, right
        self._before = left.lock, right.lock, right.parts["controls"].spec
        left.lock = right.lock = BothLocks(left.lock, right.lock)  # one hand moves both
        states = [vars(side.state) for side in (left, right)]
        self.changed = [name for name in left.initial if not alike(states[0][name], states[1][name])]
        self.shared = [name for name in left.initial if name not in self.changed]
        bar = right.parts["controls"]
        bar.spec = [{**spec, "more": False} for spec in bar.spec if spec["name"] in self.changed]
        self.heading, self.caption = Caption(), Caption()
        self.matrices = [name for name, part in left.parts.items() if isinstance(part, Matrix)]
        self.differences = {name: Matrix(scale="scores", measure="difference") for name in self.matrices}
        halves = HBox([VBox([side], layout=HALF) for side in (left, right)], layout={"flex_flow": "row wrap"})
        self.children = [self.heading, halves, *self.differences.values(), self.caption]
        self._watch(True)
        self._compare()

    def close(self) -> None:
        """Take it off the page; the two explorers stay, as they were given."""
        if self.comm is None:  # it is closed
            return
        if self.children:  # else it was refused
            self._watch(False)
            self.left.lock, self.right.lock, self.right.parts["controls"].spec = self._before
            heading, halves, *views = self.children
            for part in [heading, *halves.children, halves, *views]:
                part.close()
                part.layout.close()
        leave_boxes(self)
        super().close()
        self.layout.close()

    def __repr__(self) -> str:
        told = "" if self.left.unstable else f" {plain(self.caption.sentence).strip()}"
        return f"SideBySide({type(self.left).__name__}): {plain(self.heading.sentence)}{told}"

    # ---- what moves with what

    def _watch(self, on: bool) -> None:
        """Begin or end to hear what changes on either side. Meanwhile the kernel hears every position of a slider:
        frames in the page would move one side alone."""
        for side, whose in ((self.left, "left"), (self.right, "right")):
            for part in ("controls", "caption"):
                side.parts[part].whose = whose if on else ""
            (side.observe if on else side.unobserve)(self._move_the_other, list(side.initial))
            side.page.watched = self if on else None
            for name in self.matrices:
                (side.parts[name].observe if on else side.parts[name].unobserve)(self._compare, SEEN)

    def _move_the_other(self, change) -> None:
        other = self.right if change.owner is self.left else self.left
        if change.name in self.shared and not same(getattr(other, change.name), change.new):
            other.change(**{change.name: change.new})
        self._compare()

    # ---- what differs

    def _compare(self, change=None) -> None:
        kind = type(self.left).__name__
        self.heading.sentence = self._what_is_changed()
        self.caption.sentence = (
            say(*map(self._show_difference, self.matrices))
            if self.matrices
            else say(f"The picture of {kind} has no matrix: its two sides are compared by eye.")
        )

    def _what_is_changed(self) -> list:
        if not self.changed:
            return say("All controls move both: what differs is what stands behind the two.")
        labels = {spec["name"]: spec["label"] for spec in self.left.parts["controls"].spec}
        told = [
            f"{labels.get(name, name.replace('_', ' '))} {_value(self.left, name)} on the left, "
            f"{_value(self.right, name)} on the right"
            for name in self.changed
        ]
        return say(f"Changed: {'; '.join(told)}.{' All else moves both.' if self.shared else ''}")

    def _show_difference(self, name: str) -> str:
        """One matrix, right less left; returns what is said of it."""
        left, right, shown = self.left.parts[name], self.right.parts[name], self.differences[name]
        if left.values is None or right.values is None:
            shown.layout.display = "none"
            return "One side has no matrix yet. "
        fit = left.shown.shape == right.shown.shape
        shown.layout.display = "" if fit else "none"
        if not fit:
            sizes = [" × ".join(map(str, matrix.shown.shape[-2:])) for matrix in (left, right)]
            return f"The matrices have different sizes, {sizes[0]} and {sizes[1]}: there is no difference to draw. "
        shown.show(
            values=right.shown - left.shown,
            mask=_both(left.mask, right.mask),
            query_labels=_labels(left.query_labels, right.query_labels),
            key_labels=_labels(left.key_labels, right.key_labels),
            panel_names=left.panel_names,
            query_title=left.query_title,
            key_title=left.key_title,
        )
        return _in_words(shown)


class BothLocks:
    """The locks of two explorers as one: whichever model learns, it waits. Always taken in the same order."""

    def __init__(self, *locks) -> None:
        self.locks = sorted(set(locks), key=id)

    def __enter__(self) -> None:
        for lock in self.locks:
            lock.acquire()

    def __exit__(self, *_) -> None:
        for lock in reversed(self.locks):
            lock.release()


SEEN = ["values", "edits", "frame", "mask", "query_labels", "key_labels"]  # of a matrix, what its difference follows


def alike(a: Any, b: Any) -> bool:
    """Whether two parts of a state are equal, arrays number by number."""
    return np.array_equal(a, b) if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) else same(a, b)


def _in_words(difference: Matrix) -> str:
    """The largest difference and the mean, of the cells that both may attend to."""
    values = np.asarray(difference.shown)
    allowed = np.broadcast_to(True if difference.mask is None else difference.mask != 0, values.shape)
    without = int((allowed & ~np.isfinite(values)).sum())
    allowed = allowed & np.isfinite(values)
    left_out = f"{one_or_more(without, 'cell')} left out, where a side is no finite number. " if without else ""
    sizes = np.where(allowed, np.abs(np.where(allowed, values, 0)), 0)
    if not sizes.any():
        return f"The matrices are the same. {left_out}"
    panel, row, column = (int(at) for at in np.unravel_index(int(sizes.argmax()), sizes.shape))
    most = number(float(values[panel, row, column]))
    where = f"{_cell(difference.query_labels, row, 'row')}, {_cell(difference.key_labels, column, 'column')}"
    head = f" ({difference.panel_names[panel]})" if difference.panel_names else ""
    mean = number(float(sizes.sum() / allowed.sum()), 3)
    return f"Right less left: at most {most}, at {where}{head}; {mean} on average, whatever the sign. {left_out}"


def _value(side: Explorer, name: str) -> str:
    """As it is told in a sentence, at most 40 letters."""
    value = getattr(side, name)
    if isinstance(value, bool):
        return "on" if value else "off"
    return shortened(quote(value) if isinstance(value, str) else str(value), 40)


def _both(left, right) -> Any:
    """Where both may attend."""
    return right if left is None else left if right is None else left * right


def _labels(left: list, right: list) -> list:
    """Of both sides, where they differ."""
    return [a if a == b else f"{a} / {b}" for a, b in zip(left, right, strict=True)] if len(left) == len(right) else []


def _cell(labels: list, at: int, kind: str) -> str:
    return f"{kind} {quote(labels[at])}" if labels else f"{kind} {at + 1}"
