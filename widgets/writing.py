"""Models continue the same beginning, side by side; the words that exist stand out."""

import re
from collections.abc import Collection

import torch

from attnlab.decoding import draw, temperature, without_cache, write

from .controls import button, select, text
from .explorer import Explorer
from .texts import Texts
from .words import percent, query, quote, say

TEMPERATURES = {"0.5": 0.5, "0.8": 0.8, "1": 1.0}


class WritingExplorer(Explorer):
    """Type a beginning, let the models go on, press for another sample.

    models: name -> model as `attnlab.write` takes it. task: a `Text`. known: the words that count as existing, in
    small letters. `written` is what they wrote, by name.
    """

    begin = text("The ", label="begin with", width=14, help="what the models continue")
    warmth = select(TEMPERATURES, "0.8", label="temperature", help="the logits are divided by it before the draw")
    again = button(label="another", help="draw other letters")

    shows = {"shares": ("texts", "shares")}

    def __init__(self, models, task, known: Collection[str], letters: int = 240, lock=None, **state):
        self.models, self.task, self.known, self.letters = models, task, known, letters
        super().__init__(lock=lock, **state)

    @property
    def written(self) -> dict[str, str]:
        """What each model wrote."""
        return self.result

    def __repr__(self):
        # Without the texts: they differ from one machine's training to the next.
        return f"{type(self).__name__}({quote(self.begin)}, continued by {', '.join(self.models)})"

    def views(self):
        return {"texts": Texts(titles=[*self.models], measure="of its letters stand in words that exist")}

    def compute(self, state):
        prompt = self.task.encode(state.begin)
        if not len(prompt):
            raise ValueError("expected a beginning of at least one letter, got an empty text")
        return {name: self._continue(model, prompt, state) for name, model in self.models.items()}

    def _continue(self, model, prompt, state) -> str:
        generator, t = torch.Generator().manual_seed(state.again), TEMPERATURES[state.warmth]

        def choose(logits):
            return draw(temperature(logits, t), generator)

        steps = write(model, prompt, self.letters, choose, without_cache)
        return self.task.decode([step.token for step in steps])

    def picture(self, state, result):
        runs = [marked(written, self.known) for written in result.values()]
        return {"texts": {"texts": [[[state.begin, "given"], *text] for text in runs],
                          "shares": [share(text) for text in runs]}}

    def sentence(self, state, result):
        told = [[query(name), f" {percent(share(marked(written, self.known)))}"] for name, written in result.items()]
        between = [part for one in told for part in [*one, ", "]][:-1]
        return say("Letters that stand in words of the training text, of three letters or more: ", *between, ".")

    def code(self, state):
        return "\n".join([
            "import re",
            "import torch",
            "from attnlab import write",
            "from attnlab.decoding import draw, temperature, without_cache",
            "",
            f"prompt = task.encode({state.begin!r})",
            "written = {}",
            "for name, model in models.items():",
            f"    generator = torch.Generator().manual_seed({state.again})",
            f"    choose = lambda logits: draw(temperature(logits, {TEMPERATURES[state.warmth]}), generator)",
            f"    steps = write(model, prompt, {self.letters}, choose, without_cache)",
            "    written[name] = task.decode([step.token for step in steps])",
            "",
            "shares = []",
            "for text in written.values():",
            "    words = [word for word in re.findall('[A-Za-z]+', text) if len(word) > 2]",
            "    real = [word for word in words if word.lower() in known]",
            "    shares.append(sum(map(len, real)) / len(text))",
        ])


def marked(written: str, known: Collection[str]) -> list[list[str]]:
    """Runs [text, mark]: words of three letters or more that exist are marked "word"."""
    pieces = re.split(r"([A-Za-z]+)", written)  # every other piece is a word
    return [[piece, "word" if i % 2 and len(piece) > 2 and piece.lower() in known else ""]
            for i, piece in enumerate(pieces) if piece]


def share(runs) -> float:
    """The share of the letters that stand in marked words."""
    return sum(len(text) for text, mark in runs if mark) / max(1, sum(len(text) for text, _ in runs))
