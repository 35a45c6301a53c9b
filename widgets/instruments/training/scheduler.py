"""Scheduler: when a training takes its steps. In slices on the kernel's own loop, so that sliders stay alive."""

import asyncio
import contextvars
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from widgets.instruments.training.lock import PoliteLock

SLICE = 0.05  # seconds of training between two looks at the learner's hands
REST = 0.001  # seconds; with sleep(0) a slider would wait for four slices


class Turn:
    """The right to take steps. One that finds another in its place ends by itself, so there are never two at work."""

    def __init__(self, last: int) -> None:
        self.last = last  # the step after which to pause


class Scheduler:
    """Lets a turn take its steps, in slices of at most 50 ms.

    advance(turn): takes one step, if it is still this turn; True while the turn goes on.
    after_slice(turn, seconds): what a slice has done is shown; True while the turn goes on.
    interrupted(): Ctrl-C or the kernel's stop button came; the turn is to end.
    failed(error): what went wrong outside of a step.
    """

    def __init__(
        self, lock: PoliteLock, advance: Callable, after_slice: Callable, interrupted: Callable, failed: Callable
    ) -> None:
        self.lock, self.advance, self.after_slice = lock, advance, after_slice
        self.interrupted, self.failed = interrupted, failed
        self._loop, self._context = kernel_loop(), contextvars.copy_context()
        self._task: asyncio.Future | None = None

    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop to train in. ValueError where there is none."""
        loop = self._loop or kernel_loop()
        if loop is None:
            raise ValueError("play: there is no event loop to train in here; use run()")
        return loop

    def start(self, turn: Turn, loop: asyncio.AbstractEventLoop) -> None:
        """Let a turn begin soon, in the loop, from whatever thread."""
        loop.call_soon_threadsafe(self._begin, turn, context=self._context)

    def run_slice(self, turn: Turn) -> bool:
        """Steps for 50 ms, at least one. True while this turn goes on."""
        begun = time.perf_counter()
        with whole_steps() as came:
            while self.advance(turn) and time.perf_counter() - begun < SLICE:
                if came or self.lock.waiting:
                    break
        going = self.after_slice(turn, time.perf_counter() - begun)
        if came:  # and raised nothing: no cell runs, so the kernel ignores the signal
            self.interrupted()
            return False
        return going

    def _begin(self, turn: Turn) -> None:
        self._task = asyncio.ensure_future(self._train(turn))
        self._task.add_done_callback(self._ended)

    async def _train(self, turn: Turn) -> None:
        while self.run_slice(turn):
            await asyncio.sleep(REST)
            while self.lock.waiting:
                await asyncio.sleep(REST)

    def _ended(self, task: asyncio.Future) -> None:
        if not task.cancelled() and task.exception():
            self.failed(task.exception())


def kernel_loop() -> asyncio.AbstractEventLoop | None:
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
def whole_steps() -> Iterator[list]:
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
