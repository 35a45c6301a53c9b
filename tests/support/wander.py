"""A long, blind walk through an explorer: after each step it shows what a fresh one in the same state shows.

    wander(explorer, events=125)

A step is what a hand, a page, a notebook cell or an impatient learner may do: controls moved by a hand or from Python,
to values that are allowed and to odd ones; parts of the views dragged; frames, moments and the whole picture asked for;
a second display; a twin made and closed; a computation interrupted. What may be refused is refused by a `StateError` or
`TraitError` before anything has changed. All of it is drawn from the class's name: a failure comes again.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

import numpy as np
import torch
from seen import all_that_is_seen, packed_state
from traitlets import TraitError

import widgets
from widgets.base.controls import StateError
from widgets.base.instrument import Instrument
from widgets.instruments.head_map.head_map import HeadMap
from widgets.instruments.machine.machine import Machine
from widgets.instruments.matrix.matrix import Matrix
from widgets.instruments.molecules.molecules import Molecules
from widgets.instruments.picture.picture import Picture
from widgets.instruments.product.product import Product
from widgets.instruments.token_flow.token_flow import TokenFlow
from widgets.instruments.vector_plane.vector_plane import VectorPlane
from widgets.instruments.word_tiles.word_tiles import WordTiles

EVENTS = 2  # of the walk that each explorer's test ends with
ASKED: int | None = None  # by `--events`: then the test is this walk, and no more
OURS = str(Path(widgets.__file__).parents[1])
TEXTS = ["", " ", "a", "the cat", "a a a a a a", "é☃👩‍👩‍👧", "مرحبا", "<img src=x>", "a\x00b\n\tc", "0", "x" * 400]
ODD: list = [
    None, float("nan"), float("inf"), -1, 0, 2.5, 10**9, 10**30, 10**400, True, "text", "", "1", "\ud800", [], [1, 2],
    {}, (), b"x", object(), np.float32(2), np.arange(3), torch.tensor(1), torch.zeros(2),
]  # fmt: skip


def wander(explorer, events: int | None = None, seed: str = "") -> None:
    """Take so many steps from the state of the beginning, and look after each."""
    explorer.reset()
    chance = Random(f"{type(explorer).__name__} {seed}")
    steps = [getattr(_Walk, name) for name in vars(_Walk) if not name.startswith("_")]
    walk = _Walk(explorer, chance)
    taken: list[str] = []
    for _ in range(events or ASKED or EVENTS):
        step = chance.choice(steps)
        taken.append(step.__name__)
        try:
            taken[-1] = f"{step.__name__} {step(walk)!r:.300}"
            shows_what_a_fresh_one_shows(explorer)
        except Exception as error:
            error.add_note(f"{type(explorer).__name__} after " + ", then ".join(taken[-4:]))
            raise


def shows_what_a_fresh_one_shows(explorer, own=()) -> None:
    """What is seen depends on the state alone, not on how one came to it; an error is one that is told in words.

    own: names of traits that are a view's own where the explorer does not follow them: what a hand has selected, say.
    """
    error = explorer._error
    if error is not None and not isinstance(error, ValueError):
        raise error
    fresh = explorer.twin()
    try:
        now, due = packed_state(explorer), packed_state(fresh)
        assert now == due, f"a fresh one comes to another state: {now!r:.400} and {due!r:.400}"
        assert str(error) == str(fresh._error), f"told is {error!r}, a fresh one says {fresh._error!r}, at {now!r:.400}"
        seen, due = all_that_is_seen(explorer), all_that_is_seen(fresh)
        if error is not None:  # the last picture stays
            seen, due = ({place: all[place] for place in [("caption", "error")]} for all in (seen, due))
        followed = explorer._follows.values()
        wrong = {
            (part, trait): (seen[part, trait], due[part, trait])
            for part, trait in due
            if seen[part, trait] != due[part, trait] and (trait not in own or (part, trait) in followed)
        }
        assert not wrong, f"stale: {wrong!r:.1500}"
    finally:
        fresh.close()


class _Walk:
    """The steps, each a method; what it returns is told where it ended badly."""

    def __init__(self, explorer, chance: Random) -> None:
        self._explorer, self._chance = explorer, chance
        self._moments = [explorer.moment]
        self._sequence = 0

    # ---- controls

    def a_hand_moves(self):
        return self._move(self._some_allowed())

    def a_hand_moves_one(self):
        return self._move(self._some_allowed(1))

    def a_cell_sets(self):
        [(name, value)] = self._some_allowed(1).items()
        setattr(self._explorer, name, value)
        return name, value

    def a_cell_changes_several(self):
        values = self._some_allowed()
        self._explorer.change(**values)
        return values

    def a_cell_sets_what_is_odd(self):
        name, value = self._odd()
        return self._refused_or_shown(lambda: setattr(self._explorer, name, value), name, value)

    def a_page_sends_what_is_odd(self):
        name, value = self._odd()
        return self._refused_or_shown(lambda: self._move({name: value}), name, value)

    def a_hand_resets(self):
        self._sequence += 1
        self._explorer.page.receive(None, {"kind": "move", "sequence": self._sequence, "values": {}, "reset": True})

    def _move(self, values: dict) -> dict:
        self._sequence += 1
        self._explorer.page.receive(None, {"kind": "move", "sequence": self._sequence, "values": values})
        return values

    def _specs(self) -> list[dict]:
        return self._explorer.parts["controls"].spec

    def _some_allowed(self, most: int = 3) -> dict:
        specs = self._chance.sample(self._specs(), self._chance.randint(1, min(most, len(self._specs()))))
        return {spec["name"]: self._allowed(spec) for spec in specs}

    def _allowed(self, spec: dict):
        explorer, name = self._explorer, spec["name"]
        if spec["kind"] in ("slider", "stepper"):
            return self._chance.choice(explorer.positions(name))
        if spec["kind"] == "switch":
            return self._chance.random() < 0.5
        if spec["kind"] == "text":
            return self._chance.choice([*TEXTS, explorer.initial[name], explorer.initial[name]])
        if spec["kind"] == "button":
            return getattr(explorer, name) + 1
        labels = explorer.parts["controls"].changes.get(name, {}).get("labels", spec["options"])
        return self._chance.choice([option for option, _ in zip(spec["options"], labels, strict=False)])

    def _odd(self) -> tuple[str, object]:
        return self._chance.choice(self._specs())["name"], self._chance.choice(ODD)

    def _refused_or_shown(self, change: Callable, name: str, value):
        before = vars(self._explorer.state)
        with suppress(StateError):
            change()
        if all(now is before[part] for part, now in vars(self._explorer.state).items()):
            self._explorer.refresh()  # the banner says why, until there is another picture
        return name, value

    # ---- views

    def a_hand_drags(self):
        """Something in a view, where a hand can."""
        places = [*self._explorer._follows.values(), *_traits_with_observers(self._explorer)]
        if not places:
            return self.a_hand_moves()
        name, trait = self._chance.choice(places)
        view = self._explorer.parts[name]
        value = by_hand(view, trait, self._chance)
        if value is not UNTOUCHED:
            view.set_trait(trait, value)
        return name, trait, value

    def a_page_drags_what_is_odd(self):
        places = [*self._explorer._follows.values(), *_traits_with_observers(self._explorer)]
        if not places:
            return self.a_page_sends_what_is_odd()
        name, trait = self._chance.choice(places)
        value = self._chance.choice([None, -1, 10**9, "x", [[]], [-1, -1, -1], [9999, 9999], {"9999": [1.0]}, 0.5])
        before = vars(self._explorer.state)
        with suppress(TraitError):
            self._explorer.parts[name].set_trait(trait, value)
        if self._explorer._error is not None:
            self._explorer.change(**before)
        self._explorer.refresh()
        return name, trait, value

    def a_button_of_a_view_is_pressed(self):
        for view in self._explorer.parts.values():
            if getattr(view, "action", ""):
                view.press()

    # ---- pages

    def a_page_asks_for_frames(self):
        sliders = list(self._explorer.page.versions)
        for name in sliders[:1] and [self._chance.choice(sliders)]:
            ask = {
                "kind": "frames",
                "id": 1,
                "name": name,
                "around": self._chance.randrange(9),
                "have": 0,
                "pending": {},
            }
            self._explorer.page.receive(None, ask)
            return name

    def a_page_has_lost_all(self):
        self._explorer.page.receive(None, {"kind": "lost"})

    def it_is_displayed_twice(self):
        for _ in range(2):
            self._explorer._repr_mimebundle_()
            for part in self._explorer.parts.values():
                part.get_state()
                if isinstance(part, Instrument):
                    part._handle_custom_msg({"kind": "state"}, [])

    def a_moment_is_copied(self):
        self._moments.append(self._explorer.moment)

    def a_moment_is_pasted(self):
        moment = self._chance.choice([*self._moments, *self._moments, "no moment", self._moments[-1][:-9]])
        self._explorer.page.receive_moment(None, {"kind": "open", "moment": moment})
        self._explorer.refresh()  # a banner may say what is to be said of it
        return moment

    # ---- notebooks

    def a_twin_is_made_and_closed(self):
        twin = self._explorer.twin()
        twin.change(**self._some_allowed())
        twin.close()
        twin.change(**self._some_allowed())

    def a_cell_refreshes(self):
        self._explorer.refresh()

    def it_is_interrupted(self):
        """In the middle of it; then the page says again what it has not heard of."""
        values, after = self._some_allowed(), self._chance.choice([1, 3, 10, 30, 100, 300])
        with interrupted(after):
            self._explorer.change(**values)
        self._move({})
        return values, after


@contextmanager
def interrupted(after: int) -> Iterator[None]:
    """Ctrl-C where so many functions of ours were called; after fewer than that nothing happens."""
    left = [after]

    def count(frame, event, arg):
        if frame.f_code.co_filename.startswith(OURS):
            left[0] -= 1
            if left[0] == 0:
                sys.settrace(None)
                raise KeyboardInterrupt

    before = sys.gettrace()
    sys.settrace(count)
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        sys.settrace(before)


def _traits_with_observers(explorer) -> list[tuple[str, str]]:
    """Traits of views that the explorer hears of in a way of its own."""
    return [
        (name, trait)
        for name, part in explorer.parts.items()
        for trait in part.shown_traits()
        for each in part._trait_notifiers.get(trait, {}).get("change", [])
        if getattr(each, "__self__", None) is explorer and each.__name__ != "_view_changed"
    ]


# ---- what a hand makes of a trait of a view

UNTOUCHED = object()


def by_hand(view, trait: str, chance: Random):
    """A value that a hand may give to a trait of a view, `UNTOUCHED` where there is nothing to touch."""
    offered = view.offers(trait)
    if offered:
        return chance.choice(offered)
    for kind, name in HANDS:
        if isinstance(view, kind) and name == trait:
            return HANDS[kind, name](view, chance)
    raise AssertionError(f"say in wander.py what a hand does to {trait} of a {type(view).__name__}")


def a_row(matrix, chance):
    """The weights of one row moved; or all put back."""
    if matrix.values is None or matrix.editing != "weights" or chance.random() < 0.2:
        return {} if matrix.edits else UNTOUCHED
    _, _, queries, keys = matrix.values.shape
    return {**matrix.edits, str(chance.randrange(queries)): shares(keys, 1.0, chance)}


def shares(count: int, whole: float, chance) -> list[float]:
    drawn = np.array([chance.random() for _ in range(count)]) + 1e-3
    return (whole * drawn / drawn.sum()).tolist()


def a_cell_of_the_mask(view, chance):
    if view.mask is None:
        return UNTOUCHED
    mask = view.mask.copy()
    mask[tuple(chance.randrange(size) for size in mask.shape)] = chance.random() < 0.5
    return mask


def a_place_hidden(picture, chance):
    rows, columns = picture.scene.rows, picture.scene.columns
    mask = np.ones((1, rows, columns)) if picture.mask is None else picture.mask.copy()
    mask[0, chance.randrange(rows), chance.randrange(columns)] = chance.random() < 0.3
    return mask if picture.editing == "mask" else UNTOUCHED


def a_map(picture, chance):
    if picture.weights is None or picture.editing != "weights":
        return UNTOUCHED
    frame = chance.randrange(len(picture.weights))
    own = picture.weights[frame, 0]
    return {**picture.edits, str(frame): shares(own.size, float(own.sum()), chance)}


def an_order(count: int, chance) -> list[int]:
    return chance.sample(range(count), count) if chance.random() < 0.8 else []


def a_cell_of(table: str):
    def dragged(product, chance):
        if (held := getattr(product, table)) is None:
            return UNTOUCHED
        held = held.copy()
        held[tuple(chance.randrange(size) for size in held.shape)] = chance.randint(-30, 30) / 10
        return held

    return dragged


DRAGGED = {"product": ("W_q", "W_k", "W_v"), "rails": ("decoder.attention/weights",), "glimpses": ("glimpse.where/in",)}


def a_number(machine, chance):
    names = [name for name in DRAGGED[machine.drawn] if name in machine.spec.get("tensors", {})]
    if not names:
        return UNTOUCHED
    name = chance.choice(names)
    place = [chance.randrange(size) for size in machine.spec["tensors"][name]["shape"]]
    least, most = machine.spec.get("range", [-9, 9])
    others = [edit for edit in machine.edits if edit[:-1] != [name, *place]]
    return [*others, [name, *place, round(chance.uniform(least, most), 1)]] if chance.random() < 0.8 else []


def a_part(machine, chance):
    """What can be followed in each layout."""
    labels, tensors = machine.spec.get("labels", {}), machine.spec.get("tensors", {})
    if machine.drawn == "product":
        lane, role = chance.choice([("q", "query"), ("k", "key"), ("v", "value")])
        return [f"{lane} {chance.randrange(len(labels['token']))}", role]
    if machine.drawn == "stream":
        rows = [tensor["shape"][0] for name, tensor in tensors.items() if name == "embed/out"]
        return [f"row {chance.randrange(rows[0])}", "query"] if rows and chance.random() < 0.8 else []
    if machine.drawn == "grid":
        keys = [tensor["shape"][-1] for name, tensor in tensors.items() if name.endswith("/weights")]
        return [f"key {chance.randrange(keys[0])}", "key"] if keys and chance.random() < 0.8 else []
    blocks = [node["id"] for node in machine.spec["nodes"] if node.get("kind") == "block"]
    return [f"{chance.choice([*blocks, 'source', 'target'])} {chance.randrange(4)}", "query"]


def clicks(picture, chance):
    if picture.editing != "glimpses" or len(picture.glimpses) >= picture.most_glimpses > 0:
        return UNTOUCHED
    return [*picture.glimpses, [round(chance.uniform(-1, 1), 2), round(chance.uniform(-1, 1), 2)]]


def some_heads(heads, chance):
    return [head for head in all_heads(heads) if chance.random() < 0.3]


def all_heads(heads) -> list[list[int]]:
    return [[row, head] for row, count in enumerate(heads.counts) for head in range(count)]


HANDS: dict[tuple[type, str], Callable] = {
    (Matrix, "edits"): a_row,
    (Matrix, "mask"): a_cell_of_the_mask,
    (Matrix, "query_order"): lambda matrix, chance: an_order(matrix.values.shape[2], chance),
    (Matrix, "key_order"): lambda matrix, chance: an_order(matrix.values.shape[3], chance),
    (TokenFlow, "order"): lambda flow, chance: an_order(len(flow.labels), chance),
    (TokenFlow, "selected"): lambda flow, chance: chance.randrange(-1, len(flow.labels)),
    (Product, "query"): a_cell_of("query"),
    (Product, "key"): a_cell_of("key"),
    (Product, "value"): a_cell_of("value"),
    (VectorPlane, "angle"): lambda plane, chance: chance.randrange(0, 360, 5),
    (VectorPlane, "length"): lambda plane, chance: chance.randint(0, int(10 * plane.longest)) / 10,
    (Machine, "frame"): lambda machine, chance: chance.randrange(max(1, len(machine.spec.get("film", [])))),
    (Machine, "edits"): a_number,
    (Machine, "chosen"): a_part,
    (Picture, "frame"): lambda picture, chance: chance.randrange(picture.scene.frames),
    (Picture, "edits"): a_map,
    (Picture, "mask"): a_place_hidden,
    (Picture, "order"): lambda picture, chance: an_order(picture.scene.cells, chance),
    (Picture, "glimpses"): clicks,
    (Picture, "selected"): lambda picture, chance: [
        0,
        chance.randrange(picture.scene.rows),
        chance.randrange(picture.scene.columns),
    ],
    (WordTiles, "hidden"): lambda tiles, chance: an_order(len(tiles.words), chance)[: chance.randrange(4)],
    (Molecules, "selected"): lambda drawn, chance: chance.randrange(-1, len(drawn.product["labels"])),
    (HeadMap, "chosen"): lambda heads, chance: chance.choice(all_heads(heads)),
    (HeadMap, "off"): some_heads,
}
