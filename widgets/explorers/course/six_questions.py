"""Six questions, asked before the course and again after it; then both answers stand side by side."""

from functools import partial
from html import escape

from ipywidgets import HTML, Button, Label, RadioButtons, Textarea, VBox

from attnlab.exercises.questions import QUESTIONS, UNSURE, WHEN, Question, answer, answers
from widgets.base.instrument import InWords

WIDE = {"width": "auto", "max_width": "46em"}
# What was written and not kept yet, by when and number: for a cell that runs again.
DRAFTS: dict[tuple[str, int], str] = {}


class SixQuestions(InWords, VBox):
    """The questions of the course; what is chosen or written is kept with the learner's progress at once.

    when: "before": nothing is said about what is right, and answers may be changed. "after": an answered question shows
        what was said before the course, what is said now, and what is right.
    """

    def __init__(self, when: str) -> None:
        if when not in WHEN:
            raise ValueError(f"when: expected 'before' or 'after', got {when!r}")
        self.when = when
        self.asked = [self._answer_field(number, question) for number, question in enumerate(QUESTIONS, 1)]
        self.shown = [HTML(layout=WIDE) for _ in QUESTIONS]
        self.standing = Label()
        rows = [
            VBox([HTML(f"<b>{number}. {escape(question.text)}</b>", layout=WIDE), *self._boxes(number), shown])
            for number, (question, shown) in enumerate(zip(QUESTIONS, self.shown, strict=True), 1)
        ]
        super().__init__([*rows, self.standing])
        self._show()

    def _answer_field(self, number: int, question: Question) -> RadioButtons | Textarea:
        """The control of a question, with what was answered before."""
        said, name = answers(self.when).get(number), f"answer to question {number}"
        if not question.choices:
            text = DRAFTS.get((self.when, number), said or "")
            field = Textarea(text, placeholder="a sentence or two", tooltip=name, layout=WIDE, continuous_update=False)
            field.observe(lambda change: DRAFTS.update({(self.when, number): change.new}), "value")
            return field
        # As kept answers are texts, the order may be any: by the alphabet the right one stands in no fixed place.
        choices = [*sorted(question.choices), UNSURE]
        control = RadioButtons(options=choices, value=said, tooltip=name, layout=WIDE)
        control.observe(lambda change: self._keep(number, change.new), "value")
        return control

    def _boxes(self, number: int) -> list:
        """A question's control; a sentence is kept by a button, since nobody knows when it is finished."""
        control = self.asked[number - 1]
        if isinstance(control, RadioButtons):
            return [control]
        button = Button(description="keep it", tooltip="keep this sentence")
        button.on_click(partial(self._pressed, number))
        return [control, button]

    def _pressed(self, number: int, _) -> None:
        text = self.asked[number - 1].value.strip()
        self._keep(number, text) if text else self._show("Nothing is written there: what was kept before stays.")

    def _keep(self, number: int, text: str) -> None:
        self._show(answer(self.when, number, text))

    def _show(self, trouble: str = "") -> None:
        """Bring the page up to date with what is kept; `trouble` is why something was not."""
        told = {when: answers(when) for when in WHEN}
        count = len(told[self.when])
        self.standing.value = trouble or f"{count} of {len(QUESTIONS)} answered"
        if self.when == "before":
            return
        for number, question in enumerate(QUESTIONS, 1):
            if now := told["after"].get(number):
                self.asked[number - 1].disabled = True
                self.shown[number - 1].value = side_by_side(question, told["before"].get(number), now)

    def __repr__(self) -> str:
        texts = [
            " ".join([
                f"{number}. {question.text}",
                *(f"({chr(97 + i)}) {choice}" for i, choice in enumerate(sorted(question.choices))),
            ])
            for number, question in enumerate(QUESTIONS, 1)
        ]
        return "\n".join([f"Six questions, {self.when} the course:", *texts])


def side_by_side(question: Question, before: str | None, now: str) -> str:
    """Both answers and the right one, as HTML; what the learner wrote is text, whatever it holds."""
    lines = {"before the course": before or "(not answered)", "now": now, "right": question.right or question.why}
    if question.choices:
        lines["why"] = question.why
    rows = "".join(f"<tr><td><i>{name}</i>&emsp;</td><td>{escape(text)}</td></tr>" for name, text in lines.items())
    return f"<table>{rows}</table>".replace("<i>right</i>", f"<i>{'right' if question.choices else 'compare'}</i>")
