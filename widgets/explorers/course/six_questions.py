"""Six questions, asked before the course and again after it; then both answers stand side by side."""

from attnlab.exercises.questions import QUESTIONS, UNSURE, WHEN, Question, answer, answers
from widgets.instruments.questions.questions import Questions, in_words

# What was written and not kept yet, by when and number: for a cell that runs again.
DRAFTS: dict[tuple[str, int], str] = {}


class SixQuestions(Questions):
    """The questions of the course; what is chosen or written is kept with the learner's progress at once.

    when: "before": nothing is said about what is right, and answers may be changed. "after": an answered question shows
        what was said before the course, what is said now, and what is right.
    """

    def __init__(self, when: str) -> None:
        if when not in WHEN:
            raise ValueError(f"when: expected 'before' or 'after', got {when!r}")
        self.when = when
        kept = answers(when)
        drafts = [
            "" if question.choices else DRAFTS.get((when, number), kept.get(number, ""))
            for number, question in enumerate(QUESTIONS, 1)
        ]
        asked = [(question.text, offered(question)) for question in QUESTIONS]
        super().__init__(asked, drafts=drafts, final=when == "after", title=f"six questions, {when} the course")
        self.observe(self._drafted, "drafts")
        self._show()

    def _drafted(self, change) -> None:
        for number, question in enumerate(QUESTIONS, 1):
            if not question.choices:
                DRAFTS[self.when, number] = change.new[number - 1]

    def keep(self, place: int, text: str) -> None:
        """Keep an answer with the learner's progress; where that was not possible the page says why."""
        self._show(answer(self.when, place + 1, text))

    def _show(self, trouble: str = "") -> None:
        """Bring the page up to date with what is kept; `trouble` is why something was not."""
        before, now = answers("before"), answers(self.when)
        given = [known(question, now.get(number, "")) for number, question in enumerate(QUESTIONS, 1)]
        closed = [self.when == "after" and bool(text) for text in given]
        replies = [
            side_by_side(question, before.get(number), text) if done else []
            for number, (question, text, done) in enumerate(zip(QUESTIONS, given, closed, strict=True), 1)
        ]
        self.show(answers=given, closed=closed, replies=replies)
        self.show(standing=trouble or self.count())

    def offline(self) -> dict:
        said = [side_by_side(question, None, "") for question in QUESTIONS] if self.when == "after" else []
        return super().offline() | {"sheet": self.when, "earlier": "before", "said": said}

    def __repr__(self) -> str:
        words = in_words((question.text, sorted(question.choices)) for question in QUESTIONS)
        return "\n".join([f"Six questions, {self.when} the course:", *words])


def offered(question: Question) -> list[str]:
    """The choices of a question, by the alphabet: answers are kept as texts, and the right one has no fixed place."""
    return [*sorted(question.choices), UNSURE] if question.choices else []


def known(question: Question, text: str) -> str:
    """A kept answer; "" for a choice that an older course offered."""
    return text if not question.choices or text in offered(question) else ""


def side_by_side(question: Question, before: str | None, now: str) -> list[list[str]]:
    """Both answers and the right one: rows [name, text]."""
    said = [["before the course", before or "(not answered)"], ["now", now]]
    if not question.choices:
        return [*said, ["compare", question.why]]
    return [*said, ["right", question.right], ["why", question.why]]
