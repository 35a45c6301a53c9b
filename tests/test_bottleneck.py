"""The explorers of lesson 01: one number as memory, several models that are told the same, what a probe finds."""

import math

import pytest
import torch
from explorers import drive
from traitlets import TraitError

from attnlab.seq2seq import AttentionSeq2Seq, FixedContext, Memory, State
from attnlab.tasks import EOS, TASKS
from widgets.cliff import CliffExplorer
from widgets.echo import EchoExplorer
from widgets.fading import GradientExplorer, gradient_norms, share
from widgets.lines import Lines
from widgets.memory import MemoryExplorer, probe, probed
from widgets.pack import PackExplorer

NAN = float("nan")


# One number


def test_pack():
    drive(PackExplorer())


def test_pack_by_pencil():
    explorer = PackExplorer(digits="314", length=3, kind="float64")
    assert float(explorer.c) == pytest.approx(0.4135)
    assert explorer.result.written == [3, 1, 4]


@pytest.mark.parametrize(("kind", "kept", "lost"), [("bfloat16", 2, 5), ("float16", 3, 6), ("float32", 6, 10),
                                                    ("float64", 14, 19)])
def test_a_number_keeps_the_latest_digits(kind, kept, lost):
    explorer = PackExplorer(kind=kind)
    explorer.length = kept
    assert repr(explorer.parts["caption"]).endswith("Every digit comes back.")
    explorer.length = lost
    right = explorer.parts["lines"].right[1]
    assert right[-kept:].all()
    assert not right.all()
    assert f"the last {kept} digits" in repr(explorer.parts["caption"]) or right[-kept - 1] == 1


@pytest.mark.parametrize("typed", ["", "3.14", "three", "٣", "²", "1" * 21])
def test_pack_refuses_what_is_not_digits(typed):
    explorer = PackExplorer()
    before = explorer.parts["lines"].tokens
    explorer.digits = typed
    assert explorer.parts["caption"].error.startswith("expected ")
    assert explorer.parts["lines"].tokens == before


def test_pack_of_fewer_digits_than_the_slider_says():
    explorer = PackExplorer(length=12)
    explorer.digits = "271"
    assert explorer.length == 3
    assert explorer.result.written == [2, 7, 1]


# Several models


class Backwards(FixedContext):
    """Writes the last `span` digits backwards and ends; knows nothing of those before."""

    def __init__(self, span):
        super().__init__(13, 13, 1, 1)  # never asked
        self.span = span

    def encode(self, source, lengths):
        return Memory(source.unsqueeze(2).float(), source > 0, torch.zeros(len(source), 1))

    def start(self, memory):
        return State(memory.summary)

    def step(self, previous, state, memory, weights=None):
        digits = memory.keys[:, :, 0].long()
        ended = state.place >= min(self.span, digits.shape[1])
        token = torch.full((len(digits),), EOS) if ended else digits[:, -1 - state.place]
        return torch.nn.functional.one_hot(token, 13).float(), state._replace(place=state.place + 1), None


@pytest.fixture(scope="module")
def task():
    return TASKS["reverse"](shortest=2, longest=9, tests_per_length=5)


def test_echo(task):
    models = {"three": Backwards(3), "nine": Backwards(9)}
    explorer = EchoExplorer(models, task, digits="271828182", length=3)
    drive(explorer, models=models, task=task)
    assert "“271” back without a mistake" in repr(explorer.parts["caption"])
    explorer.length = 5
    lines = explorer.parts["lines"]
    assert [lines.text(i) for i in range(3)] == ["27182", "··182", "27182"]
    assert lines.right[1:].tolist() == [[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]]
    assert lines.notes == ["", "3 of 5", "5 of 5"]
    assert "Of 5 digits, without a mistake: nine" in repr(explorer.parts["caption"])


@pytest.mark.parametrize("kind", [FixedContext, AttentionSeq2Seq])
def test_echo_of_untrained_models(task, kind):
    torch.manual_seed(0)
    models = {"untrained": kind(13, 13, 5, 3)}
    drive(EchoExplorer(models, task, digits="31415"), models=models, task=task)


@pytest.mark.parametrize(("typed", "told"), [("", "empty"), ("12a", "never seen"), ("1" * 10, "at most 9")])
def test_echo_says_what_is_wrong(task, typed, told):
    explorer = EchoExplorer({"nine": Backwards(9)}, task, digits="271828182")
    explorer.digits = typed
    assert told in explorer.parts["caption"].error
    explorer.digits = "27"
    assert explorer.parts["caption"].error == ""


# The cliff

HISTORY = [(0, torch.zeros(3, 4)), (25, torch.tensor([[0.4, 0.2, 0, 0], [1, 0.8, 0.4, 0.2], [1, 1, 1, 0.98]]))]


@pytest.fixture
def cliff():
    return CliffExplorer(HISTORY, ["8", "16", "looking back"], range(2, 6), 100)


def test_cliff(cliff):
    drive(cliff, history=HISTORY)
    assert cliff.step == 100
    assert cliff.parts["controls"].changes["step"]["max"] == 100
    torch.testing.assert_close(cliff.parts["chart"].heights.float(), HISTORY[1][1])
    assert [cliff.falls(shares) for shares in HISTORY[1][1]] == [2.0, pytest.approx(3.75), None]
    assert len(set(cliff.parts["chart"].traces["3"]["y"])) == 3, "each name at a height of its own"
    assert "16 at 4 digits" in repr(cliff.parts["caption"])
    assert "98\u202f% of the strings with 5 digits" in repr(cliff.parts["caption"])


def test_cliff_follows_the_training(cliff):
    cliff.step = 0
    assert cliff.result.sum() == 0
    cliff.reset()
    cliff.history.append((50, torch.ones(3, 4)))
    try:
        cliff.refresh()
        assert cliff.parts["chart"].heights.min() == 1
        assert cliff.step == 100, "the slider stays at the end, so that the next measurement is seen too"
    finally:
        cliff.history.pop()


def test_cliff_still(cliff):
    assert cliff.still_png()


# The probe


def test_probe_finds_what_is_there():
    torch.manual_seed(0)
    digits = torch.randint(10, (3000, 2))
    x = torch.nn.functional.one_hot(digits[:, 0], 10).float()
    found = probe(x, digits)
    assert found[0] == 1
    assert found[1] == pytest.approx(0.1, abs=0.03)


def test_memory():
    torch.manual_seed(0)
    models = {"64 numbers": FixedContext(13, 13, 11, 7, bidirectional=False)}
    explorer = MemoryExplorer(models, length=3)
    drive(explorer, models=models)
    matrix = explorer.parts["matrix"]
    assert matrix.query_labels == ["read 1", "read 2", "read 3", "c", "write 3", "write 2", "write 1"]
    assert matrix.mask[0, :3].tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert matrix.selected == [0, 3, -1]
    explorer.size = "8 numbers"
    assert "expected models with the names" in explorer.parts["caption"].error


def test_memory_of_a_model_that_writes_all_right():
    found = probed(Wide(), 4)
    assert found.written.tolist() == [1, 1, 1, 1]
    assert found.shares.shape == (9, 4)


class Wide(Backwards):
    def __init__(self):
        super().__init__(9)


def test_memory_is_asked_again_after_a_refresh():
    torch.manual_seed(0)
    model = FixedContext(13, 13, 11, 7, bidirectional=False)
    explorer = MemoryExplorer({"64 numbers": model}, length=3)
    before = explorer.shares
    torch.nn.init.zeros_(model.encoder.summarise.weight)
    torch.nn.init.zeros_(model.encoder.summarise.bias)
    explorer.refresh()
    assert explorer.shares[3].max() < 0.15 < before[3].max()


# Gradients


def test_gradients():
    explorer = GradientExplorer()
    drive(explorer)
    assert explorer.norms.shape == (3, 20)
    assert explorer.norms[:, 0].tolist() == [1, 1, 1]
    rnn, gru, lstm = explorer.norms[:, -1]
    assert rnn < gru / 100
    assert rnn < lstm / 100


def test_open_gates_let_the_gradient_through():
    for cell in ("gru", "lstm"):
        assert gradient_norms(cell, 20, 1.0, 4, 0)[-1] > 0.3
        assert gradient_norms(cell, 20, 1.0, 0, 0)[-1] < 0.001
    assert torch.equal(gradient_norms("rnn", 20, 1.0, 4, 0), gradient_norms("rnn", 20, 1.0, 0, 0))


def test_gradients_leave_the_learners_random_numbers_alone():
    torch.manual_seed(7)
    expected = torch.rand(1)
    torch.manual_seed(7)
    gradient_norms("gru", 5, 1.0, 0, 0)
    assert torch.equal(torch.rand(1), expected)


@pytest.mark.parametrize(("x", "said"), [(0.72, "0.7"), (1 / 200, "1/200"), (1e-9, "less than a millionth"),
                                         (5700, "5\u202f700 times as much"), (11336**-1, "1/11\u202f000")])
def test_share_in_words(x, said):
    assert share(x) == said


# Lines


def test_lines_in_words():
    lines = Lines(names=["read", "back"], tokens=[["3", "1"], ["", "7"]], right=[[NAN, NAN], [0, 0]])
    assert repr(lines) == "Lines(read 31; back ·7)"
    assert lines.still_png()
    assert math.isnan(lines.right[0, 0])


def test_lines_are_equally_long():
    with pytest.raises(TraitError, match="lines of one length"):
        Lines(names=["read", "back"], tokens=[["3", "1"], ["3"]])
