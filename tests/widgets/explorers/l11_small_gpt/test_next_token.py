"""NextTokenExplorer: the bars are the model's chances, cuts are what the filters cut, and a step draws one token."""

import pytest
import torch
from explorers import code_gives_the_picture, drive

from attnlab.decoding import top_k, top_p
from widgets.explorers.l11_small_gpt.next_token import CUT, KEPT, SHOWN, TOKENS, NextTokenExplorer


@pytest.fixture(scope="module")
def model(opinionated):
    return opinionated(layers=1, longest=128, times=8)


@pytest.fixture
def explorer(model, task):
    return NextTokenExplorer(model, task, begin="ten ", token=3)


def chances(explorer, model, task):
    ids = [*task.encode(explorer.begin).tolist(), *explorer.result.written]
    with torch.no_grad():
        return model(torch.tensor([ids]))[0, -1]


def test_every_control(explorer, model, task):
    drive(explorer, model=model, task=task)


def test_the_bars_are_the_models_chances(explorer, model, task):
    logits = chances(explorer, model, task)
    ordered = logits.softmax(-1).sort(descending=True).values
    kept = torch.as_tensor(explorer.parts["chart"].trace(KEPT)["y"])
    torch.testing.assert_close(kept[:SHOWN].float(), ordered[:SHOWN])
    torch.testing.assert_close(kept[SHOWN].float(), ordered[SHOWN:].sum())


def test_what_is_cut_is_shown_as_cut(explorer, model, task):
    explorer.change(top_k=5)
    logits = chances(explorer, model, task)
    cut, kept = (torch.as_tensor(explorer.parts["chart"].trace(name)["y"]) for name in (CUT, KEPT))
    assert int((kept > 0).sum()) == 5
    assert not bool(((kept > 0) & (cut > 0)).any())
    torch.testing.assert_close(kept[:5].float(), top_k(logits, 5).softmax(-1).sort(descending=True).values[:5])
    torch.testing.assert_close(cut[5].float(), logits.softmax(-1).sort(descending=True).values[5])
    assert "5 tokens may be drawn" in repr(explorer.parts["caption"])
    explorer.change(top_k=60, top_p=0.5)
    assert int((explorer.result.after > 0).sum()) == int((top_p(logits, 0.5) > -torch.inf).sum())


def test_a_step_writes_one_token_and_a_slider_leaves_what_stands_there(explorer):
    explorer.token = 10
    written = explorer.result.written
    explorer.token = 4
    assert explorer.result.written == written[:4]
    explorer.token = 10
    assert explorer.result.written == written, "forwards again: the same"
    explorer.token = 4
    explorer.temperature = 2.0
    assert explorer.result.written == written[:4]
    explorer.token = 20
    assert explorer.result.written[:4] == written[:4]
    assert explorer.result.written[:10] != written, "what follows was drawn with other chances"


def test_another_and_another_beginning_start_anew(explorer, model, task):
    explorer.token = 12
    before = explorer.result.written
    explorer.again += 1
    assert explorer.result.written != before
    explorer.begin = "ant"
    assert len(explorer.result.written) == explorer.token == 12
    assert explorer.text.startswith("ant")
    code_gives_the_picture(explorer, model=model, task=task)
    explorer.reset()
    assert (explorer.begin, explorer.token) == ("ten ", 3)


def test_cold_is_greedy(explorer, model, task):
    explorer.change(begin="a", temperature=0.1, top_k=1, token=6)
    ids = task.encode("a").tolist()
    for token in explorer.result.written:
        with torch.no_grad():
            assert token == int(model(torch.tensor([ids]))[0, -1].argmax())
        ids.append(token)


@pytest.mark.parametrize(("begin", "words"), [("", "at least one letter"), ("ten " * 200, f"room for {TOKENS} more")])
def test_a_bad_beginning_gets_a_sentence_and_loses_nothing(explorer, begin, words):
    before = explorer.parts["texts"].texts
    explorer.begin = begin
    assert words in explorer.parts["caption"].error
    assert explorer.parts["texts"].texts == before
    explorer.begin = "ten "
    assert explorer.parts["caption"].error == ""


def test_the_name_holds_nothing_that_was_drawn(explorer):
    assert repr(explorer) == "NextTokenExplorer(begin='ten ', temperature=1.0, top_k=60, top_p=1.0, token=3, again=0)"


def test_a_low_temperature_alone_cuts_nothing(explorer):
    explorer.temperature = 0.1
    assert (explorer.result.after == 0).any(), "too small for a number of 32 bits"
    assert "Nothing is cut" in repr(explorer.parts["caption"])
    explorer.top_k = 1
    assert "1 token may be drawn" in repr(explorer.parts["caption"]).replace("\u202f", " ")
