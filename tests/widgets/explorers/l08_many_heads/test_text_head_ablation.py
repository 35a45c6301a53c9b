"""TextHeadAblationExplorer: how surprised a small GPT is by each letter, and on held-out text, with heads off."""

import pytest
import torch
from explorers import code_gives_the_picture, drive
from torch import nn

from widgets.explorers.l08_many_heads.text_head_ablation import TextHeadAblationExplorer


@pytest.fixture
def explorer(reader, patterns):
    return TextHeadAblationExplorer(*reader, patterns, text="the cat sat")


def test_every_control_and_switch(explorer, reader):
    model, text, _ = reader
    drive(explorer, model=model, reference=text)
    for off in ([0, 3], [1]):
        explorer.off = off
        code_gives_the_picture(explorer, model=model, reference=text)


def test_losses_by_torch(explorer, reader):
    model, text, test = reader
    explorer.off = [1]
    given = torch.full((1, 2, 1, 1), torch.nan)
    given[:, 1] = 0
    model.blocks[0].attention.given = given
    ids = text.encode("the cat sat")
    try:
        loss = nn.functional.cross_entropy(model(test[0]).flatten(0, 1), test[1].flatten()).item()
        each = nn.functional.cross_entropy(model(ids[None])[0, :-1], ids[1:], reduction="none").detach()
    finally:
        model.blocks[0].attention.given = None
    assert explorer.result.loss == pytest.approx(loss, abs=1e-5)
    torch.testing.assert_close(explorer.measured, each)
    assert "Off: layer 1, head 2. On held-out text" in repr(explorer.parts["caption"])


def test_the_pale_curve_is_that_of_all_heads(explorer):
    whole = explorer.measured.clone()
    explorer.off = [1]
    before, now = (torch.as_tensor(explorer.parts["chart"].trace(name)["y"]) for name in ("all heads on", "now"))
    torch.testing.assert_close(before, whole, check_dtype=False)
    torch.testing.assert_close(now, explorer.measured, check_dtype=False)
    assert not torch.allclose(before, now)
    assert len(now) == 10


def test_blanks_are_seen_under_the_curve(explorer):
    axis = explorer.parts["chart"].figure.layout.xaxis
    assert axis.ticktext == tuple("he␣cat␣sat")
    assert axis.tickvals == tuple(range(1, 11))


def test_the_name_holds_no_loss(explorer):
    assert repr(explorer) == "TextHeadAblationExplorer(text='the cat sat', head=1)"


@pytest.mark.parametrize("typed", ["", "ab", "x" * 25, "été"])
def test_other_texts_are_refused(explorer, typed):
    explorer.text = typed
    assert explorer.parts["caption"].error


def test_one_head_is_looked_at(explorer):
    every = explorer.weights
    for head in range(4):
        explorer.head = head + 1
        matrix = explorer.parts["matrix"]
        assert matrix.panel_names == [f"layer {head // 2 + 1}, head {head % 2 + 1}"]
        torch.testing.assert_close(torch.tensor(matrix.values[0, 0]), every[head])
    explorer.head = 5
    assert "expected a head from 1 to 4, got 5" in explorer.parts["caption"].error
