"""TokenFlow: shapes are checked, and it is named in words."""

import numpy as np
import pytest
from traitlets import TraitError

from widgets.instruments.token_flow.token_flow import TokenFlow


@pytest.fixture
def flow():
    flow = TokenFlow()
    flow.show(labels=["dog", "bites", "man"], weights=np.eye(3), inputs=np.ones((3, 2)), contexts=np.ones((3, 2)))
    return flow


def test_in_words(flow):
    assert repr(TokenFlow()) == "TokenFlow(empty)"
    assert repr(flow) == "TokenFlow(dog bites man)"
    flow.order = [2, 1, 0]
    assert repr(flow) == "TokenFlow(man bites dog)"
    assert flow.places == [2, 1, 0]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("weights", np.eye(2)),
        ("mask", np.eye(4)),
        ("inputs", np.ones((2, 2))),
        ("before", np.ones((4, 2))),
        ("differences", np.ones(2)),
        ("answers", [["yes", "right"]]),
        ("answers", [["yes", "maybe"]] * 3),
        ("answers", [["yes"]] * 3),
        ("order", [0, 1]),
        ("order", [0, 1, 1]),
        ("weights", np.ones((3, 2))),
    ],
)
def test_a_misfit_is_told_and_nothing_changes(flow, name, value):
    with pytest.raises(TraitError, match=f"{name}: expected"):
        setattr(flow, name, value)
    assert repr(flow) == "TokenFlow(dog bites man)"


def test_other_tokens_come_as_one(flow):
    flow.order = [2, 1, 0]
    flow.show(labels=["a", "b"], weights=np.eye(2), inputs=None, contexts=None, order=[1, 0])
    assert repr(flow) == "TokenFlow(b a)"
