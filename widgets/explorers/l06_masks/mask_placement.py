"""Masked before the softmax or after it: the same mask, three ways, and a key that gets louder in secret."""

from typing import NamedTuple

import torch

from attnlab.alignment import scaled_dot
from attnlab.attention import attend
from attnlab.masks import MASKS
from attnlab.tasks.sample_words import SAMPLE_WORDS
from widgets.base.controls import select, selected_cell, slider
from widgets.base.explorer import Explorer
from widgets.base.words import key, number, query, quote, say
from widgets.instruments.matrix.matrix import Matrix

TOKENS = ["the", "cat", "sat", "on", "mat"]
ASKS, OFFERS = zip(*(SAMPLE_WORDS[token] for token in TOKENS), strict=True)
QUERY, KEY = torch.tensor(ASKS).half(), torch.tensor(OFFERS).half()  # 16 bits: what is rounded to 0 comes soon
COUNT = len(TOKENS)
WAYS = ["−∞ before", "0 after", "0 after, then divided"]


class Placements(NamedTuple):
    """weights: [3 ways, queries, keys]. mask: [queries, keys]."""

    weights: torch.Tensor
    mask: torch.Tensor


class MaskPlacementExplorer(Explorer):
    """One mask in three ways: −∞ on the scores; 0 on the weights; 0 on the weights and the rest divided by its sum.

    `louder` is added to all scores of the last word. Who may not see that word should not notice.
    """

    louder = slider(0.0, 0.0, 20.0, step=0.5, help="is added to every score of “mat”, the last key")
    kind = select(["causal", "causal_window"], label="mask", help="who may look at whom")
    cell = selected_cell([1, 2, 1])

    shows = {"weights": ("matrix", "values")}

    @property
    def weights(self) -> torch.Tensor:
        """[3 ways, queries, keys], as shown."""
        return self.result.weights

    def views(self) -> dict:
        return {
            "matrix": Matrix(
                torch.zeros(3, COUNT, COUNT), query_labels=TOKENS, key_labels=TOKENS, panel_names=WAYS, row_bars=True
            )
        }

    def compute(self, state) -> Placements:
        def score(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
            return scaled_dot(query, key) + torch.tensor([0.0] * (COUNT - 1) + [state.louder]).half()

        mask = MASKS[state.kind](COUNT)
        before = attend(QUERY, KEY, KEY, score, mask).weights
        after = attend(QUERY, KEY, KEY, score).weights * mask
        return Placements(torch.stack([before, after, after / after.sum(-1, keepdim=True)]), mask)

    def picture(self, state, result) -> dict:
        return {"matrix": {"values": result.weights, "mask": result.mask}}

    def sentence(self, state, result) -> list:
        row = state.cell[1] if state.cell and state.cell[1] >= 0 else 2
        before, after, divided = result.weights[:, row].sum(-1).tolist()
        sums = [
            "The row of ",
            query(quote(TOKENS[row])),
            f" sums to {number(before)} where −∞ came before the softmax, and to "
            f"{number(after) if after == 0 or after >= 0.005 else 'under 0.01'} where 0 came after it. ",
        ]
        if result.mask[row, -1]:
            told = "nothing is hidden from it" if result.mask[row].all() else "to it, “mat” is no secret"
            return say(*sums, "This row may see ", key(quote(TOKENS[-1])), f": {told}.")
        if divided != divided:
            return say(
                *sums,
                "All that it may see was rounded to 0 in 16 bits, and 0 / 0 is NaN: dividing "
                "afterwards cannot save it.",
            )
        return say(
            *sums,
            "It may not see ",
            key(quote(TOKENS[-1])),
            ", yet the second panel changes with the slider, as far as 16 bits can tell: it leaks through the sum.",
        )

    def code(self, state) -> str:
        return "\n".join([
            "import torch",
            "from attnlab import MASKS, attend, scaled_dot",
            "",
            f"# {' '.join(TOKENS)}: what each asks for, and what each offers, in amounts of [thing, doing]",
            f"query = torch.tensor({[list(x) for x in ASKS]}).half()  # numbers of 16 bits",
            f"key = torch.tensor({[list(x) for x in OFFERS]}).half()",
            f"louder = torch.tensor([0.0, 0.0, 0.0, 0.0, {state.louder}]).half()  # on the key “mat”",
            f"mask = MASKS[{state.kind!r}](5)",
            "scores = scaled_dot(query, key) + louder",
            "before = scores.masked_fill(~mask, -torch.inf).softmax(dim=-1)",
            "after = scores.softmax(dim=-1) * mask",
            "weights = torch.stack([before, after, after / after.sum(dim=-1, keepdim=True)])",
        ])
