"""What controls take, and how they say what they do not take."""

import re

import numpy as np
import pytest
import torch
from traitlets import HasTraits, TraitError

from widgets.base.controls import (
    Controls,
    button,
    choice,
    decimals,
    held,
    positions,
    select,
    slider,
    stepper,
    switch,
    text,
)


class Kept(HasTraits):
    real = slider(1.0, 0.1, 4.0, step=0.1, help="a number")
    whole = slider(3, 1, 7, help="a whole number")
    on = switch(True)
    name = select({"dot": 1, "additive": 2})
    number = select([1, 8])
    side = choice(["left", "right"], "right", roles=["query", "key"])
    line = text("mars")
    at = stepper(1, 1, None)
    last = stepper(1, 1, 5)
    again = button()
    cell = held([0, 1, 2])


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("real", 2, 2.0),
        ("real", np.float32(0.5), 0.5),
        ("real", torch.tensor(2.0), 2.0),
        ("real", 4, 4.0),
        ("whole", 7.0, 7),
        ("whole", np.int64(2), 2),
        ("on", False, False),
        ("on", 1, True),
        ("name", "additive", "additive"),
        ("side", "left", "left"),
        ("number", torch.tensor(8), 8),
        ("line", "", ""),
        ("at", 10_000, 10_000),
        ("last", 5, 5),
        ("again", 2, 2),
        ("cell", None, None),
    ],
)
def test_taken(name, value, kept):
    here = Kept()
    setattr(here, name, value)
    assert getattr(here, name) == kept
    assert type(getattr(here, name)) is type(kept)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("real", 4.5, "real: expected a number from 0.1 to 4.0, got 4.5"),
        ("real", float("nan"), "real: expected a number from 0.1 to 4.0, got nan"),
        ("real", "2", "real: expected a number from 0.1 to 4.0, got '2'"),
        ("real", True, "real: expected a number from 0.1 to 4.0, got True"),
        ("real", None, "real: expected a number from 0.1 to 4.0, got None"),
        ("real", torch.zeros(2), "real: expected a number from 0.1 to 4.0, got tensor([0., 0.])"),
        ("whole", 10**40, f"whole: expected a whole number from 1 to 7, got {10**40}"),
        ("real", 10**400, f"real: expected a number from 0.1 to 4.0, got 1{'0' * 76}..."),
        ("on", torch.zeros(2), "on: expected True or False, got tensor([0., 0.])"),
        ("whole", 2.5, "whole: expected a whole number from 1 to 7, got 2.5"),
        ("whole", float("inf"), "whole: expected a whole number from 1 to 7, got inf"),
        ("on", "yes", "on: expected True or False, got 'yes'"),
        ("on", [], "on: expected True or False, got []"),
        ("name", "dott", "name: expected one of 'dot', 'additive', got 'dott'"),
        ("side", "up", "side: expected one of 'left', 'right', got 'up'"),
        ("line", 3, "line: expected text, got 3"),
        ("line", "a\ud83d", "line: expected text, got 'a\\ud83d'"),
        ("at", 0, "at: expected a whole number from 1 on, got 0"),
        ("last", 6, "last: expected a whole number from 1 to 5, got 6"),
        ("again", -1, "again: expected a count of presses, 0 or more, got -1"),
    ],
)
def test_refused(name, value, message):
    here = Kept()
    before = getattr(here, name)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$") as told:
        setattr(here, name, value)
    assert isinstance(told.value, TraitError)
    assert getattr(here, name) == before


def test_refused_long():
    with pytest.raises(ValueError, match=r"^name: .* got 'xxx+\.\.\.$") as told:
        Kept().name = "x" * 10_000
    assert len(str(told.value)) < 200


def test_default_out_of_range():
    with pytest.raises(ValueError, match=r"default: expected a number from 0\.0 to 1\.0, got 5\.0"):
        slider(5.0, 0.0, 1.0, step=0.1)


@pytest.mark.parametrize(
    ("spec", "values"),
    [
        ({"min": 0.1, "max": 0.7, "step": 0.2, "decimals": 1}, [0.1, 0.3, 0.5, 0.7]),
        ({"min": 1, "max": 7, "step": 2, "decimals": 0}, [1, 3, 5, 7]),
        ({"min": 0.0, "max": 1.0, "step": 0.3, "decimals": 1}, [0.0, 0.3, 0.6, 0.9]),
        ({"min": 1, "max": 1, "step": 1, "decimals": 0}, [1]),
    ],
)
def test_positions(spec, values):
    assert positions(spec) == values
    assert [type(x) for x in positions(spec)] == [type(x) for x in values]


@pytest.mark.parametrize(("numbers", "count"), [((1, 5), 0), ((0.0, 0.25), 2), ((0.1, 1), 1), ((1e-3, 0), 3)])
def test_decimals(numbers, count):
    assert decimals(*numbers) == count


def test_repr():
    assert repr(Controls(values={"size": 2.0, "word": "five"})) == "Controls(size=2.0, word='five')"


def test_a_stepper_may_follow_a_view_and_has_a_pace():
    film = stepper(0, 0, None, follows=("machine", "frame"), beat=1300)
    assert film.follows == ("machine", "frame")
    assert [film.spec["beat"], stepper(1, 1, None).spec["beat"]] == [1300, 500]
