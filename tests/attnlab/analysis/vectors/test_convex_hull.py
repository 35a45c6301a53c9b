"""The hull of some points, by what defines one; and that no context leaves that of the values."""

import pytest
import torch

from attnlab.analysis.vectors.convex_hull import convex_hull
from attnlab.analysis.vectors.projections import project


def random(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def area(points):
    """Twice the area of a polygon, above 0 against the clock."""
    return sum(float(a[0] * b[1] - a[1] * b[0]) for a, b in zip(points, [*points[1:], points[0]], strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_the_hull_turns_left_and_holds_all_points(seed):
    points = random(11, 2, seed=seed)
    corners = points[convex_hull(points)]
    assert area(list(corners)) > 0
    for a, b in zip(corners, corners.roll(-1, dims=0), strict=True):
        for point in points:
            assert area([a, b, point]) >= -1e-5, "each point lies left of each side"


def test_no_context_leaves_the_hull():
    x, W = random(6, 4), random(3, 4, 2, seed=4)
    found = project(x, *W)
    corners = found.value[convex_hull(found.value)]
    for a, b in zip(corners, corners.roll(-1, dims=0), strict=True):
        assert min(area([a, b, point]) for point in found.context) > -1e-5


@pytest.mark.parametrize(
    ("points", "corners"),
    [
        ([[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [2.0, 2.0], [0.0, 2.0], [1.0, 1.0]], [0, 1, 3, 4]),
        ([[1.0, 1.0], [0.0, 0.0], [2.0, 2.0]], [1, 2]),
        ([[3.0, 1.0], [3.0, 1.0]], [0]),
        ([[1.0, 0.0], [0.0, 0.0], [1.0, 0.0]], [1, 0]),
    ],
)
def test_points_between_corners_and_points_that_are_equal(points, corners):
    assert convex_hull(torch.tensor(points)).tolist() == corners


def test_misfits_are_told():
    with pytest.raises(ValueError, match="points that are numbers"):
        convex_hull(torch.tensor([[float("nan"), 0.0]]))
