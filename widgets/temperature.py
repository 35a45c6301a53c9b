"""Temperature: how sharply a softmax chooses. The explorer of lesson 00."""

import torch

from attnlab.attention import attend

from .controls import held, select, slider
from .explorer import Explorer
from .matrix import Matrix
from .words import key, percent, query, quote, say

# word: (what its query asks for, what its key offers), as amounts of [thing, doing]
WORDS = {
    "the": ((0.6, 0.2), (0.1, -0.4)),
    "cat": ((0.4, 2.0), (2.0, -0.3)),
    "bird": ((0.3, 2.4), (1.8, -0.1)),
    "fish": ((0.7, 1.6), (2.2, 0.9)),
    "sat": ((2.0, 0.3), (-0.4, 1.9)),
    "saw": ((2.3, -0.2), (-0.2, 2.1)),
    "eat": ((1.7, 0.1), (-0.5, 1.6)),
    "on": ((1.0, 0.9), (0.3, 0.8)),
    "mat": ((0.2, 1.5), (1.6, 0.5)),
    "small": ((1.8, -0.4), (0.4, -0.6)),
}
SENTENCES = ["the cat sat on the mat", "the small bird saw the fish", "fish eat fish"]


class TemperatureExplorer(Explorer):
    """Words read each other. The lower the temperature, the more a word's weights become one choice."""

    temperature = slider(1.0, 0.1, 4.0, step=0.1, help="the scores are divided by it before the softmax")
    words = select(SENTENCES, label="sentence", help="whose words read each other")
    cell = held([0, 1, 2], help="panel, query and key that are selected")
    shows = {"weights": ("matrix", "values")}
    follows = {"cell": ("matrix", "selected")}

    @property
    def weights(self) -> torch.Tensor:
        """[queries, keys], as shown."""
        return self.result.weights

    def views(self):
        return {"matrix": Matrix(torch.zeros(1, 1), row_bars=True)}

    def compute(self, state):
        asks, offers = zip(*(WORDS[word] for word in state.words.split()), strict=True)
        offers = torch.tensor(offers)
        return attend(torch.tensor(asks), offers, offers, temperature=state.temperature)

    def picture(self, state, result):
        words = state.words.split()
        return {"matrix": {"query_labels": words, "key_labels": words,
                           "values": result.weights, "scores": result.scores}}

    def sentence(self, state, result):
        words = state.words.split()
        query_at, key_at = chosen(state.cell, result.weights)
        row = result.weights[query_at]
        most = int(row.argmax())
        told = [query(quote(words[query_at])), f" puts {percent(row[key_at].item())} of its weight on ",
                key(quote(words[key_at]))]
        if row[key_at] < row[most]:
            return say(*told, f", most of it, {percent(row[most].item())}, on ", key(quote(words[most])), ".")
        if row[most] > 0.99:
            return say(*told, ": so cold, softmax is a choice.")
        if row[most] < 1.6 / len(words):
            return say(*told, f": so hot, softmax is nearly an average, {percent(1 / len(words))} for each word.")
        return say(*told, " and shares out the rest.")

    def code(self, state):
        asks, offers = zip(*(WORDS[word] for word in state.words.split()), strict=True)
        return "\n".join([
            "import torch",
            "from attnlab.attention import attend",
            "",
            f"# {state.words}: what each word asks for, and what each offers, in amounts of [thing, doing]",
            f"query = torch.tensor({[list(x) for x in asks]})",
            f"key = torch.tensor({[list(x) for x in offers]})",
            f"context, weights, scores = attend(query, key, value=key, temperature={state.temperature})",
        ])


def chosen(cell, weights) -> tuple[int, int]:
    """Query and key that the sentence tells of: the selected cell, else what the second word reads most."""
    _, query_at, key_at = cell or (0, -1, -1)
    queries, keys = weights.shape
    query_at = query_at if 0 <= query_at < queries else 1
    return query_at, key_at if 0 <= key_at < keys else int(weights[query_at].argmax())
