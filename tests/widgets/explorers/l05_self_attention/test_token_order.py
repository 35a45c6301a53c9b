"""TokenOrderExplorer: one order and one selected token, whether a hand moves them in the flow or in the matrix."""

import pytest
import torch

from widgets.base.controls import button, text
from widgets.base.typed import words_in
from widgets.base.words import say
from widgets.explorers.l05_self_attention.token_order import TokenOrderExplorer


class Words(TokenOrderExplorer):
    """Every word reads every word alike."""

    text = text("the dog bites the man", help="words")
    shuffle = button(help="another order")

    def tokens(self, state):
        return words_in(state.text, most=8)

    def compute(self, state):
        return torch.ones(len(self.tokens(state)), len(self.tokens(state)))

    def picture(self, state, result):
        flow, matrix = self.arranged(state, self.tokens(state))
        return {"flow": {**flow, "weights": result}, "matrix": {**matrix, "values": result}}

    def sentence(self, state, result):
        return say(f"order {self.in_order(state)}")

    def code(self, state):
        return f"order = {self.in_order(state)}"


@pytest.fixture
def explorer():
    return Words()


def test_a_hand_in_either_view_moves_both(explorer):
    flow, matrix = explorer.parts["flow"], explorer.parts["matrix"]
    for view, trait, order in [
        (flow, "order", [1, 0, 2, 3, 4]),
        (matrix, "key_order", [1, 2, 0, 3, 4]),
        (matrix, "query_order", [4, 3, 2, 1, 0]),
        (matrix, "key_order", [1, 2, 0, 3, 4]),
    ]:
        setattr(view, trait, order)
        assert explorer.order == matrix.query_order == matrix.key_order == flow.order == order
        assert repr(explorer.parts["caption"]).startswith(f"order {order}")


def test_a_token_selected_in_either_view_is_selected_in_both(explorer):
    flow, matrix = explorer.parts["flow"], explorer.parts["matrix"]
    flow.selected = 2
    assert matrix.selected == [0, 2, -1]
    matrix.selected = [0, 4, 1]
    assert flow.selected == 4
    assert matrix.selected == [0, 4, 1]
    flow.selected = -1
    assert matrix.selected == []


def test_other_words_begin_in_the_order_typed(explorer):
    explorer.change(order=[4, 3, 2, 1, 0], asks=4)
    explorer.text = "man bites dog"
    assert explorer.order == explorer.parts["flow"].order == explorer.parts["matrix"].query_order == []
    assert explorer.parts["flow"].labels == ["man", "bites", "dog"]
    explorer.reset()
    assert explorer.parts["flow"].labels == ["the", "dog", "bites", "the", "man"]


def test_shuffle_never_leaves_the_order_as_it_is():
    explorer = Words(text="dog man")
    for press in range(1, 9):
        before = explorer.in_order(explorer.state)
        explorer.shuffle = press
        assert explorer.in_order(explorer.state) != before


def test_nothing_is_shuffled_while_the_banner_stands(explorer):
    explorer.text = "alone"
    explorer.shuffle = 1
    assert explorer.order == []
    assert "got 1" in explorer.parts["caption"].error
