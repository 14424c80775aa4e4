"""The supervisor of worker processes: starts them, stops them together, and replaces one that dies."""

import contextlib
import logging
import os
import select
import signal
import time
from collections.abc import Callable, Iterator

import msgspec

from memoryd_server.ops.limit import WORKER_REPLACE_S_MAX, WORKER_REPLACE_S_MIN, WORKER_STEADY_S
from memoryd_server.ops.service_manager import (
    READY,
    STOPPING,
    WATCHDOG,
    leave_to_parent,
    notify,
    watchdog_interval_s,
)

log = logging.getLogger("memoryd.supervisor")


_HEARD = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)
_PASSED_ON = signal.SIGHUP
_STOPPED = (0, -signal.SIGTERM, -signal.SIGINT)
"""The exit codes of a worker after a stop signal. A worker that is not yet serving dies of the signal itself."""


class Worker(msgspec.Struct, frozen=True):
    """A worker: its number, counted from 0, and its ends of the pipes that it shares with the supervisor.

    ``lifeline`` reaches end of file when the supervisor has died. The worker writes to ``ready`` when it serves.
    ``turn`` reaches end of file when the first worker serves; the first worker itself has no ``turn``.
    """

    number: int
    lifeline: int
    ready: int
    turn: int | None

    @property
    def is_first(self) -> bool:
        """True if this worker starts before all others."""
        return self.turn is None

    def await_turn(self) -> None:
        """Block until the first worker serves. If it fails, all workers are stopped, and only one reports the cause."""
        if self.turn is not None:
            os.read(self.turn, 1)

    def report_ready(self) -> None:
        """Report to the supervisor that this worker serves. A dead supervisor is noticed by the lifeline instead."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self.ready, bytes([self.number]))


class _Slot(msgspec.Struct):
    """A slot for one worker. ``replace_s`` is the wait before a worker that dies early is replaced."""

    pid: int = 0
    has_served: bool = False
    start_time: float = 0.0
    replace_time: float = 0.0
    replace_s: float = WORKER_REPLACE_S_MIN

    def plan_replacement(self, now: float) -> None:
        """Schedule the start of the next worker, after this one has died."""
        is_steady = now - self.start_time >= WORKER_STEADY_S
        self.replace_time = now if is_steady else now + self.replace_s
        self.replace_s = WORKER_REPLACE_S_MIN if is_steady else min(2 * self.replace_s, WORKER_REPLACE_S_MAX)


class _Ended(msgspec.Struct, frozen=True):
    """A worker that has exited. ``code`` is negative if a signal killed it."""

    number: int
    pid: int
    code: int


class Supervisor:
    """Runs ``count`` workers until a signal stops them. The process must not have threads or an event loop yet.

    The supervisor waits without limit for a worker to exit, because it may be writing a snapshot. The operator decides
    when to kill it.
    """

    def __init__(self, count: int, work: Callable[[Worker], int]) -> None:
        self._work = work
        self._slots = [_Slot() for _ in range(count)]
        self._lifeline, self._lifeline_end = os.pipe()
        self._ready, self._ready_end = os.pipe()
        self._signals, self._signals_end = os.pipe()
        self._turn, turn_end = os.pipe()
        self._turn_end: int | None = turn_end
        for descriptor in (self._ready, self._signals, self._signals_end):
            os.set_blocking(descriptor, False)
        self._is_stopping = False
        self._exit_code = 0
        self._watchdog_s = watchdog_interval_s()

    def run(self) -> int:
        """Run until all workers have exited, and return the exit status; in a worker, that of its work.

        If a worker exits before any worker of its slot has served, the next would fail as well: it is not replaced, and
        all workers stop. The exit status is then that of the worker, or 1 if a signal killed it.
        """
        with self._signals_heard():
            while not self._is_stopping or any(slot.pid for slot in self._slots):
                for number, slot in enumerate(self._slots):
                    if self._is_due(slot):
                        code = self._begin(number, slot)
                        if code is not None:
                            return code
                self._wait()
        return self._exit_code

    def _is_due(self, slot: _Slot) -> bool:
        return not self._is_stopping and not slot.pid and time.monotonic() >= slot.replace_time

    def _begin(self, number: int, slot: _Slot) -> int | None:
        is_first = number == 0 and self._turn_end is not None
        with _signals_held():
            pid = os.fork()
            if not pid:
                self._become_worker()
        if not pid:
            return self._work(Worker(number, self._lifeline, self._ready_end, None if is_first else self._turn))
        slot.pid, slot.start_time = pid, time.monotonic()
        log.info("worker started", extra={"worker": number, "pid": pid})
        return None

    def _become_worker(self) -> None:
        # A terminal signals the whole process group. Only the supervisor must react, and forward the signal.
        os.setpgid(0, 0)
        leave_to_parent()
        signal.set_wakeup_fd(-1)
        for number in _HEARD:
            signal.signal(number, signal.SIG_DFL)
        signal.signal(_PASSED_ON, signal.SIG_IGN)
        for descriptor in (self._lifeline_end, self._ready, self._signals, self._signals_end, self._turn_end):
            if descriptor is not None:
                os.close(descriptor)

    def _wait(self) -> None:
        now = time.monotonic()
        due = [slot.replace_time - now for slot in self._slots if not slot.pid and not self._is_stopping]
        if self._watchdog_s is not None:
            notify(WATCHDOG)
            due.append(self._watchdog_s)
        select.select([self._signals, self._ready], [], [], max(min(due), 0.0) if due else None)
        # In this order: a worker that exits after _reap sends another SIGCHLD, and one that _reap has found had written
        # to the ready pipe before, so that _hear_ready sees it before _note_end decides.
        self._hear_signals()
        ended = self._reap()
        self._hear_ready()
        for each in ended:
            self._note_end(each)

    def _hear_signals(self) -> None:
        for number in _waiting_in(self._signals):
            if number == _PASSED_ON:
                self._signal_all(signal.SIGHUP)
            elif number != signal.SIGCHLD:
                self._stop()

    def _hear_ready(self) -> None:
        for number in _waiting_in(self._ready):
            self._slots[number].has_served = True
            if all(slot.has_served for slot in self._slots):
                notify(READY)
            if self._turn_end is not None:
                os.close(self._turn_end)
                self._turn_end = None

    def _stop(self) -> None:
        self._is_stopping = True
        notify(STOPPING)
        self._signal_all(signal.SIGTERM)

    def _signal_all(self, number: int) -> None:
        for slot in self._slots:
            if slot.pid:
                os.kill(slot.pid, number)

    def _reap(self) -> list[_Ended]:
        ended = []
        for number, slot in enumerate(self._slots):
            if slot.pid:
                pid, status = os.waitpid(slot.pid, os.WNOHANG)
                if pid:
                    ended.append(_Ended(number, pid, os.waitstatus_to_exitcode(status)))
                    slot.pid = 0
        return ended

    def _note_end(self, ended: _Ended) -> None:
        slot = self._slots[ended.number]
        fields = {"worker": ended.number, "pid": ended.pid, "exit_code": ended.code}
        if self._is_stopping:
            log.info("worker stopped", extra=fields)
            if ended.code not in _STOPPED:
                self._exit_code = self._exit_code or max(ended.code, 1)
        elif slot.has_served:
            log.error("worker died, replacing it", extra=fields)
            slot.plan_replacement(time.monotonic())
        else:
            log.error("worker failed to start, stopping all", extra=fields)
            self._exit_code = max(ended.code, 1)
            self._stop()

    @contextlib.contextmanager
    def _signals_heard(self) -> Iterator[None]:
        # The wake-up descriptor comes first: a signal between the two would be lost by a handler that does nothing.
        signal.set_wakeup_fd(self._signals_end, warn_on_full_buffer=False)
        before = {number: signal.signal(number, lambda *_: None) for number in (*_HEARD, _PASSED_ON)}
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
    """Block signals during a fork. Before the worker has dropped the inherited handlers, it would lose a signal and
    write it to the supervisor's pipe.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (*_HEARD, _PASSED_ON))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _waiting_in(pipe: int) -> bytes:
    """Return the bytes that can be read from a pipe without blocking."""
    with contextlib.suppress(BlockingIOError):
        return os.read(pipe, 4096)
    return b""
