"""ModelSizeExplorer: parts sum to the whole, every width fits every number of heads, its work is what torch counts."""

import pytest
import torch
from explorers import drive
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode
from traitlets import TraitError

from attnlab.costs import MODELS
from attnlab.transformer import gpt
from widgets.base.controls import positions
from widgets.explorers.l12_cost.model_size import ModelSizeExplorer


@pytest.fixture
def explorer():
    return ModelSizeExplorer()


def test_every_control(explorer):
    drive(explorer)


def test_parts_sum_to_the_whole(explorer):
    bars = explorer.parts["parts"]
    for sizes in [{}, {"layers": 96, "width": 12288, "heads": 64, "vocabulary": 0}, {"text": 512}]:
        explorer.change(**explorer.initial)
        explorer.change(**sizes)
        assert sum(explorer.size.parts.values()) == explorer.size.parameters
        assert sum(bars.trace(0)["y"]) == pytest.approx(1)
        assert list(bars.trace(0)["x"]) == ["tokens", "places", "attention", "feed-forward", "norms"]


def test_gpt3_by_slider():
    explorer = ModelSizeExplorer(layers=96, width=12288, heads=64, text=2048)
    assert explorer.size.parameters == pytest.approx(MODELS["GPT-3"].stated, rel=0.003)
    assert explorer.size.meeting / explorer.size.flops == pytest.approx(2048 / (6 * 12288 + 2048), abs=0.001)
    assert explorer.size.weights == 2 * 96 * 64 * 2048**2


def test_the_work_of_reading_is_what_torch_counts():
    size = ModelSizeExplorer(layers=2, width=128, heads=4, vocabulary=2, text=512).size
    model = gpt(2000, 128, 4, layers=2, longest=512)
    with torch.no_grad(), FlopCounterMode(display=False) as counter, sdpa_kernel(SDPBackend.MATH):
        model(torch.zeros(1, 512, dtype=torch.long))
    assert sum(p.numel() for p in model.parameters()) == size.parameters
    assert size.flops == pytest.approx(counter.get_total_flops(), rel=0.005)  # biases cost nothing there


def test_heads_change_no_parameter(explorer):
    counts = {}
    for heads in (1, 8, 64):
        explorer.heads = heads
        counts[heads] = explorer.size
    assert len({size.parameters for size in counts.values()}) == 1
    assert counts[64].weights == 64 * counts[1].weights


def test_every_width_fits_every_number_of_heads(explorer):
    specs = {spec["name"]: spec for spec in explorer.parts["controls"].spec}
    widths, heads = positions(specs["width"]), specs["heads"]["options"]
    assert not any(width % count for width in widths for count in heads)
    with pytest.raises(TraitError, match="layers: expected a whole number from 1 to 128"):
        explorer.layers = 0
