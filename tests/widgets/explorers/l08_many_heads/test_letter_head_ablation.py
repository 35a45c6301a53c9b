"""LetterHeadAblationExplorer: which answers fall with a head, in a model whose heads are known."""

import pytest
from explorers import code_gives_the_picture, drive

from widgets.explorers.l08_many_heads.letter_head_ablation import LetterHeadAblationExplorer


@pytest.fixture
def explorer(letters, patterns):
    return LetterHeadAblationExplorer(*letters, patterns, text="abacadae")


def said(explorer) -> str:
    return repr(explorer.parts["caption"])


def test_every_control_and_switch(explorer, letters):
    names = dict(zip(("model", "task", "test"), letters, strict=True))
    drive(explorer, **names)
    for off in ([1], [0, 1]):
        explorer.off = off
        assert explorer.parts["switches"].off == off
        code_gives_the_picture(explorer, **names)


def test_each_head_owns_one_answer(explorer):
    assert [str(head)[:8] for head in explorer.habits["attention"]] == ["1 before", "2 before"]
    assert explorer.measured.tolist() == [1, 1]
    assert "All heads work" in said(explorer)
    explorer.parts["switches"].off = [0]
    assert explorer.off == [0]
    assert explorer.measured[0] < 0.2
    assert explorer.measured[1] == 1
    assert not explorer.weights[0].any()
    assert not explorer.parts["matrix"].mask[0].any()
    assert explorer.parts["matrix"].mask[1].all()
    assert "Off: head 1. Lost: 1 before" in said(explorer)
    explorer.off = [0, 1]
    assert "Off: all heads" in said(explorer)
    explorer.reset()
    assert "All heads work" in said(explorer)


@pytest.mark.parametrize(("typed", "message"), [("abc", "expected 8 letters"), ("abacada!", "expected letters from a")])
def test_other_letters_are_refused(explorer, typed, message):
    explorer.text = typed
    assert explorer.parts["caption"].error.startswith(message)
