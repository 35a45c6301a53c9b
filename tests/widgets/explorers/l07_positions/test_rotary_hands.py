"""RotaryHandsExplorer: hands where torch turns them, angles that stay when both move, and the scores beside them."""

import pytest
import torch
from explorers import code_gives_the_picture, drive

from attnlab.alignment import scaled_dot
from attnlab.positions import ALiBi, Rotary
from widgets.explorers.l07_positions.rotary_hands import KEY, PLANES, RotaryHandsExplorer, query_of


def angles(explorer):
    return explorer.result.pairs.angle


def test_every_control():
    drive(RotaryHandsExplorer())


@pytest.mark.parametrize(("place", "later"), [(0, 0), (20, 3), (40, 24)])
def test_hands_and_scores_are_torchs(place, later):
    explorer = RotaryHandsExplorer(place=place, later=later)
    rotary, asks, answers = Rotary(8), query_of(explorer.state)[None], torch.tensor(KEY).view(1, 8)
    asked, answered = rotary.rotate(asks, place + later), rotary.rotate(answers, place)
    for i, plane in enumerate(PLANES):
        hands = torch.stack([asked.view(4, 2)[i], answered.view(4, 2)[i]])
        torch.testing.assert_close(torch.tensor(explorer.parts[plane].turned), hands)
    chart = explorer.parts["scores"]
    seen = {name: chart.trace(name)["y"][place] for name in ("no places", "rotary", "ALiBi")}
    plain = scaled_dot(asks, answers).item()
    bias = ALiBi(heads=2).bias(1, place + 1, place + later)[0, 0, place].item()
    assert seen == pytest.approx(
        {"no places": plain, "rotary": scaled_dot(asked, answered).item(), "ALiBi": plain + bias}, abs=1e-4
    )
    assert chart.trace("key")["y"][0] == pytest.approx(seen["rotary"])
    assert list(chart.trace("query")["x"]) == [place + later] * 2


def test_moving_both_changes_no_angle_and_shifts_the_curve():
    explorer = RotaryHandsExplorer(place=2, later=5)
    before, scores = angles(explorer).clone(), explorer.scores.clone()
    assert before.abs().min() > 1, "else there is nothing to see"
    explorer.place = 33
    torch.testing.assert_close(angles(explorer), before, atol=1e-2, rtol=0)
    torch.testing.assert_close(explorer.scores[:, 31:], scores[:, :34], atol=1e-4, rtol=0)


def test_the_query_looks_three_places_back_and_the_hand_makes_it_five():
    explorer = RotaryHandsExplorer(place=20, later=3)
    assert explorer.scores[0].argmax() == 20
    explorer.parts["pair_1"].angle = 93.0
    assert explorer.angle_1 == 93.0
    assert explorer.scores[0].argmax() == 18
    code_gives_the_picture(explorer)
    explorer.reset()
    assert explorer.parts["pair_1"].angle == 208.0


def test_far_distances_share_their_number_and_near_ones_do_not():
    explorer = RotaryHandsExplorer(place=40, later=24)
    chart = explorer.parts["scores"].trace("relative bias")["y"]
    before = [chart[64 - distance] for distance in range(33)]
    assert len(set(before[:9])) == 9
    assert before[12] == before[15]
