"""Dragged: the base of explorers whose tokens a hand brings into another order, in a Flow and in a Matrix at once."""

import torch
from traitlets import observe

from .controls import held
from .explorer import Explorer
from .flow import Flow
from .matrix import Matrix


class Dragged(Explorer):
    """A Flow over a Matrix, both in one order, with one token selected.

    A subclass has a `text` and a `shuffle`, says what its `tokens` are, and puts what `placed` gives into its picture.
    """

    order = held([], help="which token stands at each place; [] as typed")
    rows = held([], help="the order of the matrix' rows: always `order`")
    columns = held([], help="the order of the matrix' columns: always `order`")
    asks = held(0, help="the token whose query is shown; -1: none")
    cell = held([0, 0, -1], help="what is selected in the matrix")

    follows = {"order": ("flow", "order"), "rows": ("matrix", "query_order"), "columns": ("matrix", "key_order"),
               "asks": ("flow", "selected"), "cell": ("matrix", "selected")}
    titles = ["before", "output", "input"]

    def tokens(self, state) -> list[str]:
        """What is typed, token by token. Raises ValueError for what cannot be shown."""
        raise NotImplementedError

    def views(self):
        return {"flow": Flow(titles=self.titles), "matrix": Matrix(torch.zeros(1, 1), editing="order")}

    def in_order(self, state) -> list[int]:
        """Which token stands at each place."""
        return state.order or list(range(len(self.tokens(state))))

    def placed(self, state, tokens) -> tuple[dict, dict]:
        """What Flow and Matrix show of tokens, order and selection."""
        asks = state.asks if state.asks < len(tokens) else 0
        key = state.cell[2] if state.cell and state.cell[2] < len(tokens) else -1
        flow = {"labels": tokens, "order": state.order, "selected": asks}
        matrix = {"query_labels": tokens, "key_labels": tokens, "query_order": state.order, "key_order": state.order,
                  "selected": [0, asks, key] if asks >= 0 else []}
        return flow, matrix

    @observe("text")
    def _new_tokens(self, change):
        self._set({"order": [], "asks": 0})

    @observe("shuffle")
    def _another_order(self, change):
        if change.new and self._error is None:
            now = self.in_order(self.state)
            turned = torch.randperm(len(now), generator=torch.Generator().manual_seed(change.new)).tolist()
            self._set({"order": turned if turned != now else now[::-1]})

    @observe("order", "rows", "columns")
    def _in_one_order(self, change):
        self._set({name: list(change.new) for name in ("order", "rows", "columns")})

    @observe("asks")
    def _asked(self, change):
        if change.new != (self.cell[1] if self.cell else -1):
            self._set({"cell": [0, change.new, -1] if change.new >= 0 else []})

    @observe("cell")
    def _chosen(self, change):
        self._set({"asks": change.new[1] if change.new else -1})
