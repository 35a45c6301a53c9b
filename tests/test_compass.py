"""CompassExplorer: eight scores of one query with five keys, and what each of them does not see."""

import pytest
import torch
from explorers import drive
from traitlets import TraitError

from attnlab.attention import attend
from widgets.compass import KEYS, NAMES, CompassExplorer, by_hand
from widgets.plane import Plane


@pytest.fixture
def compass():
    return CompassExplorer()


def rows(explorer, **state):
    """{score: its row of weights} after a change of the state."""
    explorer.change(**state)
    return dict(zip(NAMES, explorer.weights, strict=True))


def test_compass(compass):
    drive(compass)


def test_its_numbers_are_those_of_attend(compass):
    query = torch.tensor([compass.parts["plane"].query])
    keys = torch.from_numpy(compass.parts["plane"].vectors)
    for name, score in by_hand().items():
        torch.testing.assert_close(rows(compass)[name], attend(query, keys, keys, score).weights[0].detach())


def test_who_sees_the_query_turn(compass):
    before, after = rows(compass, angle=0), rows(compass, angle=180)
    blind = [name for name in NAMES if torch.allclose(before[name], after[name], atol=1e-6)]
    assert blind == ["concat"]


def test_who_sees_the_query_grow(compass):
    before, after = rows(compass, length=1.0), rows(compass, length=3.0)
    assert [name for name in NAMES if torch.allclose(before[name], after[name], atol=1e-5)] == ["content", "concat"]


def test_who_sees_a_key_grow(compass):
    before, after = rows(compass, b=0.5), rows(compass, b=4.0)
    assert [name for name in NAMES if torch.allclose(before[name], after[name], atol=1e-5)] == ["content", "location"]


def test_additive_and_perceptron_are_one_function(compass):
    for angle in (0, 95, 270):
        now = rows(compass, angle=angle)
        torch.testing.assert_close(now["additive"], now["perceptron"])


def test_the_additive_score_prefers_the_nearest_tip(compass):
    compass.b = 1.0
    for label, (x, y) in KEYS.items():
        angle = round(float(torch.rad2deg(torch.atan2(torch.tensor(y), torch.tensor(x)))) / 5) * 5 % 360
        row = rows(compass, angle=angle, length=round((x * x + y * y) ** 0.5, 1))["additive"]
        assert list(KEYS)[int(row.argmax())] == label


def test_the_hand_turns_the_query(compass):
    plane = compass.parts["plane"]
    with plane.hold_trait_notifications():
        plane.angle, plane.length = 90.0, 1.5
    assert (compass.angle, compass.length) == (90, 1.5)
    compass.angle = 180
    assert plane.query == pytest.approx((-1.5, 0.0))


def test_plane_in_words():
    plane = Plane(vectors=[[1.0, 0.0], [0.0, 1.0]], labels=["a", "b"], angle=90.0, length=2.0)
    assert repr(plane) == "Plane(query (0.00, 2.00), 2 keys)"
    assert plane.still_png()
    assert Plane().still_png() is None


@pytest.mark.parametrize(("trait", "value"), [("vectors", [[1.0, 2.0, 3.0]]), ("labels", ["a"]), ("weights", [0.5])])
def test_plane_refuses_what_does_not_fit(trait, value):
    plane = Plane(vectors=[[1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(TraitError, match=trait):
        setattr(plane, trait, value)
