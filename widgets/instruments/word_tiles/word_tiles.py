"""WordTiles: the words of a text as tiles, a word below each; a hand hides some of them and shows them again."""

from traitlets import Bool, Int, List, TraitError, Unicode, validate

from widgets.base.instrument import Instrument

MARKS = ("", "hidden", "token", "replaced", "asked")


class WordTiles(Instrument):
    """A text, word by word.

        WordTiles(words=["a", "new", "object"], below=["", "class", ""], marks=["", "hidden", ""], editing=True)

    marks: "hidden" words are hatched. Where a "token" is read in place of a word, or another word has "replaced" it,
    that is told from those that are only "asked" for; "" for the others.
    With `editing`, a press hides a word and chooses it, or chooses one that is hidden; a press on the chosen one, which
    stands at the end of `hidden`, shows it again.
    Errors: `TraitError` for other marks, and for places that are negative or named twice.
    """

    bundle = "word_tiles"

    words = List(Unicode(), help="one a tile").tag(sync=True)
    below = List(Unicode(), help="one below each word, or none").tag(sync=True)
    marks = List(Unicode(), help="one a word, or none").tag(sync=True)
    right = List(Int(), help="the places where the word below is the right one").tag(sync=True)
    editing = Bool(False, help="whether a press hides a word").tag(sync=True)
    hidden = List(Int(), help="the places that a hand has hidden, the one chosen last at the end").tag(sync=True)
    title = Unicode("", help="what the words are, for a screen reader").tag(sync=True)

    @validate("marks")
    def _known(self, proposal) -> object:
        for mark in proposal.value:
            if mark not in MARKS:
                raise TraitError(f"marks: expected each of {MARKS}, got {mark!r}")
        return proposal.value

    @validate("hidden")
    def _once(self, proposal) -> object:
        places = proposal.value
        if len(set(places)) < len(places) or min(places, default=0) < 0:
            raise TraitError(f"hidden: expected places from 0 on, each once, got {places}")
        return places

    def __repr__(self) -> str:
        shown = (
            f"[{word}]" if mark == "hidden" else word for word, mark in zip(self.words, self._marks(), strict=True)
        )
        return f"WordTiles({' '.join(shown)})"

    def _marks(self) -> list[str]:
        return [*self.marks, *[""] * len(self.words)][: len(self.words)]
