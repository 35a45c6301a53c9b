"""ViTMachineExplorer: every number of the machine is the model's; a patch is followed, a head switched off."""

import pytest
import torch
from explorers import code_gives_the_picture, drive

from attnlab import record
from attnlab.analysis import without
from widgets.explorers.l15_vision_transformer.vit_machine import ViTMachineExplorer

HEAD = "blocks.1.attention:1"


@pytest.fixture
def explorer(model, digits):
    return ViTMachineExplorer(model, digits, digit=2)


def test_every_control(explorer, model, digits):
    drive(explorer, model=model, digits=digits)


@pytest.mark.parametrize("off", [[], [HEAD]])
def test_every_number_is_the_models(explorer, model, digits, off):
    explorer.off = off
    heads = [(one[: one.index(":")], int(one[-1])) for one in off]
    image = digits.images[1, None, None]
    with torch.no_grad(), without(model, heads), record(model) as trace:
        chances = model(image)[0].softmax(-1)
    machine = explorer.parts["machine"]
    heard = [name for name in machine.spec["tensors"] if not name.startswith("digit/") and name != "image"]
    assert {"embed.positions/in", "embed.positions/adds", "embed/out", "blocks.1/out"} <= {*heard}
    for name in heard:
        own = trace.tensor(name)[0]
        if "of" in machine.spec["tensors"][name]:  # 32 numbers as 16 shares of 2
            own = own.unflatten(-1, (16, -1)).square().mean(-1).sqrt()
        torch.testing.assert_close(torch.tensor(machine.tensor(name)), own.reshape(machine.tensor(name).shape))
    torch.testing.assert_close(torch.tensor(machine.tensor("digit/out")), chances)
    torch.testing.assert_close(torch.tensor(machine.tensor("image")), 1 - image[0, 0])


def test_a_head_that_is_off_is_said_and_leaves_its_mark(explorer, model, digits):
    explorer.parts["machine"].off = [HEAD]
    assert explorer.off == [HEAD], "as if the hand had switched it"
    assert repr(explorer.parts["caption"]).startswith("Without one head the chance of")
    assert not torch.tensor(explorer.parts["machine"].tensor("blocks.1.attention/adds"))[1].any()
    code_gives_the_picture(explorer, model=model, digits=digits)


def test_a_patch_is_followed_to_the_head_that_reads_it_most(explorer, model, digits):
    explorer.parts["machine"].chosen = ["row 7", "query"]
    with torch.no_grad(), record(model) as trace:
        model(digits.images[1, None, None])
    read = {
        (block, head): float(trace[f"blocks.{block}.attention"][0].weights[0, head, 0, 7])
        for block in (0, 1)
        for head in (0, 1)
    }
    block, head = max(read, key=read.get)
    said = repr(explorer.parts["caption"])
    assert "Row 2, column 3 is row 8 of every station" in said
    assert f"block {block + 1}, head {head + 1}" in said
    explorer.follow = ["row 0", "query"]
    assert "class token begins alike" in repr(explorer.parts["caption"])


def test_a_digit_that_is_not_there(explorer):
    explorer.digit = 8
    assert "expected a digit from 1 to 7, got 8" in repr(explorer)
