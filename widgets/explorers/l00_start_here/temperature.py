"""How sharply a softmax chooses: words read each other, at any temperature."""

import torch

from attnlab.attention import Attention, attend
from attnlab.tasks.sample_words import SAMPLE_WORDS
from widgets.base.controls import select, selected_cell, slider
from widgets.base.explorer import Explorer
from widgets.base.words import key, percent, query, quote, say
from widgets.instruments.matrix.matrix import Matrix

SENTENCES = ["the cat sat on the mat", "the small bird saw the fish", "fish eat fish"]


class TemperatureExplorer(Explorer):
    """Words read each other. The lower the temperature, the more a word's weights become one choice."""

    temperature = slider(1.0, 0.1, 4.0, step=0.1, help="the scores are divided by it before the softmax")
    words = select(SENTENCES, label="sentence", help="whose words read each other")
    cell = selected_cell([0, 1, 2])

    shows = {"weights": ("matrix", "values")}

    @property
    def weights(self) -> torch.Tensor:
        """[queries, keys], as shown."""
        return self.result.weights

    def views(self) -> dict:
        return {"matrix": Matrix(torch.zeros(1, 1), row_bars=True)}

    def compute(self, state) -> Attention:
        asks, offers = zip(*(SAMPLE_WORDS[word] for word in state.words.split()), strict=True)
        keys = torch.tensor(offers)
        return attend(torch.tensor(asks), keys, keys, temperature=state.temperature)

    def picture(self, state, result) -> dict:
        words = state.words.split()
        return {
            "matrix": {"query_labels": words, "key_labels": words, "values": result.weights, "scores": result.scores}
        }

    def sentence(self, state, result) -> list:
        words = state.words.split()
        query_at, key_at = selected_pair(state.cell, result.weights)
        row = result.weights[query_at]
        most = int(row.argmax())
        start = [
            query(quote(words[query_at])),
            f" puts {percent(row[key_at].item())} of its weight on ",
            key(quote(words[key_at])),
        ]
        if row[key_at] < row[most]:
            return say(*start, f", and most, {percent(row[most].item())}, on ", key(quote(words[most])), ".")
        if row[most] > 0.99:
            return say(*start, ": so cold, softmax is a choice.")
        if row[most] < 1.6 / len(words) and row.min() > 0.5 / len(words) and state.temperature > 1:
            return say(*start, f": so hot, softmax is nearly an average, {percent(1 / len(words))} for each word.")
        return say(*start, " and shares out the rest.")

    def code(self, state) -> str:
        asks, offers = zip(*(SAMPLE_WORDS[word] for word in state.words.split()), strict=True)
        return "\n".join([
            "import torch",
            "from attnlab.attention import attend",
            "",
            f"# {state.words}: what each word asks for, and what each offers, in amounts of [thing, doing]",
            f"query = torch.tensor({[list(x) for x in asks]})",
            f"key = torch.tensor({[list(x) for x in offers]})",
            f"context, weights, scores = attend(query, key, value=key, temperature={state.temperature})",
        ])


def selected_pair(cell, weights) -> tuple[int, int]:
    """Query and key of the sentence below the picture: those selected, else the second word and what it reads most."""
    _, query_at, key_at = cell or (0, -1, -1)
    queries, keys = weights.shape
    query_at = query_at if 0 <= query_at < queries else 1
    return query_at, key_at if 0 <= key_at < keys else int(weights[query_at].argmax())
