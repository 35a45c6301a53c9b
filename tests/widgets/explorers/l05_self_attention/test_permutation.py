"""PermutationExplorer: a dragged order is an order of the inputs, and the outputs are compared honestly."""

from itertools import permutations

import pytest
import torch
from explorers import code_gives_the_picture, drive

from attnlab import attend, causal, sinusoidal
from attnlab.tasks.word_vectors import word_vectors
from widgets.explorers.l05_self_attention.permutation import PermutationExplorer


@pytest.fixture
def explorer():
    return PermutationExplorer(text="the dog bites the man")


def by_hand(words, positions=False, mask=False):
    """Outputs of self-attention over the words, place by place."""
    x = word_vectors(words, 6, torch.float64)
    if positions:
        x = x + sinusoidal(len(words), 6)
    W_q, W_k, W_v = torch.randn(3, 6, 6, generator=torch.Generator().manual_seed(2), dtype=torch.float64) / 2
    return attend(x @ W_q, x @ W_k, x @ W_v, mask=causal(len(words)) if mask else None)


def test_every_control(explorer):
    drive(explorer)


@pytest.mark.parametrize(("positions", "mask"), [(False, False), (True, False), (False, True), (True, True)])
def test_picture_is_that_of_the_words_in_their_order(explorer, positions, mask):
    words = explorer.text.split()
    for order in [[4, 1, 2, 3, 0], [1, 0, 2, 3, 4], [2, 4, 0, 1, 3]]:
        explorer.change(order=order, positions=positions, causal_mask=mask)
        now, typed = by_hand([words[i] for i in order], positions, mask), by_hand(words, positions, mask)
        torch.testing.assert_close(explorer.outputs, now.context)
        flow, matrix = explorer.parts["flow"], explorer.parts["matrix"]
        torch.testing.assert_close(torch.tensor(flow.contexts)[order], now.context.float())
        torch.testing.assert_close(torch.tensor(flow.before), typed.context.float())
        torch.testing.assert_close(torch.tensor(matrix.values[0, 0])[order][:, order], now.weights.float())
        expected = (now.context - typed.context[order]).abs().max().item()
        assert explorer.difference == pytest.approx(expected, abs=1e-12)
        assert (explorer.difference > 1e-3) == (positions or mask)
        if mask:
            assert ((flow.mask != 0) == (flow.weights > 0)).all()
            assert (matrix.mask[0] == flow.mask).all()
        code_gives_the_picture(explorer)


def test_no_order_of_the_words_changes_an_output():
    explorer = PermutationExplorer(text="dog bites big man")
    for order in permutations(range(4)):
        explorer.order = list(order)
        assert explorer.difference < 1e-12
    assert "the same to 12 decimals" in repr(explorer)


def test_equal_words_have_equal_outputs_until_places_count(explorer):
    assert "Both “the” have the same output" in repr(explorer)
    assert torch.equal(explorer.outputs[0], explorer.outputs[3])
    explorer.positions = True
    assert "different outputs" in repr(explorer)


def test_under_a_mask_a_word_keeps_its_output_if_the_bag_before_it_stays(explorer):
    explorer.change(causal_mask=True, order=[3, 1, 2, 0, 4])  # the two “the” exchanged
    changed = explorer.result.difference > 1e-9
    assert changed.tolist() == [True, False, False, True, False]
    assert "2 of 5 outputs have changed" in repr(explorer)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "got 0"),
        ("dog", "got 1"),
        ("a b c d e f g h i", "got 9"),
        ("a " + "x" * 30, "at most 20 letters"),
    ],
)
def test_bad_text_gets_a_sentence_and_loses_nothing(explorer, text, message):
    explorer.order = [1, 0, 2, 3, 4]
    before = explorer.parts["flow"].contexts.copy()
    explorer.text = text
    assert message in explorer.parts["caption"].error
    assert (explorer.parts["flow"].contexts == before).all()
    explorer.text = "<b>dog</b> 犬"
    assert explorer.parts["caption"].error == ""


def test_a_text_that_cannot_be_shown_comes_with_a_shuffle():
    """As one message, when the kernel was busy with something else."""
    explorer = PermutationExplorer(text="dog bites man")
    explorer.change(text="dog", shuffle=1)
    assert explorer.parts["caption"].error == "expected 2 to 8 words, got 1"
    explorer.change(text="dog bites man", shuffle=2)
    assert sorted(explorer.order) == [0, 1, 2]


def test_three_equal_words_are_counted():
    explorer = PermutationExplorer(text="a a b a")
    assert "All 3 “a” have the same output" in repr(explorer.parts["caption"])
    explorer.causal_mask = True
    assert "The 3 “a” have different outputs" in repr(explorer.parts["caption"])
