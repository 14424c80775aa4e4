"""The queue between the event loop and the thread that writes."""

import threading
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from sys import maxsize
from typing import Generic, TypeVar

W = TypeVar("W")


class WorkQueue(Generic[W]):
    """A queue without a limit that one thread takes from. It sleeps until enough work waits, and wakes up once.

    Waking a thread costs it the interpreter's lock, and the loop a switch. ``queue.SimpleQueue`` would wake it for each
    item.
    """

    def __init__(self) -> None:
        self._works: deque[W] = deque()
        self._enough = threading.Lock()
        self._enough.acquire()
        self._awaited = maxsize

    @property
    def is_empty(self) -> bool:
        """True if there is nothing to take."""
        return not self._works

    def put(self, works: Iterable[W]) -> None:
        """Put work at the end, all of it at once: the thread that takes sees all or nothing of it."""
        self._works.extend(works)
        if len(self._works) >= self._awaited:
            # Already released by an earlier call that the thread has not noticed yet.
            with suppress(RuntimeError):
                self._enough.release()

    def take(self) -> W | None:
        """Remove and return the first item, None if there is none."""
        return self._works.popleft() if self._works else None

    def wait(self, count: int, timeout_s: float | None) -> None:
        """Wait until there are ``count`` items, at most ``timeout_s`` seconds."""
        self._awaited = count
        # Forget what an earlier wait did not notice. Only then look: what is put later releases the lock again.
        self._enough.acquire(blocking=False)
        if len(self._works) < count:
            self._enough.acquire(timeout=-1 if timeout_s is None else timeout_s)
        self._awaited = maxsize
