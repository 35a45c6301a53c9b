"""Hide any word of a text: five guesses of a model that looks both ways, and of one that reads from left to right."""

import re
from typing import NamedTuple

import torch
from torch import Tensor
from traitlets import observe

from attnlab.analysis import guess_from_both_sides, guess_from_the_left
from attnlab.tasks.python_topics import LONGEST, words
from widgets.base.controls import button, held, text
from widgets.base.explorer import Explorer
from widgets.base.words import percent, query, quote, say
from widgets.instruments.chart.chart import Chart, bars, colour_of, figure, plain_text
from widgets.instruments.word_tiles.word_tiles import WordTiles

GUESSES = 5
EXAMPLE = "If the attribute is not found, an exception is raised."


class Guesses(NamedTuple):
    """both, left: [hidden, vocabulary], chances at the hidden places; none hidden: [1, vocabulary] of zeros.
    tokens: the ids of all words. hidden: their places, the one in question last."""

    both: Tensor
    left: Tensor
    tokens: list[int]
    hidden: list[int]


class HiddenWordsExplorer(Explorer):
    """Press a word to hide it. Below it stands the first guess of the masked encoder; the bars show five of each model.

    models: `masked` and `left_to_right`, as `attnlab.trained.pretrained()` gives them. task: a `PythonTopics`.
    """

    text = text(EXAMPLE, label="text", width=60, help="what the models read; in small letters for them")
    another = button(label="another sentence", help="one of the held-out sentences, a word of it hidden")
    hidden = held([], help="the places of the hidden words, the one in question last", follows=("words", "hidden"))

    shows = {
        "both": lambda parts: parts["both"].trace(0)["y"],
        "left": lambda parts: parts["left"].trace(0)["y"],
    }
    row = ("both", "left")
    unstable = True

    def __init__(self, models, task, lock=None, **state) -> None:
        self.models, self.task = models, task
        super().__init__(lock=lock, **{"hidden": [5], **state})

    def views(self) -> dict:
        return {
            "words": WordTiles(editing=True, title="words of the text; press one to hide it"),
            "both": guesses_chart("masked: from both sides"),
            "left": guesses_chart("left to right: from the words before"),
        }

    @observe("another")
    def _another(self, change) -> None:
        if change.new:
            sentence = self.task.test_sentences[(37 * change.new) % len(self.task.test_sentences)]
            self.set_state({"text": sentence, "hidden": [len(words(sentence)[:LONGEST]) // 2]})

    def compute(self, state) -> Guesses:
        tokens = self.task.encode(read(state))
        if len(tokens) > LONGEST:
            raise ValueError(f"expected a text of at most {LONGEST} words, got {len(tokens)}")
        hidden = [place for place in state.hidden if place < len(tokens)]
        if not hidden:
            nothing = torch.zeros(1, len(self.task.vocabulary))
            return Guesses(nothing, nothing, tokens.tolist(), [])
        both = guess_from_both_sides(self.models.masked, tokens, hidden)
        left = guess_from_the_left(self.models.left_to_right, tokens, hidden)
        return Guesses(both, left, tokens.tolist(), hidden)

    def picture(self, state, result) -> dict:
        shown = words(read(state))
        below, marks = [""] * len(shown), [""] * len(shown)
        for place, chances in zip(result.hidden, result.both, strict=False):
            below[place], marks[place] = self.task.vocabulary[int(chances.argmax())], "hidden"
        right = [place for place in result.hidden if below[place] == self.task.vocabulary[result.tokens[place]]]
        truth = result.tokens[result.hidden[-1]] if result.hidden else -1
        return {
            "words": {"words": shown, "below": below, "marks": marks, "right": right, "hidden": state.hidden},
            "both": self._bars(result.both[-1], truth),
            "left": self._bars(result.left[-1], truth),
        }

    def _bars(self, chances: Tensor, truth: int) -> dict:
        best = chances.topk(GUESSES)
        names = [plain_text(self.task.vocabulary[token]) if chances.any() else "" for token in best.indices.tolist()]
        colours = [colour_of("query" if token == truth else "key") for token in best.indices.tolist()]
        trace = {"y": best.values, "marker": {"color": colours}}
        return {"traces": {"0": trace}, "figure_layout": {"xaxis": {"ticktext": names}}}

    def sentence(self, state, result) -> list:
        if not result.hidden:
            return say("Press a word to hide it from both models.")
        word = words(read(state))[result.hidden[-1]]
        runs: list = ["Hidden: ", query(quote(word)), ". "]
        if self.task.vocabulary[result.tokens[result.hidden[-1]]] != word:
            return say(*runs, "This word is not among those that the models know; they can only call it [RARE].")
        for name, chances in (("Masked", result.both[-1]), ("Left to right", result.left[-1])):
            chance = chances[result.tokens[result.hidden[-1]]]
            place = int((chances > chance).sum()) + 1
            runs += [f"{name}: {percent(float(chance))} for it, guess number {place}. "]
        others = len(result.hidden) - 1
        more = "Hide its neighbours." if len(result.tokens) > 1 else ""
        if others:
            more = f"{others} other word{'s are' if others > 1 else ' is'} hidden, too."
        return say(*runs, more)

    def code(self, state) -> str:
        hidden = [place for place in state.hidden if place < len(words(read(state)))]
        if not hidden:
            return "import torch\n\nboth = left = torch.zeros(5)  # nothing is hidden"
        return "\n".join([
            "from attnlab.analysis import guess_from_both_sides, guess_from_the_left",
            "",
            f"tokens = task.encode({read(state)!r})",
            f"hidden = {hidden}",
            f"both = guess_from_both_sides(models.masked, tokens, hidden)[-1].topk({GUESSES}).values",
            f"left = guess_from_the_left(models.left_to_right, tokens, hidden)[-1].topk({GUESSES}).values",
        ])


def read(state) -> str:
    """The text, with the apostrophes that the models know where a keyboard has typed its own."""
    return re.sub(r"(?<=[a-zA-Z])'(?=[a-zA-Z])", "’", state.text)


def guesses_chart(title: str) -> Chart:
    places = list(range(GUESSES))
    return Chart(
        figure(
            bars([0.0] * GUESSES, [str(place) for place in places], "chance", "key"),
            title=title,
            y="chance",
            y_range=[0, 1],
            height=250,
            showlegend=False,
            xaxis={"type": "category", "tickmode": "array", "tickvals": places, "ticktext": [""] * GUESSES},
        ),
        layout={"flex": "1 1 320px", "min_width": "0"},
    )
