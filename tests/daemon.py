"""A real daemon for tests: the command as a user starts it, on a free port and a data directory of its own."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import grpc

START_S_MAX = 30.0


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
        command += ["--data-dir", self.data_dir, *self.flags]
        with self.log_path.open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **self.environment})
        deadline = time.monotonic() + START_S_MAX
        while not self._listens():
            if self._process.poll() is not None:
                raise AssertionError(f"daemon ended with {self._process.returncode}:\n{self.log}")
            if time.monotonic() > deadline:
                self.kill()
                raise AssertionError(f"daemon is not ready after {START_S_MAX} s:\n{self.log}")
            time.sleep(0.02)

    def channel(self) -> grpc.Channel:
        """Return a new channel to it, for the caller to close."""
        return insecure_channel(self.address)

    def kill(self) -> None:
        """End it with SIGKILL."""
        self._end(signal.SIGKILL)

    def stop(self, timeout_s: float = 30.0) -> int:
        """End it with SIGTERM, and return the exit code."""
        return self._end(signal.SIGTERM, timeout_s)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal and do not wait."""
        assert self._process is not None
        self._process.send_signal(number)

    def wait(self, timeout_s: float = 30.0) -> int:
        """Wait for its end, and return the exit code."""
        assert self._process is not None
        return self._process.wait(timeout_s)

    def close(self) -> None:
        """End it if it still runs."""
        if self._process is not None and self._process.poll() is None:
            self.kill()

    def _end(self, number: int, timeout_s: float = 30.0) -> int:
        self.signal(number)
        return self.wait(timeout_s)

    def _listens(self) -> bool:
        host, port = self.address.split(":")
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
        except OSError:
            return False
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
