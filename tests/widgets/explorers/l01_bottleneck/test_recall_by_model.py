"""RecallByModelExplorer: what each model wrote, under the digits that it read."""

import pytest
import torch
from backwards import Backwards
from explorers import drive

from attnlab.seq2seq import AttentionSeq2Seq, FixedContext
from attnlab.tasks import TASKS
from widgets.explorers.l01_bottleneck.recall_by_model import RecallByModelExplorer


@pytest.fixture(scope="module")
def task():
    return TASKS["reverse"](shortest=2, longest=9, tests_per_length=5)


def test_wrong_digits_are_marked(task):
    models = {"three": Backwards(3), "nine": Backwards(9)}
    explorer = RecallByModelExplorer(models, task, digits="271828182", length=3)
    drive(explorer, models=models, task=task)
    assert "“271” back without a mistake" in repr(explorer.parts["caption"])
    explorer.length = 5
    lines = explorer.parts["lines"]
    assert [lines.text(i) for i in range(3)] == ["27182", "··182", "27182"]
    assert lines.right[1:].tolist() == [[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]]
    assert lines.notes == ["", "3 of 5", "5 of 5"]
    assert "Of 5 digits, without a mistake: nine" in repr(explorer.parts["caption"])


@pytest.mark.parametrize("kind", [FixedContext, AttentionSeq2Seq])
def test_untrained_models(task, kind):
    torch.manual_seed(0)
    models = {"untrained": kind(13, 13, 5, 3)}
    drive(RecallByModelExplorer(models, task, digits="31415"), models=models, task=task)


@pytest.mark.parametrize(("typed", "message"), [("", "empty"), ("12a", "never seen"), ("1" * 10, "at most 9")])
def test_what_is_wrong_is_said(task, typed, message):
    explorer = RecallByModelExplorer({"nine": Backwards(9)}, task, digits="271828182")
    explorer.digits = typed
    assert message in explorer.parts["caption"].error
    explorer.digits = "27"
    assert explorer.parts["caption"].error == ""


def test_other_digits_stand_in_the_field(task):
    explorer = RecallByModelExplorer({"nine": Backwards(9)}, task, digits="123456789")
    explorer.another = 1
    assert len(explorer.digits) == 9
    assert explorer.digits != "123456789"
    assert explorer.result.source == explorer.digits[:4]
    explorer.digits = "777"
    assert explorer.result.source == "777"


def test_who_makes_mistakes(task):
    explorer = RecallByModelExplorer({"one": Backwards(1), "nine": Backwards(9)}, task, digits="123456789", length=3)
    assert "The other one makes mistakes." in repr(explorer.parts["caption"])
    explorer = RecallByModelExplorer({"one": Backwards(1), "two": Backwards(2)}, task, digits="123456789", length=3)
    assert "No model gives these 3 digits back" in repr(explorer.parts["caption"])
