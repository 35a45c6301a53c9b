"""Strings whose first digit is asked for at their end, and the networks that read them."""

import pytest
import torch

from attnlab.tasks.first_digit import KINDS, LastStateReader, loss_of_first, reader, right_first, strings


@pytest.fixture
def asked():
    return strings(40, 6, torch.Generator().manual_seed(3))


def test_the_first_digit_is_asked_for(asked):
    assert asked.source.shape == (40, 6)
    assert asked.first.tolist() == [row[0] - 3 for row in asked.source.tolist()]
    assert sorted(set(asked.source.flatten().tolist())) == list(range(3, 13))


@pytest.mark.parametrize("kind", KINDS)
def test_a_reader_answers_from_its_last_state_alone(asked, kind):
    model = reader(kind, seed=1)
    states = model.encoder(asked.source, torch.full((40,), 6)).keys
    logits = states[:, -1] @ model.answer.weight.T + model.answer.bias
    torch.testing.assert_close(model(asked.source), logits)
    torch.testing.assert_close(loss_of_first(model, asked), -logits.log_softmax(1)[range(40), asked.first].mean())
    right = sum(row.index(max(row)) == first for row, first in zip(logits.tolist(), asked.first.tolist(), strict=True))
    assert right_first(model, asked) == pytest.approx(right / 40)


def test_kinds_differ_in_their_start_alone():
    plain, wide, gru, kept = (reader(kind) for kind in ("RNN", "RNN, weights × 3", "GRU", "GRU, opened at the start"))
    for name, weight in plain.state_dict().items():
        factor = 3 if name == "encoder.recurrent.weight_hh_l0" else 1
        torch.testing.assert_close(wide.state_dict()[name], factor * weight)
    for name, weight in gru.state_dict().items():
        change = torch.zeros_like(weight)
        if name == "encoder.recurrent.bias_hh_l0":
            change[32:64] = 4  # of the gate that keeps the state
        torch.testing.assert_close(kept.state_dict()[name], weight + change)


def test_an_unknown_kind_is_refused():
    with pytest.raises((KeyError, ValueError), match="transformer"):
        LastStateReader("transformer")
