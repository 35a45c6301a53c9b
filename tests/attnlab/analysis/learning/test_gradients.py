"""Gradients that reach inputs, scores and blocks, against finite differences and closed forms."""

import math
from inspect import unwrap

import pytest
import torch
from torch import nn
from torch.nn.functional import one_hot

from attnlab.analysis.learning.gradients import (
    block_gradients,
    gradient_by_distance,
    gradient_through_time,
    push_on_scores,
    scale_recurrence,
    share_without_push,
)
from attnlab.blocks import EncoderBlock, FeedForward, bare, post_norm, pre_norm
from attnlab.multihead import MultiHeadAttention
from attnlab.seq2seq import CELLS, Encoder


def encoder(cell, gain=1.0, keep=0.0, seed=0, hidden=32):
    torch.manual_seed(seed)
    return scale_recurrence(Encoder(13, hidden, hidden, bidirectional=False, cell=CELLS[cell]), gain, keep)


def profile(cell, inputs=20, **weights):
    made = encoder(cell, **weights)
    return gradient_through_time(made, torch.randint(3, 13, (16, inputs)), torch.randn(32))


# gradient_through_time


@pytest.mark.parametrize("cell", CELLS)
def test_gradient_through_time_by_finite_differences(cell):
    made = encoder(cell, hidden=3).double()
    source, direction = torch.tensor([[3, 5, 4, 9]]), torch.tensor([1.0, -0.5, 2.0], dtype=torch.float64)
    inputs = made.embed(source).detach()

    def last(moved):
        return float(made.read(moved, torch.tensor([4])).keys[0, -1].detach() @ direction)

    norms = []
    for place in reversed(range(4)):
        squares = 0.0
        for i in range(3):
            nudge = torch.zeros_like(inputs)
            nudge[0, place, i] = 1e-5
            squares += ((last(inputs + nudge) - last(inputs - nudge)) / 2e-5) ** 2
        norms.append(squares**0.5)
    expected = torch.tensor(norms, dtype=torch.float64) / norms[0]
    torch.testing.assert_close(gradient_through_time(made, source, direction), expected, rtol=1e-6, atol=1e-9)


def test_gradient_fades_fastest_in_a_plain_rnn():
    rnn, gru, lstm = (float(profile(cell)[-1]) for cell in CELLS)
    assert rnn < min(gru, lstm) / 100


def test_open_gates_let_the_gradient_through():
    for cell in ("gru", "lstm"):
        assert profile(cell, keep=4)[-1] > 0.3
        assert profile(cell)[-1] < 0.001
    assert torch.equal(profile("rnn", keep=4), profile("rnn"))


def test_gradient_explodes_where_the_recurrent_weights_are_large():
    assert profile("rnn", gain=5.0)[-1] > 100


def test_gradient_through_time_refuses_a_direction_of_another_size():
    with pytest.raises(ValueError, match="expected a direction of 32 numbers, got 31"):
        gradient_through_time(encoder("gru"), torch.full((1, 2), 3), torch.randn(31))


# scale_recurrence


@pytest.mark.parametrize(("cell", "gate"), [("gru", slice(5, 10)), ("lstm", slice(5, 10))])
def test_the_gate_that_keeps(cell, gate):
    before, after = encoder(cell, hidden=5).recurrent, encoder(cell, gain=2.0, keep=3.0, hidden=5).recurrent
    moved = (after.bias_hh_l0 - before.bias_hh_l0).detach()
    torch.testing.assert_close(moved[gate], torch.full((5,), 3.0))
    assert float(moved.abs().sum()) == pytest.approx(15, abs=1e-5)
    assert torch.equal(after.weight_hh_l0, 2 * before.weight_hh_l0)
    assert torch.equal(after.weight_ih_l0, before.weight_ih_l0)


@pytest.mark.parametrize("cell", ["gru", "lstm"])
def test_a_wide_open_gate_keeps_the_state(cell):
    made = encoder(cell, keep=30.0, hidden=5)
    kept = torch.randn(1, 5)
    state = made.kind.start(kept)._replace(cell=kept if cell == "lstm" else None)
    _, after = made.kind.run(made.recurrent, torch.randn(1, 7, 5), state)
    if cell == "gru":
        torch.testing.assert_close(after.hidden, kept)
    else:
        assert (after.cell - kept).abs().max() < 7, "each step adds at most 1"
        assert not torch.equal(after.cell, kept)


@pytest.mark.parametrize("wrong", [{"gain": float("nan")}, {"keep": float("inf")}])
def test_scale_recurrence_refuses_what_is_no_number(wrong):
    with pytest.raises(ValueError, match="expected a finite gain and a finite keep"):
        encoder("gru", **wrong)


# push_on_scores


def test_push_by_hand():
    """Logits that are the scores: minus the gradient is onehot(target) - softmax."""
    scores = torch.randn(2, 3, 5, requires_grad=True)
    targets = torch.randint(5, (2, 3))
    expected = one_hot(targets, 5) - scores.detach().softmax(-1)
    for _ in range(2):  # it can be asked again
        torch.testing.assert_close(push_on_scores(scores * 1, targets, scores), expected)


def test_push_is_where_the_loss_falls():
    torch.manual_seed(0)
    values, targets = torch.randn(5, 7, dtype=torch.float64), torch.tensor([6, 2])
    scores = torch.randn(2, 5, dtype=torch.float64, requires_grad=True)

    def loss(scores):
        logits = scores.softmax(-1) @ values
        return -sum(float(row.log_softmax(0)[target]) for row, target in zip(logits, targets, strict=True))

    push = push_on_scores(scores.softmax(-1) @ values, targets, scores)
    for row in range(2):
        for key in range(5):
            nudge = torch.zeros(2, 5, dtype=torch.float64)
            nudge[row, key] = 1e-6
            slope = (loss(scores.detach() + nudge) - loss(scores.detach() - nudge)) / 2e-6
            assert push[row, key].item() == pytest.approx(-slope, abs=1e-7)


def test_push_refuses_what_does_not_depend_on_the_scores():
    scores, targets = torch.randn(2, 3, requires_grad=True), torch.tensor([0, 1])
    with pytest.raises(ValueError, match="got some without one"):
        push_on_scores(scores.detach(), targets, scores)
    with pytest.raises(ValueError, match="got some that do not depend on them"):
        push_on_scores(torch.randn(2, 3, requires_grad=True), targets, scores)
    with pytest.raises(ValueError, match=r"expected a target for each answer, \[2\], got \[1\]"):
        unwrap(push_on_scores)(scores, targets[:1], scores)


# Gradients of blocks


class Tagger(nn.Module):
    def __init__(self, residual=pre_norm):
        super().__init__()
        self.embedding = nn.Embedding(11, 4)
        self.blocks = nn.ModuleList(
            EncoderBlock(MultiHeadAttention(4, 2), FeedForward(4, 3), residual=residual) for _ in range(3)
        )
        self.answer = nn.Linear(4, 5)

    def forward(self, tokens):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return self.answer(x)


@pytest.fixture
def tagged():
    generator = torch.Generator().manual_seed(0)
    return torch.randint(11, (2, 7), generator=generator), torch.randint(5, (2, 7), generator=generator)


@pytest.mark.parametrize("residual", [pre_norm, post_norm, bare])
def test_block_gradients_are_the_slopes_of_the_loss(tagged, residual):
    torch.manual_seed(0)
    model = Tagger(residual).double()
    inputs, targets = tagged

    def loss():
        chances = model(inputs).softmax(-1)
        return -sum(math.log(float(chances[i, j, targets[i, j]])) for i in range(2) for j in range(7)) / 14

    by_hand = []
    with torch.no_grad():
        for block in model.blocks:
            square = 0.0
            weight = block.feed_forward.contract.weight
            for i in range(len(weight)):
                for j in range(len(weight[0])):
                    weight[i, j] += 1e-5
                    up = loss()
                    weight[i, j] -= 2e-5
                    square += ((up - loss()) / 2e-5) ** 2
                    weight[i, j] += 1e-5
            by_hand.append(math.sqrt(square))
        found = block_gradients(model, inputs, targets)
    assert found.tolist() == pytest.approx(by_hand, rel=1e-5)
    assert all(parameter.grad is None for parameter in model.parameters())


def test_block_gradients_refuse_a_model_without_blocks_and_missing_targets(tagged):
    with pytest.raises(ValueError, match="got a Linear with 0 of them in 0 blocks"):
        block_gradients(nn.Linear(2, 2), *tagged)
    with pytest.raises(ValueError, match=r"expected a target for each answer, \[2, 7\], got \[2, 6\]"):
        unwrap(block_gradients)(Tagger(), tagged[0], tagged[1][:, 1:])


def test_the_gradient_by_distance_of_a_layer_that_halves_with_each_step():
    """The last output is the sum of x_t / 2 ** (steps back): so is its gradient, whatever the direction."""
    halves = 0.5 ** torch.arange(5).flip(0)

    def layer(x):
        return (x * halves.view(1, -1, 1)).cumsum(dim=1)

    found = gradient_by_distance(layer, torch.randn(3, 5, 4))
    torch.testing.assert_close(found, torch.tensor([1.0, 0.5, 0.25, 0.125]))
    with pytest.raises(ValueError, match="two tokens or more"):
        gradient_by_distance(layer, torch.randn(3, 1, 4))
    with pytest.raises(ValueError, match="earlier inputs reach the last output; here none of them does"):
        gradient_by_distance(lambda x: x, torch.randn(3, 5, 4))


def test_wrong_rows_that_nothing_pushes():
    push = torch.tensor([[0.0, 0.01], [0.4, -0.4], [-0.02, 0.0], [0.4, 0.0]])
    assert share_without_push(push, torch.tensor([True, True, True, False])) == pytest.approx(2 / 3)
    assert share_without_push(push, torch.zeros(4, dtype=torch.bool)) == 0


def test_a_push_of_just_as_much_as_faint_is_one():
    push = torch.tensor([[0.25, 0.0], [0.125, -0.125]])
    assert share_without_push(push, torch.ones(2, dtype=torch.bool), 0.25) == 0.5
