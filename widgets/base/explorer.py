"""Explorer: the base of the views in lessons. State is traits, the picture follows, the code follows the picture.

**The way of a slider.** The hand moves it: the bar (`controls.js`) notes the movement as pending, numbers it and sends
it. `Page.receive` (`page.py`) sets the traits of the state, which check the values (`controls.py`), and asks the
explorer to `answer`. Where the state has changed, `_compose` makes the new picture: `compute` gives the result,
`picture` the traits of the views, `sentence` and `code` what stands below. `Page.reply` sets these traits without a
message of their own and sends them as one (`frames.py` packs it); in the page the bar hands them to the views' models,
and each view draws in the next animation frame. Faster still, without the kernel: when the hand grabs a slider, the bar
asks for the picture of every position (`Page._send_frames`, the same `_compose` with other states) and plays these
frames itself; where the hand comes to rest, the kernel is told, and its answer has the last word. From Python the way
is shorter: a trait is set, `_changed` answers, and `Page.show` sends each view its traits.
"""

import logging
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from inspect import Parameter, Signature, signature
from threading import RLock
from types import SimpleNamespace
from typing import Any
from weakref import WeakSet

from ipywidgets import HBox, VBox

from widgets.base.caption import Caption
from widgets.base.controls import VISIBLE, Controls, State, StateError, positions
from widgets.base.instrument import InWords, leave_boxes
from widgets.base.misfits import check_names
from widgets.base.moment import fingerprint, read_moment, write_moment
from widgets.base.own_names import given, in_own_names, notebook
from widgets.base.page import Page
from widgets.base.states import States
from widgets.base.words import error_message, plain, say

log = logging.getLogger(__name__)


class Explorer(InWords, VBox):
    """Controls, picture, one sentence, the code: read from top to bottom.

    A subclass declares its state and says what is seen for it:

        class TemperatureExplorer(Explorer):
            temperature = slider(1.0, 0.1, 4.0, step=0.1, help="divides the scores before the softmax")
            cell = selected_cell()
            shows = {"weights": ("matrix", "values")}

            def views(self): return {"matrix": Matrix(...)}
            def compute(self, state): return attend(query, key, value, temperature=state.temperature)
            def picture(self, state, result): return {"matrix": {"values": result.weights}}
            def sentence(self, state, result): return say(query("cat"), " reads ", key("sat"))
            def code(self, state): return f"weights = attend(query, key, value, temperature={state.temperature})[1]"

    `compute`, `picture`, `sentence` and `code` are pure: they depend on `state` (and on the model behind the explorer),
    never on what was shown before, for they are asked for all positions of a slider. A `ValueError` from any of them
    becomes the banner; the last good picture stays.

    `shows`: the variables that the code defines, and where the same numbers are seen: `(view, trait)`, or a function of
    the parts, `lambda parts: parts["chart"].trace("loss")["y"]`.
    `row`: the views that stand side by side.
    `unstable`: the numbers differ from one machine's training to the next, so the name in words leaves them out.
    `_known`: what an explorer keeps of its model's answers, by what it has asked; `refresh` forgets it.
    `lock` is held while the picture is computed. An explorer of a model that learns is handed its training's lock, and
    shows anew what the model says whenever the training rests.
    """

    shows: dict = {}
    row: tuple = ()
    unstable = False

    def views(self) -> dict:
        """The views between controls and caption, by name; built once."""
        raise NotImplementedError

    def compute(self, state) -> Any:
        """What attnlab computes for a state."""
        raise NotImplementedError

    def picture(self, state, result) -> dict:
        """Trait values per view. The name "controls" changes controls: {"controls": {"step": {"max": 9}}}."""
        raise NotImplementedError

    def sentence(self, state, result) -> list:
        """What is seen, in one sentence of runs (see words.py)."""
        raise NotImplementedError

    def code(self, state) -> str:
        """A few lines of attnlab that give this very picture. What the explorer was made with has the names of its
        parameters here; those of the notebook are put in their place."""
        raise NotImplementedError

    def __new__(cls, *behind, **named) -> "Explorer":
        made = super().__new__(cls, *behind, **named)
        made._made_with = behind, named  # for `twin`, and the names in `code`
        return made

    def __init_subclass__(cls, **named) -> None:
        """Its signature, as help and completion show it, has what stands behind it and then its state."""
        super().__init_subclass__(**named)
        _, *behind = signature(cls.__init__).parameters.values()
        named_ones = {one.name for one in behind}
        states = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=trait.default_value)
            for name, trait in cls._states().items()
            if name not in named_ones
        ]
        # by their kinds: Python wants what a class hands on to its base, as `lock` may be, at the end
        cls.__signature__ = Signature(sorted([*behind, *states], key=lambda one: one.kind))

    def __init__(self, *, lock=None, **state) -> None:
        states = self._states()
        self._check_names(state)
        super().__init__()
        self.lock = lock or RLock()
        if hasattr(lock, "readers"):
            lock.readers.add(self)
        self._result: Any = None
        self._error: Exception | None = None
        self._known: dict = {}
        self._shown = {}
        self._quiet = False
        self.set_state(state)
        self.initial = {name: getattr(self, name) for name in states}  # where reset leads back to
        spec = self._spec(states)
        views = {**self.views(), "caption": Caption(shares=True)}
        controls = Controls(spec=spec, views=[view.model_id for view in views.values()])
        self.parts = {**views, "controls": controls}
        self.page = Page(self, controls, self.parts, [one["name"] for one in spec if one["kind"] in POSITIONED])
        self.children = self._arranged()
        self.add_class("attnlab-explorer")
        self.observe(self._changed, list(states))
        self._follows = {name: trait.follows for name, trait in states.items() if trait.follows}
        for view, trait in self._follows.values():
            self.parts[view].observe(self._view_changed, trait)
        for view in {view for view, _ in self._follows.values()}:
            self.parts[view].on_msg(self.page.receive_ahead)
        self.refresh()
        replace_earlier(self)

    @classmethod
    def _states(cls) -> dict[str, State]:
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
            {
                **trait.spec,
                "name": name,
                "label": trait.spec["label"] or name.replace("_", " "),
                "help": trait.help,
                "more": i >= VISIBLE,
            }
            for i, (name, trait) in enumerate(shown)
        ]

    def _arranged(self) -> list:
        """From top to bottom: controls, views (those of `row` side by side), caption."""
        views = {name: view for name, view in self.parts.items() if name not in ("controls", "caption")}
        boxes = []
        for name, view in views.items():
            if name not in self.row:
                boxes.append(view)
            elif name == self.row[0]:
                boxes.append(HBox([views[each] for each in self.row], layout={"flex_flow": "row wrap"}))
        return [self.parts["controls"], *boxes, self.parts["caption"]]

    # ---- what a lesson uses

    @property
    def state(self) -> SimpleNamespace:
        """All of the state, as it is now."""
        return SimpleNamespace(**{name: getattr(self, name) for name in self.initial})

    @property
    def result(self) -> Any:
        """What `compute` gave for the present state. Where the state has no picture, its error is raised."""
        with self.lock:
            if self._error is not None:
                raise self._error
            return self._result

    def change(self, **state) -> None:
        """Set several parts of the state and show them as one picture. Where one cannot be, none is set."""
        self._check_names(state)
        with self.lock:
            before = vars(self.state)
            try:
                self.set_state(state)
            except Exception:
                self._set_whole(before)
                raise
            self.answer()

    def reset(self) -> None:
        """The state of the beginning."""
        self.change(**self.initial)

    def refresh(self) -> None:
        """Compute and show again, because something behind the state has changed: the model has learned, say."""
        with self.lock:
            self._known, self._shown = {}, {}
            self.answer()

    def twin(self, **changed) -> "Explorer":
        """A second one with the same behind it and in the same state, but for what is changed."""
        behind, named = self._made_with
        twin = type(self)(*behind, **named)
        twin._set_whole(vars(self.state))
        twin.change(**changed)
        return twin

    @property
    def moment(self) -> str:
        """A short text that opens this explorer again in exactly this state; see `from_moment`."""
        with self.lock:
            return write_moment(type(self).__name__, vars(self.state), self._what_is_said())

    @classmethod
    def from_moment(cls, moment: str, *behind, **named) -> "Explorer":
        """A new explorer in the state of a moment. What stands behind it, a model or a text, is given as always:

            GPTMachineExplorer.from_moment("GPTMachineExplorer.1.eNqL….bZ4yVQ", model, text)

        Where that is not what stood behind it then, the banner says so. Raises ValueError for a text that is no moment
        of this explorer, or not the whole of one.
        """
        read_moment(moment, cls.__name__)  # before anything is made
        explorer = cls(*behind, **named)
        explorer.open_moment(moment)
        return explorer

    def open_moment(self, moment: str) -> str:
        """Show the state of a moment; returns what the banner says of it, "" for nothing.

        Raises ValueError for a text that is no moment of this explorer, and where it has no picture here: the state is
        then as it was.
        """
        state, seen = read_moment(moment, type(self).__name__)
        with self.lock:
            if strange := state.keys() - self.initial.keys():
                raise ValueError(f"this moment has {min(strange)!r}, which {type(self).__name__} has not")
            before = vars(self.state)
            try:
                self._set_whole(state)
                caption = self.frame(self.state)["caption"]
                known = fingerprint(_caption_text(**caption)) == seen
                if caption["error"] and not known:
                    raise ValueError(f"this moment has no picture here: {caption['error']}")
            except Exception as error:
                self._set_whole(before)
                if isinstance(error, ValueError):
                    raise
                raise ValueError(f"this moment does not fit {type(self).__name__}: {error_message(error)}") from error
            notice = "" if known else ANOTHER
            self.answer(notice)
            return notice

    def positions(self, name: str) -> list:
        """All values of a slider, first to last."""
        changes = self.parts["controls"].changes.get(name, {})
        for spec in self.parts["controls"].spec:
            if spec["name"] == name and spec["kind"] in POSITIONED:
                return positions({**spec, **changes})
        raise ValueError(f"expected the name of a slider ({', '.join(self.page.versions)}), got {name!r}")

    def frames(self, name: str) -> list[dict]:
        """The picture for every position of one slider, the rest of the state held: {part: {trait: value}} each."""
        return [self.frame(SimpleNamespace(**{**vars(self.state), name: value})) for value in self.positions(name)]

    def offline(self) -> dict:
        """What a page without a kernel shows of it."""
        parts = [part.model_id for part in self.parts.values()]
        return {"kind": "explorer", "class": type(self).__name__, "parts": parts, "states": States(self)}

    def close(self) -> None:
        """Take it off the page, with all its parts."""
        leave_boxes(self)
        for part in [*getattr(self, "parts", {}).values(), *(box for box in self.children if isinstance(box, HBox))]:
            part.unobserve_all()
            part.close()
            part.layout.close()
        self.unobserve_all()
        super().close()
        self.layout.close()

    def __repr__(self) -> str:
        if not hasattr(self, "parts"):
            return f"{type(self).__name__}()"
        state = ", ".join(f"{name}={getattr(self, name)!r}" for name, trait in self._states().items() if trait.spec)
        error = self.parts["caption"].error
        words = error if self.unstable else repr(self.parts["caption"])
        return f"{type(self).__name__}({state})" + (f": {words}" if words else "")

    def _what_is_said(self) -> str:
        """What is said of the present picture."""
        return _caption_text(error_message(self._error) if self._error else "", self.parts["caption"].sentence)

    @cached_property
    def _behind(self) -> dict[str, Any]:
        """What stands behind it, by the names that `code` has for it."""
        return given(type(self), *self._made_with)

    # ---- one picture

    def _compose(self, state: SimpleNamespace) -> tuple:
        """The result for a state, and its whole picture: the traits of every part."""
        with self.lock:
            result = self.compute(state)
            picture = {part: dict(traits) for part, traits in self.picture(state, result).items()}
            if unknown := picture.keys() - self.parts.keys():
                raise KeyError(f"picture() names {sorted(unknown)}, the views are {[*self.parts][:-2]}")
            sentence = say(*self.sentence(state, result))
            changes = picture.pop("controls", {})
            code = in_own_names(self.code(state), self._behind, notebook())
            picture["caption"] = {"sentence": sentence, "code": code, "error": ""}
            picture["controls"] = {"changes": changes}
            return result, picture

    def frame(self, state: SimpleNamespace) -> dict:
        """The picture for a state, or the banner that says why there is none."""
        try:
            return self._compose(state)[1]
        except Exception as error:
            return {"caption": {"error": error_message(error)}}

    def answer(self, error: str = "", show: Callable | None = None) -> None:
        """Show the present state, if it was not shown yet, by `show`; `error`: why the last movement was refused."""
        try:
            self._answer(error, show or self.page.show)
            if self._error is None and self._stale():  # a view has dropped what its new picture does not hold
                self._answer(error, show or self.page.show)
        except BaseException:  # the learner has interrupted the kernel: nobody knows what is seen now
            self._shown = {}
            raise

    def _answer(self, error: str, show: Callable) -> None:
        picture = {}
        if stale := self._stale():
            picture = self._new_picture()
            self.page.outdate(stale)
            followed = stale & self._follows.keys()
            if self._error is not None:  # the last picture stays, which it may not fit
                self._forget(followed)
                followed = set()
            for name in followed:
                view, trait = self._follows[name]
                picture.setdefault(view, {}).setdefault(trait, getattr(self, name))
        if error:
            picture.setdefault("caption", {})["error"] = error
        elif self._error is None:
            picture = {name: picture.get(name, {}) for name in self.parts}  # frames that play over any part end here
        with self._unheard():
            try:
                show(picture)
            except Exception as failed:
                self._error = failed
                log.exception("%s could not show its picture", type(self).__name__)
                show({"caption": {"error": error_message(failed)}})

    @contextmanager
    def _unheard(self) -> Iterator[None]:
        """Within it, what changes in the state or in a view is no news."""
        self._quiet, before = True, self._quiet
        try:
            yield
        finally:
            self._quiet = before

    def _stale(self) -> set:
        """The parts of the state that the picture does not show yet."""
        unseen = object()
        return {name for name, value in vars(self.state).items() if not same(value, self._shown.get(name, unseen))}

    def _forget(self, names: Collection) -> None:
        """Parts of the state that are to be shown with the next picture, whether they change or not."""
        self._shown = {name: value for name, value in self._shown.items() if name not in names}

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
                self.set_state(beyond)
                self._shown = vars(self.state)
                result, picture = self._compose(self.state)
            self._result, self._error = result, None
        except Exception as error:
            if not isinstance(error, ValueError):
                log.exception("%s could not show its state", type(self).__name__)
            self._error = error
            picture = {"caption": {"error": error_message(error)}}
        return picture

    # ---- what changes the state

    def _check_names(self, state: dict) -> None:
        """Raises TypeError for a part of the state that there is not."""
        check_names(type(self).__name__, state, self._states())

    def set_state(self, values: dict) -> None:
        """Set parts of the state without showing them yet."""
        with self._unheard():
            for name, value in values.items():
                setattr(self, name, value)

    def _set_whole(self, values: dict) -> None:
        """The same, where it may be that one part moves with another."""
        self.set_state(values)
        self.set_state(values)

    def set_by_hand(self, values: dict, before: dict | None = None) -> str:
        """Set parts of the state for a hand; returns why one was refused, or "". before: what is set first."""
        try:
            self.set_state(before or {})
            self.set_state(values)
        except StateError as refused:
            return str(refused)
        except Exception as failed:  # of somebody who observes the state
            log.exception("%s: what observes its state failed", type(self).__name__)
            return error_message(failed)
        return ""

    def _changed(self, change) -> None:
        """A part of the state was set from Python, in any thread. Another one that waited for the lock may have shown
        the newest state already."""
        with self.lock:
            if not self._quiet:
                self.answer()

    def name_of(self, view, trait: str) -> str:
        """The part of the state that follows this trait of a view."""
        return next(name for name, (part, of) in self._follows.items() if of == trait and self.parts[part] is view)

    def _view_changed(self, change) -> None:
        """The hand has touched a view."""
        values = {self.name_of(change.owner, change.name): change.new}
        with self.lock:
            shown, error = self._quiet, self.set_by_hand(values)
            if not shown:  # what the picture itself has set in a view is no news
                self._forget(values)  # where they are as before, the view goes back to what the picture says
                self.answer(error, self.page.reply if change.owner.is_told_by_page else None)


POSITIONED = ("slider", "stepper")  # the kinds of controls whose values are positions


ANOTHER = (
    "Opened, but this picture says something else than the one that was copied. Behind it stands another model, "
    "another training or another text, or it measures anew."
)


def _caption_text(error: str, sentence: Sequence = (), **rest) -> str:
    return error or plain(sentence)


def same(a, b) -> bool:
    """Whether two parts of a state are the same; arrays are when they are the same object."""
    try:
        return a is b or bool(a == b)
    except Exception:  # numpy and torch do not say
        return False


_explorers_of_cell: dict[str, tuple[str | None, WeakSet]] = {}


def replace_earlier(explorer: Explorer) -> None:
    """Close the explorers that an earlier run of the same notebook cell has made: nobody can see them any more."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    parent = shell.get_parent() if shell and hasattr(shell, "get_parent") else {}
    cell = parent.get("metadata", {}).get("cellId")
    if not cell:
        return
    run = parent["header"]["msg_id"]
    before, made = _explorers_of_cell.get(cell, (None, WeakSet()))
    if before != run:
        for old in list(made):
            old.close()
        made = WeakSet()
    made.add(explorer)
    _explorers_of_cell[cell] = (run, made)
