import jaxtyping
import pytest


@pytest.fixture
def as_a_learner(monkeypatch):
    """Without the shape checks of the tests, which are stricter and come before some of ours."""
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
