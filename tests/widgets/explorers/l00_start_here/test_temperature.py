"""TemperatureExplorer: the weights of a sentence, and what is said of the selected word."""

import math

import pytest
from explorers import drive

from attnlab.tasks.sample_words import SAMPLE_WORDS
from widgets.explorers.l00_start_here.temperature import TemperatureExplorer


@pytest.fixture(scope="module")
def explorer():
    return TemperatureExplorer()


@pytest.fixture(autouse=True)
def from_the_start(explorer):
    explorer.reset()


def test_every_control(explorer):
    drive(explorer)


def test_weights_by_loops(explorer):
    explorer.change(words="fish eat fish", temperature=0.5)
    for word, row in zip(["fish", "eat", "fish"], explorer.weights.tolist(), strict=True):
        asks = SAMPLE_WORDS[word][0]
        offers = [SAMPLE_WORDS[other][1] for other in ("fish", "eat", "fish")]
        powers = [math.exp(sum(a * b for a, b in zip(asks, key, strict=True)) / math.sqrt(2) / 0.5) for key in offers]
        assert row == pytest.approx([power / sum(powers) for power in powers], abs=1e-5)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({}, "“cat” puts 60\u202f% of its weight on “sat” and shares out the rest."),
        ({"temperature": 0.1}, "of its weight on “sat”: so cold, softmax is a choice."),
        ({"temperature": 4.0}, "so hot, softmax is nearly an average, 17\u202f% for each word."),
        ({"cell": [0, 1, 1]}, "of its weight on “cat”, and most, 60\u202f%, on “sat”."),
        ({"cell": []}, "on “sat” and shares out the rest."),
    ],
)
def test_what_is_said(explorer, state, words):
    explorer.change(**state)
    assert words in repr(explorer.parts["caption"])


@pytest.mark.parametrize("temperature", [0.1, 1.0])
def test_equal_words_that_share_are_no_average(explorer, temperature):
    explorer.change(words="fish eat fish", temperature=temperature)
    assert "and shares out the rest." in repr(explorer.parts["caption"])
