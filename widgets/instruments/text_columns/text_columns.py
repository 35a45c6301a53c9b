"""TextColumns: what models have written, side by side, with the words that exist standing out."""

from traitlets import Bool, Int, List, TraitError, Unicode, validate

from widgets.base.instrument import Array, Instrument

MARKS = ("", "given", "word")


class TextColumns(Instrument):
    """Texts in columns, each under its title and a bar for one share, of 0 to 1.

        TextColumns(titles=["a"], texts=[[["The ", "given"], ["value", "word"], [" otx", ""]]], shares=[0.5],
              measure="of its letters stand in words")

    A text is a list of runs [text, mark]; marks are "given" (it was not written, but continued), "word", or "".
    Raises `TraitError` for other marks.
    """

    bundle = "text_columns"

    titles = List(Unicode(), help="one a text").tag(sync=True)
    texts = List(List(), help="of each text its runs [text, mark]").tag(sync=True)
    shares = Array(ndim=1, help="one a text, 0 to 1; None: no bars")
    height = Int(224, min=22, help="of a text in pixels; a longer one is scrolled").tag(sync=True)
    follow = Bool(False, help="a longer text is scrolled to its end").tag(sync=True)
    measure = Unicode("", help="what the shares are, after the number").tag(sync=True)

    @validate("texts")
    def _marked(self, proposal) -> object:
        for run in (run for text in proposal.value for run in text):
            if len(run) != 2 or run[1] not in MARKS:
                raise TraitError(f"texts: expected runs [text, mark] with a mark of {MARKS}, got {run!r}")
        return proposal.value

    def plain(self, index: int) -> str:
        """One text without its marks."""
        return "".join(text for text, _ in self.texts[index])

    def __repr__(self) -> str:
        lengths = (f"{title}: {len(self.plain(i))} letters" for i, title in enumerate(self.titles))
        return f"TextColumns({', '.join(lengths)})"
