"""States: what a page without a kernel shows is what the explorer shows there, number by number."""

import json

import numpy as np
import pytest
from explorers import Plain
from traitlets import observe
from wire import in_full

from widgets import AdditiveToScaledExplorer, KernelRegressionExplorer, ProjectionsExplorer, QueryKeyValueExplorer
from widgets.base.controls import held, slider, stepper, switch
from widgets.base.fewer_bytes import packed_size
from widgets.base.instrument import pack_array
from widgets.base.states import FIRST, MISSING, States
from widgets.base.thinning import text_of


class Reader:
    """What offline_states.js does with a packed document, in Python. first: what `shown_by` said of it before."""

    def __init__(self, packed, first):
        self.packed, self.names, self.first = packed, packed["names"], first
        self.nodes = np.frombuffer(packed["nodes"], np.uint16).reshape(len(self.names), -1).T
        self.shown = np.frombuffer(packed["shown"], np.uint16).reshape(len(packed["columns"]), -1).T
        self.rows = {tuple(map(int, node)): row for row, node in enumerate(self.nodes)}
        self.places = {name: {text_of(v): i for i, v in enumerate(packed["values"][name])} for name in self.names}
        self.edges = {(tuple(key), name, place): to for key, name, place, to in packed["edges"]}

    def state(self, row):
        return {n: self.packed["values"][n][p] for n, p in zip(self.names, self.nodes[row], strict=True)}

    def key(self, state):
        return tuple(self.places[name].get(text_of(state[name]), -1) for name in self.names)

    def row(self, state):
        return self.rows.get(self.key(state))

    def after(self, state, name, value):
        way = self.edges.get((self.key(state), name, self.places[name].get(text_of(value), -1)), False)
        return self.row({**state, name: value}) if way is False else self.rows.get(tuple(way or ()))

    def picture(self, row):
        return {
            (part, trait): self.first[part, trait] if place == FIRST else self.value(self.packed["table"][place])
            for (part, trait), place in zip(self.packed["columns"], self.shown[row], strict=True)
            if place != MISSING
        }

    def value(self, wire):
        if isinstance(wire, dict):
            if isinstance(wire.get("bytes"), list):
                return self.packed["bytes"][slice(*wire["bytes"])]
            if "halves" in wire:
                return in_full({name: self.value(item) for name, item in wire.items()})
            return {name: self.value(item) for name, item in wire.items()}
        return [self.value(item) for item in wire] if isinstance(wire, list) else wire


def plain(wire):
    """A value on the wire as it comes out of JSON, its bytes as bytes; numbers of eight bytes as of four."""
    if isinstance(wire, (bytes, bytearray, memoryview)):
        return bytes(wire)
    if isinstance(wire, dict):
        if wire.get("type") == "float64":
            data = np.frombuffer(wire["data"], np.float64).astype(np.float32).tobytes()
            return {**wire, "type": "float32", "data": data}
        return {str(name): plain(item) for name, item in wire.items()}
    return [plain(item) for item in wire] if isinstance(wire, (list, tuple)) else wire


def shown_by(explorer):
    """{(part's id, trait): value on the wire} of all that is seen."""
    return {
        (part.model_id, trait): plain(value)
        for name, part in explorer.parts.items()
        for trait, value in part.get_state(part.shown_traits()).items()
        if trait not in ("versions", "sequence")
    }


def assert_same_numbers(found, wanted, exact):
    """Exactly, or to three digits where the numbers have two bytes."""
    if isinstance(wanted, dict) and "data" in wanted and "shape" in wanted:
        assert found["shape"] == wanted["shape"]
        a, b = (np.frombuffer(each["data"], np.float32) for each in (found, wanted))
        least = 0 if exact else 2**-39 * np.abs(b, where=np.isfinite(b), out=np.zeros_like(b)).max(initial=0)
        np.testing.assert_allclose(a, b, rtol=0 if exact else 2**-11, atol=least)
    elif isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for name in wanted:
            assert_same_numbers(found[name], wanted[name], exact)
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted, strict=True):
            assert_same_numbers(a, b, exact)
    else:
        assert found == wanted


def pictures_are_the_explorers(explorer, room=10**9, every=1, most=None, **limits):
    """Each state of the page: what it shows is what the explorer shows when it is led there."""
    first = shown_by(explorer)
    states = States(explorer, **limits)
    packed = states.packed(room, most)
    reader = Reader(packed, first)
    start = dict(states.start)
    for row in range(0, len(reader.nodes), every):
        state = reader.state(row)
        explorer.change(**start)
        explorer.change(**state)
        if text_of(vars(explorer.state)) != text_of(state):
            continue  # a state that only a path leads to
        wanted, found = shown_by(explorer), reader.picture(row)
        for place, value in found.items():
            assert_same_numbers(value, wanted[place], room > 10**8)
    explorer.change(**start)
    return packed, reader


@pytest.mark.parametrize(
    "kind", [AdditiveToScaledExplorer, KernelRegressionExplorer, ProjectionsExplorer, QueryKeyValueExplorer]
)
def test_the_numbers_are_the_kernels_in_every_state(kind):
    explorer = kind()
    before = shown_by(explorer)
    _, reader = pictures_are_the_explorers(explorer, every=7, states=300, seconds=60)
    assert len(reader.nodes) > 10
    assert shown_by(explorer) == before, "the explorer did not come back to where it stood"


def test_where_bytes_are_scarce_three_digits_are_right():
    explorer = KernelRegressionExplorer()
    packed, reader = pictures_are_the_explorers(explorer, room=42_000, every=3, states=300, seconds=60)
    assert packed_size(packed) <= 42_000
    assert not packed["whole"]
    for name, values in (("bandwidth", 40), ("place", 11)):  # each alone is whole
        assert sum(reader.after(reader.state(0), name, v) is not None for v in explorer.positions(name)) == values


def test_each_kind_of_control_leads_somewhere():
    explorer = Plain()
    _, reader = pictures_are_the_explorers(explorer, states=400, seconds=60, every=5)
    start = reader.state(reader.rows[tuple(reader.packed["start"])])
    for name, value in {"size": 3.3, "count": 5, "signed": True, "shape": "down", "again": 2}.items():
        assert reader.state(reader.after(start, name, value))[name] == value
    assert reader.after(start, "word", "seven") is None, "a text of one's own needs a kernel"
    assert json.dumps(reader.packed["axes"])


def test_what_a_hand_may_change_comes_back_with_every_picture():
    explorer = QueryKeyValueExplorer()
    first = shown_by(explorer)
    packed = States(explorer, states=10, seconds=60).packed()
    product = explorer.parts["product"].model_id
    for trait in ("query", "key", "value", "selected"):
        assert [product, trait] in packed["columns"]
    reader = Reader(packed, first)
    seen = reader.picture(reader.rows[tuple(packed["start"])])
    assert_same_numbers(seen[product, "query"], plain(pack_array(explorer.parts["product"].query)), exact=False)


def test_a_state_without_a_picture_says_why():
    explorer = Plain(size=4.0)
    packed, reader = pictures_are_the_explorers(explorer, states=10, seconds=60)
    row = reader.after(reader.state(reader.rows[tuple(packed["start"])]), "size", 4.8)
    [(place, words)] = reader.picture(row).items()
    assert place == (packed["caption"], "error")
    assert words == "expected a size up to 4.5, got 4.8"


class Linked(Plain):
    """A control that changes another one, and a part of the state that only it changes."""

    signed = switch(False, help="every other number is negative, and there are two")
    count = slider(3, 1, 7, help="how many")
    told = held(0, help="how often the sign was turned on")

    @observe("signed")
    def _fewer(self, change):
        self.set_state({"count": 2, "told": self.told + bool(change.new)})


def test_what_changes_with_a_control_changes_on_the_page_too():
    explorer = Linked()
    first = shown_by(explorer)
    reader = Reader(States(explorer, states=200, seconds=60).packed(10**9), first)
    start = reader.state(reader.rows[tuple(reader.packed["start"])])
    assert (start["count"], start["signed"], start["told"]) == (3, False, 0)
    after = reader.state(reader.after(start, "signed", True))
    assert (after["count"], after["signed"], after["told"]) == (2, True, 1)
    other = reader.state(reader.after({**start}, "count", 5))
    there = reader.after(other, "signed", True)
    assert there is None or reader.state(there)["count"] == 2


class Thousand(Plain):
    at = stepper(500, 1, 1000, help="which of a thousand")

    def picture(self, state, result):
        return {"numbers": {"values": result}}


def test_a_thousand_steps_are_not_all_brought_along():
    packed = States(Thousand(), states=10, seconds=60).packed()
    assert sorted(packed["values"]["at"]) == list(range(480, 520))
    assert not packed["whole"]


def test_a_slow_explorer_has_pictures_far_apart():
    """Without any time: of a slider its ends, its middle, and where it stands; of a choice all."""
    states = States(KernelRegressionExplorer(), seconds=-1)
    seen = {name: sorted({states.state(key)[name] for key in states.nodes}, key=str) for name in states.axes}
    assert seen["bandwidth"] == pytest.approx([0.05, 0.4, 1.05, 2.0])
    for name, (kind, values) in states.axes.items():
        if kind in ("select", "choice", "switch"):
            assert seen[name] == sorted(values, key=str)


def test_a_page_without_room_keeps_some_values_of_the_heaviest_control():
    explorer = KernelRegressionExplorer()
    packed, reader = pictures_are_the_explorers(explorer, room=1000, most=9000, states=300, seconds=60)
    assert packed_size(packed) <= 9000
    start = reader.state(reader.rows[tuple(packed["start"])])
    there = {
        name: [v for v in explorer.positions(name) if reader.after(start, name, v) is not None]
        for name in ("bandwidth", "place")
    }
    assert 3 <= len(there["bandwidth"]) < 40
    for name, values in there.items():
        assert start[name] in values
        assert {explorer.positions(name)[0], explorer.positions(name)[-1]} <= set(values)
