"""The lessons' questions, by their names; what is guessed is kept with the learner's progress, the first guess only.

So that a learner, or a class, can look back at what they expected (`attnlab.exercises.export`). Where the progress
cannot be kept, as on a full disk, the question goes on as ever: nothing of it depends on the file.
"""

from widgets.base.words import plain, quote
from widgets.instruments.predict import predict


class Kept:
    """Mixed into a question: hears a guess once its answer is known."""

    def _turned(self) -> None:
        super()._turned()  # type: ignore[misc]  # of the question it is mixed into
        if self.correct is None:  # type: ignore[attr-defined]  # asked again, skipped, or not measurable
            return
        from attnlab.exercises import progress  # with all exercises, which a page without a guess does not need

        sign = "✓" if self.correct else "✗"  # type: ignore[attr-defined]
        progress.guessed(plain(self.question), f"{sign} {self._guess_in_words()}")  # type: ignore[attr-defined]


class Predict(Kept, predict.Predict):
    __doc__ = predict.Predict.__doc__

    def _guess_in_words(self) -> str:
        return plain(self.choices[self.ask.guess])


class PredictNumber(Kept, predict.PredictNumber):
    __doc__ = predict.PredictNumber.__doc__

    def _guess_in_words(self) -> str:
        return f"{self.ask.guess:g} {self.unit}".rstrip()


class PredictCell(Kept, predict.PredictCell):
    __doc__ = predict.PredictCell.__doc__

    def _guess_in_words(self) -> str:
        sides = [("row", self.matrix.query_labels), ("column", self.matrix.key_labels)]
        return ", ".join(_place(*side, place) for side, place in zip(sides, self.ask.guess, strict=True))


def _place(side: str, labels: list[str], place: int) -> str:
    """A row or a column as the matrix says it, counted from 1: row 7 “n”."""
    return f"{side} {place + 1}" + (f" {quote(labels[place])}" if labels else "")


def guess(name: str, then=None, **measured) -> Predict | PredictNumber | PredictCell:
    """The question of this name, "04.lookup": `attnlab/exercises/` has a file for each lesson, with all its answers.

    then: a view or a text, or several in a list, that appear once the question is answered or skipped. Where `...`
        stands in the list comes the next text that the file has for it; those left over come after the last view.
    measured: what only the lesson can know: the `answer` as a function that measures it; of a question for a cell the
        `weights`, the right cells as `answer`, and labels.
    Raises ValueError for a name that is none, and for more `...` than there are texts.
    """
    from attnlab.exercises import guesses

    asked = guesses.question(name) | measured
    texts, shown = asked.pop("then", []), predict.listed(then)
    if (dots := sum(one is ... for one in shown)) > len(texts):
        raise ValueError(f"{name}: expected at most {len(texts)} `...` among `then`, got {dots}")
    left = iter(texts)
    shown = [next(left) if one is ... else one for one in shown]
    kind = Predict if "choices" in asked else PredictCell if "weights" in asked else PredictNumber
    return kind(**asked, then=[*shown, *left])
