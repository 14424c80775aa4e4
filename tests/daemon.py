"""A real daemon for tests: the command as a user starts it, on a free port and a data directory of its own."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import grpc
from tests.wait import WAIT_S_MAX, until

PATIENT_FLAGS = ("--embedding-query-timeout", f"{WAIT_S_MAX}s", "--document-read-timeout", f"{WAIT_S_MAX}s")
"""With these, queries search by meaning and files are read on a slow machine, too."""


class Daemon:
    """Runs ``memoryd serve``. It may be killed, stopped and started again on the same data and port."""

    def __init__(self, directory: Path, *flags: str, environment: dict[str, str] | None = None) -> None:
        self.directory = directory
        self.data_dir = directory / "data"
        self.log_path = directory / "daemon.log"
        self.flags = list(flags)
        self.address = f"127.0.0.1:{_free_port()}"
        self.environment = environment or {}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The process that runs now."""
        assert self._process is not None
        return self._process.pid

    @property
    def log(self) -> str:
        """Everything that it has logged so far, over all its starts."""
        return self.log_path.read_text()

    def start(self) -> None:
        """Start, and wait until it answers."""
        command = [Path(sys.executable).with_name("memoryd"), "serve", "--listen", self.address]
        command += ["--data-dir", self.data_dir, *PATIENT_FLAGS, *self.flags]
        with self.log_path.open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **self.environment})
        try:
            until(self._listens, "the daemon listens")
        except AssertionError as late:
            self.close()
            raise AssertionError(f"daemon ended with {self._process.returncode}:\n{self.log}") from late

    def channel(self) -> grpc.Channel:
        """Return a new channel to it, for the caller to close."""
        return insecure_channel(self.address)

    def kill(self) -> None:
        """End it with SIGKILL."""
        self._end(signal.SIGKILL)

    def stop(self, timeout_s: float = WAIT_S_MAX) -> int:
        """End it with SIGTERM, and return the exit code."""
        return self._end(signal.SIGTERM, timeout_s)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal and do not wait."""
        assert self._process is not None
        self._process.send_signal(number)

    def wait(self, timeout_s: float = WAIT_S_MAX) -> int:
        """Wait for its end, and return the exit code."""
        assert self._process is not None
        return self._process.wait(timeout_s)

    def close(self) -> None:
        """End it if it still runs: at once, unless it has to report what it has run for scripts/test --coverage."""
        if self._process is not None and self._process.poll() is None:
            self._end(signal.SIGTERM if "COVERAGE_PROCESS_CONFIG" in os.environ else signal.SIGKILL)

    def _end(self, number: int, timeout_s: float = WAIT_S_MAX) -> int:
        self.signal(number)
        return self.wait(timeout_s)

    def _listens(self) -> bool:
        """Return True once it accepts connections. Raises OSError before that, AssertionError when it has ended."""
        assert self._process is not None
        assert self._process.poll() is None, "it has ended"
        host, port = self.address.split(":")
        socket.create_connection((host, int(port)), timeout=WAIT_S_MAX).close()
        return True


def insecure_channel(address: str) -> grpc.Channel:
    """A channel that takes large messages and does not share its connection with other tests."""
    options = [("grpc.max_receive_message_length", 64 << 20), ("grpc.use_local_subchannel_pool", 1)]
    return grpc.insecure_channel(address, options=options)


def _free_port() -> int:
    """Return a port that no other test gets meanwhile: it would take this daemon for its own."""
    probe = socket.socket()
    probe.bind(("127.0.0.1", 0))
    port: int = probe.getsockname()[1]
    # A server that reuses addresses, as a daemon does, may listen there. It stays bound until the tests end.
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    probe.detach()
    return port
