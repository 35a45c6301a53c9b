import pytest

import attnlab


def test_the_map_names_what_is_there():
    for name in attnlab.__all__:
        assert getattr(attnlab, name) is not None


def test_rooms_open_when_they_are_asked_for():
    for name in attnlab.ROOMS:
        assert getattr(attnlab, name).__name__ == f"attnlab.{name}"
    with pytest.raises(AttributeError, match="module 'attnlab' has no attribute 'nowhere'"):
        attnlab.nowhere  # noqa: B018
