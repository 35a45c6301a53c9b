"""A text is shown letter by letter to two language models: what chance do they give to each letter of it?"""

from typing import NamedTuple

import torch

from .controls import held, stepper, text
from .explorer import Explorer
from .matrix import Matrix
from .words import key, percent, query, quote, say

START = "\n"  # stands before the text, so that its first letter follows something too
LONGEST = 48  # letters


class Chances(NamedTuple):
    """chances: [models, letters], of each letter given what was shown; 0 where nobody was asked yet. asked: how many
    letters that are: those that were shown, and the next."""

    chances: torch.Tensor
    asked: int


class RevealExplorer(Explorer):
    """Letters left of `shown` lie before the models; for each of them, and for the next, they name a chance.

    models: name -> model, [batch, letters] ids in, logits of the letter after each out. task: a `Text` of characters.
    """

    text = text("the return value", label="text", width=30, help=f"a text of at most {LONGEST} letters")
    shown = stepper(0, 0, None, label="letters shown", help="how much of the text lies before the models")
    cell = held([0, 0, -1], help="panel, model and letter that are selected")

    shows = {"chances": ("matrix", "values")}
    follows = {"cell": ("matrix", "selected")}

    def __init__(self, models, task, lock=None, **state):
        self.models, self.task = models, task
        super().__init__(lock=lock, **state)

    @property
    def chances(self) -> torch.Tensor:
        """[models, letters], as shown."""
        return self.result.chances

    def __repr__(self):
        # Without the chances: they differ from one machine's training to the next.
        return f"{type(self).__name__}({quote(self.text)}, {self.shown} letters shown: {', '.join(self.models)})"

    def views(self):
        return {"matrix": Matrix(torch.zeros(len(self.models), 1), query_labels=[*self.models], query_title="model",
                                 key_title="letter", measure="chance", row_bars=True)}

    @torch.no_grad()
    def compute(self, state):
        if not 1 <= len(state.text) <= LONGEST:
            raise ValueError(f"expected a text of 1 to {LONGEST} letters, got {len(state.text)}")
        ids, at = self.task.encode(START + state.text), min(state.shown, len(state.text) - 1)
        chances = torch.zeros(len(self.models), len(state.text))
        for row, model in enumerate(self.models.values()):
            logits = model(ids[None, : at + 1])[0]
            chances[row, : at + 1] = logits.softmax(-1)[torch.arange(at + 1), ids[1 : at + 2]]
        return Chances(chances, at + 1)

    def picture(self, state, result):
        at = result.asked - 1
        letters = [*state.text]
        groups = [[0, at, "shown"]] * (at > 0) + [[at, at + 1, "?"]]
        asked = (torch.arange(len(letters)) <= at).expand(len(self.models), -1)
        return {
            "matrix": {"values": result.chances, "mask": asked, "key_labels": letters, "key_groups": groups},
            "controls": {"shown": {"max": len(letters) - 1}},
        }

    def sentence(self, state, result):
        at = result.asked - 1
        past, ahead = result.chances[:, :at].mean(-1), result.chances[:, at]
        told = [*shares(self.models, ahead), "."]
        if at:
            told += [" Of each letter that is shown, on average: ", *shares(self.models, past), "."]
        return say("Chance of the next letter, ", key(quote(state.text[at])), ": ", *told)

    def code(self, state):
        at = min(state.shown, len(state.text) - 1)
        return "\n".join([
            "import torch",
            "",
            f"ids = task.encode({START + state.text!r})",
            f"shown, following = ids[None, :{at + 1}], ids[1:{at + 2}]",
            f"chances = torch.zeros({len(self.models)}, {len(state.text)})",
            "with torch.no_grad():",
            "    for row, model in enumerate(models.values()):",
            f"        chance = model(shown)[0].softmax(dim=-1)  # [{at + 1}, letters]",
            f"        chances[row, :{at + 1}] = chance[torch.arange({at + 1}), following]",
        ])


def shares(names, chances) -> list:
    """`name 12 %, name 34 %` as parts of a sentence."""
    told = [[query(name), f" {percent(float(chance))}"] for name, chance in zip(names, chances, strict=True)]
    return [part for one in told for part in [*one, ", "]][:-1]
