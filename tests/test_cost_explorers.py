"""The explorers of lesson 12: four layers, what they see, how long they take, and what a model costs."""

import math

import oracles_costs
import pytest
import torch
from explorers import drive
from traitlets import TraitError

from attnlab import costs
from attnlab.costs import LAYERS, MODELS, TRANSLATIONS
from widgets.calculator import PARTS, CalculatorExplorer, duration, power, size
from widgets.field import FieldExplorer
from widgets.layers import LayerExplorer, amount
from widgets.slopes import SlopeExplorer, slope
from widgets.translations import TranslationExplorer


def said(explorer) -> str:
    return repr(explorer.parts["caption"])


# Four layers


def test_layers():
    drive(LayerExplorer())


def test_marks_stand_at_the_counts():
    explorer = LayerExplorer(tokens=130, width=96, kernel=5, neighbourhood=9)
    traces = explorer.parts["chart"].traces
    for i, layer in enumerate(LAYERS.values()):
        assert traces[str(4 + i)]["x"] == [130]
        assert traces[str(4 + i)]["y"] == [layer.cost(130, 96, 5, 9).mixing]


def test_a_short_text_is_cheaper_for_self_attention():
    explorer = LayerExplorer(tokens=70, width=512)
    assert "The recurrent layer has 3.7 times the work of self-attention" in said(explorer)
    explorer.tokens = 2000
    assert "The self-attention layer has 7.8 times the work of recurrent" in said(explorer)
    explorer.change(tokens=260, width=512, what="steps that must wait")
    assert "Only recurrence must wait" in said(explorer)


@pytest.mark.parametrize("what", LayerExplorer.what.spec["options"])
def test_no_curve_leaves_its_axis(what):
    for width, kernel, neighbourhood in [(32, 2, 3), (1024, 9, 257)]:
        explorer = LayerExplorer(what=what, width=width, kernel=kernel, neighbourhood=neighbourhood)
        low, high = explorer.parts["chart"].figure_layout["yaxis"]["range"]
        heights = explorer.parts["chart"].heights
        assert low <= heights.log10().min()
        assert heights.log10().max() <= high


def test_amounts():
    found = [amount(x) for x in (0, 999, 12_345, 999_400, 999_600, 5_017_600, 12.34e9, 3.2e12)]
    assert found == ["0", "999", "12\u202f345", "999\u202f400", "1.00 million", "5.02 million", "12.3 billion",
                     "3.20 trillion"]


# What they see


def test_field():
    drive(FieldExplorer(tokens=6))


@pytest.mark.parametrize("dilated", [False, True])
@pytest.mark.parametrize("sees", [3, 5])
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_field_is_what_following_the_layers_gives(layers, sees, dilated):
    tokens = 16
    field = FieldExplorer(layers=layers, sees=sees, dilated=dilated, tokens=tokens).field
    gaps = [sees**layer if dilated else 1 for layer in range(layers)]
    ways = [
        [lambda place: range(place + 1)] * layers,
        [lambda place, gap=gap: [place - gap * step for step in range(sees)] for gap in gaps],
        [lambda place: range(tokens)] * layers,
        [lambda place: range(place - sees // 2, place + sees // 2 + 1)] * layers,
    ]
    for panel, way in zip(field, ways, strict=True):
        assert set(panel[-1].nonzero()[:, 0].tolist()) == oracles_costs.reach(tokens, way)


def test_the_sentence_counts_inputs_and_layers():
    explorer = FieldExplorer(tokens=16)
    assert "16 inputs (recurrent), 3 inputs (convolution), 16 inputs (self-attention), 2 inputs (restricted)" in said(
        explorer)
    assert "first: 1, 8, 1, 15" in said(explorer)
    explorer.dilated = True
    assert "first: 1, 3, 1, 15" in said(explorer)


def test_how_strongly_is_relative():
    field = FieldExplorer(layers=2, show="how strongly").field
    torch.testing.assert_close(field.amax(dim=(1, 2)), torch.ones(4, dtype=torch.float64))
    assert 0 < field[0, -1, 0] < 0.01


# How long they take


def made_up(exponents, noise=0.0):
    return {way: {2**k: 1e-6 * 2 ** (p * k) * (1 + noise * (-1) ** k) for k in range(6, 12)}
            for way, p in exponents.items()}


def test_slopes():
    times = made_up({"a": 1.0, "b": 2.0, "c": 0.5}, noise=0.1)
    drive(SlopeExplorer(times, {"a": 1, "b": 2, "c": 1}), times=times)


@pytest.mark.parametrize("exponent", [0.5, 1, 2, 3])
def test_slope_of_a_power(exponent):
    found, start = slope(made_up({"a": exponent})["a"], 64)
    assert found == pytest.approx(exponent)
    assert start == pytest.approx(math.log2(1e-6))


def test_slope_from_the_length_that_is_chosen():
    times = {"a": {64: 1.0, 128: 1.0, 256: 1.0, 512: 1.0, 1024: 2.0, 2048: 4.0}}
    explorer = SlopeExplorer(times, {"a": 1}, shortest=9)
    assert explorer.slopes[0] == pytest.approx(1)
    explorer.shortest = 6
    assert explorer.slopes[0] < 0.5
    assert "0." not in repr(explorer)


# What a model costs


def test_calculator():
    drive(CalculatorExplorer())


def test_parts_sum_to_the_whole():
    for sizes in [{}, {"layers": 96, "width": 12288, "heads": 96, "vocabulary": 0}, {"feed_forward": 1, "text": 512}]:
        explorer = CalculatorExplorer(**sizes)
        assert explorer.bill.parts.sum() == explorer.bill.parameters
        assert explorer.parts["parts"].heights.sum() == pytest.approx(1)
        assert len(explorer.bill.parts) == len(PARTS)


def test_gpt3_by_slider():
    explorer = CalculatorExplorer(layers=96, width=12288, heads=96, text=2048, ratio=1.5)
    assert explorer.bill.parameters == pytest.approx(MODELS["GPT-3"].stated, rel=0.003)
    assert explorer.bill.flops == pytest.approx(6 * 1.5 * MODELS["GPT-3"].counted**2, rel=0.05)
    assert explorer.bill.attention / explorer.bill.flops == pytest.approx(0.027, abs=0.01)
    assert explorer.bill.weights == 2 * 96 * 96 * 2048**2


def test_the_bill():
    explorer = CalculatorExplorer(ratio=20.0, speed=101, rent=2.0)
    bill = explorer.bill
    assert bill.flops == 6 * bill.parameters * 20 * bill.parameters + bill.attention
    assert bill.hours == pytest.approx(bill.flops / 1.01e14 / 3600)
    assert bill.dollars == pytest.approx(2 * bill.hours)
    assert bill.attention == costs.attention_flops(12, 768, 1024, 20 * bill.parameters)


def test_heads_change_no_parameter():
    counts = {heads: CalculatorExplorer(heads=heads).bill for heads in (1, 12, 64)}
    assert len({bill.parameters for bill in counts.values()}) == 1
    assert counts[64].weights == 64 * counts[1].weights


def test_heads_that_do_not_divide():
    explorer = CalculatorExplorer()
    explorer.heads = 25
    assert explorer.parts["caption"].error == "expected heads that divide the width 768, got 25"
    with pytest.raises(TraitError, match="layers: expected a whole number from 1 to 128"):
        explorer.layers = 0


# Quality and cost


def test_translations():
    drive(TranslationExplorer())


def test_every_row_with_both_numbers_has_its_mark():
    for language, column in (("German", "german"), ("French", "french")):
        explorer = TranslationExplorer(language=language)
        traces = [explorer.parts["chart"].traces[str(i)] for i in range(3)]
        marks = {name: (float(x), float(y)) for trace in traces
                 for name, x, y in zip(trace["text"], trace["x"], trace["y"], strict=True)}
        rows = {name: (getattr(row, f"{column}_flops"), getattr(row, column)) for name, row in TRANSLATIONS.items()}
        assert marks == {name: both for name, both in rows.items() if None not in both}


def test_french_is_told_honestly():
    assert "(base model): 27.3, better than 5 of the 5 others" in said(TranslationExplorer())
    explorer = TranslationExplorer(language="French")
    assert "(base model): 38.1, better than 0 of the 7 others" in said(explorer)
    assert "(big): 41.8, better than 7 of the 7 others" in said(explorer)


def test_words_for_large_numbers():
    assert power(3.14e23) == "3.1 · 10²³"
    assert [size(x) for x in (500_000, 3e8, 9.66e9, 2.5e12)] == ["0.50 MB", "300 MB", "9.66 GB", "2.50 TB"]
    assert [duration(h) for h in (0.001, 0.5, 3, 100, 1e5, 1e9)] == [
        "4 seconds", "30.0 minutes", "3.00 hours", "4.17 days", "11.4 years", "114\u202f077 years"]
