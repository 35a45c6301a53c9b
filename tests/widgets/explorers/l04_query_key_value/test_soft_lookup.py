"""SoftLookupExplorer: a dictionary whose answers are mixed."""

import pytest
from explorers import drive

from widgets.explorers.l04_query_key_value.soft_lookup import SoftLookupExplorer


def test_by_pencil():
    explorer = SoftLookupExplorer()
    drive(explorer)
    by_pencil = [7.389 / 15.778, 7.389 / 15.778, 1 / 15.778]
    assert explorer.context.tolist() == pytest.approx(by_pencil, abs=1e-3)
    explorer.change(red=8.0, green=8.0, blue=8.0)
    assert explorer.context.tolist() == pytest.approx([1 / 3] * 3)
    explorer.change(red=8.0, green=0.0, blue=0.0)
    assert "a dictionary, almost" in repr(explorer)
