"""The tests' end of the nursery: it starts daemons there if they may be forked, and by the command otherwise.

See docs/decisions/0088-daemons-of-tests-are-forked.md.
"""

import json
import os
import resource
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Protocol, Self

_SCRIPT = Path(__file__).with_name("forking.py")
_OWN_COMMAND = Path(sys.executable).with_name("memoryd")
_READ_LATE = ("MEMORYD_", "PYTEST_", "NOTIFY_SOCKET", "WATCHDOG_USEC", "OTEL_", "GRPC_VERBOSITY", "TIKTOKEN_CACHE_DIR")
"""The beginnings of the names of variables that nothing reads before a daemon runs."""
_EXECUTED = {"MEMORYD_TEST_EXECUTED", "COVERAGE_PROCESS_CONFIG"}
"""With one of these variables, nothing is forked: for a comparison; for coverage, which begins with an interpreter."""

_MADE_BYTES_MAX = 1 << 16


class Process(Protocol):
    """The part of ``subprocess.Popen`` that tests need."""

    pid: int
    returncode: int | None

    def poll(self) -> int | None:
        """Return the exit code, negative for a signal; None while the process runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code, once there is one. Raises subprocess.TimeoutExpired after ``timeout`` seconds."""

    def send_signal(self, number: int, /) -> None:
        """Send a signal, unless the process has ended."""


def start(command: Sequence[str | Path], output: IO[bytes], environment: Mapping[str, str]) -> Process:
    """Run a command, which prints to ``output``."""
    return subprocess.Popen(command, stdout=output, stderr=output, env=environment)


def inherited() -> object:
    """Return, of what a process inherits besides files and variables, what tests change."""
    if sys.platform != "linux":
        return None
    limits = [resource.getrlimit(getattr(resource, name)) for name in dir(resource) if name.startswith("RLIMIT_")]
    return limits, os.sched_getaffinity(0), os.getpriority(os.PRIO_PROCESS, 0)


class ForkedProcess:
    """A child of the nursery, by which its end is known through a pipe: it has the exit code as text."""

    def __init__(self, command: Sequence[str], pid: int, status: int) -> None:
        self._command = command
        self._status = status
        self._lock = threading.Lock()
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, negative for a signal; None while the process runs."""
        if self.returncode is None and self._has_ended(0.0):
            return self._end()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code, once there is one. Raises subprocess.TimeoutExpired after ``timeout`` seconds."""
        if self.returncode is None and not self._has_ended(timeout):
            raise subprocess.TimeoutExpired(self._command, timeout or 0.0)
        return self._end()

    def send_signal(self, number: int, /) -> None:
        """Send a signal, unless the process has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def _has_ended(self, timeout_s: float | None) -> bool:
        # Not select, which takes no descriptor above 1023.
        status = select.poll()
        status.register(self._status, select.POLLIN)
        return bool(status.poll(None if timeout_s is None else timeout_s * 1000))

    def _end(self) -> int:
        with self._lock:
            if self.returncode is None:
                text = os.read(self._status, 16)
                os.close(self._status)
                assert text, "the nursery has ended"
                self.returncode = int(text)
            return self.returncode


class Nursery:
    """A process from which daemons are forked. It is started for the first of them.

    A context manager: the nursery ends with it, and daemons that still run do not.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._environment = dict(os.environ)
        self._inherited = inherited()
        # Those that imports of the daemon's code set, here and there.
        self._made: dict[str, str] = {}
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._control is not None and self._process is not None:
            # A process that a test has forked may hold the socket, too.
            self._control.shutdown(socket.SHUT_RDWR)
            self._control.close()
            self._process.wait()

    def start(self, command: Sequence[str | Path], output: IO[bytes], environment: Mapping[str, str]) -> Process:
        """Run a command, which prints to ``output``: as a fork if it is the daemon's, in an environment like ours."""
        if sys.platform != "linux" or not _EXECUTED.isdisjoint(environment) or Path(command[0]) != _OWN_COMMAND:
            return start(command, output, environment)
        if inherited() != self._inherited:
            return start(command, output, environment)
        with self._lock:
            control = self._opened()
            if not self._is_like_ours(environment):
                return start(command, output, environment)
            return self._forked(control, command, output, environment)

    def _forked(
        self, control: socket.socket, command: Sequence[str | Path], output: IO[bytes], environment: Mapping[str, str]
    ) -> Process:
        words = [os.fspath(word) for word in command]
        request = json.dumps({"command": words, "directory": os.getcwd(), "environment": dict(environment)})  # noqa: PTH109
        status, status_end = os.pipe()
        try:
            socket.send_fds(control, [request.encode()], [output.fileno(), status_end])
        finally:
            os.close(status_end)
        return ForkedProcess(words, int(control.recv(16)), status)

    def _is_like_ours(self, environment: Mapping[str, str]) -> bool:
        differing = {
            name for name, _ in {**self._made, **environment}.items() ^ {**self._made, **self._environment}.items()
        }
        return all(name.startswith(_READ_LATE) for name in differing)

    def _opened(self) -> socket.socket:
        if self._control is None:
            # By messages with ends, since requests have different lengths.
            self._control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with other:
                number = other.fileno()
                self._process = subprocess.Popen(
                    [sys.executable, _SCRIPT, _OWN_COMMAND, str(number)],
                    stdout=subprocess.DEVNULL,
                    env=self._environment,
                    pass_fds=[number],
                )
            self._made = json.loads(self._control.recv(_MADE_BYTES_MAX))
        return self._control
