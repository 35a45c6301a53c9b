"""What a linear probe finds of every digit, in every state, while a model reads and while it writes."""

from typing import NamedTuple

import torch

from attnlab.analysis import linear_probe, read_and_write
from widgets.base.controls import select, slider
from widgets.base.explorer import Explorer
from widgets.base.words import context, key, percent, query, say
from widgets.instruments.matrix.matrix import Matrix

SIZES = ["32 numbers", "64 numbers"]
STRINGS, LEARN, ZERO = 3000, 2000, 3  # ZERO: the id of the digit 0, behind PAD, BOS and EOS


class Found(NamedTuple):
    """shares: [states, digits], how often a probe of a state finds a digit. written: [digits], how often the model
    itself writes it right."""

    shares: torch.Tensor
    written: torch.Tensor


class LinearProbeExplorer(Explorer):
    """Rows: the encoder's state after each digit, the context c, the decoder's state at each digit that it writes.
    Columns: the digits. A cell: how often a linear probe reads this digit off this state; guessing finds 0.10.

    models: {name: a trained `FixedContext` that writes digits backwards}, with the names `SIZES`.
    """

    length = slider(6, 2, 10, label="digits", help="how many digits the model reads")
    size = select(SIZES, "64 numbers", label="context of", help="the model whose states are probed")

    shows = {"shares": ("matrix", "values")}
    unstable = True

    def __init__(self, models, lock=None, **state) -> None:
        self.models = models
        super().__init__(lock=lock, **state)

    @property
    def shares(self) -> torch.Tensor:
        """[states, digits] of the picture."""
        return self.result.shares

    def views(self) -> dict:
        return {"matrix": Matrix(query_title="states", key_title="digits", measure="found", row_bars=True)}

    def compute(self, state) -> Found:
        if state.size not in self.models:
            raise ValueError(f"expected models with the names {', '.join(SIZES)}, got {', '.join(self.models)}")
        known = (state.size, state.length)
        if known not in self._known:
            self._known[known] = self._probe(*known)
        return self._known[known]

    def _probe(self, size: str, length: int) -> Found:
        digits = torch.randint(10, (STRINGS, length), generator=torch.Generator().manual_seed(0))
        states, written = read_and_write(self.models[size], digits + ZERO)
        shares = torch.stack([linear_probe(state, digits, LEARN) for state in states])
        return Found(shares, (written.flip(1) - ZERO == digits).float().mean(dim=0))

    def picture(self, state, result) -> dict:
        n = state.length
        mask = torch.cat([torch.ones(n, n).tril(), torch.ones(n + 1, n)])  # what is not read yet cannot be found
        places = list(map(str, range(1, n + 1)))
        return {
            "matrix": {
                "values": result.shares,
                "mask": mask,
                "key_labels": places,
                "query_labels": [*(f"read {i}" for i in places), "c", *(f"write {i}" for i in places[::-1])],
                "query_groups": [[0, n, "encoder"], [n + 1, 2 * n + 1, "decoder"]],
                "selected": [0, n, -1],
            }
        }

    def sentence(self, state, result) -> list:
        n = state.length
        c, mean = result.shares[n], float(result.written.mean())
        own = torch.stack([result.shares[n + 1 + t, n - 1 - t] for t in range(n)])
        return say(
            "From the ",
            context("context c"),
            ", a linear probe reads ",
            key(f"the last digit in {percent(float(c[-1]))}"),
            " of all strings and ",
            key(f"the first in {percent(float(c[0]))}"),
            f". The decoder writes {percent(mean)} of the digits ",
            "right; in the state that should write a digit, the probe finds this very digit in ",
            query(percent(float(own.mean()))),
            " of all cases.",
        )

    def code(self, state) -> str:
        return "\n".join([
            "import torch",
            "from attnlab.analysis import linear_probe, read_and_write",
            "",
            "chance = torch.Generator().manual_seed(0)",
            f"digits = torch.randint(10, ({STRINGS}, {state.length}), generator=chance)",
            f"states, written = read_and_write(models[{state.size!r}], digits + {ZERO})  # {ZERO} is the id of 0",
            "",
            "# by least squares, learned on some strings and tested on the others",
            f"shares = torch.stack([linear_probe(state, digits, learn={LEARN}) for state in states])",
        ])
