"""Models continue the same beginning, side by side; the words that exist stand out."""

from collections.abc import Collection

import torch

from attnlab.analysis.words.known_words import known_share, pieces
from attnlab.decoding import draw, temperature, without_cache, write
from widgets.base.controls import button, select, text
from widgets.base.explorer import Explorer
from widgets.base.words import say, shares
from widgets.instruments.text_columns.text_columns import TextColumns

TEMPERATURES = {"0.5": 0.5, "0.8": 0.8, "1": 1.0}


class ContinuationsExplorer(Explorer):
    """Type a beginning, let the models go on, press for another sample.

    models: name -> model as `attnlab.write` takes it. task: a `Text`. known: the words that count as existing, in
    small letters. `written` is what they wrote, by name.
    """

    begin = text("The ", label="begin with", width=14, help="what the models continue")
    warmth = select(TEMPERATURES, "0.8", label="temperature", help="the logits are divided by it before the draw")
    again = button(label="another", help="draw other letters")

    shows = {"shares": ("texts", "shares")}
    unstable = True

    def __init__(self, models, task, known: Collection[str], letters: int = 240, lock=None, **state) -> None:
        self.models, self.task, self.known, self.letters = models, task, known, letters
        super().__init__(lock=lock, **state)

    @property
    def written(self) -> dict[str, str]:
        """What each model wrote."""
        return self.result

    def views(self) -> dict:
        return {"texts": TextColumns(titles=[*self.models], measure="of its letters stand in words that exist")}

    def compute(self, state) -> dict[str, str]:
        prompt = self.task.encode(state.begin)
        if not len(prompt):
            raise ValueError("expected a beginning of at least one letter, got an empty text")
        return {name: self._continue(model, prompt, state) for name, model in self.models.items()}

    def _continue(self, model, prompt, state) -> str:
        generator, t = torch.Generator().manual_seed(state.again), TEMPERATURES[state.warmth]

        def choose(logits: torch.Tensor) -> int:
            return draw(temperature(logits, t), generator)

        steps = write(model, prompt, self.letters, choose, without_cache)
        return self.task.decode([step.token for step in steps])

    def picture(self, state, result) -> dict:
        runs = [
            [[piece, "word" if known else ""] for piece, known in pieces(written, self.known)]
            for written in result.values()
        ]
        return {
            "texts": {
                "texts": [[[state.begin, "given"], *text] for text in runs],
                "shares": [known_share(written, self.known) for written in result.values()],
            }
        }

    def sentence(self, state, result) -> list:
        found = {name: known_share(written, self.known) for name, written in result.items()}
        return say("Letters that stand in words of the training text, of three letters or more: ", *shares(found), ".")

    def code(self, state) -> str:
        return "\n".join([
            "import torch",
            "from attnlab import write",
            "from attnlab.analysis import known_share",
            "from attnlab.decoding import draw, temperature, without_cache",
            "",
            f"prompt, shares = task.encode({state.begin!r}), []",
            "for model in models.values():",
            f"    generator = torch.Generator().manual_seed({state.again})",
            f"    choose = lambda logits: draw(temperature(logits, {TEMPERATURES[state.warmth]}), generator)",
            f"    steps = write(model, prompt, {self.letters}, choose, without_cache)",
            "    written = task.decode([step.token for step in steps])",
            "    shares.append(known_share(written, known))",
        ])
