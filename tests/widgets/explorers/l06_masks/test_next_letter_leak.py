"""NextLetterLeakExplorer asks models for the chance of each letter that is shown, and of the next one."""

import pytest
import torch
from explorers import code_gives_the_picture, drive
from torch import nn

from attnlab.tasks.text import Text
from widgets.explorers.l06_masks.next_letter_leak import NextLetterLeakExplorer


class Peeker(nn.Module):
    """Nearly sure of the letter that stands next in its input; where none does, every letter is as likely."""

    def __init__(self, letters):
        super().__init__()
        self.letters = letters

    def forward(self, tokens):
        logits = torch.zeros(*tokens.shape, self.letters)
        logits[:, :-1].scatter_(2, tokens[:, 1:, None], 20.0)
        return logits


class Blind(Peeker):
    """Knows nothing."""

    def forward(self, tokens):
        return torch.zeros(*tokens.shape, self.letters)


@pytest.fixture(scope="module")
def task():
    return Text.from_string("the return value\n" * 100)


@pytest.fixture
def explorer(task):
    letters = len(task.vocabulary)
    return NextLetterLeakExplorer({"no mask": Peeker(letters), "causal": Blind(letters)}, task, shown=5)


def test_every_control(explorer, task):
    drive(explorer, models=explorer.models, task=task)
    explorer.text = "value"
    drive(explorer, models=explorer.models, task=task)


def test_who_peeks_knows_all_but_the_next(explorer, task):
    for shown in explorer.positions("shown"):
        explorer.shown = shown
        chance = 1 / len(task.vocabulary)
        wanted = torch.zeros(2, 16)
        wanted[0, :shown] = 1
        wanted[0, shown] = wanted[1, : shown + 1] = chance
        torch.testing.assert_close(explorer.chances, wanted, atol=1e-6, rtol=0)
        matrix = explorer.parts["matrix"]
        assert matrix.mask[0].tolist() == [[1.0] * (shown + 1) + [0.0] * (15 - shown)] * 2
        assert matrix.key_groups[-1] == [shown, shown + 1, "?"]
        code_gives_the_picture(explorer, models=explorer.models, task=task)


def test_the_sentence(explorer):
    assert repr(explorer.parts["caption"]) == (
        "Chance of the next letter, “e”: no mask 9\u202f%, causal 9\u202f%. Of each letter that is shown, on average: "
        "no mask 100\u202f%, causal 9\u202f%."
    )
    explorer.shown = 0
    assert repr(explorer.parts["caption"]) == "Chance of the next letter, “t”: no mask 9\u202f%, causal 9\u202f%."


def test_the_name_holds_no_measured_number(explorer):
    assert repr(explorer) == "NextLetterLeakExplorer(text='the return value', shown=5)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1 to 48 letters, got 0"),
        ("e" * 49, "got 49"),
        ("🎉", "never seen"),
    ],
)
def test_bad_text_gets_a_sentence_and_loses_nothing(explorer, text, message):
    before = explorer.parts["matrix"].values.copy()
    explorer.text = text
    assert message in explorer.parts["caption"].error
    assert (explorer.parts["matrix"].values == before).all()
    explorer.text = "eat"
    assert "eat" not in explorer.parts["caption"].error


def test_a_shorter_text_has_fewer_steps(explorer):
    explorer.shown = 15
    explorer.text = "value"
    assert explorer.shown == 4
    assert explorer.chances.shape == (2, 5)
