"""Moments: a state as a short text and back; what was changed, cut, or is of something else is said in words."""

import json
import re
import zlib
from base64 import urlsafe_b64encode
from pathlib import Path

import numpy as np
import pytest
import torch
from explorers import Plain, its_moment_opens
from hypothesis import given
from hypothesis import strategies as st
from traitlets import observe

import widgets
from widgets.base.controls import held
from widgets.base.explorer import ANOTHER
from widgets.base.moment import FORM, LARGEST, fingerprint, read_moment, write_moment
from widgets.base.words import plain, say
from widgets.explorers.l00_start_here.temperature import TemperatureExplorer

SIMPLE = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SIMPLE,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.integers() | st.text(), inner, max_size=3)
    ),
    max_leaves=10,
)


def forged(content, kind="Plain"):
    """A text with a right check around any content."""
    packed = urlsafe_b64encode(zlib.compress(json.dumps(content).encode())).decode().rstrip("=")
    body = f"{kind}.{FORM}.{packed}"
    return f"{body}.{fingerprint(body)}"


# ---- texts


@given(state=st.dictionaries(st.text(min_size=1), VALUES, max_size=4), seen=st.text())
def test_any_state_comes_back(state, seen):
    assert read_moment(write_moment("Plain", state, seen), "Plain") == (state, fingerprint(seen))


@pytest.mark.parametrize("dtype", ["bool", "int64", "float32", "float64"])
def test_arrays_come_back(dtype):
    array = (np.random.default_rng(0).normal(size=(2, 3, 5)) * 3).astype(dtype)
    [back] = read_moment(write_moment("Plain", {"a": array}, ""), "Plain")[0].values()
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)
    [back] = read_moment(write_moment("Plain", {"a": torch.tensor(array)}, ""), "Plain")[0].values()
    np.testing.assert_array_equal(back, array)


def test_it_is_short():
    assert len(TemperatureExplorer().moment) < 160
    painted = {"painted": (np.random.default_rng(0).random((32, 32)) < 0.5).tolist()}
    assert len(write_moment("MasksExplorer", painted, "")) < 800


def test_only_letters_that_a_mail_leaves_alone():
    assert set(Plain(word="é☃<>").moment) <= {*map(chr, range(128))} - set(" \n\"'<>&+/=")


def test_what_cannot_be_written():
    with pytest.raises(ValueError, match="cell: expected numbers, texts, lists, dicts or arrays, got object"):
        write_moment("Plain", {"cell": [object()]}, "")


@pytest.mark.parametrize("text", [None, 3, "", "Plain", "a.b.c", "a.b.c.d.e", "see https://example.org for more"])
def test_what_is_no_moment(text):
    with pytest.raises(ValueError, match=r"expected a moment, a text such as Plain\.1\.eNqL….bZ4yVQ, all of it; got"):
        read_moment(text, "Plain")


def test_every_letter_counts():
    moment = Plain().moment
    for i, letter in enumerate(moment):
        other = "x" if letter != "x" else "y"
        with pytest.raises(ValueError, match=r"letters were changed or lost|expected a moment"):
            read_moment(moment[:i] + other + moment[i + 1 :], "Plain")
        with pytest.raises(ValueError, match=r"letters were changed or lost|expected a moment"):
            read_moment(moment[:i], "Plain")


def test_blanks_and_quotes_around_do_not_count():
    moment = Plain(count=5).moment
    broken = f' "{moment[:20]}\n   {moment[20:]}" \n'
    assert read_moment(broken, "Plain") == read_moment(moment, "Plain")


@pytest.mark.parametrize(
    "content",
    [3, [], [3, ""], [{"size": {"spell": []}}, ""], [{"size": {}}, ""], [{"a": {"array": ["object", [1], [0]]}}, ""]],
)
def test_what_holds_no_state(content):
    with pytest.raises(ValueError, match="holds no state that can be read"):
        read_moment(forged(content), "Plain")


def test_no_bomb():
    with pytest.raises(ValueError, match="holds no state that can be read"):
        read_moment(forged([{"word": " " * (LARGEST + 1)}, ""]), "Plain")
    body = f"Plain.{FORM}.{urlsafe_b64encode(zlib.compress(b'[' * 100_000)).decode().rstrip('=')}"
    with pytest.raises(ValueError, match="holds no state that can be read"):
        read_moment(f"{body}.{fingerprint(body)}", "Plain")


def test_a_later_form():
    body = f"Plain.{FORM + 1}.x"
    with pytest.raises(ValueError, match=rf"has form {FORM + 1}, this attnlab reads form {FORM}"):
        read_moment(f"{body}.{fingerprint(body)}", "Plain")


# ---- explorers


def test_the_moment_of_every_explorer_is_opened_in_its_test():
    """By `drive`, or where that is too long by `its_moment_opens`; then each takes a walk (`wander`)."""
    rooms = [home.split(".") for name, home in widgets.HOMES.items() if name.endswith("Explorer") and "." in home]
    tests = [Path(__file__).parents[1].joinpath(*room[:-1], f"test_{room[-1]}.py") for room in rooms if len(room) == 3]
    left_out = [
        test.stem
        for test in tests
        if not re.search(r"drive\(|its_moment_opens\((.|\n)*wander\(", test.read_text(encoding="utf-8"))
    ]
    assert (left_out, len(tests) > 70) == ([], True)


class Held(Plain):
    edits = held({}, help="anything")


def test_a_moment_opens_the_same():
    explorer = Held(size=3.5, word="seven", signed=True, edits={3: [0.1, 0.2], "1:2": (1, 2)})
    explorer.change(count=5, at=4, again=2)
    its_moment_opens(explorer)


def test_it_opens_where_it_is_shown():
    explorer, other = Plain(count=5, word="seven"), Plain()
    assert other.open_moment(explorer.moment) == ""
    assert repr(other) == repr(explorer)
    other.reset()
    assert repr(other) == repr(Plain())


def test_one_of_another_explorer():
    with pytest.raises(ValueError, match="of another explorer: expected one of TemperatureExplorer, got one of Plain"):
        TemperatureExplorer.from_moment(Plain().moment)


def test_what_is_refused_changes_nothing():
    explorer = Plain(count=5, word="seven")
    before = repr(explorer)
    for wrong, why in [
        (forged([{"size": 3.0, "count": 99}, ""]), "count: expected a whole number from 1 to 7, got 99"),
        (forged([{"size": 3.0, "soze": 1}, ""]), "this moment has 'soze', which Plain has not"),
        (forged([{"size": 3.0, "word": "f1ve"}, ""]), "no picture here: expected a word of letters, got 'f1ve'"),
    ]:
        with pytest.raises(ValueError, match=why):
            explorer.open_moment(wrong)
        assert repr(explorer) == before
        torch.testing.assert_close(explorer.result, Plain(count=5, word="seven").result)


def test_a_state_without_a_picture_opens_too():
    explorer = Plain(word="f1ve")
    assert repr(Plain.from_moment(explorer.moment)) == repr(explorer)


class Model(Plain):
    """Something stands behind it."""

    def __init__(self, factor, **state):
        self.factor = factor
        super().__init__(**state)

    def compute(self, state):
        return self.factor * super().compute(state)

    def sentence(self, state, result):
        return say(f"the sum is {float(result.sum()):.2f}")


def test_something_else_stands_behind_it():
    moment = Model(3.0, count=5).moment
    same, other = Model.from_moment(moment, 3.0), Model.from_moment(moment, factor=2.0)
    assert same.parts["caption"].error == ""
    assert other.parts["caption"].error == ANOTHER
    assert plain(other.parts["caption"].sentence) == "the sum is 60.00"
    assert (other.count, other.result.shape) == (5, (5,))
    other.count = 4
    assert other.parts["caption"].error == ""


def test_a_twin_has_the_same_behind_it():
    explorer = Model(3.0, count=5)
    explorer.word = "seven"
    twin = explorer.twin(signed=True)
    assert (twin.factor, twin.count, twin.word, twin.signed) == (3.0, 5, "seven", True)
    assert (explorer.signed, twin is explorer) == (False, False)
    with pytest.raises(ValueError, match="count: expected a whole number from 1 to 7, got 9"):
        explorer.twin(count=9)


class Picky(Plain):
    """A part of the state moves another, and not every value can."""

    pick = held(0)

    @observe("pick")
    def _follow(self, change):
        self.size = [1.0, 2.0, 3.0][change.new]


def test_a_moment_that_an_observer_refuses_leaves_all_as_it_was():
    explorer = Picky()
    before = vars(explorer.state)
    state = {**before, "pick": 7}
    moment = write_moment("Picky", state, "seen")
    with pytest.raises(ValueError, match="this moment does not fit Picky"):
        explorer.open_moment(moment)
    assert vars(explorer.state) == before
