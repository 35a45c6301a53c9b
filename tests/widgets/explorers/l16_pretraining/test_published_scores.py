"""PublishedScoresExplorer: two rows of a table, and what lies between them."""

import pytest
from explorers import drive

from widgets.explorers.l16_pretraining.published_scores import COMPARED, PublishedScoresExplorer


def test_every_control():
    drive(PublishedScoresExplorer())


def test_the_first_picture_is_the_papers():
    explorer = PublishedScoresExplorer()
    trace = explorer.parts["chart"].trace(0)
    found = dict(zip(trace["text"], trace["y"], strict=True))
    assert found["STS-B"] == pytest.approx(51.1)
    assert found["RTE"] == pytest.approx(2.2)
    assert "14.7 points on average, from 2.2 (RTE) to 51.1 (STS-B)" in repr(explorer.parts["caption"])


@pytest.mark.parametrize("compared", COMPARED)
def test_every_point_is_inside(compared):
    explorer = PublishedScoresExplorer(compared=compared)
    low, high = explorer.parts["chart"].figure_layout["yaxis"]["range"]
    assert low < min(explorer.result.points)
    assert max(explorer.result.points) < high
    assert low <= 0 <= high
