"""Faults of the machine that a daemon runs on: its disk, its clock, its memory."""

import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

_SOURCE = Path(__file__).with_name("preloaded.c")


class Faults:
    """The faults of the processes that run with ``environment``: each is on from ``begin`` to ``end``.

    ``sync``, ``write`` and ``read`` fail with EIO.
    """

    def __init__(self, directory: Path) -> None:
        """Build the library. Skips the test without a compiler."""
        compiler = shutil.which("gcc")
        if compiler is None or sys.platform != "linux":
            pytest.skip("faults of the machine need gcc and Linux")
        self.directory = directory / "faults"
        self.directory.mkdir()
        library = directory / "preloaded.so"
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, _SOURCE, "-ldl"], check=True)
        self.environment = {"LD_PRELOAD": str(library), "FAULTS": str(self.directory)}
        self.set_clock(0)

    def begin(self, name: str) -> None:
        """Let a call of the system fail."""
        (self.directory / name).touch()

    def end(self, name: str) -> None:
        """Let it succeed again."""
        (self.directory / name).unlink()

    def set_clock(self, later_s: int) -> None:
        """Let the time of day be as many seconds later than it is, or earlier."""
        file = os.open(self.directory / "clock", os.O_RDWR | os.O_CREAT)
        os.pwrite(file, struct.pack("q", later_s), 0)
        os.close(file)


class Steps:
    """The calls of the system by which the processes with ``environment`` change what is below a directory.

    They are counted from ``arm`` on.
    """

    def __init__(self, faults: Faults, below: Path) -> None:
        self.environment = {**faults.environment, "FAULTS_BELOW": str(below.resolve())}
        self._path = faults.directory / "steps"
        self._trace = faults.directory / "trace"

    def arm(self, number: int = 0, error: int = 0) -> None:
        """Begin to count. Call ``number`` fails with an errno, or kills its process if that is 0."""
        self._trace.write_bytes(b"")
        file = os.open(self._path, os.O_RDWR | os.O_CREAT)
        os.pwrite(file, struct.pack("qqq", 0, number, error), 0)
        os.close(file)

    @property
    def names(self) -> list[str]:
        """The calls since then, each with the file that it changes."""
        known = self._trace.read_text().splitlines()
        count, _, _ = struct.unpack("qqq", self._path.read_bytes()[:24])
        # A thread that had counted its call was killed by that of another before it wrote the name.
        return known + ["unknown"] * (count - len(known))
