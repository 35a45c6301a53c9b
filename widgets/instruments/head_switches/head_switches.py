"""HeadSwitches: one switch for each head, in a row for each layer, with what the head was measured to do."""

from traitlets import Int, List, TraitError, Unicode, validate

from widgets.base.instrument import Instrument

MOST = 6  # heads, whose sets are all counted


class HeadSwitches(Instrument):
    """Switches for the heads of a model; all are on at first.

        board = HeadSwitches(rows=["layer 0"], notes=[["1 before 0.98", "diffuse 0.61"]])
        board.off      # the heads that a hand has switched off, counted on from row to row

    Errors: `TraitError` for rows without notes, and for a head that there is not.
    """

    bundle = "head_switches"

    rows = List(Unicode(), help="one name a layer").tag(sync=True)
    notes = List(List(Unicode()), help="what each head does, a list for each row").tag(sync=True)
    off = List(Int(), help="the heads that are off").tag(sync=True)

    @validate("rows", "notes", "off")
    def _fits(self, proposal) -> object:
        name, value = proposal.trait.name, proposal.value
        rows, notes = (value if name == trait else getattr(self, trait) for trait in ("rows", "notes"))
        if name != "off" and rows and notes and len(rows) != len(notes):
            raise TraitError(f"{name}: expected one list of notes for each row, got {len(notes)} for {len(rows)}")
        count = sum(map(len, notes))
        if name == "off" and [head for head in value if not 0 <= head < count]:
            raise TraitError(f"off: expected heads from 0 to {count - 1}, got {value}")
        return sorted(set(value)) if name == "off" else value

    def offers(self, trait) -> list:
        """All sets of heads that may be off, where they are not too many."""
        count = sum(map(len, self.notes))
        if trait != "off" or count > MOST:
            return []
        return [[head for head in range(count) if chosen >> head & 1] for chosen in range(2**count)]

    def __repr__(self) -> str:
        count = sum(map(len, self.notes))
        state = f"off: {', '.join(str(head + 1) for head in self.off)}" if self.off else "all on"
        return f"HeadSwitches({count} heads, {state})"
