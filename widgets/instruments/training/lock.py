"""PoliteLock: held by a training during each step, and handed to whoever waits for it before the next one."""

import threading
from weakref import WeakSet


class PoliteLock:
    """A reentrant lock that knows how many wait for it, so that the training can let them go first.

    A plain lock is taken again by the thread that has just released it, long before a waiting one wakes up: on a busy
    machine a slider's callback would wait for seconds.

    `readers`: the explorers that were handed it, for they show what is trained; whenever the training rests, they are
    asked to `refresh`.
    """

    def __init__(self) -> None:
        self.readers: WeakSet = WeakSet()
        self._lock, self._count, self.waiting = threading.RLock(), threading.Lock(), 0

    def _wait(self, by: int) -> None:
        with self._count:
            self.waiting += by

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """As `threading.RLock.acquire`; whoever waits is counted."""
        if self._lock.acquire(blocking=False):
            return True
        self._wait(1)
        try:
            return self._lock.acquire(blocking, timeout) if blocking else False
        finally:
            self._wait(-1)

    def release(self) -> None:
        """As `threading.RLock.release`."""
        self._lock.release()

    def __enter__(self) -> "PoliteLock":
        self.acquire()
        return self

    def __exit__(self, *_) -> None:
        self.release()
