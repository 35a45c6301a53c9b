"""TokenGrid: rows of tokens under each other, column by column, the wrong ones marked."""

from traitlets import List, TraitError, Unicode, validate

from widgets.base.instrument import Array, Instrument


class TokenGrid(Instrument):
    """What was read and, beneath it, what came back.

        TokenGrid(names=["read", "came back"], tokens=[["3", "1"], ["3", "7"]], right=[[nan, nan], [1, 0]])

    A token may be "" (nothing there). `right` is 1, 0, or not-a-number where there is nothing to be right about.
    """

    bundle = "token_grid"

    names = List(Unicode(), help="one a line").tag(sync=True)
    tokens = List(List(Unicode()), help="[lines][columns]; all lines equally long").tag(sync=True)
    right = Array(ndim=2, help="[lines, columns]: 1 right, 0 wrong, not-a-number for neither")
    notes = List(Unicode(), help="a few words behind each line, or none").tag(sync=True)
    title = Unicode("", help="what the lines are, for a screen reader").tag(sync=True)

    @validate("tokens")
    def _equally_long(self, proposal) -> object:
        lengths = {len(line) for line in proposal.value}
        if len(lengths) > 1:
            raise TraitError(f"tokens: expected lines of one length, got {sorted(lengths)}")
        return proposal.value

    def __repr__(self) -> str:
        lines = (f"{name} {self.text(i)}" for i, name in enumerate(self.names))
        return f"TokenGrid({'; '.join(lines)})"

    def text(self, line: int) -> str:
        """A line's tokens, with a dot where nothing is."""
        return "".join(token or "·" for token in self.tokens[line])
