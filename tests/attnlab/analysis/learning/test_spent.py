"""Seconds grow with the work, FLOPs are those of a product, and what is kept is kept once."""

import torch
from torch import nn

from attnlab.analysis.learning import spent
from attnlab.analysis.learning.spent import flops, kept_bytes, seconds


def test_the_least_of_several_rounds(monkeypatch):
    ticks = iter([0, 5, 0, 3, 0, 4])  # three rounds
    monkeypatch.setattr(spent, "CLOCK", lambda: next(ticks))
    assert seconds({"a": len}, [torch.zeros(7)], rounds=3) == {"a": {7: 3.0}}


def test_a_short_call_is_repeated_and_all_take_turns(monkeypatch):
    heard, now = [], [0.0]

    def way(name):
        def called(x):
            heard.append(f"{name}{len(x)}")
            now[0] += 0.25

        return called

    monkeypatch.setattr(spent, "CLOCK", lambda: now[0])
    monkeypatch.setattr(spent, "LEAST", 0.5)
    found = seconds({"a": way("a"), "b": way("b")}, [torch.zeros(1), torch.zeros(2)], rounds=2)
    assert heard == ["a1", "b1", "a2", "b2", "a1", "a1", "b1", "b1", "a2", "a2", "b2", "b2"]
    assert found == {"a": {1: 0.25, 2: 0.25}, "b": {1: 0.25, 2: 0.25}}


def test_flops_of_a_product():
    assert flops(torch.matmul, torch.randn(3, 5), torch.randn(5, 7)) == 2 * 3 * 5 * 7
    assert flops(lambda x: x.softmax(dim=0), torch.randn(3)) == 0


def test_what_a_product_and_a_softmax_keep():
    x, y = torch.randn(4, 8, requires_grad=True), torch.randn(8, 2, requires_grad=True)
    assert kept_bytes(torch.matmul, x, y) == 4 * (32 + 16)
    assert kept_bytes(lambda x, y: (x @ y).softmax(dim=-1), x, y) == 4 * (32 + 16 + 8)
    assert kept_bytes(lambda x, y: (x @ y) * (x @ y), x, y) == 4 * (32 + 16 + 8 + 8), "x and y lie there once"
    assert kept_bytes(nn.functional.relu, x) == 4 * 32


@torch.no_grad()
def test_flops_of_torchs_own_attention():
    x = torch.randn(1, 2, 8, 4)
    assert flops(lambda x: nn.functional.scaled_dot_product_attention(x, x, x), x) == 2 * 2 * (2 * 8 * 8 * 4)
    module, tokens = nn.MultiheadAttention(8, 2, batch_first=True).eval(), torch.randn(2, 8, 8)
    assert flops(lambda x: module(x, x, x, need_weights=False)[0], tokens) == 2 * (2 * 4 * 8 * 8 * 8 + 4 * 8 * 8 * 8)
    assert torch.backends.mha.get_fastpath_enabled()


def test_a_tensor_and_its_transpose_are_kept_once():
    assert kept_bytes(lambda x: x @ x.mT, torch.randn(4, 8, requires_grad=True)) == 4 * 32
