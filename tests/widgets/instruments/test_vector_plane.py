"""VectorPlane without a page: the query's two numbers, its words, and what it refuses."""

import pytest
from traitlets import TraitError

from widgets.instruments.vector_plane.vector_plane import VectorPlane


@pytest.fixture
def plane():
    return VectorPlane(vectors=[[1.0, 0.0], [0.0, 1.0]], labels=["a", "b"], angle=90.0, length=2.0)


def test_in_words(plane):
    assert repr(plane) == "VectorPlane(query (0.00, 2.00), 2 keys)"
    assert repr(VectorPlane()) == "VectorPlane(query (1.00, 0.00), 0 keys)"


@pytest.mark.parametrize(("angle", "query"), [(0, (2, 0)), (90, (0, 2)), (180, (-2, 0)), (30, (3**0.5, 1))])
def test_the_angle_is_counted_as_in_school(plane, angle, query):
    plane.angle = angle
    assert plane.query == pytest.approx(query)


@pytest.mark.parametrize(
    ("trait", "value"),
    [("vectors", [[1.0, 2.0, 3.0]]), ("labels", ["a"]), ("weights", [0.5]), ("turned", [[1.0, 0.0], [0.0, 1.0]])],
)
def test_what_does_not_fit_is_refused(plane, trait, value):
    with pytest.raises(TraitError, match=trait):
        setattr(plane, trait, value)
