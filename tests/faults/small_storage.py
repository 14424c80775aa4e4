"""Directories with little space, and a way to free more."""

import contextlib
import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOM_BYTES = 4 * 1024 * 1024

Release = Callable[[], None]


@contextlib.contextmanager
def small_disk(directory: Path) -> Iterator[Release]:
    """Mount a file system with ROOM_BYTES of free space; yield a function that frees as much again."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small tmpfs needs root")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"mode=0700,size={2 * ROOM_BYTES}", "tmpfs", directory], check=False
    )
    if mounted.returncode:
        pytest.skip("a tmpfs cannot be mounted here")
    try:
        ballast = directory / "ballast"
        ballast.write_bytes(bytes(ROOM_BYTES))
        yield ballast.unlink
    finally:
        subprocess.run(["umount", "--lazy", directory], check=True)


@contextlib.contextmanager
def small_files(directory: Path) -> Iterator[Release]:
    """Limit the size of each file, which SQLite sees as an I/O error; yield a function that removes the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def release() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM_BYTES, hard))
    try:
        yield release
    finally:
        release()
