"""Explorer: the base of the views in lessons. State is traits, the picture follows, the code follows the picture."""

import logging
import sys
from contextlib import contextmanager
from difflib import get_close_matches
from threading import RLock
from types import SimpleNamespace
from weakref import WeakSet

from ipywidgets import VBox

from .caption import Caption
from .controls import VISIBLE, Controls, State, StateError, positions
from .film import Reel, shoot, wire
from .instrument import Still, leave_boxes
from .words import say

log = logging.getLogger(__name__)

OTHERS = ("layout", "tabbable", "tooltip", "hand")  # traits that are no part of a picture


class Explorer(Still, VBox):
    """Controls, picture, one sentence, the code: read from top to bottom.

    A subclass declares its state and says what is seen for it:

        class TemperatureExplorer(Explorer):
            temperature = slider(1.0, 0.1, 4.0, step=0.1, help="divides the scores before the softmax")
            shows = {"weights": ("matrix", "values")}

            def views(self): return {"matrix": Matrix(...)}
            def compute(self, state): return attend(query, key, value, temperature=state.temperature)
            def picture(self, state, result): return {"matrix": {"values": result.weights}}
            def sentence(self, state, result): return say(query("cat"), " reads ", key("sat"))
            def code(self, state): return f"weights = attend(query, key, value, temperature={state.temperature})[1]"

    `compute`, `picture`, `sentence` and `code` are pure: they depend on `state` (and on the model behind the explorer),
    never on what was shown before, for a film asks them for all positions of a slider. A `ValueError` from any of them
    becomes the banner; the last good picture stays.

    `shows` names the variables that the code defines and the trait of a view that shows the same numbers.
    `follows` names parts of the state that a hand changes in a view: `{"selected": ("matrix", "selected")}`.
    `lock` is held while the picture is computed. An explorer of a model that learns is handed its training's lock.
    """

    shows: dict = {}
    follows: dict = {}

    def views(self) -> dict:
        """The views between controls and caption, by name; built once."""
        raise NotImplementedError

    def compute(self, state):
        """What attnlab computes for a state."""
        raise NotImplementedError

    def picture(self, state, result) -> dict:
        """Trait values per view. The name "controls" changes controls: {"controls": {"step": {"max": 9}}}."""
        raise NotImplementedError

    def sentence(self, state, result) -> list:
        """What is seen, in one sentence of runs (see words.py)."""
        raise NotImplementedError

    def code(self, state) -> str:
        """A few lines of attnlab that give this very picture."""
        raise NotImplementedError

    def __init__(self, lock=None, **state):
        states = self._states()
        for name in state.keys() - states.keys():
            near = get_close_matches(name, states, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"{type(self).__name__} has no {name!r}, it has {', '.join(states)}{hint}")
        super().__init__()
        self.lock = lock or RLock()
        self._result, self._error = None, None
        self._stamp = 0
        self._shown = {}
        self._holding = False
        self._set(state)
        self._start = {name: getattr(self, name) for name in states}  # where reset leads back to
        spec = self._spec(states)
        self._versions = {one["name"]: 0 for one in spec if one["kind"] in ("slider", "stepper")}
        views = {**self.views(), "caption": Caption()}
        ids = [view.model_id for view in views.values()]
        self.parts = {**views, "controls": Controls(spec=spec, views=ids)}
        *views, caption, controls = self.parts.values()
        self.children = [controls, *views, caption]
        self.add_class("attnlab-explorer")
        self.observe(self._changed, list(states))
        controls.on_msg(self._heard)
        for view, trait in self.follows.values():
            self.parts[view].observe(self._followed, trait)
        self.refresh()
        replace_earlier(self)

    @classmethod
    def _states(cls) -> dict:
        """The state's traits by name, in the order they were written."""
        return {
            name: trait
            for parent in reversed(cls.__mro__)
            for name, trait in vars(parent).items()
            if isinstance(trait, State)
        }

    @staticmethod
    def _spec(states: dict) -> list[dict]:
        shown = [(name, trait) for name, trait in states.items() if trait.spec]
        return [
            {**trait.spec, "name": name, "label": trait.spec["label"] or name.replace("_", " "), "help": trait.help,
             "more": i >= VISIBLE}
            for i, (name, trait) in enumerate(shown)
        ]

    # ---- what a lesson uses

    @property
    def state(self) -> SimpleNamespace:
        """All of the state, as it is now."""
        return SimpleNamespace(**{name: getattr(self, name) for name in self._start})

    @property
    def result(self):
        """What `compute` gave for the present state. Where the state has no picture, its error is raised."""
        with self.lock:
            if self._error is not None:
                raise self._error
            return self._result

    def change(self, **state) -> None:
        """Set several parts of the state and show them as one picture."""
        with self.lock:
            self._set(state)
            self._answer()

    def reset(self) -> None:
        """The state of the beginning."""
        with self.lock:
            self._set(self._start)
            self._answer()

    def refresh(self) -> None:
        """Compute and show again, because something behind the state has changed: the model has learned, say."""
        with self.lock:
            self._shown = {}
            self._answer()

    def positions(self, name: str) -> list:
        """All values of a slider, first to last."""
        changes = self.parts["controls"].changes.get(name, {})
        for spec in self.parts["controls"].spec:
            if spec["name"] == name and name in self._versions:
                return positions({**spec, **changes})
        raise ValueError(f"expected the name of a slider ({', '.join(self._versions)}), got {name!r}")

    def film(self, name: str) -> list[dict]:
        """The picture for every position of one slider, the rest of the state held: {part: {trait: value}} each."""
        return [self._frame(self._with(**{name: value})) for value in self.positions(name)]

    def close(self) -> None:
        """Take it off the page, with all its parts."""
        leave_boxes(self)
        for part in getattr(self, "parts", {}).values():
            part.unobserve_all()
            part.close()
            part.layout.close()
        self.unobserve_all()
        super().close()
        self.layout.close()

    def __repr__(self):
        if not hasattr(self, "parts"):
            return f"{type(self).__name__}()"
        state = ", ".join(f"{name}={getattr(self, name)!r}" for name, trait in self._states().items() if trait.spec)
        return f"{type(self).__name__}({state}): {self.parts['caption']!r}"

    def still(self, axes):
        for view in self._views():
            if isinstance(view, Still) and view.still(axes) is not False:
                return None
        return False

    @property
    def still_size(self):
        return next((view.still_size for view in self._views() if isinstance(view, Still)), Still.still_size)

    # ---- one picture

    def _views(self):
        return list(self.parts.values())[:-2]

    def _with(self, **changes) -> SimpleNamespace:
        return SimpleNamespace(**{**vars(self.state), **changes})

    def _compose(self, state) -> tuple:
        """The result for a state, and its whole picture: the traits of every part."""
        with self.lock:
            result = self.compute(state)
            picture = {part: dict(traits) for part, traits in self.picture(state, result).items()}
            if unknown := picture.keys() - self.parts.keys():
                raise KeyError(f"picture() names {sorted(unknown)}, the views are {[*self.parts][:-2]}")
            sentence = say(*self.sentence(state, result))
            changes = picture.pop("controls", {})
            picture["caption"] = {"sentence": sentence, "code": self.code(state), "error": ""}
            picture["controls"] = {"changes": changes}
            return result, picture

    def _frame(self, state) -> dict:
        """The picture for a state, or the banner that says why there is none."""
        try:
            return self._compose(state)[1]
        except Exception as error:
            return {"caption": {"error": told(error)}}

    def _answer(self, said: str = "", show=None) -> None:
        """Show the present state, if it was not shown yet; tell the page which movement of the hand this answers."""
        picture = {}
        if stale := self._stale():
            picture = self._new_picture()
            for name in self._versions:  # a film becomes old when anything but its own slider changes
                self._versions[name] += bool(stale - {name})
            for name in stale & self.follows.keys():
                view, trait = self.follows[name]
                picture.setdefault(view, {}).setdefault(trait, getattr(self, name))
        if said:
            picture.setdefault("caption", {})["error"] = said
        if not said and self._error is None:
            picture = {name: picture.get(name, {}) for name in self.parts}  # a film over any part ends here
        show = show or self._show
        try:
            show(self._complete(picture))
        except Exception as error:
            self._error = error
            log.exception("%s could not show its picture", type(self).__name__)
            show(self._complete({"caption": {"error": told(error)}}))

    def _complete(self, picture: dict) -> dict:
        """The traits of all parts that the page is told, the views first; with them what the controls say."""
        controls = {
            **picture.get("controls", {}),
            "values": {one["name"]: getattr(self, one["name"]) for one in self.parts["controls"].spec},
            "versions": dict(self._versions),
        }
        picture = {**picture, "controls": controls}
        return {name: {"stamp": self._stamp, **picture[name]} for name in self.parts if name in picture}

    def _show(self, picture: dict) -> None:
        """One message to each part. What they change in what they are given is not shown again."""
        with self._held():
            for name, traits in picture.items():
                self.parts[name].show(**traits)

    def _reply(self, picture: dict) -> None:
        """One message for all parts: a movement of the hand has come from the page, so that it surely listens."""
        with self._held():
            taken = {self.parts[name].model_id: self.parts[name].take(**traits) for name, traits in picture.items()}
        self._tell(taken)

    def _tell(self, states: dict) -> None:
        """One message with {id of the part: {trait: value on the wire}}."""
        reel = Reel()
        reel.add(0, states)
        message = {"kind": "picture", "table": reel.table, "frames": reel.frames}
        self.parts["controls"].send(message, [bytes(reel.bytes)])

    @contextmanager
    def _held(self):
        """Within it, what changes in the state or in a view is no news."""
        self._holding, before = True, self._holding
        try:
            yield
        finally:
            self._holding = before

    def _stale(self) -> set:
        """The parts of the state that the picture does not show yet."""
        unseen = object()
        return {name for name, value in vars(self.state).items() if not same(value, self._shown.get(name, unseen))}

    def _new_picture(self) -> dict:
        """Compute the present state; remember its result or its error."""
        try:
            self._shown = vars(self.state)
            result, picture = self._compose(self.state)
            beyond = {
                name: change["max"]
                for name, change in picture["controls"]["changes"].items()
                if change.get("max") is not None and getattr(self, name) > change["max"]
            }
            if beyond:  # a shorter sentence has fewer positions
                self._set(beyond)
                self._shown = vars(self.state)
                result, picture = self._compose(self.state)
            self._result, self._error = result, None
        except Exception as error:
            if not isinstance(error, ValueError):
                log.exception("%s could not show its state", type(self).__name__)
            self._error = error
            picture = {"caption": {"error": told(error)}}
        return picture

    # ---- what changes the state

    def _set(self, values: dict) -> None:
        """Set parts of the state without showing them yet."""
        with self._held():
            for name, value in values.items():
                setattr(self, name, value)

    def _changed(self, change) -> None:
        """From Python, from any thread. Who waited for the lock may find the newest state already shown."""
        with self.lock:
            if not self._holding:
                self._answer()

    def _heard(self, _, message, buffers) -> None:
        """From the controls of the page."""
        if message.get("kind") == "hand":
            self._moved(message)
        elif message.get("kind") == "film":
            self._asked(message)
        elif message.get("kind") == "lost":
            # By way of the controls: a model that was made while the page restored others may never hear its own comm.
            # Without the scripts and what every widget has; and what the hand does is the page's own.
            with self.lock:
                self._tell({part.model_id: part.get_state([
                    name for name in part.keys if not name.startswith("_") and name not in OTHERS])
                    for part in self.parts.values()})

    def _moved(self, hand) -> None:
        """The hand has moved controls: `{stamp, values}`, or `reset` in place of values."""
        said = ""
        with self.lock:
            self._stamp = max(self._stamp, hand["stamp"])
            try:
                self._set(self._start if hand.get("reset") else {})
                self._set(hand["values"])
            except StateError as error:
                said = str(error)
            self._answer(said, self._reply)

    def _followed(self, change) -> None:
        """From a view that the hand has touched."""
        values = {name: change.new for name, place in self.follows.items()
                  if place[1] == change.name and self.parts[place[0]] is change.owner}
        with self.lock:
            shown = self._holding  # what the picture itself has set in a view is no news
            self._set(values)
            if not shown:
                self._answer()

    # ---- films

    def _asked(self, ask) -> None:
        """The page wants the next frames of a film, nearest to the hand first."""
        hand = ask["hand"] if ask["hand"].get("stamp", 0) > self._stamp else {}
        with self.lock:
            name, version, state = ask["name"], self._versions[ask["name"]], self._with(**hand.get("values", {}))
            values = self.positions(name)
        order = sorted(range(len(values)), key=lambda i: abs(i - ask["around"]))[ask["have"]:]
        reel, refused = shoot(((i, self._wired(state, name, values[i])) for i in order), len(values))
        message = {"kind": "frames", "id": ask["id"], "name": name, "version": version, "total": len(values),
                   "stamp": max(self._stamp, hand.get("stamp", 0))}
        if refused:
            self.parts["controls"].send({**message, "refused": refused})
        else:
            self.parts["controls"].send({**message, "table": reel.table, "frames": reel.frames}, [bytes(reel.bytes)])

    def _wired(self, state, name, value) -> dict:
        """One frame as the page gets it: {id of the part: {trait: value on the wire}}."""
        frame = self._frame(SimpleNamespace(**{**vars(state), name: value}))
        return {
            self.parts[part].model_id: {trait: wire(self.parts[part], trait, value) for trait, value in traits.items()}
            for part, traits in frame.items()
        }


def same(a, b) -> bool:
    """Whether two parts of a state are the same; arrays are when they are the same object."""
    try:
        return a is b or bool(a == b)
    except Exception:  # numpy and torch do not say
        return False


def told(error: Exception) -> str:
    """What the banner says: the message of a ValueError, of any other error its class too."""
    text = str(error) or type(error).__name__
    return text if isinstance(error, ValueError) else f"{type(error).__name__}: {text}"


_made: dict[str, tuple[str, WeakSet]] = {}


def replace_earlier(explorer: Explorer) -> None:
    """Close the explorers that an earlier run of the same notebook cell has made: nobody can see them any more."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    cell = parent.get("metadata", {}).get("cellId")
    if not cell:
        return
    run = parent["header"]["msg_id"]
    before, made = _made.get(cell, (None, WeakSet()))
    if before != run:
        for old in list(made):
            old.close()
        made = WeakSet()
    made.add(explorer)
    _made[cell] = (run, made)
