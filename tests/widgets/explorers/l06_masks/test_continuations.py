"""ContinuationsExplorer: models continue a beginning, and the words that exist are marked and counted."""

import pytest
import torch
from explorers import code_gives_the_picture, drive
from torch import nn

from attnlab import write
from attnlab.analysis import known_share
from attnlab.decoding import draw, temperature, without_cache
from attnlab.tasks.text import Text
from widgets.explorers.l06_masks.continuations import ContinuationsExplorer


class Letters(nn.Module):
    """Writes letters as often as its text has them, whatever it has read."""

    longest = 8

    def __init__(self, task):
        super().__init__()
        self.logits = task.training.bincount(minlength=len(task.vocabulary)).float().log()

    def forward(self, tokens):
        return self.logits.expand(*tokens.shape, -1)


@pytest.fixture(scope="module")
def task():
    return Text.from_string("an ant ate a tan net; ten eat tea\n" * 100)


@pytest.fixture
def explorer(task):
    torch.manual_seed(0)
    return ContinuationsExplorer(
        {"one": Letters(task), "two": Letters(task)}, task, {"ant", "tea", "net"}, letters=60, begin="ten "
    )


def test_every_control(explorer, task):
    drive(explorer, models=explorer.models, task=task, known=explorer.known)


def test_it_writes_what_write_writes(explorer, task):
    explorer.change(again=3, warmth="1")
    generator = torch.Generator().manual_seed(3)
    steps = write(
        explorer.models["one"], task.encode("ten "), 60, lambda x: draw(temperature(x, 1.0), generator), without_cache
    )
    wanted = task.decode([step.token for step in steps])
    assert explorer.written == {"one": wanted, "two": wanted}
    texts = explorer.parts["texts"]
    assert texts.plain(0) == "ten " + wanted
    assert texts.texts[0][0] == ["ten ", "given"]
    code_gives_the_picture(explorer, models=explorer.models, task=task, known=explorer.known)


def test_another_is_another(explorer):
    before = explorer.written
    explorer.again += 1
    assert explorer.written != before


def test_known_words_are_marked_and_counted(explorer, task):
    explorer.models = {"ants": Letters(task), "teas": Letters(task)}
    texts = explorer.parts["texts"]
    for at, written in enumerate(explorer.written.values()):
        given, *runs = texts.texts[at]
        assert given == ["ten ", "given"]
        assert "".join(run for run, _ in runs) == written
        marked = [run for run, mark in runs if mark == "word"]
        assert {word.lower() for word in marked} <= {"ant", "tea", "net"}
        assert sum(map(len, marked)) / len(written) == pytest.approx(texts.shares[at])
        assert texts.shares[at] == pytest.approx(known_share(written, explorer.known))
        assert texts.shares[at] > 0


def test_the_name_holds_nothing_that_was_drawn(explorer):
    assert repr(explorer) == "ContinuationsExplorer(begin='ten ', warmth='0.8', again=0)"


def test_bad_beginnings_get_a_sentence(explorer):
    before = explorer.written
    for begin, message in [("", "at least one letter"), ("xyz", "never seen")]:
        explorer.begin = begin
        assert message in explorer.parts["caption"].error
    explorer.begin = "ten "
    assert explorer.written == before
