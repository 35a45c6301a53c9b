"""Several trained models read the same digits: what each of them still knows, side by side."""

from typing import NamedTuple

import torch
from traitlets import observe

from attnlab.decoding import translate
from attnlab.tasks import BOS, EOS
from widgets.base.controls import button, slider, text
from widgets.base.explorer import Explorer
from widgets.base.words import key, one_or_more, quote, say
from widgets.instruments.token_grid.token_grid import TokenGrid


class Recall(NamedTuple):
    """source: the digits that were read. written: per model the digits that it wrote, in its own order."""

    source: str
    written: dict[str, str]


class RecallByModelExplorer(Explorer):
    """Type digits, or lengthen them with the slider: every model writes them backwards, wrong ones are marked.

    models: {name: trained model}. task: `Reverse`, as it was trained with. What is written backwards stands here from
    right to left, so that each digit is under the one that it should repeat.
    """

    digits = text("31415926535897", label="digits", width=18, help="what the models read; type your own")
    length = slider(4, 1, 60, label="read the first", help="how many of the digits are read")
    another = button(label="other digits", help="random digits in place of those typed")

    shows = {"right": ("lines", "right")}
    unstable = True

    def __init__(self, models, task, lock=None, **state) -> None:
        self.models, self.task = models, task
        super().__init__(lock=lock, **state)

    def views(self) -> dict:
        return {"lines": TokenGrid(title="digits read, and what each model wrote, from right to left")}

    @observe("another")
    def _other_digits(self, change) -> None:
        """They stand in the field, where they can be changed."""
        if change.new > change.old:
            chance = torch.Generator().manual_seed(change.new)
            digits = torch.randint(10, (self.task.longest,), generator=chance).tolist()
            self.set_state({"digits": "".join(map(str, digits))})

    def compute(self, state) -> Recall:
        self.task.read(state.digits)  # says what is wrong with the whole of it
        source = state.digits[: state.length]
        ids = self.task.read(source).unsqueeze(0)
        length = torch.tensor([len(source)])
        written = {
            name: self.task.write(translate(model, ids, length, BOS, EOS, len(source) + 1)[0])
            for name, model in self.models.items()
        }
        return Recall(source, written)

    def _lines(self, result) -> tuple[list[list[str]], list[list[float]]]:
        """The tokens of each line and which are right, in the order of reading."""
        width = len(result.source)
        tokens, right = [list(result.source)], [[float("nan")] * width]
        for answer in result.written.values():
            line = list(answer[:width][::-1].rjust(width))
            tokens.append([token.strip() for token in line])
            right.append([float(a == b) for a, b in zip(line, result.source, strict=True)])
        return tokens, right

    def picture(self, state, result) -> dict:
        tokens, right = self._lines(result)
        notes = [f"{sum(map(int, line))} of {len(line)}" for line in right[1:]]
        notes = [
            note + (", goes on" if len(answer) > len(result.source) else "")
            for note, answer in zip(notes, result.written.values(), strict=True)
        ]
        return {
            "lines": {"names": ["read", *result.written], "tokens": tokens, "right": right, "notes": ["", *notes]},
            "controls": {"length": {"max": len(state.digits)}},
        }

    def sentence(self, state, result) -> list:
        right = [name for name, answer in result.written.items() if answer == result.source[::-1]]
        wrong = len(result.written) - len(right)
        digits = one_or_more(len(result.source), "digit")
        if not wrong:
            return say(f"All {len(right)} models give ", key(quote(result.source)), " back without a mistake.")
        if not right:
            these = "this digit" if len(result.source) == 1 else f"these {digits}"
            return say(f"No model gives {these} back without a mistake.")
        others = "The other one makes mistakes." if wrong == 1 else "The others make mistakes."
        return say(f"Of {digits}, without a mistake: ", key(", ".join(right)), f". {others}")

    def code(self, state) -> str:
        return "\n".join([
            "import torch",
            "from attnlab import translate",
            "from attnlab.tasks import BOS, EOS",
            "",
            f"digits = {state.digits[: state.length]!r}",
            "source, length = task.read(digits).unsqueeze(0), torch.tensor([len(digits)])",
            "right = [[float('nan')] * len(digits)]",
            "for name, model in models.items():",
            "    ids = translate(model, source, length, BOS, EOS, len(digits) + 1)",
            "    written = task.write(ids[0])[:len(digits)][::-1].rjust(len(digits))",
            "    right.append([float(a == b) for a, b in zip(written, digits)])",
        ])
