"""Training: a model learns while one watches: start, pause, step, reset, live curves, a film of weights to scrub."""

import asyncio
import contextvars
import math
import signal
import threading
import time
import weakref
from contextlib import contextmanager
from typing import ClassVar

import numpy as np
from ipywidgets import VBox
from traitlets import Dict, Enum, Float, Instance, Int, Unicode

from .instrument import Instrument, Still, leave_boxes, script, style
from .matrix import Matrix

SLICE = 0.05  # seconds of training between two looks at the learner's hands
REST = 0.001  # seconds; with sleep(0) a slider would wait for four slices
FRAMES = 60  # of a film, where its maker does not say how often to look
STATES = ["ready", "running", "paused", "done", "failed"]


class Record:
    """What a training has shown: the loss of every step, the metrics of some, the frames of the film."""

    def __init__(self):
        self.steps, self.measured, self.frames = [], [], []  # Step; Step with metrics; (step, [panels, queries, keys])

    def names(self) -> list[str]:
        """The metrics' names in the order in which they first came."""
        return list(dict.fromkeys(name for step in self.measured for name in step.metrics))

    def sizes(self) -> list[int]:
        return [len(self.steps), len(self.measured), len(self.frames)]

    def since(self, sizes) -> tuple[dict, list]:
        """What came after `sizes`, for the page: a message, and its numbers as three buffers of float32."""
        steps, measured, frames = self.steps[sizes[0] :], self.measured[sizes[1] :], self.frames[sizes[2] :]
        names = self.names()
        rows = [[step.step, *(step.metrics.get(name, math.nan) for name in names)] for step in measured]
        message = {
            "kind": "news", "at": list(sizes), "names": names, "frames": [step for step, _ in frames],
            "shape": list(frames[0][1].shape) if frames else [],
        }
        numbers = ([step.loss for step in steps], rows, [frame for _, frame in frames])
        return message, [np.asarray(n, np.float32).tobytes() for n in numbers]


class Track(Instrument):
    """The part of a Training that one sees: buttons, curves over the steps, and the handle that scrubs the film."""

    _esm = script("training")
    _css = style("training")

    state = Enum(STATES, "ready").tag(sync=True)
    step = Int(0, help="steps done").tag(sync=True)
    steps = Int(1, help="steps in all").tag(sync=True)
    left = Float(0.0, help="seconds left, as far as one can tell; 0 = unknown").tag(sync=True)
    error = Unicode("", help="why the training failed").tag(sync=True)
    metrics = Dict(help="name -> label of the metrics that will come").tag(sync=True)
    film = Unicode("", help="the id of the Matrix that shows the film").tag(sync=True)
    record = Dict(help="all that was recorded, for a page that opens now; otherwise only news are sent").tag(sync=True)

    whole = Instance(Record, ())

    def get_state(self, key=None, drop_defaults=False):
        state = super().get_state(key, drop_defaults)
        if "record" in state:
            message, buffers = self.whole.since([0, 0, 0])
            state["record"] = {**message, "buffers": buffers}
        return state


class Training(Still, VBox):
    """A training to start, pause, step and reset, with live curves and a film.

    start: makes a fresh model and returns the iterator that trains it: of `attnlab.training.Step`, for instance
        `fit(...)`. Called when the Training is made and at each reset.
    steps: how many steps there are in all.
    watch: gives the weights of one example as [queries, keys] or [panels, queries, keys]; asked before the first step
        and after every `film_every` steps, while nothing trains.
    metrics: the metrics that will come, name -> label, so that their place is there from the start.
    seconds: about how long all of it takes; said before the start.
    name: a Training made with the name of an older one closes it, and ends its training: give one where a cell may be
        run again. Without a name, one made at the same place in the code pauses it.
    labels: traits of the Matrix that shows the film: `query_labels`, `key_labels`, `query_title` ...

    It trains in the kernel's own loop, in slices of at most 50 ms, so that sliders stay alive; `run` does the same and
    waits. Paused or not, live or not, the result is the same. `lock` is held during each step: whoever reads the model
    in a callback takes it too (JupyterLab calls back in another thread).
    """

    state = Enum(STATES, "ready")
    step = Int(0, help="steps done")

    still_size = (7.0, 2.6)
    _made: ClassVar = weakref.WeakValueDictionary()

    def __init__(self, start, steps, watch=None, film_every=None, metrics=(), seconds=None, name="", **labels):
        if not (isinstance(steps, int) and steps > 0):
            raise ValueError(f"steps: expected a whole number above 0, got {steps!r}")
        if film_every is not None and film_every < 1:
            raise ValueError(f"film_every: expected at least 1, got {film_every!r}")
        self.lock = PoliteLock()
        self.steps, self.error = steps, None
        self.film_every = film_every or max(1, steps // FRAMES)
        self._start, self._watch, self._seconds = start, watch, seconds
        self._callbacks = []
        self._loop, self._context = kernel_loop(), contextvars.copy_context()
        self._turn = self._task = None
        self._clear()
        self._prepare()
        labelled = metrics if isinstance(metrics, dict) else {name: name for name in metrics}
        self.matrix = Matrix(self._record.frames[0][1], **labels) if watch else None
        film = self.matrix.model_id if watch else ""
        self.track = Track(steps=steps, metrics=labelled, film=film, whole=self._record)
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

    def on_step(self, callback):
        """Call `callback(step)` after each step, with the lock held."""
        self._callbacks.append(callback)

    def play(self, steps=None):
        """Train on, `steps` more or all that are left, and return at once. Nothing happens where it trains already."""
        with self.lock:
            if self.state not in ("ready", "paused"):
                return
            if self.comm is None:
                raise ValueError("this training was closed: run the cell that made it again")
            loop = self._loop or kernel_loop()
            if loop is None:
                raise ValueError("play: there is no event loop to train in here; use run()")
            turn = self._take_turn(steps)
            self._publish()
        loop.call_soon_threadsafe(self._begin, turn, context=self._context)

    def pause(self):
        """Stop between two steps; `play` and `run` go on from there."""
        with self.lock:
            if self._turn:
                self._stop("paused")
                self._publish()

    def reset(self):
        """Forget all and begin anew with a fresh model, also while it trains."""
        with self.lock:
            self._stop("ready")
            self._clear()
            try:
                self._prepare()
            except Exception as error:
                self._stop("failed", error)
            self._publish()

    def run(self, steps=None):
        """Train on, `steps` more or all that are left, and wait. What fails is raised here too."""
        turn = None
        with self.lock:
            if self.state in ("ready", "running", "paused"):
                turn = self._take_turn(steps)
                self._publish()
        try:
            while self.state == "running" and self._slice(turn):
                pass
        except KeyboardInterrupt:  # it comes between two steps
            raise KeyboardInterrupt(f"paused at step {self.step} of {self.steps}; run again to go on") from None
        finally:
            if turn and self._turn is turn:
                self._stop("paused")
            self._publish()
        if self.state == "failed":
            raise self.error

    def close(self):
        """Stop training and take the views away."""
        if getattr(self, "track", None) and self.comm is not None:
            self.pause()
            leave_boxes(self)
            for view in self.children:
                view.close()
        super().close()

    # how it trains: whoever holds the turn may take steps, one at a time, under the lock

    def _take_turn(self, steps):
        self._turn = Turn(self.steps if steps is None else min(self.steps, self.step + steps))
        self.state = "running"
        return self._turn

    def _begin(self, turn):
        self._task = asyncio.ensure_future(self._train(turn))
        self._task.add_done_callback(self._ended)

    async def _train(self, turn):
        while self._slice(turn):
            await asyncio.sleep(REST)
            while self.lock.waiting:
                await asyncio.sleep(REST)

    def _ended(self, task):
        if not task.cancelled() and task.exception():
            self._stop("failed", task.exception())
            self._publish()

    def _slice(self, turn) -> bool:
        """Steps for 50 ms, at least one. True while this turn goes on."""
        begun = time.perf_counter()
        with whole_steps() as interrupted:
            while self._advance(turn) and time.perf_counter() - begun < SLICE:
                if interrupted or self.lock.waiting:
                    break
        with self.lock:
            self._spent += time.perf_counter() - begun
            self._publish()
            return self._turn is turn

    def _advance(self, turn) -> bool:
        """One step, if it is still this turn. True while the turn goes on."""
        with self.lock:
            if self._turn is not turn:
                return False
            try:
                more = self._take_step()
            except Exception as error:
                self._stop("failed", error)
            else:
                if not more or self.step == self.steps:
                    self._stop("done")
                elif self.step >= turn.last:
                    self._stop("paused")
            return self._turn is turn

    def _take_step(self) -> bool:
        step = next(self._iterator, None)
        if step is None:
            return False
        if not math.isfinite(step.loss):
            loss = "NaN" if math.isnan(step.loss) else "infinite"
            raise ValueError(f"the loss is {loss} at step {step.step}: a smaller rate or a smaller clip may help")
        self._record.steps.append(step)
        if step.metrics:
            self._record.measured.append(step)
        self.step = len(self._record.steps)
        if self.step % self.film_every == 0 or self.step == self.steps:
            self._film()
        for callback in self._callbacks:
            callback(step)
        return True

    def _film(self):
        if self._watch is None:
            return
        weights = self._watch()
        weights = weights.detach().cpu().numpy() if hasattr(weights, "detach") else weights
        frame = np.array(weights, np.float32)
        frame = frame[None] if frame.ndim == 2 else frame
        first = self._record.frames[0][1] if self._record.frames else frame
        if frame.ndim != 3 or frame.shape != first.shape:
            expected = "[queries, keys] or [panels, queries, keys]" if frame.ndim != 3 else f"the shape {first.shape}"
            raise ValueError(f"watch: expected {expected}, got shape {frame.shape}")
        self._record.frames.append((self.step, frame))

    def _stop(self, state, error=None):
        with self.lock:
            self._turn, self.error, self.state = None, error, state

    def _clear(self):
        if hasattr(getattr(self, "_iterator", None), "close"):
            self._iterator.close()
        self._record, self._sent, self._spent, self.step = Record(), None, 0.0, 0

    def _prepare(self):
        self._iterator = iter(self._start())
        self._film()

    # how it shows

    def _publish(self):
        """Bring the page up to date: what is new since the last time, and the state."""
        with self.lock:
            new = self._sent is None
            if new or self._sent != self._record.sizes():
                self.track.whole = self._record
                self.track.send(*self._record.since(self._sent or [0, 0, 0]))
                self._sent = self._record.sizes()
            error = f"{type(self.error).__name__}: {self.error}" if self.error else ""
            if isinstance(self.error, ValueError):
                error = str(self.error)
            self.track.show(state=self.state, step=self.step, left=self._left(), error=error)
            if self._record.frames:
                self.matrix.values = self._record.frames[-1][1]

    def _left(self) -> float:
        if not self.step:
            return self._seconds or 0.0
        return self._spent / self.step * (self.steps - self.step)

    def _pressed(self, track, message, buffers):
        """A button of the page, or a page that missed something."""
        match message.get("kind"):
            case "play":
                self.play()
            case "step":
                self.play(1)
            case "pause":
                self.pause()
            case "reset":
                self.reset()
            case "catch up":
                with self.lock:
                    self.track.send(*self._record.since([0, 0, 0]))

    def _succeed(self, name):
        """The cell was run again: end what it made before."""
        code = getattr(self._start, "__code__", None)
        key = name or (code and (code.co_filename, code.co_firstlineno))
        older = self._made.get(key)
        if older is not None:
            older.close() if name else older.pause()
        if key:
            self._made[key] = self

    def __repr__(self):
        names = ", ".join(["loss", *self._record.names()])
        state = {"ready": "not started", "done": "done"}.get(self.state, f"{self.state} at step {self.step}")
        return f"Training({self.steps} steps, {state}; {names})"

    def still(self, axes):
        from .matrix_still import WEIGHTS  # matplotlib is slow to import, and only needed for a still

        steps = self._record.steps
        if not steps:
            return False
        if self._record.frames:
            figure = axes.figure
            axes.remove()
            axes, film = figure.subplots(1, 2, width_ratios=[2, 1])
            film.imshow(self._record.frames[-1][1][0], cmap=WEIGHTS, vmin=0, vmax=1, aspect="auto")
            film.set(xticks=[], yticks=[], xlabel="keys", ylabel="queries", title=f"step {self._record.frames[-1][0]}")
        axes.fill_between([s.step for s in steps], [s.loss for s in steps], color="#C8CEE9")
        axes.set(xlim=(0, self.steps), ylim=(0, None), xlabel="step", ylabel="loss")
        names = self._record.names()
        if names:
            right = axes.twinx()
            ends = {}
            for name in names:
                measured = [(s.step, s.metrics[name]) for s in self._record.measured if name in s.metrics]
                right.plot(*zip(*measured, strict=True), color="#3B4592")
                ends[name] = measured[-1]
            right.set_ylim(0, None)
            for name, end in ends.items():  # a name stands on the side of its curve that has more room
                side, away = ("top", -5) if end[1] > right.get_ylim()[1] / 2 else ("bottom", 5)
                right.annotate(name, end, (-4, away), textcoords="offset points", ha="right", va=side)


class PoliteLock:
    """A reentrant lock that knows how many wait for it, so that the training can let them go first.

    A plain lock is taken again by the thread that has just released it, long before a waiting one wakes up: on a busy
    machine a slider's callback would wait for seconds.
    """

    def __init__(self):
        self._lock, self._count, self.waiting = threading.RLock(), threading.Lock(), 0

    def _wait(self, by):
        with self._count:
            self.waiting += by

    def acquire(self, blocking=True, timeout=-1) -> bool:
        if self._lock.acquire(blocking=False):
            return True
        self._wait(1)
        try:
            return self._lock.acquire(blocking, timeout) if blocking else False
        finally:
            self._wait(-1)

    def release(self):
        self._lock.release()

    def __enter__(self):
        self.acquire()
        return self

    def __exit__(self, *_):
        self.release()


class Turn:
    """The right to take steps. Who finds another one in its place ends by itself, so there are never two at work."""

    def __init__(self, last: int):
        self.last = last  # the step after which to pause


def kernel_loop():
    """The loop of the kernel's main thread; outside a kernel the running loop; or None.

    The loop that runs here and now would not do: JupyterLab calls back in another thread with a loop of its own.
    """
    from IPython import get_ipython

    loop = getattr(getattr(get_ipython(), "kernel", None), "io_loop", None)
    if loop is not None:
        return loop.asyncio_loop
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


@contextmanager
def whole_steps():
    """Within it an interrupt (Ctrl-C, the kernel's stop button) waits for the end, so that no step is half done.

    Gives a list that is no longer empty once an interrupt has come.
    """
    came = []
    if threading.current_thread() is not threading.main_thread():
        yield came
        return
    before = signal.signal(signal.SIGINT, lambda *_: came.append(True))
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)
