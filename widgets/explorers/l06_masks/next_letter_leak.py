"""A text is shown letter by letter to two language models: what chance do they give to each letter of it?"""

from typing import NamedTuple

import torch

from attnlab.analysis import probability
from widgets.base.controls import selected_cell, stepper, text
from widgets.base.explorer import Explorer
from widgets.base.words import key, quote, say, shares
from widgets.instruments.matrix.matrix import Matrix

START = "\n"  # stands before the text, so that its first letter follows something too
LONGEST = 48  # letters


class Chances(NamedTuple):
    """chances: [models, letters], of each letter given what was shown; 0 where nobody was asked yet. asked: how many
    letters that are: those that were shown, and the next."""

    chances: torch.Tensor
    asked: int


class NextLetterLeakExplorer(Explorer):
    """Letters left of `shown` lie before the models; for each of them, and for the next, they name a chance.

    models: name -> model, [batch, letters] ids in, logits of the letter after each out. task: a `Text` of characters.
    """

    text = text("the return value", label="text", width=30, help=f"a text of at most {LONGEST} letters")
    shown = stepper(0, 0, None, label="letters shown", help="how much of the text lies before the models")
    cell = selected_cell([0, 0, -1], help="panel, model and letter that are selected")

    shows = {"chances": ("matrix", "values")}
    unstable = True

    def __init__(self, models, task, lock=None, **state) -> None:
        self.models, self.task = models, task
        super().__init__(lock=lock, **state)

    @property
    def chances(self) -> torch.Tensor:
        """[models, letters], as shown."""
        return self.result.chances

    def views(self) -> dict:
        return {
            "matrix": Matrix(
                torch.zeros(len(self.models), 1),
                query_labels=[*self.models],
                query_title="model",
                key_title="letter",
                measure="chance",
                row_bars=True,
            )
        }

    @torch.no_grad()
    def compute(self, state) -> Chances:
        if not 1 <= len(state.text) <= LONGEST:
            raise ValueError(f"expected a text of 1 to {LONGEST} letters, got {len(state.text)}")
        self.task.encode(state.text)  # says what is wrong with what was typed
        ids, at = self.task.encode(START + state.text), min(state.shown, len(state.text) - 1)
        chances = torch.zeros(len(self.models), len(state.text))
        for row, model in enumerate(self.models.values()):
            chances[row, : at + 1] = probability(model(ids[None, : at + 1])[0], ids[1 : at + 2])
        return Chances(chances, at + 1)

    def picture(self, state, result) -> dict:
        at = result.asked - 1
        letters = [*state.text]
        groups = [[0, at, "shown"]] * (at > 0) + [[at, at + 1, "?"]]
        asked = (torch.arange(len(letters)) <= at).expand(len(self.models), -1)
        return {
            "matrix": {"values": result.chances, "mask": asked, "key_labels": letters, "key_groups": groups},
            "controls": {"shown": {"max": len(letters) - 1}},
        }

    def sentence(self, state, result) -> list:
        at = result.asked - 1
        past, ahead = result.chances[:, :at].mean(-1), result.chances[:, at]
        chances = [*shares(dict(zip(self.models, ahead, strict=True))), "."]
        if at:
            chances += [
                " Of each letter that is shown, on average: ",
                *shares(dict(zip(self.models, past, strict=True))),
                ".",
            ]
        return say("Chance of the next letter, ", key(quote(state.text[at])), ": ", *chances)

    def code(self, state) -> str:
        at = min(state.shown, len(state.text) - 1)
        return "\n".join([
            "import torch",
            "from attnlab.analysis import probability",
            "",
            f"ids = task.encode({START + state.text!r})",
            f"shown, following = ids[None, :{at + 1}], ids[1:{at + 2}]",
            f"chances = torch.zeros({len(self.models)}, {len(state.text)})",
            "with torch.no_grad():",
            "    for row, model in enumerate(models.values()):",
            f"        chances[row, :{at + 1}] = probability(model(shown)[0], following)",
        ])
