"""LayerCostsExplorer: marks stand at the exact counts, and the sentence compares the right two."""

import numpy as np
import pytest
from explorers import drive

from attnlab.costs import LAYERS
from widgets.explorers.l12_cost.layer_costs import LayerCostsExplorer


def test_every_control():
    drive(LayerCostsExplorer())


def test_marks_stand_at_the_counts():
    explorer = LayerCostsExplorer(tokens=130, width=96, kernel=5, neighbourhood=9)
    traces = explorer.parts["chart"].traces
    for i, layer in enumerate(LAYERS.values()):
        assert traces[str(4 + i)]["x"] == [130]
        assert traces[str(4 + i)]["y"] == [layer.cost(130, 96, 5, 9).mixing]


def test_a_short_text_is_cheaper_for_self_attention():
    explorer = LayerCostsExplorer(tokens=70, width=512)
    caption = explorer.parts["caption"]
    assert "The recurrent layer has 3.7 times the work of self-attention" in repr(caption)
    explorer.tokens = 2000
    assert "The self-attention layer has 7.8 times the work of recurrent" in repr(caption)
    explorer.change(tokens=260, width=512, what="steps that must wait")
    assert "Only recurrence must wait" in repr(caption)


@pytest.mark.parametrize("what", LayerCostsExplorer.what.spec["options"])
def test_no_curve_leaves_its_axis(what):
    explorer = LayerCostsExplorer(what=what)
    chart = explorer.parts["chart"]
    for width, kernel, neighbourhood in [(32, 2, 3), (1024, 9, 257)]:
        explorer.change(width=width, kernel=kernel, neighbourhood=neighbourhood)
        low, high = chart.figure_layout["yaxis"]["range"]
        heights = np.log10([chart.trace(i)["y"] for i in range(len(LAYERS))])
        assert low <= heights.min()
        assert heights.max() <= high
