"""80 / 10 / 10 as three sliders: what becomes of the words that are asked for."""

from typing import NamedTuple

from torch import Generator

from attnlab.tasks.hidden_words import NOT_ASKED, HiddenWords, hide_words
from attnlab.tasks.python_topics import HIDDEN
from widgets.base.controls import button, slider
from widgets.base.explorer import Explorer
from widgets.base.words import key, percent, query, say
from widgets.instruments.word_tiles.word_tiles import WordTiles

LENGTH = 48


class Shares(NamedTuple):
    """The three sliders as shares of 1."""

    hidden: float
    replaced: float
    kept: float


class MixtureExplorer(Explorer):
    """A piece of text as the masked encoder reads it; below stand the words that it has to name. task: `PythonTopics`.

    Only the proportions of the three sliders count; where all three are 0, every word asked for is kept.
    """

    asked = slider(15, 5, 60, step=5, label="% asked for", help="of all words, in percent; BERT: 15")
    hidden = slider(80, 0, 100, step=10, label="hidden", help="of the words asked for, so many parts are hidden")
    replaced = slider(10, 0, 100, step=10, label="replaced", help="so many parts are replaced by any other word")
    kept = slider(10, 0, 100, step=10, label="kept", help="so many parts stay as they are, and are asked for")
    again = button(label="draw again", help="another piece of text, and other words")

    shows = {"words": lambda parts: [len(parts["words"].words), parts["words"].marks.count("token")]}

    def __init__(self, task, lock=None, **state) -> None:
        self.task = task
        super().__init__(lock=lock, **state)

    def views(self) -> dict:
        return {"words": WordTiles(title="what the model reads, and what it has to name")}

    def compute(self, state) -> tuple[list[int], HiddenWords]:
        generator = Generator().manual_seed(state.again)
        tokens = self.task.windows(1, LENGTH, generator)
        mixed = shares(state)
        found = hide_words(
            tokens, len(self.task.vocabulary), generator, state.asked / 100, mixed.hidden, mixed.replaced
        )
        return tokens[0].tolist(), HiddenWords(found.inputs[0], found.targets[0])

    def picture(self, state, result) -> dict:
        tokens, found = result
        names = self.task.vocabulary
        read = [names[token] for token in found.inputs.tolist()]
        asked = [target != NOT_ASKED for target in found.targets.tolist()]
        below = [names[token] if is_asked else "" for token, is_asked in zip(tokens, asked, strict=True)]
        return {"words": {"words": read, "below": below, "marks": marks(result)}}

    def sentence(self, state, result) -> list:
        mixed, found = shares(state), marks(result)
        count = len(found) - found.count("")
        if not count:
            return say(f"Of {LENGTH} words none is asked for, so there is no loss. Draw again.")
        return say(
            f"Of {LENGTH} words {'one is' if count == 1 else f'{count} are'} asked for: ",
            query(f"{found.count('token')} hidden"),
            f", {found.count('replaced')} replaced, ",
            key(f"{found.count('asked')} kept"),
            f" (on average {percent(mixed.hidden)}, {percent(mixed.replaced)}, {percent(mixed.kept)}). The loss counts "
            f"{'this place' if count == 1 else 'these places'} alone.",
        )

    def code(self, state) -> str:
        mixed = shares(state)
        return "\n".join([
            "from torch import Generator",
            "from attnlab.tasks.hidden_words import hide_words",
            "from attnlab.tasks.python_topics import HIDDEN",
            "",
            f"generator = Generator().manual_seed({state.again})",
            f"tokens = task.windows(1, {LENGTH}, generator)",
            "inputs, targets = hide_words(",
            f"    tokens, len(task.vocabulary), generator, {state.asked / 100}, {mixed.hidden}, {mixed.replaced}",
            ")",
            "words = [inputs.shape[1], int((inputs == HIDDEN).sum())]  # how many, and how many of them hidden",
        ])


def shares(state) -> Shares:
    parts = state.hidden, state.replaced, state.kept
    total = sum(parts)
    return Shares(*(part / total for part in parts)) if total else Shares(0.0, 0.0, 1.0)


def marks(result: tuple[list[int], HiddenWords]) -> list[str]:
    """What became of each word; "token": it is hidden, and the token for that is read in its place. A word that is
    replaced by itself, by chance, counts as kept."""
    tokens, (inputs, targets) = result
    found = []
    for token, read, target in zip(tokens, inputs.tolist(), targets.tolist(), strict=True):
        kind = "token" if read == HIDDEN else "replaced" if read != token else "asked"
        found.append("" if target == NOT_ASKED else kind)
    return found
