"""ReceptiveFieldExplorer: what the sentence counts, and that strengths are shares of the panel's largest.

That a field is what following the layers gives is held in tests/attnlab/analysis/test_layer_kinds.py.
"""

import torch
from explorers import drive

from attnlab.analysis import LAYER_KINDS
from widgets.explorers.l12_cost.receptive_field import PANELS, ReceptiveFieldExplorer


def test_every_control():
    drive(ReceptiveFieldExplorer(tokens=6))


def test_the_panels_are_the_kinds_in_their_order():
    assert list(PANELS) == list(LAYER_KINDS)


def test_the_sentence_counts_inputs_and_layers():
    explorer = ReceptiveFieldExplorer(tokens=16)
    caption = explorer.parts["caption"]
    assert "16 inputs (recurrent), 3 inputs (convolution), 16 inputs (self-attention), 2 inputs (restricted)" in repr(
        caption
    )
    assert "first: 1, 8, 1, 15" in repr(caption)
    explorer.dilated = True
    assert "first: 1, 3, 1, 15" in repr(caption)


def test_dilation_sees_farther_and_restricted_attention_to_both_sides():
    explorer = ReceptiveFieldExplorer(tokens=16, layers=2, sees=3)
    counts = [int(panel[8].sum()) for panel in explorer.field]
    assert counts == [9, 5, 16, 5]
    explorer.dilated = True
    assert [int(panel[8].sum()) for panel in explorer.field] == [9, 9, 16, 5]


def test_how_strongly_is_relative():
    field = ReceptiveFieldExplorer(layers=2, show="how strongly").field
    torch.testing.assert_close(field.amax(dim=(1, 2)), torch.ones(4, dtype=torch.float64))
    assert 0 < field[0, -1, 0] < 0.01
