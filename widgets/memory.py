"""MemoryExplorer: what a linear probe finds of every digit, in every state, while a model reads and while it writes."""

from typing import NamedTuple

import torch
from torch.nn.functional import one_hot

from attnlab.tasks import BOS

from .controls import select, slider
from .explorer import Explorer
from .matrix import Matrix
from .words import context, key, percent, query, say

SIZES = ["8 numbers", "16 numbers", "32 numbers", "64 numbers"]
STRINGS, LEARN, FIRST = 3000, 2000, 3  # FIRST: the id of the digit 0, behind PAD, BOS and EOS


class Found(NamedTuple):
    """shares: [states, digits], how often a probe of a state finds a digit. written: [digits], how often the model
    itself writes it right."""

    shares: torch.Tensor
    written: torch.Tensor


class MemoryExplorer(Explorer):
    """Rows: the encoder's state after each digit, the context c, the decoder's state at each digit that it writes.
    Columns: the digits. A cell: how often a linear probe reads this digit off this state; guessing finds 0.10.

    models: {name: a trained `FixedContext` that writes digits backwards}, with the names `SIZES`.
    """

    length = slider(6, 2, 10, label="digits", help="how many digits the model reads")
    size = select(SIZES, "64 numbers", label="context of", help="the model whose states are probed")

    shows = {"shares": ("matrix", "values")}

    def __init__(self, models, lock=None, **state):
        self.models, self._known = models, {}
        super().__init__(lock=lock, **state)

    @property
    def shares(self) -> torch.Tensor:
        """[states, digits] of the picture."""
        return self.result.shares

    def __repr__(self):
        # Without the shares: they differ a little from one machine's training to the next.
        if not hasattr(self, "parts"):
            return super().__repr__()
        return f"MemoryExplorer({self.length} digits, {self.size}): {2 * self.length + 1} states, probed for each digit"

    def views(self):
        return {"matrix": Matrix(query_title="states", key_title="digits", measure="found",
                                 row_bars=True)}

    def compute(self, state):
        if state.size not in self.models:
            raise ValueError(f"expected models with the names {', '.join(SIZES)}, got {', '.join(self.models)}")
        known = (state.size, state.length)
        if known not in self._known:
            self._known[known] = probed(self.models[state.size], state.length)
        return self._known[known]

    def refresh(self):
        self._known = {}
        super().refresh()

    def picture(self, state, result):
        n = state.length
        mask = torch.cat([torch.ones(n, n).tril(), torch.ones(n + 1, n)])  # what is not read yet cannot be found
        places = list(map(str, range(1, n + 1)))
        return {"matrix": {
            "values": result.shares, "mask": mask, "key_labels": places,
            "query_labels": [*(f"read {i}" for i in places), "c", *(f"write {i}" for i in places[::-1])],
            "query_groups": [[0, n, "encoder"], [n + 1, 2 * n + 1, "decoder"]], "selected": [0, n, -1],
        }}

    def sentence(self, state, result):
        n = state.length
        c, mean = result.shares[n], float(result.written.mean())
        own = torch.stack([result.shares[n + 1 + t, n - 1 - t] for t in range(n)])
        return say("Off the ", context("context c"), ", a linear probe reads ",
                   key(f"the last digit in {percent(float(c[-1]))}"), " of all strings and ",
                   key(f"the first in {percent(float(c[0]))}"), f". The decoder writes {percent(mean)} of the digits ",
                   "right: in the state that writes a digit, the probe finds this very digit in ",
                   query(percent(float(own.mean()))), " of all cases.")

    def code(self, state):
        return "\n".join([
            "import torch",
            "from torch.nn.functional import one_hot",
            "from attnlab.tasks import BOS",
            "",
            f"n, model = {state.length}, models[{state.size!r}]",
            "chance = torch.Generator().manual_seed(0)",
            f"source = torch.randint({FIRST}, {FIRST + 10}, ({STRINGS}, n), generator=chance)",
            "with torch.no_grad():",
            f"    memory = model.encode(source, torch.full(({STRINGS},), n))",
            "    states = [*memory.keys.unbind(dim=1), memory.summary]",
            f"    state, token = model.start(memory), torch.full(({STRINGS},), BOS)",
            "    for _ in range(n):",
            "        logits, state, _ = model.step(token, state, memory)",
            "        token = logits.argmax(dim=-1)",
            "        states.append(state.hidden)",
            f"digits = one_hot(source - {FIRST}, 10).flatten(1).float()  # [strings, n * 10]",
            "",
            "shares = []",
            "for x in states:",
            "    x = torch.cat([x, torch.ones(len(x), 1)], dim=1)",
            f"    seen, new = x[:{LEARN}], x[{LEARN}:]  # the probe: least squares, on some strings for others",
            f"    W = torch.linalg.solve(seen.T @ seen + torch.eye(x.shape[1]), seen.T @ digits[:{LEARN}])",
            "    guess = (new @ W).unflatten(1, (n, 10)).argmax(dim=-1)",
            f"    shares.append((guess == source[{LEARN}:] - {FIRST}).float().mean(dim=0))",
            "shares = torch.stack(shares)",
        ])


@torch.no_grad()
def probed(model, n: int) -> Found:
    """What linear probes find of strings of `n` digits."""
    source = torch.randint(FIRST, FIRST + 10, (STRINGS, n), generator=torch.Generator().manual_seed(0))
    memory = model.encode(source, torch.full((STRINGS,), n))
    states, tokens = [*memory.keys.unbind(dim=1), memory.summary], []
    state, token = model.start(memory), torch.full((STRINGS,), BOS)
    for _ in range(n):
        logits, state, _ = model.step(token, state, memory)
        token = logits.argmax(dim=-1)
        tokens.append(token)
        states.append(state.hidden)
    written = (torch.stack(tokens, dim=1).flip(1) == source).float().mean(dim=0)
    return Found(torch.stack([probe(x, source - FIRST) for x in states]), written)


def probe(x: torch.Tensor, digits: torch.Tensor) -> torch.Tensor:
    """[places]: how often each digit of held-out strings is read off x [strings, dim] by a linear map, learned from
    the other strings by least squares with a little ridge."""
    x = torch.cat([x, torch.ones(len(x), 1)], dim=1)
    seen, new = x[:LEARN], x[LEARN:]
    wanted = one_hot(digits[:LEARN], 10).flatten(1).float()
    W = torch.linalg.solve(seen.T @ seen + torch.eye(x.shape[1]), seen.T @ wanted)
    guess = (new @ W).unflatten(1, (digits.shape[1], 10)).argmax(dim=-1)
    return (guess == digits[LEARN:]).float().mean(dim=0)
