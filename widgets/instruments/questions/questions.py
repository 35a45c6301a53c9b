"""Questions: several below one another, with choices or with room for a sentence; a reply may stand below each."""

from collections.abc import Iterable

from traitlets import Bool, Dict, List, TraitError, Unicode, validate

from widgets.base.instrument import Instrument
from widgets.base.misfits import pairs

NOTHING = "Nothing is written there: what was kept before stays."


class Questions(Instrument):
    """Numbered questions, of which each answer is kept at once.

        Questions([("What does a weight say?", ["how much", "how alike"]), ("And in your words?", [])])

    questions: pairs (text, choices); without choices a sentence is asked for, which a button keeps.
    The other traits have one entry a question. What a hand answers comes to `answer`, and from there to `keep`, which
    subclasses replace. A question that is closed is still read, but takes no answer.
    Errors: `TraitError` for entries that are fewer or more than the questions, and for an answer that is no choice.
    """

    bundle = "questions"

    questions = List(Dict(), help="{text, choices} of each").tag(sync=True)
    answers = List(Unicode(), help='what is chosen or kept; "" while there is nothing').tag(sync=True)
    drafts = List(Unicode(), help="what is written in the text fields, kept or not").tag(sync=True)
    replies = List(List(), help="rows [name, text] below each question").tag(sync=True)
    closed = List(Bool(), help="whether it takes no answer any more").tag(sync=True)
    final = Bool(False, help="whether an answer closes its question: arrows only move then, Space chooses").tag(
        sync=True
    )
    standing = Unicode(help="how many are answered, or why an answer was not kept").tag(sync=True)
    title = Unicode("questions", help="what they are, for a screen reader").tag(sync=True)

    def __init__(self, questions, **traits) -> None:
        given = pairs(questions, "questions", "(text, choices)")
        asked = [{"text": text, "choices": list(choices)} for text, choices in given]
        empty = {"answers": "", "drafts": "", "replies": [], "closed": False}
        super().__init__(questions=asked, **{name: [entry] * len(asked) for name, entry in empty.items()} | traits)
        self.standing = self.standing or self.count()

    @validate("answers", "drafts", "replies", "closed")
    def _one_each(self, proposal) -> object:
        name, entries = proposal.trait.name, proposal.value
        if len(entries) != len(self.questions):
            raise TraitError(f"{name}: expected one for each of {len(self.questions)} questions, got {len(entries)}")
        for question, entry in zip(self.questions, entries, strict=True):
            if name == "answers" and entry and question["choices"] and entry not in question["choices"]:
                raise TraitError(f"answers: expected one of {question['choices']}, got {entry!r}")
        return entries

    def answer(self, place: int, text: str) -> None:
        """Answer a question, counted from 0, as a hand does: an empty one is refused, what is closed stays.

        Raises ValueError where there is no such question, or no such choice.
        """
        if place not in range(len(self.questions)):
            raise ValueError(f"expected a question from 0 to {len(self.questions) - 1}, got {place!r}")
        choices = self.questions[place]["choices"]
        if choices and text not in choices:
            raise ValueError(f"expected one of {choices}, got {text!r}")
        if not self.closed[place]:
            text = text if choices else text.strip()
            self.keep(place, text) if text else self.show(standing=NOTHING)
        self.send({"kind": "answered", "standing": self.standing})  # to be spoken, also where it is the same as before

    def keep(self, place: int, text: str) -> None:
        """What becomes of an answer that may be given: here it is shown, and counted."""
        self.show(answers=[*self.answers[:place], text, *self.answers[place + 1 :]])
        self.show(standing=self.count())

    def count(self) -> str:
        """How many are answered, in words."""
        return f"{sum(map(bool, self.answers))} of {len(self.questions)} answered"

    def _receive(self, _, message, buffers) -> None:
        super()._receive(_, message, buffers)
        if message.get("kind") == "answer":
            self.answer(message["place"], message["text"])

    def offline(self) -> dict:
        """A page without a kernel keeps the answers of a sheet in the browser; those of no sheet go with the page.

        On it, beside an answer stands what an earlier sheet has at its place, and what is `said` of it.
        """
        told = {"sheet": "", "earlier": "", "said": [], "nothing": NOTHING}
        return {"kind": "questions", "parts": [self.model_id], **told}

    def __repr__(self) -> str:
        words = in_words((question["text"], question["choices"]) for question in self.questions)
        return "\n".join([f"Questions({len(self.questions)}):", *words])


def in_words(questions: Iterable[tuple[str, Iterable[str]]]) -> list[str]:
    """A line for each pair (text, choices): its number, the question, and its choices by letters."""
    return [
        " ".join([f"{number}. {text}", *(f"({chr(97 + i)}) {choice}" for i, choice in enumerate(choices))])
        for number, (text, choices) in enumerate(questions, 1)
    ]
