"""Training: a model learns while one watches: start, pause, step, reset, live curves, a film of weights to scrub."""

import weakref
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np
from ipywidgets import VBox
from traitlets import Bool, Dict, Enum, Float, Instance, Int, Unicode

from widgets.base.instrument import Instrument, InWords, leave_boxes, pack_array
from widgets.base.words import error_message
from widgets.instruments.matrix.matrix import Matrix
from widgets.instruments.training.lock import PoliteLock
from widgets.instruments.training.record import Record
from widgets.instruments.training.scheduler import Scheduler, Turn

FRAMES = 60  # of a film, where its maker does not say how often to look
STATES = ["ready", "running", "paused", "done", "failed"]


class Track(Instrument):
    """The part of a Training that one sees: buttons, curves over the steps, and the handle that scrubs the film."""

    bundle = "training"

    state = Enum(STATES, "ready").tag(sync=True)
    step = Int(0, help="steps done").tag(sync=True)
    steps = Int(1, help="steps in all").tag(sync=True)
    left = Float(0.0, help="seconds left, as far as one can tell; 0 = unknown").tag(sync=True)
    error = Unicode("", help="why the training failed").tag(sync=True)
    summary = Unicode("", help="what it came to, in a sentence; the page says it once it is done").tag(sync=True)
    summed_up = Bool(False, help="whether there will be one: its place is kept free").tag(sync=True)
    veiled = Bool(False, help="run by a cell and not by hand: the page shows it as not started").tag(sync=True)
    metrics = Dict(help="name -> label of the metrics that will come").tag(sync=True)
    film = Unicode("", help="the id of the Matrix that shows the film").tag(sync=True)
    record = Dict(help="all that was recorded, for a page that opens now; otherwise only news are sent").tag(sync=True)

    whole = Instance(Record, ())

    def get_state(self, key=None, drop_defaults=False) -> dict:
        state = super().get_state(key, drop_defaults)
        if "record" in state:
            message, buffers = (Record() if self.veiled else self.whole).since([0, 0, 0])
            state["record"] = {**message, "buffers": buffers}
        return state


class Training(InWords, VBox):
    """A training to start, pause, step and reset, with live curves and a film.

    start: makes a fresh model and returns the iterator that trains it: of `attnlab.training.Step`, for instance
        `fit(...)`. Called when the Training is made and at each reset.
    steps: how many steps there are in all.
    watch: gives the weights of one example as [queries, keys] or [panels, queries, keys]; asked before the first step
        and after every `film_every` steps, while nothing trains.
    metrics: the metrics that will come, name -> label, so that their place is there from the start.
    seconds: about how long all of it takes; said before the start.
    summary: makes a sentence of the last metrics, {name: value}, which the page says below the curves once all is done.
        It also stands in the notebook as text: round to what is the same on all machines.
    name: a Training made with the name of an older one closes it, and ends its training: give one where a cell may be
        run again. Without a name, one made at the same place in the code pauses it.
    labels: traits of the Matrix that shows the film: `query_labels`, `key_labels`, `query_title` ...

    It trains in the kernel's own loop, in slices of at most 50 ms, so that sliders stay alive; `run` does the same and
    waits. What `run` did with a training that nobody had started stays veiled in the page until Start is pressed: who
    runs all cells at once still guesses before they see. Paused or not, live or not, the result is the same. `lock` is
    held during each step: whoever reads the model in a callback takes it too (JupyterLab calls back in another thread).
    """

    state = Enum(STATES, "ready")
    step = Int(0, help="steps done")
    _record: Record
    _sent: list[int] | None  # the sizes of the record that the page has
    _by_cell: ClassVar = weakref.WeakValueDictionary()

    def __init__(
        self, start, steps, watch=None, film_every=None, metrics=(), seconds=None, name="", summary=None, **labels
    ) -> None:
        if not (isinstance(steps, int) and steps > 0):
            raise ValueError(f"steps: expected a whole number above 0, got {steps!r}")
        if film_every is not None and film_every < 1:
            raise ValueError(f"film_every: expected at least 1, got {film_every!r}")
        if not callable(start):
            raise ValueError(f"start: expected a function that gives the steps, got {start!r}")
        self.lock = PoliteLock()
        self.steps = steps
        self.error: Exception | None = None
        self.film_every = film_every or max(1, steps // FRAMES)
        self._start, self._watch, self._seconds, self._sum_up = start, watch, seconds, summary
        self._callbacks = []
        self._by_hand = False  # whether somebody wants to see it
        self._scheduler = Scheduler(self.lock, self._advance, self._after_slice, self.pause, self._fail)
        self._turn: Turn | None = None
        self._told = "ready", 0
        self._clear()
        self._prepare()
        labelled = metrics if isinstance(metrics, dict) else {name: name for name in metrics}
        self.matrix = Matrix(self._record.frames[0][1], **labels) if watch else None
        film = self.matrix.model_id if self.matrix else ""
        self.track = Track(steps=steps, metrics=labelled, film=film, whole=self._record, summed_up=summary is not None)
        self._sent = self._record.sizes()
        self.track.on_msg(self._pressed)
        super().__init__([self.track, self.matrix] if watch else [self.track])
        self._publish()
        self._succeed(name)

    # what a lesson uses

    @property
    def history(self) -> list:
        """All steps so far."""
        return list(self._record.steps)

    @property
    def result(self) -> dict[str, float]:
        """The latest metrics; empty before the first measurement."""
        return dict(self._record.measured[-1].metrics) if self._record.measured else {}

    @property
    def film(self) -> np.ndarray | None:
        """The frames so far, [frames, panels, queries, keys]."""
        return np.stack([frame for _, frame in self._record.frames]) if self._record.frames else None

    def on_step(self, callback: Callable) -> None:
        """Call `callback(step)` after each step, with the lock held."""
        self._callbacks.append(callback)

    def play(self, steps: int | None = None) -> None:
        """Train on, `steps` more or all that are left, and return at once. Nothing happens where it trains already."""
        with self.lock:
            self.reveal()
            if self.state not in ("ready", "paused"):
                return
            if self.comm is None:
                raise ValueError("this training was closed: run the cell that made it again")
            loop = self._scheduler.loop()
            turn = self._take_turn(steps)
            self._publish()
        self._scheduler.start(turn, loop)

    def pause(self) -> None:
        """Stop between two steps; `play` and `run` go on from there."""
        with self.lock:
            if self._turn:
                self._stop("paused")
                self._publish()

    def reset(self) -> None:
        """Forget all and begin anew with a fresh model, also while it trains."""
        with self.lock:
            self._stop("ready")
            self._clear()
            self._by_hand = False
            try:
                self._prepare()
            except Exception as error:
                self._stop("failed", error)
            self._publish()

    def run(self, steps: int | None = None) -> None:
        """Train on, `steps` more or all that are left, and wait. What fails is raised here too."""
        turn = None
        with self.lock:
            if self.state in ("ready", "running", "paused"):
                turn = self._take_turn(steps)
                self._publish()
        try:
            while turn and self.state == "running" and self._scheduler.run_slice(turn):
                pass
        except KeyboardInterrupt:  # it comes between two steps
            raise KeyboardInterrupt(f"paused at step {self.step} of {self.steps}; run again to go on") from None
        finally:
            if turn and self._turn is turn:
                self._stop("paused")
            self._publish()
        if self.error:
            raise self.error

    @property
    def veiled(self) -> bool:
        """Whether the page hides what was trained, for a cell trained it before anybody pressed Start."""
        return not self._by_hand and self.state in ("running", "paused", "done")

    def reveal(self) -> None:
        """Show in the page what was trained, as Start does."""
        if not self._by_hand:
            self._by_hand = True
            self._publish()

    def offline(self) -> dict:
        """What a page without a kernel plays: all that was recorded, once it has come to its end."""
        if self.state in ("ready", "running", "paused"):
            self.run()
        message, buffers = self._record.since([0, 0, 0])
        first = self._record.frames[0][1][None] if self._record.frames else None
        return {
            "kind": "training",
            "parts": [self.track.model_id],
            "record": {**message, "buffers": buffers},
            "matrix": self.matrix.model_id if self.matrix else "",
            "first": pack_array(first),
            "seconds": self._spent,
            "summary": self.summary,
        }

    def close(self) -> None:
        """Stop training and take the views away."""
        if getattr(self, "track", None) and self.comm is not None:
            self.pause()
            leave_boxes(self)
            for view in self.children:
                view.close()
        super().close()

    # how it trains: whoever holds the turn may take steps, one at a time, under the lock

    def _take_turn(self, steps: int | None) -> Turn:
        self._turn = Turn(self.steps if steps is None else min(self.steps, self.step + steps))
        self.state = "running"
        return self._turn

    def _after_slice(self, turn: Turn, seconds: float) -> bool:
        with self.lock:
            self._spent += seconds
            self._publish()
            return self._turn is turn

    def _fail(self, error: Exception) -> None:
        self._stop("failed", error)
        self._publish()

    def _advance(self, turn: Turn) -> bool:
        """One step, if it is still this turn. True while the turn goes on."""
        with self.lock:
            if self._turn is not turn:
                return False
            try:
                done = not self._take_step() or self.step == self.steps
                if done and self._sum_up:
                    self.summary = self._sum_up(self.result)
            except Exception as error:
                self._stop("failed", error)
            else:
                if done:
                    self._stop("done")
                elif self.step >= turn.last:
                    self._stop("paused")
            return self._turn is turn

    def _take_step(self) -> bool:
        step = next(self._iterator, None)
        if step is None:
            return False
        self._record.add(step)
        self.step = len(self._record.steps)
        if self.step % self.film_every == 0 or self.step == self.steps:
            self._add_frame()
        for callback in self._callbacks:
            callback(step)
        return True

    def _add_frame(self) -> None:
        if self._watch is not None:
            self._record.add_frame(self._watch())

    def _stop(self, state: str, error: Exception | None = None) -> None:
        with self.lock:
            self._turn, self.error, self.state = None, error, state

    def _clear(self) -> None:
        if hasattr(getattr(self, "_iterator", None), "close"):
            self._iterator.close()
        self._record, self._sent, self._spent, self.step = Record(), None, 0.0, 0
        self.summary = ""

    def _prepare(self) -> None:
        steps = self._start()
        if not isinstance(steps, Iterable):
            raise ValueError(f"start: expected a function that gives the steps, it gave {steps!r}")
        self._iterator: Any = iter(steps)  # a generator can be closed
        self._add_frame()

    # how it shows

    def _publish(self) -> None:
        """Bring the page up to date: what is new since the last time, and the state; nothing of what is veiled."""
        with self.lock:
            self._tell_readers()
            if self.veiled:
                self.track.show(veiled=True, state="ready", step=0, error="", summary="")
                return
            new = self._sent is None
            if new or self._sent != self._record.sizes():
                self.track.whole = self._record
                self.track.send(*self._record.since(self._sent or [0, 0, 0]))
                self._sent = self._record.sizes()
            error = error_message(self.error) if self.error else ""
            self.track.show(
                veiled=False, state=self.state, step=self.step, left=self._left(), error=error, summary=self.summary
            )
            if self.matrix and self._record.frames:
                self.matrix.values = self._record.frames[-1][1]

    def _tell_readers(self) -> None:
        """Explorers of the model show what it says now, unless it goes on learning or they have been told."""
        now = self.state, self.step
        if self.state == "running" or now == self._told:
            return
        self._told = now
        for reader in [one for one in self.lock.readers if one.comm is not None]:
            reader.refresh()

    def _left(self) -> float:
        if not self.step:
            return self._seconds or 0.0
        return self._spent / self.step * (self.steps - self.step)

    def _pressed(self, track, message: dict, buffers) -> None:
        """A button of the page, or a page that missed something."""
        match message.get("kind"):
            case "play":
                self.play()
            case "step" if not self.veiled:  # one step would show all that a cell has run
                self.play(1)
            case "pause":
                self.pause()
            case "reset":
                self.reset()
            case "catch up":
                with self.lock:
                    if not self.veiled:
                        self.track.send(*self._record.since([0, 0, 0]))

    def _succeed(self, name: str) -> None:
        """The cell was run again: end what it made before."""
        code = getattr(self._start, "__code__", None)
        key = name or (code and (code.co_filename, code.co_firstlineno))
        older = self._by_cell.get(key)
        if older is not None:
            older.close() if name else older.pause()
        if key:
            self._by_cell[key] = self

    def __repr__(self) -> str:
        names = ", ".join(["loss", *self._record.names()])
        state = {"ready": "not started", "done": "done"}.get(self.state, f"{self.state} at step {self.step}")
        return "\n".join([f"Training({self.steps} steps, {state}; {names})", *filter(None, [self.summary])])
