"""Predict: a guess before the picture. A choice, a number or a cell; then the answer, why, and what it was about."""

import math
from typing import SupportsFloat

from ipywidgets import VBox
from traitlets import Any, Bool, Enum, Float, List, Unicode

from widgets.base.caption import Caption
from widgets.base.instrument import Instrument, InWords, pack_array
from widgets.base.misfits import pairs
from widgets.base.words import as_markdown, error_message, plain, token_label
from widgets.instruments.matrix.matrix import Matrix

HERE = "*To guess, run this cell in JupyterLab, which `make lab` opens.*"


class Ask(Instrument):
    """The question in the page. It knows the answer, so that it can reply without the kernel."""

    bundle = "predict"

    kind = Enum(["choice", "number", "cell"], "choice").tag(sync=True)
    question = List(help="runs [text, role]").tag(sync=True)
    choices = List(help="runs of each choice").tag(sync=True)
    replies = List(help="runs of the explanation of each choice; of a number or a cell, the only one").tag(sync=True)
    answer = Any(help="the index of the right choice; the number; the right cells [[query, key], ...]").tag(sync=True)
    unit = Unicode("").tag(sync=True)
    tolerance = Float(0.0, help="how far off a number may be and still be right").tag(sync=True)
    error = Unicode("", help="why the answer could not be measured").tag(sync=True)
    guess = Any(None, help="an index, a number, a cell [query, key]; None while there is none").tag(sync=True)
    skipped = Bool(False).tag(sync=True)
    matrix = Unicode("", help="the id of the Matrix in which a cell is chosen").tag(sync=True)
    after = Unicode("", help="the id of the layout to show after the guess").tag(sync=True)


def listed(then) -> list:
    """What `then` holds: nothing, a view or a text, or several in a list."""
    return [] if then is None else list(then) if isinstance(then, list | tuple) else [then]


class Guess(InWords, VBox):
    """What the three kinds of question share: the question, the guess, and what appears after it, `then`."""

    def __init__(self, question, then=None, picture=None, **asked) -> None:
        self.question = runs(question)
        self.then = tuple(Caption(sentence=runs(one)) if isinstance(one, str) else one for one in listed(then))
        after = VBox(self.then, layout={"display": "none", "grid_gap": "12px"})
        self.ask = Ask(question=self.question, after=after.layout.model_id, **asked)
        self.ask.observe(lambda change: self._turned(), ["guess", "skipped"])
        super().__init__([self.ask, *([picture] if picture is not None else []), after])

    @property
    def guess(self) -> object:
        """What the learner guessed; None while there is no guess."""
        return self.ask.guess

    @property
    def correct(self) -> bool | None:
        """Whether the guess is right; None while there is no guess."""
        return None if self.guess is None else self._right(self.guess)

    def answer_with(self, guess) -> None:
        """Guess in place of the learner."""
        self.ask.guess = self._checked(guess)
        self.children[-1].layout.display = None

    @property
    def answered(self) -> bool:
        """Whether there is a guess, or the question was skipped."""
        return self.ask.skipped or self.guess is not None

    def _turned(self) -> None:
        """What the kernel has to do when the question is answered, or asked again."""

    def offline(self) -> dict:
        """What a page without a kernel shows once the question is answered."""
        return {"kind": "guess", "parts": [self.ask.model_id], "then": self._then()}

    def _then(self) -> dict:
        """{id: {trait: value on the wire}}."""
        return {}

    def __repr__(self) -> str:
        asked = " ".join(["Guess first:", plain(self.question), *self._in_words()])
        return "\n".join([asked, *map(repr, self.then)])

    def _repr_mimebundle_(self, **kwargs) -> tuple[dict, dict]:
        """The question as Markdown, too: a page that runs nothing, as GitHub's, shows it instead of a picture."""
        data, metadata = super()._repr_mimebundle_(**kwargs)
        asked = f"**Guess first:** {as_markdown(plain(self.question))}"
        ways = "\n".join(f"* {as_markdown(way)}" for way in self._ways_to_answer())
        return {**data, "text/markdown": "\n\n".join([asked, ways, HERE])}, metadata

    def _ways_to_answer(self) -> list[str]:
        """What one can answer, for a page on which nothing can be pointed at."""
        return self._in_words()


class Predict(Guess):
    """A question with choices.

    question: text, or runs as `widgets.base.words.say` makes them, in which words have the colour of their role.
    choices: {text: explanation} or [(text, explanation), ...]; text and explanation may be runs. An explanation is a
        whole sentence and stands after "Yes." or "Not so."; say why the choice is right, or what its mistake is.
    answer: the right choice, by its index or its text.
    then: a view or a text, or several in a list, that appear once the question is answered or skipped.
    """

    def __init__(self, question, choices, answer, then=None) -> None:
        given = pairs(choices, "choices", "(text, explanation)")
        self.choices = [runs(text) for text, _ in given]
        self.answer = self._checked(answer)
        replies = [runs(explanation) for _, explanation in given]
        super().__init__(question, then, choices=self.choices, replies=replies, answer=self.answer)

    def _checked(self, choice) -> int:
        texts = [plain(text) for text in self.choices]
        if choice in texts:
            return texts.index(choice)
        if isinstance(choice, int) and not isinstance(choice, bool) and 0 <= choice < len(texts):
            return choice
        raise ValueError(f"expected one of the choices {texts} or an index under {len(texts)}, got {choice!r}")

    def _right(self, guess) -> bool | None:
        return guess == self.answer

    def _in_words(self) -> list[str]:
        return [f"({chr(97 + i)}) {plain(choice)}" for i, choice in enumerate(self.choices)]


class PredictNumber(Guess):
    """A question for a number.

    answer: the number, or a function without arguments that measures it once there is a guess.
    unit: stands after the number, "%" or "steps".
    close: how far off a guess may be and still be right; a tenth of the answer by default.
    why: an explanation, text or runs.
    """

    def __init__(self, question, answer, unit="", close=None, why="", then=None) -> None:
        if not (callable(answer) or (isinstance(answer, SupportsFloat) and math.isfinite(answer))):
            raise ValueError(f"expected a number, or a function that measures it, got {answer!r}")
        self._measure, self._close, self.unit = answer, close, unit
        super().__init__(question, then, kind="number", unit=unit, replies=[runs(why)], answer=None)
        if not callable(answer):
            self._know(answer)

    @property
    def answer(self) -> float | None:
        """The right number; None until it is measured."""
        return self.ask.answer

    def _know(self, answer) -> None:
        answer = float(answer)
        self.ask.show(answer=answer, tolerance=self._tolerance(answer), error="")

    def _tolerance(self, answer: float) -> float:
        return abs(answer) / 10 if self._close is None else float(self._close)

    def _turned(self) -> None:
        if not self.answered or self.answer is not None:
            return
        try:
            self._know(self._measure())
        except Exception as error:
            self.ask.error = error_message(error)

    def _then(self) -> dict:
        try:
            answer = float(self._measure() if callable(self._measure) else self._measure)
        except Exception as error:
            return {self.ask.model_id: {"error": error_message(error)}}
        return {self.ask.model_id: {"answer": answer, "tolerance": self._tolerance(answer)}}

    def _checked(self, number) -> float:
        return float(number)

    def _right(self, guess) -> bool | None:
        return None if self.answer is None else abs(guess - self.answer) <= self.ask.tolerance

    def _in_words(self) -> list[str]:
        return [f"(a number{self.unit and ' in '}{self.unit})"]


class PredictCell(Guess):
    """A question for a cell of a matrix: which key does this query read?

    weights: [queries, keys], hidden until there is a guess. answer: the right cells, [(query, key), ...].
    labels: traits of the Matrix in which one points, `query_labels`, `key_labels` ...
    """

    def __init__(self, question, weights, answer, why="", then=None, **labels) -> None:
        self.answer = [list(cell) for cell in answer]
        self.matrix = Matrix(weights, **labels)
        self._weights, self._shape = self.matrix.values, self.matrix.values.shape[-2:]
        for cell in self.answer:
            self._checked(cell)
        self.matrix.values = 0 * self._weights
        super().__init__(
            question,
            then,
            self.matrix,
            kind="cell",
            replies=[runs(why)],
            answer=self.answer,
            matrix=self.matrix.model_id,
        )

    def _checked(self, cell) -> list[int]:
        cell = [int(i) for i in cell]
        queries, keys = self._shape
        if len(cell) != 2 or not (0 <= cell[0] < queries and 0 <= cell[1] < keys):
            raise ValueError(f"expected a cell [query, key] of a matrix of {queries} x {keys}, got {cell}")
        return cell

    def _turned(self) -> None:
        self.matrix.values = self._weights if self.answered else 0 * self._weights

    def _then(self) -> dict:
        return {self.matrix.model_id: {"values": pack_array(self._weights)}}

    def _right(self, guess) -> bool | None:
        return list(guess) in self.answer

    def _in_words(self) -> list[str]:
        return ["(a cell of {} x {})".format(*self._shape)]

    def _ways_to_answer(self) -> list[str]:
        sides = {"queries": self.matrix.query_labels, "keys": self.matrix.key_labels}
        named = [f"{side}: {' '.join(map(token_label, labels))}" for side, labels in sides.items() if labels]
        return [*self._in_words(), *named]


def runs(text) -> list[list[str]]:
    """Plain text or runs -> runs."""
    return [[text, ""]] if isinstance(text, str) else [list(run) for run in text]
