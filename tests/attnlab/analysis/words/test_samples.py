"""What a model writes while it learns is kept: the first text, an early one, and the latest."""

import pytest
import torch
from torch import nn

from attnlab.analysis.words.known_words import known_share
from attnlab.analysis.words.samples import Samples
from attnlab.tasks.text import Text


class Repeats(nn.Module):
    """A GPT that is sure of one text, whatever it reads: after token i comes the one that follows i in it."""

    longest = 8

    def __init__(self, text: Text) -> None:
        super().__init__()
        self.size = len(text.vocabulary)
        self.teach(text, "abc ")

    def teach(self, text: Text, circle: str) -> None:
        ids = text.encode(circle)
        self.following = {int(one): int(other) for one, other in zip(ids, ids.roll(-1), strict=True)}

    def forward(self, tokens):
        logits = torch.zeros(*tokens.shape, self.size)
        for place, token in enumerate(tokens[0].tolist()):
            logits[0, place, self.following.get(token, self.following[max(self.following)])] = 100
        return logits

    def caches(self):
        raise AssertionError("nothing is cached while a model learns")


@pytest.fixture
def text():
    return Text("abc abd cab ", "abc ")


def test_the_first_an_early_one_and_the_latest(text):
    model = Repeats(text)
    samples = Samples(model, text, begin="a", tokens=6, every=10)
    assert samples.after(1)["titles"] == ["after 1 step"]
    assert samples.written["after 1 step"] == "abc abc"
    model.teach(text, "abd ")
    assert samples.after(2)["texts"] == [[["abc", "word"], [" ", ""], ["abc", "word"]]]  # nothing new is written
    samples.after(10)
    model.teach(text, "cab ")
    samples.after(20)
    model.teach(text, "bac ")
    found = samples.after(30)
    assert found["titles"] == ["after 1 step", "after 10 steps", "the latest"]
    assert list(samples.written.values()) == ["abc abc", "abd abd", "ac bac "]
    assert found["texts"][2] == [["ac", ""], [" ", ""], ["bac", ""], [" ", ""]]
    assert found["shares"] == pytest.approx([known_share(text, samples.known) for text in samples.written.values()])
    assert found["shares"] == pytest.approx([6 / 7, 6 / 7, 0])


def test_a_training_that_begins_anew_begins_with_one_text(text):
    samples = Samples(Repeats(text), text, begin="a", tokens=3, every=2)
    for step in range(1, 7):
        samples.after(step)
    assert len(samples.written) == 3
    assert samples.after(1)["titles"] == ["after 1 step"]


def test_only_the_model_differs(text):
    class Undecided(Repeats):
        def forward(self, tokens):
            return super().forward(tokens) / 100

    samples = Samples(Undecided(text), text, begin="a", tokens=20, every=5)
    for step in (1, 5, 10):
        samples.after(step)
    assert len(set(samples.written.values())) == 1


def test_a_beginning_of_no_token(text):
    with pytest.raises(ValueError, match="prompt"):
        Samples(Repeats(text), text, begin="").after(1)
