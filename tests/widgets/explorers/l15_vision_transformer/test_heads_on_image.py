"""HeadsOnImageExplorer: each head's row of weights, laid over the digit."""

import pytest
import torch
from explorers import code_gives_the_picture, drive

from attnlab import record
from widgets.base.asking_patch import PATCH
from widgets.explorers.l15_vision_transformer.heads_on_image import HeadsOnImageExplorer


@pytest.fixture
def explorer(model, digits):
    return HeadsOnImageExplorer(model, digits)


def test_every_control(explorer, model, digits):
    drive(explorer, model=model, digits=digits)
    explorer.change(asks=PATCH, block=2, cell=[1, 3, 0])
    code_gives_the_picture(explorer, model=model, digits=digits)


@pytest.mark.parametrize(("asks", "row"), [("the class token", 0), (PATCH, 1 + 3 * 4 + 2)])
def test_maps_are_the_recorded_weights(explorer, model, digits, asks, row):
    explorer.change(digit=2, block=2, asks=asks, cell=[1, 3, 2])
    with torch.no_grad(), record(model) as trace:
        model(digits.images[1, None, None])
    weights = trace["blocks.1.attention"][0].weights[0, :, row]
    torch.testing.assert_close(explorer.maps.flatten(1), weights[:, 1:])
    torch.testing.assert_close(explorer.maps.sum((1, 2)) + explorer.result.kept, torch.ones(2))


def test_a_click_chooses_the_patch(explorer):
    before = explorer.maps
    explorer.parts["maps"].selected = [0, 2, 3]
    assert torch.equal(explorer.maps, before)  # the class token asks
    explorer.parts["maps"].selected = list(explorer.cell)
    assert explorer.parts["maps"].selected == []  # and so no patch is outlined
    explorer.asks = PATCH
    explorer.parts["maps"].selected = [1, 0, 3]
    assert "Row 1, column 4 in block 1" in repr(explorer.parts["caption"])
    assert not torch.equal(explorer.maps, before)


def test_a_patch_asks_when_none_is_selected(explorer):
    explorer.asks = PATCH
    explorer.parts["maps"].selected = [1, 0, 3]
    explorer.parts["maps"].selected = []
    assert explorer.parts["maps"].selected == [0, 2, 2]
    assert "Row 3, column 3 in block 1" in repr(explorer.parts["caption"])


def test_a_block_that_is_not_there(explorer):
    explorer.block = 3
    assert "expected a block from 1 to 2, got 3" in repr(explorer)
