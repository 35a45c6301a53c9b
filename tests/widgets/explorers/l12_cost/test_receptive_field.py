"""ReceptiveFieldExplorer: what the sentence counts, and that strengths are shares of the panel's largest.

That a field is what following the layers gives is held in tests/attnlab/analysis/learning/test_layer_kinds.py.
"""

import torch
from explorers import drive

from widgets.explorers.l12_cost.receptive_field import ReceptiveFieldExplorer


def test_every_control():
    drive(ReceptiveFieldExplorer(tokens=12))


def test_the_sentence_counts_inputs_and_layers():
    explorer = ReceptiveFieldExplorer()
    caption = explorer.parts["caption"]
    assert "25 inputs (recurrent), 3 inputs (convolution), 25 inputs (self-attention)" in repr(caption)
    assert "With convolution, it takes 12 layers to reach the first" in repr(caption)
    explorer.near = "dilated convolution"
    assert "it takes 3 layers" in repr(caption)
    explorer.near = "restricted attention"
    assert "2 inputs (restricted attention)" in repr(caption)
    assert "it takes 24 layers" in repr(caption)


def test_the_sentence_tells_when_the_first_is_reached():
    for near, layers in [("convolution", 12), ("dilated convolution", 3)]:
        for depth in (layers - 1, layers):
            field = ReceptiveFieldExplorer(near=near, layers=depth).field
            assert bool(field[1, -1, 0]) is (depth == layers)


def test_dilation_sees_farther_and_restricted_attention_to_both_sides():
    counts = {
        near: [int(panel[8].sum()) for panel in ReceptiveFieldExplorer(tokens=12, layers=2, near=near).field]
        for near in ("convolution", "dilated convolution", "restricted attention")
    }
    assert counts == {
        "convolution": [9, 5, 12],
        "dilated convolution": [9, 9, 12],
        "restricted attention": [9, 5, 12],
    }


def test_how_strongly_is_relative():
    field = ReceptiveFieldExplorer(layers=2, show="how strongly").field
    torch.testing.assert_close(field.amax(dim=(1, 2)), torch.ones(3, dtype=torch.float64))
    assert 0 < field[0, -1, 0] < 0.01
