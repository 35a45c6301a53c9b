"""WeightSharingDepthExplorer: each depth is the same model repeated, and wrong words are marked."""

import pytest
import torch
from explorers import drive

from attnlab.decoding import greedy
from attnlab.tasks import BOS, EOS
from attnlab.transformer import universal
from widgets.explorers.l10_transformer.weight_sharing_depth import WeightSharingDepthExplorer, Written

TEXT = "we are eating bread"


@pytest.fixture(scope="module")
def explorer(sizes, task):
    torch.manual_seed(0)
    model = universal(*sizes, dim=12, heads=3, depth=2).eval()
    return WeightSharingDepthExplorer(model, task, task.collate(task.test[:5]), TEXT)


def test_every_control(explorer, task):
    drive(explorer, model=explorer.model, task=task, held_out=task.collate(task.test[:5]))


def test_each_depth_is_the_same_model_repeated(explorer, task):
    written = set()
    for depth in (1, 3, 8):
        explorer.depth = depth
        steps = greedy(explorer.model.at(depth), task.read(TEXT), BOS, EOS, 20)
        assert explorer.result.words == task.write([step.token for step in steps]).split()
        written.add(tuple(explorer.result.words))
        assert explorer.parts["chart"].traces["1"]["x"] == [depth]
        sentence = repr(explorer.parts["caption"])
        assert ("once" if depth == 1 else f"{depth} times") in sentence
        assert ("never trained" in sentence) == (depth > 4)
    assert len(written) > 1, "the depth makes no difference to this model: take another seed"


def test_wrong_words_are_marked(explorer, task):
    right = task.recognise(TEXT).target.split()
    written = Written([right[0], "pan", "pan", "pan"], right)
    picture = explorer.picture(explorer.state, written)["texts"]
    assert [mark for text, mark in picture["texts"][0] if text != " "] == ["word", "", "word", ""]
    assert "".join(text for text, _ in picture["texts"][1]) == "estamos comiendo pan"
    explorer.text = "bread bread"
    assert explorer.parts["texts"].titles == [f"depth {explorer.depth} writes"]
    explorer.text = TEXT


def test_the_name_holds_nothing_that_was_written(explorer):
    explorer.depth = 3
    assert repr(explorer) == f"WeightSharingDepthExplorer(depth=3, text={TEXT!r})"
