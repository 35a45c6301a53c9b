"""WritingExplorer: models continue a beginning; Texts: what they wrote, with the words that exist marked."""

import pytest
import torch
from explorers import code_gives_the_picture, drive
from torch import nn
from traitlets import TraitError

from attnlab import write
from attnlab.decoding import draw, temperature, without_cache
from attnlab.tasks.text import Text
from widgets.texts import Texts
from widgets.writing import WritingExplorer, marked, share


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
    return WritingExplorer({"one": Letters(task), "two": Letters(task)}, task, {"ant", "tea", "net"}, letters=60,
                           begin="ten ")


def test_every_control(explorer, task):
    drive(explorer, models=explorer.models, task=task, known=explorer.known)


def test_it_writes_what_write_writes(explorer, task):
    explorer.change(again=3, warmth="1")
    generator = torch.Generator().manual_seed(3)
    steps = write(explorer.models["one"], task.encode("ten "), 60, lambda x: draw(temperature(x, 1.0), generator),
                  without_cache)
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


def test_real_words_are_marked_and_counted():
    runs = marked("Ant, tea2net at-tea", {"ant", "tea", "net", "at"})
    assert runs == [["Ant", "word"], [", ", ""], ["tea", "word"], ["2", ""], ["net", "word"], [" ", ""], ["at", ""],
                    ["-", ""], ["tea", "word"]]
    assert share(runs) == 12 / 19
    assert share(marked("", {"ant"})) == 0


def test_the_name_holds_nothing_that_was_drawn(explorer):
    assert repr(explorer) == "WritingExplorer(“ten ”, continued by one, two)"


def test_bad_beginnings_get_a_sentence(explorer):
    before = explorer.written
    for begin, told in [("", "at least one letter"), ("xyz", "never seen")]:
        explorer.begin = begin
        assert told in explorer.parts["caption"].error
    explorer.begin = "ten "
    assert explorer.written == before


def test_texts_check_their_marks_and_have_a_name():
    texts = Texts(titles=["a"], texts=[[["The ", "given"], ["value", "word"]]], shares=[1.0])
    assert repr(texts) == "Texts(a: 9 letters)"
    assert texts.still_png()
    assert Texts().still_png() is None
    assert Texts(height=112).height == 112
    with pytest.raises(TraitError, match=r"a mark of \('', 'given', 'word'\), got \['a', 'loud'\]"):
        texts.texts = [[["a", "loud"]]]
