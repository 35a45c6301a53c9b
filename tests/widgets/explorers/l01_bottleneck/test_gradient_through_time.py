"""GradientThroughTimeExplorer: three curves from the last input backwards, and what is said of their ends."""

import pytest
import torch
from explorers import drive

from widgets.explorers.l01_bottleneck.gradient_through_time import GradientThroughTimeExplorer, share_in_words


@pytest.fixture(scope="module")
def explorer():
    return GradientThroughTimeExplorer()


def test_three_kinds(explorer):
    drive(explorer)
    assert explorer.norms.shape == (3, 20)
    assert explorer.norms[:, 0].tolist() == [1, 1, 1]
    rnn, gru, lstm = explorer.norms[:, -1]
    assert rnn < gru / 100
    assert rnn < lstm / 100


@pytest.mark.parametrize(
    ("state", "verdict"),
    [
        ({}, "It vanishes"),
        ({"gain": 5.0}, "it explodes"),
        ({"keep": 6}, "Where it vanishes"),
        ({"gain": 3.0, "keep": 4}, "All three hear"),
    ],
)
def test_what_is_said_of_the_first_input(explorer, state, verdict):
    explorer.reset()
    explorer.change(**state)
    assert verdict in repr(explorer.parts["caption"])


def test_the_learners_random_numbers_go_on_undisturbed(explorer):
    torch.manual_seed(7)
    expected = torch.rand(1)
    torch.manual_seed(7)
    explorer.refresh()
    assert torch.equal(torch.rand(1), expected)


@pytest.mark.parametrize(
    ("x", "words"),
    [
        (0.72, "0.7"),
        (1 / 200, "1/200"),
        (1e-9, "less than a millionth"),
        (5700, "5\u202f700 times as much"),
        (11336**-1, "1/11\u202f000"),
    ],
)
def test_share_in_words(x, words):
    assert share_in_words(x) == words
