"""The base of explorers whose tokens a hand brings into another order, in a TokenFlow and in a Matrix at once."""

from contextlib import suppress

import torch
from traitlets import observe

from widgets.base.controls import held, selected_cell
from widgets.base.explorer import Explorer
from widgets.instruments.matrix.matrix import Matrix
from widgets.instruments.token_flow.token_flow import TokenFlow


class TokenOrderExplorer(Explorer):
    """A TokenFlow over a Matrix, both in one order, with one token selected.

    A subclass has a `text` and a `shuffle`, says what its `tokens` are, and puts what `arranged` gives into its
    picture.
    """

    order = held([], help="which token stands at each place; [] as typed", follows=("flow", "order"))
    rows = held([], help="the order of the matrix' rows: always `order`", follows=("matrix", "query_order"))
    columns = held([], help="the order of the matrix' columns: always `order`", follows=("matrix", "key_order"))
    asks = held(0, help="the token whose query is shown; -1: none", follows=("flow", "selected"))
    cell = selected_cell([0, 0, -1])

    titles = ["before", "output", "input"]

    def tokens(self, state) -> list[str]:
        """What is typed, token by token. Raises ValueError for what cannot be shown."""
        raise NotImplementedError

    def views(self) -> dict:
        return {"flow": TokenFlow(titles=self.titles), "matrix": Matrix(torch.zeros(1, 1), editing="order")}

    def in_order(self, state) -> list[int]:
        """Which token stands at each place."""
        return state.order or list(range(len(self.tokens(state))))

    def arranged(self, state, tokens) -> tuple[dict, dict]:
        """What TokenFlow and Matrix show of tokens, order and selection."""
        asks = state.asks if state.asks < len(tokens) else 0
        key = state.cell[2] if state.cell and state.cell[2] < len(tokens) else -1
        flow = {"labels": tokens, "order": state.order, "selected": asks}
        matrix = {
            "query_labels": tokens,
            "key_labels": tokens,
            "query_order": state.order,
            "key_order": state.order,
            "selected": [0, asks, key] if asks >= 0 else [],
        }
        return flow, matrix

    @observe("text")
    def _begin_as_typed(self, change) -> None:
        self.set_state({"order": [], "asks": 0})

    @observe("shuffle")
    def _shuffle(self, change) -> None:
        if not change.new:
            return
        with suppress(ValueError):  # what was typed with it, and cannot be shown, has no order; the banner says why
            now = self.in_order(self.state)
            drawn = torch.randperm(len(now), generator=torch.Generator().manual_seed(change.new)).tolist()
            self.set_state({"order": drawn if drawn != now else now[::-1]})

    @observe("order", "rows", "columns")
    def _keep_one_order(self, change) -> None:
        self.set_state({name: list(change.new) for name in ("order", "rows", "columns")})

    @observe("asks")
    def _select_row(self, change) -> None:
        if change.new != (self.cell[1] if self.cell else -1):
            self.set_state({"cell": [0, change.new, -1] if change.new >= 0 else []})

    @observe("cell")
    def _select_token(self, change) -> None:
        self.set_state({"asks": change.new[1] if change.new else -1})
