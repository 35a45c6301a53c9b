"""BlockMachineExplorer: every number of the machine is the blocks'; parts add up to the stream, or replace it."""

import pytest
import torch
from explorers import code_gives_the_picture, drive

from attnlab import record
from attnlab.analysis import cosine_similarities, mean_cosine, without
from attnlab.tasks import word_vectors
from widgets.explorers.l09_block.block_machine import DIM, BlockMachineExplorer, scaled_blocks

HEAD = "0.attention:1"


def shown(explorer, name):
    return torch.tensor(explorer.parts["machine"].tensor(name))


def test_every_control():
    drive(BlockMachineExplorer())


@pytest.mark.parametrize("off", [[], [HEAD]])
@pytest.mark.parametrize(
    ("around", "residual"), [("pre-norm", "pre_norm"), ("post-norm", "post_norm"), ("no residual", "bare")]
)
def test_every_number_is_the_blocks(around, residual, off):
    explorer = BlockMachineExplorer(around=around, off=off, words="red green blue")
    blocks = scaled_blocks(2, "layer", residual, 1.0)
    x = word_vectors(["red", "green", "blue"], DIM)
    heads = [("0.attention", 1)] if off else []
    with torch.no_grad(), without(blocks, heads), record(blocks) as trace:
        after = blocks(x[None])[0]
    names = [name for name in explorer.parts["machine"].spec["tensors"] if not name.startswith("alike/")]
    assert {"0/in", "1.attention/weights", "0.attention/adds", "1.feed_forward/hidden"} <= {*names}
    for name in names:
        own = trace.tensor(name)[0]
        if name.endswith("/hidden"):  # 64 numbers as 16 shares of 4
            own = own.unflatten(-1, (16, -1)).square().mean(-1).sqrt()
        torch.testing.assert_close(shown(explorer, name), own.reshape(shown(explorer, name).shape))
    torch.testing.assert_close(shown(explorer, "alike/out"), cosine_similarities(after)[-1, :-1])
    torch.testing.assert_close(shown(explorer, "alike/was"), cosine_similarities(x)[-1, :-1])


def test_what_parts_add_is_what_the_stream_gains():
    explorer = BlockMachineExplorer()
    gained = shown(explorer, "0/out") - shown(explorer, "0/in")
    added = shown(explorer, "0.attention/adds").sum(0) + shown(explorer, "0.feed_forward/out")
    torch.testing.assert_close(gained, added, atol=1e-5, rtol=0)


def test_without_a_stream_the_words_become_one():
    explorer = BlockMachineExplorer()
    caption = explorer.parts["caption"]
    assert mean_cosine(explorer.result.after) < 0.15
    assert "the stream runs past every part" in repr(caption)
    explorer.around = "no residual"
    assert mean_cosine(explorer.result.after) > 0.99
    assert explorer.alike.min() > 0.99
    assert "nothing runs past a part" in repr(caption)
    explorer.around = "post-norm"
    assert "vectors of size 4.00" in repr(caption)
    explorer.norm = "none"
    assert "the stream runs past every part" in repr(caption), "the same formula as pre-norm"


def test_a_head_that_is_off_changes_what_follows_and_no_colour():
    explorer = BlockMachineExplorer()
    machine = explorer.parts["machine"]
    before = {name: shown(explorer, name) for name in machine.spec["tensors"]}
    limits = {name: tensor["limit"] for name, tensor in machine.spec["tensors"].items()}
    machine.off = [HEAD]
    assert not shown(explorer, "0.attention/adds")[1].any()
    assert torch.equal(shown(explorer, "0.attention/adds")[0], before["0.attention/adds"][0]), "heads do not meet"
    assert not torch.equal(shown(explorer, "1.attention/adds"), before["1.attention/adds"])
    assert {name: tensor["limit"] for name, tensor in machine.spec["tensors"].items()} == limits
    assert "With 1 head off" in repr(explorer.parts["caption"])
    cosines = [
        float(torch.cosine_similarity(explorer.result.before[-1], x[-1], dim=0))
        for x in (explorer.result.after, explorer.result.with_all)
    ]
    assert "cosine {:.2f} with the vector that it was, {:.2f} with all heads".format(*cosines) in repr(explorer)
    code_gives_the_picture(explorer)


def test_the_sentence_speaks_of_what_is_seen_from_near():
    explorer = BlockMachineExplorer(zoom="1.attention:1")
    row = explorer.result.spec.tensors["1.attention/weights"][1, -1]
    words = explorer.words.split()
    read = f"reads “{words[int(row.argmax())]}” with {100 * float(row.max()):.0f}\u202f%"
    assert f"In block 2, head 2 “mat” {read}" in repr(explorer)
    explorer.off = ["1.attention:1"]
    assert "Block 2, head 2 is off: it still weighs the words, and adds nothing." in repr(explorer)
    explorer.change(zoom="1", off=[])
    assert "In block 2 the words meet in the heads of the attention alone" in repr(explorer)


def test_a_head_that_is_off_goes_with_its_block_and_comes_back_with_it():
    explorer = BlockMachineExplorer(blocks=3)
    explorer.parts["machine"].off = ["2.attention:1"]
    without = shown(explorer, "2.attention/adds")
    explorer.blocks = 2
    assert not explorer.parts["caption"].error
    assert explorer.parts["machine"].spec["title"].endswith("2 blocks")
    assert "head off" not in repr(explorer.parts["caption"])
    code_gives_the_picture(explorer)
    explorer.blocks = 3
    assert torch.equal(shown(explorer, "2.attention/adds"), without)
    assert not without[1].any()


@pytest.mark.parametrize("words", ["", "alone", "a b c d e f g h i j k l m"])
def test_too_few_and_too_many_words_are_refused(words):
    explorer = BlockMachineExplorer()
    title = explorer.parts["machine"].spec["title"]
    explorer.words = words
    assert explorer.parts["caption"].error.startswith("expected 2 to 12 words")
    assert explorer.parts["machine"].spec["title"] == title


def test_without_stream_and_heads_nothing_is_left():
    explorer = BlockMachineExplorer(around="no residual", off=["0.attention:0", "0.attention:1"])
    assert repr(explorer.parts["caption"]) == "With 2 heads off nothing is left: every vector is 0."
