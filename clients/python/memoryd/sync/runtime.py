"""Waiting, background work and blocking calls, for threads.

This module and ``connection`` are where the two clients differ, and are written by hand for each of them, with the same
names. The other modules of ``memoryd.sync`` are generated from those of ``memoryd.aio``.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")

# A flag that is set once and can be waited for.
Flag = threading.Event
# A function that makes a value.
Factory = Callable[[], T]


def pause(seconds: float, stop: Flag) -> bool:
    """Wait for a number of seconds or until ``stop`` is set. Returns whether it is set."""
    return stop.wait(seconds)


def is_cancelled() -> bool:
    """Return False: a thread cannot be cancelled."""
    return False


def unless_cancelled(work: Callable[[], T], undo: Callable[[T], None]) -> T:
    """Return the result of work: a thread cannot be cancelled."""
    return work()


def resolved(made: Any) -> Any:
    """Return what a function of the user returned."""
    return made


def handle(handler: Callable[[T], Any], item: T) -> None:
    """Call a handler. Raises what it raises."""
    handler(item)


def blocking(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that blocks, in the caller's thread."""
    return function(*args, **kwargs)


def opened(path: Path, mode: Literal["rb", "wb"]) -> AbstractContextManager[BinaryIO]:
    """Open a file for the block."""
    return path.open(mode)


@contextmanager
def in_background(work: Callable[[], None], stop: Flag, name: str) -> Iterator[None]:
    """Run work in a thread while the block runs. At the end of the block, set ``stop`` and wait until the work ends."""
    thread = threading.Thread(target=work, name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


class Monitor:
    """State that threads change and wait for. A change is made in a block, which ``changed`` ends."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._condition = threading.Condition(self._lock)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()

    def changed(self) -> None:
        """Let those that wait check again."""
        self._condition.notify_all()

    def wait(self, holds: Callable[[], bool], seconds: float | None) -> bool:
        """Wait until a condition holds, for a number of seconds or without limit. Returns whether it holds."""
        with self._condition:
            return self._condition.wait_for(holds, seconds)


class Worker:
    """Runs work in a thread of its own until the work ends."""

    def __init__(self, work: Callable[[], None], name: str) -> None:
        self._work = work
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Wait until the work ends. Raises what it raised."""
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    def join(self) -> None:
        """Wait as ``wait`` does, but return at once inside the work."""
        if self._thread is not threading.current_thread():
            self.wait()

    def _run(self) -> None:
        try:
            self._work()
        except BaseException as failure:  # noqa: BLE001 - raised by wait
            self._failure = failure
