"""Guesses at hidden words: what is hidden is not seen, and from the left nothing that follows is."""

import pytest
import torch
from shaken import shaken

from attnlab.analysis.words.word_guesses import guess_from_both_sides, guess_from_the_left
from attnlab.masks import causal
from attnlab.tasks.python_topics import END, HIDDEN
from attnlab.training import seeded
from attnlab.transformer import masked_encoder

TOKENS = torch.tensor([7, 4, 9, 12, 5, 11, 8])


@pytest.fixture(scope="module")
def model():
    with seeded(0):
        return shaken(masked_encoder(13, 8, 2, 2, 17), 0.4)


def test_from_both_sides_by_hand(model):
    found = guess_from_both_sides(model, TOKENS, [5, 2])
    inputs = torch.tensor([[7, 4, HIDDEN, 12, 5, HIDDEN, 8]])
    with torch.no_grad():
        torch.testing.assert_close(found, model(inputs)[0, [5, 2]].softmax(-1))


@pytest.mark.parametrize("guess", [guess_from_both_sides, guess_from_the_left])
def test_what_is_hidden_is_not_seen(model, guess):
    changed = TOKENS.clone()
    changed[[2, 5]] = torch.tensor([4, 6])
    torch.testing.assert_close(guess(model, TOKENS, [2, 5]), guess(model, changed, [2, 5]))
    assert not torch.allclose(guess(model, TOKENS, [3]), guess(model, changed, [3]), atol=1e-3)


def test_from_the_left_by_hand(model):
    found = guess_from_the_left(model, TOKENS, [5, 2])
    with torch.no_grad():
        second = model(torch.tensor([[END, 7, 4]]), causal(3))[0, -1]
        fifth = model(torch.tensor([[END, 7, 4, int(second.argmax()), 12, 5]]), causal(6))[0, -1]
    torch.testing.assert_close(found, torch.stack([fifth, second]).softmax(-1))


def test_from_the_left_nothing_that_follows_counts(model):
    changed = TOKENS.clone()
    changed[3:] = 4
    torch.testing.assert_close(guess_from_the_left(model, TOKENS, [2]), guess_from_the_left(model, changed, [2]))
    assert not torch.allclose(guess_from_both_sides(model, TOKENS, [2]), guess_from_both_sides(model, changed, [2]))


def test_the_first_word_has_an_end_before_it(model):
    with torch.no_grad():
        expected = model(torch.tensor([[END]]), causal(1))[0].softmax(-1)
    torch.testing.assert_close(guess_from_the_left(model, TOKENS, [0]), expected)
