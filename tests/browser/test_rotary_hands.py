"""The hands of lesson 07 in a real browser: they end where torch turns them, and no text is cut or covered."""

import re

import pytest
import torch
from machines import OVERLAPS

from attnlab.alignment import scaled_dot
from attnlab.positions import ALiBi, Rotary
from widgets.explorers.l07_positions.rotary_hands import KEY, PAIRS, RotaryHandsExplorer, query_of

pytestmark = [pytest.mark.browser, pytest.mark.kept_page]

TEXTS = ".attnlab-plane svg .name, .js-plotly-plot .main-svg text"

# Of each plane: the tips of the arrows as they are turned, in its own unit, and what is written below it.
HANDS = """(longest) => [...document.querySelectorAll(".attnlab-plane")].map((el) => {
    const unit = el.querySelector("svg").viewBox.baseVal.width / 2 / (1.12 * longest);
    const heads = [...el.querySelectorAll("polygon")].slice(-2);
    const tips = heads.map(({ points }) => [points[0].x / unit, -points[0].y / unit]);
    return [tips, el.querySelector(".hint").textContent];
})"""
CURVES = (
    """() => Object.fromEntries(document.querySelector(".js-plotly-plot").data.map(({ name, y }) => [name, [...y]]))"""
)


def numbers(text):
    return [float(one.replace("−", "-")) for one in re.findall(r"−?\d+(?:\.\d+)?", text)]


@pytest.mark.parametrize(("place", "later"), [(20, 5), (0, 0), (33, 24)])
def test_hands_and_scores_of_the_page_are_torchs(bridge, page, place, later):
    explorer = bridge.show(RotaryHandsExplorer(place=place, later=later, angle_2=200.0))
    rotary, at = Rotary(2 * PAIRS), place + later
    asks, answers = query_of(explorer.state)[None], torch.tensor(KEY).view(1, -1)
    asked, answered = rotary.rotate(asks, at), rotary.rotate(answers, place)
    hands = page.evaluate(HANDS, 2.0)
    assert len(hands) == PAIRS
    for i, (tips, note) in enumerate(hands):
        query, key = asked.view(PAIRS, 2)[i], answered.view(PAIRS, 2)[i]
        assert tips == [pytest.approx(vector.tolist(), abs=1e-3) for vector in (query, key)]
        angle = torch.acos(torch.cosine_similarity(query, key, dim=0).clamp(-1, 1)).rad2deg().item()
        assert numbers(note) == [pytest.approx(angle, abs=0.6), pytest.approx(float(query @ key), abs=0.006)]
    curves = page.evaluate(CURVES)
    plain = scaled_dot(asks, answers).item()
    bias = ALiBi(heads=2).bias(1, place + 1, at)[0, 0, place].item()
    wanted = {"rotary": scaled_dot(asked, answered).item(), "ALiBi": plain + bias, "no places": plain}
    assert {name: curves[name][place] for name in wanted} == pytest.approx(wanted, abs=1e-3)
    assert curves["key"][:2] == pytest.approx([wanted["rotary"], wanted["ALiBi"]], abs=1e-3)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [700, 900, 1100, 1400])
def test_no_text_is_cut_or_covered(bridge, page, dark, width):
    bridge.wear(dark, width)
    explorer = bridge.show(RotaryHandsExplorer())
    for state in ({}, {"place": 0, "later": 0}, {"place": 40, "later": 24}):
        explorer.change(**state)
        bridge.settle()
        assert page.evaluate(OVERLAPS, TEXTS) == [], state
        assert bridge.outside(".attnlab-plane, .js-plotly-plot") == []
