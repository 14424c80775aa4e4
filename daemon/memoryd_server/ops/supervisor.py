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

REPLACE_S_MIN = 0.1
REPLACE_S_MAX = 5.0
"""A worker that died is replaced at once; one that dies again within seconds, after a growing while."""
STEADY_S = 10.0


class Worker(msgspec.Struct, frozen=True):
    """Which of the workers a process is, counted from 0, and its ends of two pipes.

    ``lifeline`` has an end of file once the supervisor is gone. ``ready`` is written to when the worker serves.
    """

    number: int
    lifeline: int
    ready: int


class _Place(msgspec.Struct):
    """One of the places that a worker fills."""

    pid: int = 0
    start_time: float = 0.0
    replace_time: float = 0.0
    replace_s: float = REPLACE_S_MIN


class Supervisor:
    """Runs ``count`` workers until a signal ends them. Nothing else may have begun a thread or an event loop before."""

    def __init__(self, count: int, work: Callable[[Worker], int]) -> None:
        self._work = work
        self._places = [_Place() for _ in range(count)]
        self._lifeline, self._lifeline_end = os.pipe()
        self._ready, self._ready_end = os.pipe()
        self._signals, self._signals_end = os.pipe()
        for descriptor in (self._ready, self._signals, self._signals_end):
            os.set_blocking(descriptor, False)
        self._has_served = False
        self._is_stopping = False
        self._exit_code = 0

    def run(self) -> int:
        """Answers the exit code; in a worker, that of its work.

        A worker that ends before any has served is not replaced: what it could not do, the next one could not. Then all
        end, with its exit code.
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
        pid = os.fork()
        if not pid:
            self._become_worker()
            return self._work(Worker(number, self._lifeline, self._ready_end))
        place.pid, place.start_time = pid, time.monotonic()
        log.info("worker started", extra={"worker": number, "pid": pid})
        return None

    def _become_worker(self) -> None:
        # What a terminal sends to a group is for the supervisor, which hands it on.
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        for descriptor in (self._lifeline_end, self._ready, self._signals, self._signals_end):
            os.close(descriptor)

    def _wait(self) -> None:
        due = [place.replace_time for place in self._places if not place.pid and not self._is_stopping]
        timeout_s = max(min(due) - time.monotonic(), 0.0) if due else None
        readable, _, _ = select.select([self._signals, self._ready], [], [], timeout_s)
        if self._ready in readable:
            self._has_served = bool(os.read(self._ready, 4096)) or self._has_served
        if self._signals in readable:
            for number in os.read(self._signals, 4096):
                if number != signal.SIGCHLD:
                    self._stop()
        self._bury()

    def _stop(self) -> None:
        self._is_stopping = True
        for place in self._places:
            if place.pid:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(place.pid, signal.SIGTERM)

    def _bury(self) -> None:
        for number, place in enumerate(self._places):
            if place.pid:
                pid, status = os.waitpid(place.pid, os.WNOHANG)
                if pid:
                    self._note_end(number, place, os.waitstatus_to_exitcode(status))

    def _note_end(self, number: int, place: _Place, code: int) -> None:
        fields = {"worker": number, "pid": place.pid, "exit_code": code}
        place.pid = 0
        if self._is_stopping:
            # One that had not begun to serve ends by the signal itself.
            self._exit_code = self._exit_code or (0 if code == -signal.SIGTERM else abs(code))
            log.info("worker ended", extra=fields)
        elif not self._has_served:
            self._exit_code = abs(code) or 1
            self._stop()
        else:
            log.error("worker died, and is replaced", extra=fields)
            now = time.monotonic()
            is_steady = now - place.start_time >= STEADY_S
            place.replace_s = REPLACE_S_MIN if is_steady else min(2 * place.replace_s, REPLACE_S_MAX)
            place.replace_time = now if is_steady else now + place.replace_s

    @contextlib.contextmanager
    def _signals_heard(self) -> Iterator[None]:
        before = {
            number: signal.signal(number, lambda *_: None) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)
        }
        signal.set_wakeup_fd(self._signals_end, warn_on_full_buffer=False)
        supervisor = os.getpid()
        try:
            yield
        finally:
            if os.getpid() == supervisor:
                signal.set_wakeup_fd(-1)
                for number, handler in before.items():
                    signal.signal(number, handler)
