"""TrainingCostExplorer: parts sum to the whole, and the bill is what `attnlab.costs` counts."""

import pytest
from explorers import drive
from traitlets import TraitError

from attnlab import costs
from attnlab.costs import MODELS
from widgets.explorers.l12_cost.training_cost import TrainingCostExplorer


@pytest.fixture
def explorer():
    return TrainingCostExplorer()


def test_every_control(explorer):
    drive(explorer)


def test_parts_sum_to_the_whole(explorer):
    bars = explorer.parts["parts"]
    for sizes in [{}, {"layers": 96, "width": 12288, "heads": 96, "vocabulary": 0}, {"feed_forward": 1, "text": 512}]:
        explorer.change(**explorer.initial)
        explorer.change(**sizes)
        assert sum(explorer.bill.parts.values()) == explorer.bill.parameters
        assert sum(bars.trace(0)["y"]) == pytest.approx(1)
        assert list(bars.trace(0)["x"]) == ["tokens", "places", "attention", "feed-forward", "norms"]


def test_gpt3_by_slider():
    explorer = TrainingCostExplorer(layers=96, width=12288, heads=96, text=2048, ratio=1.5)
    assert explorer.bill.parameters == pytest.approx(MODELS["GPT-3"].stated, rel=0.003)
    assert explorer.bill.flops == pytest.approx(6 * 1.5 * MODELS["GPT-3"].counted ** 2, rel=0.05)
    assert explorer.bill.attention / explorer.bill.flops == pytest.approx(0.027, abs=0.01)
    assert explorer.bill.weights == 2 * 96 * 96 * 2048**2


def test_the_bill(explorer):
    explorer.change(ratio=20.0, speed=101, rent=2.0)
    bill = explorer.bill
    assert bill.flops == 6 * bill.parameters * 20 * bill.parameters + bill.attention
    assert bill.hours == pytest.approx(bill.flops / 1.01e14 / 3600)
    assert bill.dollars == pytest.approx(2 * bill.hours)
    assert bill.attention == costs.attention_flops(12, 768, 1024, 20 * bill.parameters)


def test_heads_change_no_parameter(explorer):
    counts = {}
    for heads in (1, 12, 64):
        explorer.heads = heads
        counts[heads] = explorer.bill
    assert len({bill.parameters for bill in counts.values()}) == 1
    assert counts[64].weights == 64 * counts[1].weights


def test_heads_that_do_not_divide(explorer):
    explorer.heads = 25
    assert explorer.parts["caption"].error == "expected heads that divide the width 768, got 25"
    with pytest.raises(TraitError, match="layers: expected a whole number from 1 to 128"):
        explorer.layers = 0
