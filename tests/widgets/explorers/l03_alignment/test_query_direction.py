"""QueryDirectionExplorer: eight scores of one query with five keys, and what each of them does not see."""

import pytest
import torch
from explorers import drive

from attnlab.analysis import plane_scores
from attnlab.attention import attend
from widgets.explorers.l03_alignment.query_direction import KEYS, NAMES, QueryDirectionExplorer


@pytest.fixture
def explorer():
    return QueryDirectionExplorer()


def rows(explorer, **state):
    """{score: its row of weights} after a change of the state."""
    explorer.change(**state)
    return dict(zip(NAMES, explorer.weights, strict=True))


def test_every_control(explorer):
    drive(explorer)


def test_its_numbers_are_those_of_attend(explorer):
    query = torch.tensor([explorer.parts["plane"].query])
    keys = torch.from_numpy(explorer.parts["plane"].vectors)
    for name, score in plane_scores().items():
        torch.testing.assert_close(rows(explorer)[name], attend(query, keys, keys, score).weights[0])


def test_who_sees_the_query_turn(explorer):
    before, after = rows(explorer, angle=0), rows(explorer, angle=180)
    blind = [name for name in NAMES if torch.allclose(before[name], after[name], atol=1e-6)]
    assert blind == ["concat"]


def test_who_sees_the_query_grow(explorer):
    before, after = rows(explorer, length=1.0), rows(explorer, length=3.0)
    assert [name for name in NAMES if torch.allclose(before[name], after[name], atol=1e-5)] == ["content", "concat"]


def test_who_sees_a_key_grow(explorer):
    before, after = rows(explorer, b=0.5), rows(explorer, b=4.0)
    assert [name for name in NAMES if torch.allclose(before[name], after[name], atol=1e-5)] == ["content", "location"]


def test_additive_and_perceptron_are_one_function(explorer):
    for angle in (0, 95, 270):
        now = rows(explorer, angle=angle)
        torch.testing.assert_close(now["additive"], now["perceptron"])


def test_the_additive_score_prefers_the_nearest_tip(explorer):
    explorer.b = 1.0
    for label, (x, y) in KEYS.items():
        angle = round(float(torch.rad2deg(torch.atan2(torch.tensor(y), torch.tensor(x)))) / 5) * 5 % 360
        row = rows(explorer, angle=angle, length=round((x * x + y * y) ** 0.5, 1))["additive"]
        assert list(KEYS)[int(row.argmax())] == label


def test_the_hand_turns_the_query(explorer):
    plane = explorer.parts["plane"]
    with plane.hold_trait_notifications():
        plane.angle, plane.length = 90.0, 1.5
    assert (explorer.angle, explorer.length) == (90, 1.5)
    explorer.angle = 180
    assert plane.query == pytest.approx((-1.5, 0.0))
