"""The states of an explorer whose pictures a page without a kernel holds, and the ways of a hand between them.

A state is found by moving controls, as a hand does, in the explorer itself: what else changes with a control (a text
that forgets its edits, a film whose end comes earlier) changes here, too. First each control is moved through all its
values from where the explorer stands (a film each). Then all controls together: every state where they are few, else
the controls with most values keep only some of them. A state that is not here is no secret: the page says so.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from time import thread_time
from typing import Any

from traitlets import TraitError

from widgets.base.fewer_bytes import columns_of, halved, lighter, packed_size, unchanged
from widgets.base.frames import Frames, without_bytes
from widgets.base.thinning import KEEPS, around, combinations, ends_first, every_second, same_text, text_of, thinned

MOST = 3000  # states
SECONDS = 6.0  # of work for all of them together
BYTES = 48_000  # of all their pictures, packed, but for those of one control alone
PRESSES = 6  # of a button
MISSING, FIRST = 0xFFFF, 0xFFFE  # no value in the table of pictures: none at all, or the one that the page came with


class States:
    """Pictures of an explorer in many states, as `packed` gives them. The explorer comes back to where it stood.

    Between `names` and what the page knows of them: `values[name]` are all values that a part of the state takes in any
    of the states, `nodes` is one row for each state with the place of its values in these lists, and `columns` one for
    each trait of a view, with the place of its value in the table of pictures for each state.
    """

    def __init__(self, explorer, states: int = MOST, seconds: float = SECONDS) -> None:
        self.explorer, self.parts = explorer, explorer.parts
        self.ids = {name: part.model_id for name, part in self.parts.items()}
        self.values: dict[str, dict[str, int]] = {name: {} for name in vars(explorer.state)}
        self.nodes: dict[tuple, dict] = {}  # state -> {(part, trait): place in the table}
        self.edges: dict[tuple, tuple | None] = {}  # (state, name, value) -> state, where more than the name changes
        self.walked: set[tuple] = set()  # states from which each other way is known
        self.table: list = []  # of values on the wire
        self.places: dict[tuple, int] = {}  # in it
        self.now: dict[tuple[str, str], int] = {}  # what the parts show
        self.start = vars(explorer.state)
        self.by_hand = dict.fromkeys([
            *explorer._follows.values(),
            *self._traits_with_observers(),
        ])  # come back with every picture
        self.before = {(part, trait): self._entry(value) for part, trait, value in self._everything()}
        self.films: dict[str, list[tuple]] = {}  # the states in which a control differs alone
        self.first = self.visit(self.start)
        self.axes = self._axes()
        begun = thread_time()
        try:
            self.initial = self.visit(explorer.initial) or self.first
            self._films(begun + 3 * seconds)
            self._grid(states, begun + seconds, (thread_time() - begun) / len(self.nodes))
        finally:
            self.explorer.change(**self.start)

    # ---- where a hand can lead

    def _axes(self) -> dict[str, tuple[str, list]]:
        """For each part of the state that a hand changes and whose values are known: its kind and its values."""
        axes: dict[str, tuple[str, list]] = {}
        for spec in self.parts["controls"].spec:
            name, kind = spec["name"], spec["kind"]
            if kind == "slider":
                axes[name] = kind, self.explorer.positions(name)
            elif kind == "stepper":
                axes[name] = kind, around(self.explorer.positions(name), self.start[name])
            elif kind == "switch":
                axes[name] = kind, [False, True]
            elif kind in ("select", "choice"):
                axes[name] = kind, list(spec["options"])
            elif kind == "button":
                axes[name] = kind, list(range(self.start[name], self.start[name] + PRESSES + 1))
        for name, (view, trait) in self.explorer._follows.items():
            offered = self.parts[view].offers(trait)
            if name not in axes and offered:
                axes[name] = "cell", offered
        return axes

    def visit(self, state: dict) -> tuple | None:
        """Show a state, from wherever the explorer stands, and note what is seen. Returns the state it came to; None
        for one that no hand can make."""
        with self.explorer.lock:
            if not self._point(state):
                self.explorer.answer("", self._hear)  # the views may show another state still, of another shape
                if not self._point(state):
                    return None
            self.explorer.set_state(state)
            key = self.key(vars(self.explorer.state))
            if key in self.nodes:
                return key
            self.explorer.answer("", self._hear)
            key = self.key(vars(self.explorer.state))
            if key not in self.nodes:
                self.nodes[key] = self._shown()
            return key

    def _point(self, state: dict) -> bool:
        """Select in the views what a state says, as a hand does; False where that is not there."""
        try:
            with self.explorer._unheard():
                for name, (view, trait) in self.explorer._follows.items():
                    if name in state and self.parts[view].offers(trait):
                        setattr(self.parts[view], trait, state[name])
        except TraitError:
            return False
        return True

    def back(self) -> None:
        """To where the explorer stood, without showing it."""
        self._point(self.start)
        self.explorer.set_state(self.start)

    def move(self, name: str, value: Any) -> tuple | None:
        """Move one control, from where the explorer stands; returns the state it came to."""
        before = self.key(vars(self.explorer.state))
        if reached := self.visit({name: value}):
            self._edge(before, name, value, reached)
        return reached

    def _edge(self, before: tuple, name: str, value: Any, reached: tuple | None) -> None:
        place = self.place(name, value)
        if reached != self._key_with(before, name, place):
            self.edges[before, name, place] = reached

    def _films(self, latest: float) -> None:
        """Each control through all its values, the rest as it is; where pictures are slow, through values far apart."""
        for name, (kind, values) in self.axes.items():
            fewest = {"cell": 0, "button": 0}.get(kind, KEEPS.get(kind, len(values)))  # a selection is drawn without
            came: dict[int, tuple] = {}  # place among the values -> state
            for count, place in enumerate(ends_first(list(range(len(values))))):
                if count >= fewest and thread_time() > latest:
                    break
                self.back()
                if reached := self.move(name, values[place]):
                    came[place] = reached
            self.films[name] = [came[place] for place in sorted(came)]
        for name, (kind, values) in self.axes.items():
            if kind == "button":  # pressed again and again
                self.back()
                pressed = [self.move(name, value) for value in values[1:] if thread_time() < latest]
                self.films[name] += [reached for reached in pressed if reached]

    def _grid(self, most: int, latest: float, each: float) -> None:
        """The controls together. each: seconds that a picture has taken so far. Together they may take longer, so a
        part of those that there seems to be time for comes first, and shows how many more can follow."""
        seen: set[tuple] = set()
        for share in (0.25, 1):
            room = max(0.0, latest - thread_time()) / max(each, 1e-4)
            self.dense = thinned(self.axes, self.start, int(min(most, len(seen) + share * room)))
            begun, before = thread_time(), len(self.nodes)
            for combination in product(*self.dense.values()):
                moved = {n: v for n, v in zip(self.dense, combination, strict=True) if not same_text(self.start[n], v)}
                if (place := tuple((n, self.place(n, v)) for n, v in moved.items())) not in seen:
                    seen.add(place)
                    self._together(moved)
            if fresh := len(self.nodes) - before:
                each = (thread_time() - begun) / fresh

    def _together(self, moved: dict) -> None:
        """Move several controls, one after another, from where the explorer stood; show what comes of it."""
        self.back()
        for name in list(moved)[:-1]:
            self.explorer.set_state({name: moved[name]})
        for name in list(moved)[-1:]:
            self.visit({name: moved[name]})

    def _other_ways(self, keys: Iterable[tuple]) -> None:
        """What a control does beside changing its own value, from each of these states."""
        more = [name for name in self.axes if self._does_more(name)]
        try:
            for key in [key for key in keys if key not in self.walked] if more else ():
                self.walked.add(key)
                state = self.state(key)
                for name in more:
                    for value in self.axes[name][1]:
                        with self.explorer.lock:
                            self.explorer.set_state(state)
                            self.explorer.set_state({name: value})
                            now = vars(self.explorer.state)
                        reached = tuple(
                            place if now[part] == state[part] else self.place(part, now[part])
                            for part, place in zip(self.values, key, strict=True)
                        )
                        self._edge(key, name, value, reached if reached in self.nodes else None)
        finally:
            self.explorer.change(**self.start)

    def _does_more(self, name: str) -> bool:
        heard = self.explorer._trait_notifiers.get(name, {}).get("change", [])
        return any(getattr(each, "__name__", "") != "_changed" for each in heard)

    # ---- states as keys

    def key(self, state: dict) -> tuple:
        """A state as the places of its values."""
        return tuple(self.place(name, state[name]) for name in self.values)

    def _key_with(self, key: tuple, name: str, place: int) -> tuple:
        """The key of the state that differs in this alone."""
        return tuple(place if one == name else old for one, old in zip(self.values, key, strict=True))

    def place(self, name: str, value: Any) -> int:
        return self.values[name].setdefault(text_of(value), len(self.values[name]))

    def state(self, key: tuple) -> dict:
        """The state of a key, its values as they come out of JSON."""
        return {name: json.loads(list(self.values[name])[place]) for name, place in zip(self.values, key, strict=True)}

    # ---- what is seen

    def _hear(self, picture: dict) -> None:
        for name, traits in self.explorer.page.complete(picture).items():
            for trait, value in self.parts[name].take(**traits).items():
                if (name, trait) not in KNOWN:
                    self.now[name, trait] = self._entry(value)

    def _entry(self, value: Any) -> int:
        """The place of a value in the table."""
        value = lighter(value)
        held: list = []
        text = json.dumps(without_bytes(value, held))
        if (text, *held) not in self.places:
            self.places[text, *held] = len(self.table)
            self.table.append(value)
        return self.places[text, *held]

    def _shown(self) -> dict:
        """What is seen now; of a state without a picture only why there is none."""
        if self.explorer._error is None:
            by_hand = {(view, trait): self.parts[view].get_state([trait])[trait] for view, trait in self.by_hand}
            return {**self.now, **{place: self._entry(value) for place, value in by_hand.items()}}
        return {("caption", "error"): self.now["caption", "error"]}

    def _everything(self) -> Iterator[tuple[str, str, Any]]:
        for name, part in self.parts.items():
            for trait, value in part.get_state(part.shown_traits()).items():
                if (name, trait) not in KNOWN:
                    yield name, trait, value

    # ---- on its way to the page

    def packed(self, room: int = BYTES, most: int | None = None) -> dict:
        """All of it for the page, plain values and bytes, in about `room` bytes when packed: what has no room goes,
        first digits, then every second value of the longest control, until each control is moved alone. most: where
        even that has more bytes, the heaviest control loses every second value, too."""
        dense, films, light = self.dense, dict(self.films), unchanged
        room = room if most is None else min(room, most)
        for ways in (False, True):  # to find them takes long: only from states that stay
            while True:
                keys = self._within(dense, films)
                if ways:
                    self._other_ways(keys)
                made = self._packed(keys, light)
                if (bytes_now := packed_size(made)) <= room:
                    break
                if light is unchanged:
                    light = halved
                elif combinations(dense.values()) > 1:
                    dense = self._fewer(dense, room / bytes_now)
                elif most is None or bytes_now <= most or not self._shorten(films, most / bytes_now):
                    break
        return made

    def _fewer(self, dense: dict[str, list], share: float) -> dict[str, list]:
        """About that share of the combinations of these values, no less than three of ten at a time."""
        most = int(combinations(dense.values()) * min(0.8, max(0.3, share)))
        return thinned({name: (self.axes[name][0], values) for name, values in dense.items()}, self.start, most)

    def _shorten(self, films: dict[str, list[tuple]], share: float) -> bool:
        """Every second state of the film with most bytes, again and again, until about that share of all is left;
        False where none can go."""
        weights = {name: self._weight(keys) for name, keys in films.items()}
        goal, long = share * sum(weights.values()), False
        while sum(weights.values()) > goal:
            can = [name for name in films if len(films[name]) > KEEPS.get(self.axes[name][0], len(films[name]))]
            if not can:
                break
            name, long = max(can, key=lambda name: weights[name]), True
            films[name] = every_second(films[name], self.first)
            weights[name] = self._weight(films[name])
        return long

    def _weight(self, keys: list[tuple]) -> int:
        """Bytes of arrays that these states show and the first one does not."""
        entries = {entry for key in keys for entry in self.nodes[key].values()} - {*self.before.values()}
        held: list[bytes] = []
        for entry in entries:
            without_bytes(self.table[entry], held)
        return sum(map(len, held))

    def _within(self, dense: dict[str, list], films: dict[str, list[tuple]]) -> list[tuple]:
        """The states that stay where the controls keep these values together, and these alone."""
        kept = {name: {self.place(name, value) for value in values} for name, values in dense.items()}
        kept |= {name: {self.place(name, self.start[name])} for name in self.axes if name not in dense}
        gone = {key for keys in self.films.values() for key in keys}
        alone = {self.first, self.initial, *(key for keys in films.values() for key in keys)}
        at = {name: i for i, name in enumerate(self.values)}
        return [
            key
            for key in self.nodes
            if key in alone or (key not in gone and all(key[at[name]] in places for name, places in kept.items()))
        ]

    def _packed(self, keys: list[tuple], light: Callable) -> dict:
        frames, known = Frames(), {}

        def place(entry: int) -> int:
            if entry not in known:
                known[entry] = frames.place(light(self.table[entry]))
            return known[entry]

        pictures = [self.nodes[key] for key in keys]
        traits = [each for each in self.before if any(each in seen for seen in pictures)]
        rows = [
            [
                MISSING
                if each not in seen and len(seen) == 1
                else FIRST
                if seen.get(each, self.before[each]) == self.before[each]
                else place(seen[each])
                for each in traits
            ]
            for seen in pictures
        ]
        if len(frames.table) >= FIRST:
            raise ValueError(f"{len(frames.table)} different values are more than the table of a page takes")
        there = set(keys)
        edges = [
            (one, to if to in there else None)
            for one, to in self.edges.items()
            if one[0] in there and (to in there or self._key_with(*one) in there)
        ]
        counts = {name: len({key[i] for key in keys}) for i, name in enumerate(self.values)}
        return {
            "names": list(self.values),
            "values": {name: [json.loads(text) for text in values] for name, values in self.values.items()},
            "nodes": columns_of([list(key) for key in keys], len(self.values)),
            "columns": [[self.ids[part], trait] for part, trait in traits],
            "shown": columns_of(rows, len(traits)),
            "edges": [[list(key), name, value, to and list(to)] for (key, name, value), to in edges],
            "start": list(self.first or ()),
            "initial": list(self.initial or ()),
            "axes": {name: kind for name, (kind, _) in self.axes.items()},
            "whole": len(keys) >= self._size(),
            "counts": {name: counts[name] for name in self.axes},
            "follows": {name: [self.ids[view], trait] for name, (view, trait) in self.explorer._follows.items()},
            "heard": [[self.ids[name], trait] for name, trait in self._traits_with_observers()],
            "controls": self.ids["controls"],
            "caption": self.ids["caption"],
            "table": frames.table,
            "bytes": bytes(frames.bytes),
        }

    def _size(self) -> int:
        """How many states there are."""
        steps = {name: self.explorer.positions(name) for name, (kind, _) in self.axes.items() if kind == "stepper"}
        return combinations(steps.get(name, values) for name, (_, values) in self.axes.items())

    def _traits_with_observers(self) -> Iterator[tuple[str, str]]:
        """Traits of the views that the explorer hears of in a way of its own: what it does then, only a kernel does."""
        for name, part in self.parts.items():
            for trait in part.shown_traits():
                heard = part._trait_notifiers.get(trait, {}).get("change", [])
                mine = [each for each in heard if getattr(each, "__self__", None) is self.explorer]
                if any(each.__name__ != "_view_changed" for each in mine):
                    yield name, trait


KNOWN = {("controls", name) for name in ("spec", "views", "values", "versions", "sequence")}  # without a table
