"""Flow: shapes are checked, and it is named and drawn in words and as a still."""

import numpy as np
import pytest
from traitlets import TraitError

from widgets.flow import Flow


@pytest.fixture
def flow():
    flow = Flow()
    flow.show(labels=["dog", "bites", "man"], weights=np.eye(3), inputs=np.ones((3, 2)), contexts=np.ones((3, 2)))
    return flow


def test_in_words(flow):
    assert repr(Flow()) == "Flow(empty)"
    assert repr(flow) == "Flow(dog bites man)"
    flow.order = [2, 1, 0]
    assert repr(flow) == "Flow(man bites dog)"
    assert flow.places == [2, 1, 0]


@pytest.mark.parametrize(("name", "value"), [
    ("weights", np.eye(2)), ("mask", np.eye(4)), ("inputs", np.ones((2, 2))), ("before", np.ones((4, 2))),
    ("differences", np.ones(2)), ("answers", [["yes", "right"]]), ("answers", [["yes", "maybe"]] * 3),
    ("answers", [["yes"]] * 3), ("order", [0, 1]), ("order", [0, 1, 1]), ("weights", np.ones((3, 2))),
])
def test_a_misfit_is_told_and_nothing_changes(flow, name, value):
    with pytest.raises(TraitError, match=f"{name}: expected"):
        setattr(flow, name, value)
    assert repr(flow) == "Flow(dog bites man)"


def test_other_tokens_come_as_one(flow):
    flow.order = [2, 1, 0]
    flow.show(labels=["a", "b"], weights=np.eye(2), inputs=None, contexts=None, order=[1, 0])
    assert repr(flow) == "Flow(b a)"


def test_still(flow):
    assert flow.still_png().startswith(b"\x89PNG")
    flow.show(answers=[["yes", "right"], ["no", "wrong"], ["–", "none"]], selected=1, order=[1, 2, 0])
    assert flow.still_png().startswith(b"\x89PNG")
    assert Flow().still_png() is None
