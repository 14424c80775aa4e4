"""The command as a process of its own, whose output can be waited for."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.wait import WAIT_S_MAX, until


class Process:
    """Runs ``memoryd`` with its output in files."""

    def __init__(self, directory: Path, arguments: Sequence[str], address: str) -> None:
        directory.mkdir()
        self._out = directory / "out"
        self._err = directory / "err"
        command = [Path(sys.executable).with_name("memoryd"), *arguments]
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env={**os.environ, "MEMORYD_ADDRESS": address},
            )

    @property
    def out(self) -> str:
        """The standard output so far."""
        return self._out.read_text()

    @property
    def err(self) -> str:
        """The standard error so far."""
        return self._err.read_text()

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait for something that it does."""
        try:
            until(lambda: condition() or self._process.poll() is not None, "the condition holds")
            assert condition(), f"it ended with {self._process.returncode}"
        except AssertionError as missed:
            raise AssertionError(f"out {self.out!r}, err {self.err!r}") from missed

    def interrupt(self) -> int:
        """End it as Ctrl-C does, and return the exit code."""
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(WAIT_S_MAX)

    def wait(self) -> int:
        """Wait for its end, and return the exit code."""
        return self._process.wait(WAIT_S_MAX)

    def close(self) -> None:
        """Kill it if it still runs."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(WAIT_S_MAX)
