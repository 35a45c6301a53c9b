"""Lines: rows of tokens under each other, column by column, the wrong ones marked."""

from traitlets import List, TraitError, Unicode, validate

from .instrument import Array, Instrument, script, style


class Lines(Instrument):
    """What was read and, beneath it, what came back.

        Lines(names=["read", "came back"], tokens=[["3", "1"], ["3", "7"]], right=[[nan, nan], [1, 0]])

    A token may be "" (nothing there). `right` is 1, 0, or not-a-number where there is nothing to be right about.
    """

    _esm = script("lines")
    _css = style("lines")

    names = List(Unicode(), help="one a line").tag(sync=True)
    tokens = List(List(Unicode()), help="[lines][columns]; all lines equally long").tag(sync=True)
    right = Array(ndim=2, help="[lines, columns]: 1 right, 0 wrong, not-a-number for neither")
    notes = List(Unicode(), help="a few words behind each line, or none").tag(sync=True)
    title = Unicode("", help="what the lines are, for a screen reader").tag(sync=True)

    @validate("tokens")
    def _equally_long(self, proposal):
        lengths = {len(line) for line in proposal.value}
        if len(lengths) > 1:
            raise TraitError(f"tokens: expected lines of one length, got {sorted(lengths)}")
        return proposal.value

    def __repr__(self):
        lines = (f"{name} {self.text(i)}" for i, name in enumerate(self.names))
        return f"Lines({'; '.join(lines)})"

    def text(self, line: int) -> str:
        """A line's tokens, with a dot where nothing is."""
        return "".join(token or "·" for token in self.tokens[line])

    def still(self, axes):
        if not self.tokens:
            return False
        axes.set(xlim=(-4, max(len(self.tokens[0]), 12) + 2), ylim=(len(self.tokens) - 0.5, -0.5))
        axes.axis("off")
        for i, (name, line) in enumerate(zip(self.names, self.tokens, strict=True)):
            axes.text(-0.8, i, name, ha="right", va="center", fontsize=10, color="0.35")
            for j, token in enumerate(line):
                wrong = self.right is not None and self.right[i, j] == 0
                box = {"boxstyle": "square,pad=0.35", "fc": "#EBC6BA", "ec": "none"} if wrong else None
                axes.text(j, i, token or "·", ha="center", va="center", fontsize=11, family="monospace",
                          color="#7F3117" if wrong else "0.1", bbox=box)
            if self.notes:
                axes.text(len(line), i, self.notes[i], ha="left", va="center", fontsize=9, color="0.35")
        return None
