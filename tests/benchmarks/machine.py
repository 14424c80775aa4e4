"""The machine and the versions with which a figure was measured."""

import importlib.metadata
import importlib.util
import os
import platform
import sqlite3
import subprocess
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from tests.benchmarks.calibration import Calibration, calibrate

_PACKAGES = ("grpcio", "protobuf", "uvloop", "msgspec", "immutables", "redis", "hiredis", "numpy", "model2vec")
_FRONT = "memoryd-front"


class Circumstances(msgspec.Struct, frozen=True):
    """The circumstances of a measurement. ``load`` is the machine's load average of the minute before it.

    ``calibration`` is the speed of the machine just before; records of earlier times have none.
    """

    date: str
    commit: str
    command: str
    cpu: str
    cores: int
    memory_gb: int
    kernel: str
    python: str
    sqlite: str
    packages: dict[str, str]
    load: float
    calibration: Calibration | None = None


def circumstances(root: Path, command: str) -> Circumstances:
    """Return the present circumstances. Takes a second, for the calibration."""
    with tempfile.TemporaryDirectory(prefix="memoryd-bench-") as directory:
        calibration = calibrate(Path(directory))
    return Circumstances(
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        commit=_commit(root),
        command=command,
        cpu=_value_of(Path("/proc/cpuinfo"), "model name"),
        cores=len(os.sched_getaffinity(0)),
        memory_gb=round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9),
        kernel=platform.release(),
        python=platform.python_version(),
        sqlite=sqlite3.sqlite_version,
        packages={name: importlib.metadata.version(name) for name in [*_PACKAGES, *_front()]},
        load=os.getloadavg()[0],
        calibration=calibration,
    )


def machine_line(about: Circumstances) -> str:
    """Return the machine and the versions as a sentence."""
    packages = ", ".join(f"{name} {version}" for name, version in about.packages.items())
    return (
        f"Machine: {about.cpu}, {about.cores} cores, {about.memory_gb} GB; Linux {about.kernel},"
        f" Python {about.python}, SQLite {about.sqlite}, {packages}."
    )


def _front() -> Sequence[str]:
    return [_FRONT] if importlib.util.find_spec("memoryd_front") is not None else []


def _commit(root: Path) -> str:
    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--", "daemon", "front", "clients", "requirements.txt")
    return (git("rev-parse", "--short=12", "HEAD") or "unknown") + (" with changes" if changed else "")


def _value_of(path: Path, name: str) -> str:
    for line in path.read_text().splitlines():
        found, _, value = line.partition(":")
        if found.strip() == name:
            return value.strip()
    return platform.machine()
