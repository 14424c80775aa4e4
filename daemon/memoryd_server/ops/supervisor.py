"""Several workers as one: started, stopped and replaced together by a process that does nothing else."""

import contextlib
import logging
import os
import select
import signal
import time
from collections.abc import Callable, Iterator

import msgspec

log = logging.getLogger("memoryd.supervisor")

STEADY_S = 10.0
"""A worker that dies after so long is replaced at once."""
REPLACE_S_MIN = 0.1
REPLACE_S_MAX = 5.0
"""One that dies sooner is replaced after the least of these waits, and the next such one after twice as long."""

_HEARD = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)
_AS_TOLD = (0, -signal.SIGTERM, -signal.SIGINT)
"""How a worker ends that was told to. One that had not begun to serve ends by the signal itself."""


class Worker(msgspec.Struct, frozen=True):
    """Which of the workers a process is, counted from 0, and its ends of pipes.

    ``lifeline`` has an end of file once the supervisor is gone. ``ready`` is written to when the worker serves.
    ``turn`` has an end of file once the first worker serves, which has no turn to wait for.
    """

    number: int
    lifeline: int
    ready: int
    turn: int | None

    @property
    def is_first(self) -> bool:
        """Whether no other worker has had its turn when this one begins."""
        return self.turn is None

    def await_turn(self) -> None:
        """Block until the first worker serves. If it cannot, all are ended, so that only one tells why."""
        if self.turn is not None:
            os.read(self.turn, 1)

    def tell_ready(self) -> None:
        """Tell the supervisor that this worker serves. That there is none any more is the lifeline's to tell."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self.ready, bytes([self.number]))


class _Place(msgspec.Struct):
    """One of the places that a worker fills. ``replace_s`` is how long it stays empty when the worker dies soon."""

    pid: int = 0
    has_served: bool = False
    start_time: float = 0.0
    replace_time: float = 0.0
    replace_s: float = REPLACE_S_MIN

    def plan_replacement(self, now: float) -> None:
        """Choose when the next worker begins, after this one has died."""
        is_steady = now - self.start_time >= STEADY_S
        self.replace_time = now if is_steady else now + self.replace_s
        self.replace_s = REPLACE_S_MIN if is_steady else min(2 * self.replace_s, REPLACE_S_MAX)


class _Ended(msgspec.Struct, frozen=True):
    """A worker that has ended; ``code`` is negative when a signal killed it."""

    number: int
    pid: int
    code: int


class Supervisor:
    """Runs ``count`` workers until a signal ends them. Nothing else may have begun a thread or an event loop before.

    A worker that takes long to end is waited for, as a daemon alone is: it may be writing a snapshot. Whoever stops the
    daemon decides how long that may last.
    """

    def __init__(self, count: int, work: Callable[[Worker], int]) -> None:
        self._work = work
        self._places = [_Place() for _ in range(count)]
        self._lifeline, self._lifeline_end = os.pipe()
        self._ready, self._ready_end = os.pipe()
        self._signals, self._signals_end = os.pipe()
        self._turn, turn_end = os.pipe()
        self._turn_end: int | None = turn_end
        for descriptor in (self._ready, self._signals, self._signals_end):
            os.set_blocking(descriptor, False)
        self._is_stopping = False
        self._exit_code = 0

    def run(self) -> int:
        """Answers the exit code; in a worker, that of its work.

        A worker that ends before any in its place has served is not replaced: what it could not do, the next one could
        not. Then all end, with its exit code, or 1 when a signal killed it.
        """
        with self._signals_heard():
            while not self._is_stopping or any(place.pid for place in self._places):
                for number, place in enumerate(self._places):
                    if self._is_due(place):
                        code = self._begin(number, place)
                        if code is not None:
                            return code
                self._wait()
        return self._exit_code

    def _is_due(self, place: _Place) -> bool:
        return not self._is_stopping and not place.pid and time.monotonic() >= place.replace_time

    def _begin(self, number: int, place: _Place) -> int | None:
        is_first = number == 0 and self._turn_end is not None
        with _signals_held():
            pid = os.fork()
            if not pid:
                self._become_worker()
        if not pid:
            return self._work(Worker(number, self._lifeline, self._ready_end, None if is_first else self._turn))
        place.pid, place.start_time = pid, time.monotonic()
        log.info("worker started", extra={"worker": number, "pid": pid})
        return None

    def _become_worker(self) -> None:
        # What a terminal sends to a group is for the supervisor, which hands it on.
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        for number in _HEARD:
            signal.signal(number, signal.SIG_DFL)
        for descriptor in (self._lifeline_end, self._ready, self._signals, self._signals_end, self._turn_end):
            if descriptor is not None:
                os.close(descriptor)

    def _wait(self) -> None:
        due = [place.replace_time for place in self._places if not place.pid and not self._is_stopping]
        timeout_s = max(min(due) - time.monotonic(), 0.0) if due else None
        select.select([self._signals, self._ready], [], [], timeout_s)
        # In this order: a worker that ends later signals anew, and one that has ended has told before that it served.
        self._hear_signals()
        ended = self._reap()
        self._hear_ready()
        for each in ended:
            self._note_end(each)

    def _hear_signals(self) -> None:
        for number in _waiting_in(self._signals):
            if number != signal.SIGCHLD:
                self._stop()

    def _hear_ready(self) -> None:
        for number in _waiting_in(self._ready):
            self._places[number].has_served = True
            if self._turn_end is not None:
                os.close(self._turn_end)
                self._turn_end = None

    def _stop(self) -> None:
        self._is_stopping = True
        for place in self._places:
            if place.pid:
                os.kill(place.pid, signal.SIGTERM)

    def _reap(self) -> list[_Ended]:
        ended = []
        for number, place in enumerate(self._places):
            if place.pid:
                pid, status = os.waitpid(place.pid, os.WNOHANG)
                if pid:
                    ended.append(_Ended(number, pid, os.waitstatus_to_exitcode(status)))
                    place.pid = 0
        return ended

    def _note_end(self, ended: _Ended) -> None:
        place = self._places[ended.number]
        fields = {"worker": ended.number, "pid": ended.pid, "exit_code": ended.code}
        if self._is_stopping:
            log.info("worker ended", extra=fields)
            if ended.code not in _AS_TOLD:
                self._exit_code = self._exit_code or max(ended.code, 1)
        elif place.has_served:
            log.error("worker died, and is replaced", extra=fields)
            place.plan_replacement(time.monotonic())
        else:
            log.error("worker could not begin, and all end", extra=fields)
            self._exit_code = max(ended.code, 1)
            self._stop()

    @contextlib.contextmanager
    def _signals_heard(self) -> Iterator[None]:
        # First of all, since a handler that does nothing would lose what comes before.
        signal.set_wakeup_fd(self._signals_end, warn_on_full_buffer=False)
        before = {number: signal.signal(number, lambda *_: None) for number in _HEARD}
        supervisor = os.getpid()
        try:
            yield
        finally:
            if os.getpid() == supervisor:
                signal.set_wakeup_fd(-1)
                for number, handler in before.items():
                    signal.signal(number, handler)


@contextlib.contextmanager
def _signals_held() -> Iterator[None]:
    """Let signals wait while a worker is forked. Until it is rid of what it inherited it would lose them, and its
    supervisor would hear of them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _HEARD)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _waiting_in(pipe: int) -> bytes:
    """What can be read from a pipe without waiting."""
    with contextlib.suppress(BlockingIOError):
        return os.read(pipe, 4096)
    return b""
