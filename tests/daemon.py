"""A real daemon for tests: the command as a user starts it, on a free port and with its own data directory."""

import os
import signal
import socket
import sys
from itertools import pairwise
from pathlib import Path

import grpc
from tests.nursery.nursery import Process, start
from tests.port import free_address
from tests.wait import WAIT_S_MAX, until
from tests.web.beyond import is_over_http

COMMAND = Path(os.environ.get("MEMORYD_TEST_COMMAND", Path(sys.executable).with_name("memoryd")))
"""The daemon's command: that of another environment, when the one of the tests has the client only."""
PATIENT_FLAGS = ("--embedding-query-timeout", f"{WAIT_S_MAX}s", "--document-read-timeout", f"{WAIT_S_MAX}s")
"""With these, queries are embedded and files are read even on a slow machine, instead of timing out."""


class Daemon:
    """Runs ``memoryd serve``. It may be killed, stopped and started again on the same data and port."""

    command: tuple[str | Path, ...] = (COMMAND,)
    address_flag = "--listen"
    launch = staticmethod(start)
    """Starts the process. In pytest, the nursery does."""

    def __init__(self, directory: Path, *flags: str, environment: dict[str, str] | None = None) -> None:
        self.directory = directory
        self.data_dir = directory / "data"
        self.log_path = directory / "daemon.log"
        self.flags = list(flags)
        self.address = free_address()
        self.environment = environment or {}
        self._process: Process | None = None

    @property
    def pid(self) -> int:
        """The id of the running process."""
        assert self._process is not None
        return self._process.pid

    @property
    def log(self) -> str:
        """Everything that the daemon has logged so far, over all its starts."""
        return self.log_path.read_text()

    def start(self) -> None:
        """Start the daemon, and wait until it accepts connections."""
        command: list[str | Path] = [*self.command, "serve", self.address_flag, self.address]
        command += ["--data-dir", self.data_dir, *PATIENT_FLAGS, *self.flags]
        with self.log_path.open("ab") as log:
            self._process = self.launch(command, log, {**os.environ, **self.environment})
        try:
            until(self._listens, "the daemon listens")
        except AssertionError as late:
            self.close()
            raise AssertionError(f"daemon ended with {self._process.returncode}:\n{self.log}") from late

    def channel(self) -> grpc.Channel:
        """Return a new channel to the daemon, which the caller closes: Connect's with MEMORYD_TEST_CALLS=http."""
        if is_over_http():
            # Imported late: only these calls need its packages.
            from tests.web.channel import HttpChannel

            return HttpChannel(f"http://{self.address}")
        return insecure_channel(self.address)

    def kill(self) -> None:
        """End the daemon with SIGKILL."""
        self._end(signal.SIGKILL)

    def stop(self, timeout_s: float = WAIT_S_MAX) -> int:
        """End the daemon with SIGTERM, and return its exit code."""
        return self._end(signal.SIGTERM, timeout_s)

    def signal(self, number: int) -> None:
        """Send a signal without waiting for its effect."""
        assert self._process is not None
        self._process.send_signal(number)

    def wait(self, timeout_s: float = WAIT_S_MAX) -> int:
        """Wait until the daemon ends, and return its exit code."""
        assert self._process is not None
        return self._process.wait(timeout_s)

    def close(self) -> None:
        """End the daemon if it still runs: with SIGKILL, or with SIGTERM when it must write its coverage before."""
        if self._process is not None and self._process.poll() is None:
            self._end(signal.SIGTERM if "COVERAGE_PROCESS_CONFIG" in os.environ else signal.SIGKILL)

    def _end(self, number: int, timeout_s: float = WAIT_S_MAX) -> int:
        self.signal(number)
        return self.wait(timeout_s)

    def _listens(self) -> bool:
        """Return True once the daemon accepts connections. Raises OSError before, AssertionError when it has ended."""
        assert self._process is not None
        assert self._process.poll() is None, "it has ended"
        # At every address: the daemon begins to listen at one after the other.
        more = (value for flag, value in pairwise(self.flags) if flag == "--listen")
        for address in (self.address, *more):
            if address.startswith("unix:"):
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.connect(address.removeprefix("unix:"))
            elif not address.endswith(":0"):
                host, _, port = address.rpartition(":")
                socket.create_connection((host.strip("[]"), int(port)), timeout=WAIT_S_MAX).close()
        return True


class HttpDaemon(Daemon):
    """A daemon of grpcio's server, of which the address is that of HTTP."""

    address_flag = "--http"

    def __init__(self, directory: Path, *flags: str, environment: dict[str, str] | None = None) -> None:
        super().__init__(directory, "--transport", "grpc", "--listen", "127.0.0.1:0", *flags, environment=environment)


def insecure_channel(address: str) -> grpc.Channel:
    """Return a channel for large messages that shares its connection with no other channel."""
    options = [("grpc.max_receive_message_length", 64 << 20), ("grpc.use_local_subchannel_pool", 1)]
    return grpc.insecure_channel(address, options=options)
