"""MixtureExplorer: three sliders, and what becomes of the words asked for."""

import pytest
from explorers import code_gives_the_picture, drive

from widgets.explorers.l16_pretraining.mixture import MixtureExplorer


@pytest.fixture
def explorer(task):
    return MixtureExplorer(task)


def test_every_control(explorer, task):
    drive(explorer, task=task)
    explorer.change(hidden=0, replaced=100, kept=0)
    code_gives_the_picture(explorer, task=task)


@pytest.mark.parametrize(
    ("sliders", "mark"),
    [((100, 0, 0), "token"), ((0, 50, 0), "replaced"), ((0, 0, 30), "asked"), ((0, 0, 0), "asked")],
)
def test_one_slider_alone(explorer, sliders, mark):
    explorer.change(hidden=sliders[0], replaced=sliders[1], kept=sliders[2], asked=60)
    tiles = explorer.parts["words"]
    assert {found for found in tiles.marks if found} == {mark}
    assert tiles.marks.count(mark) > 15


def test_the_words_below_are_those_of_the_text(explorer, task):
    explorer.change(asked=60, hidden=50, replaced=50)
    tokens, (inputs, _) = explorer.result
    tiles = explorer.parts["words"]
    assert {"token", "replaced"} < set(tiles.marks)
    for place, (mark, below) in enumerate(zip(tiles.marks, tiles.below, strict=True)):
        assert tiles.words[place] == task.vocabulary[inputs[place]]
        assert below == (task.vocabulary[tokens[place]] if mark else "")
        assert (tiles.words[place] == "[HIDDEN]") == (mark == "token")


def test_only_proportions_count(explorer):
    explorer.change(hidden=40, replaced=10, kept=0)
    words = list(explorer.parts["words"].words)
    explorer.change(hidden=80, replaced=20, kept=0)
    assert explorer.parts["words"].words == words
    assert "80\u202f%, 20\u202f%, 0\u202f%" in repr(explorer.parts["caption"])


def test_draw_again(explorer):
    words = list(explorer.parts["words"].words)
    explorer.again = 1
    assert explorer.parts["words"].words != words


def test_one_word_and_none(explorer):
    found = set()
    for again in range(20):
        explorer.change(asked=5, again=again)
        count = sum(map(bool, explorer.parts["words"].marks))
        said = repr(explorer.parts["caption"])
        assert {0: "none is asked for", 1: "one is asked for"}.get(count, f"{count} are asked for") in said
        found.add(count)
    assert {0, 1} < found
