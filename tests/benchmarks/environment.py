"""Environments of third-party libraries, each created once a machine, so that none is installed beside the daemon."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

INSTALL_S_MAX = 900.0

_OF_PIP = {"PIP_INDEX_URL": "UV_DEFAULT_INDEX", "PIP_FIND_LINKS": "UV_FIND_LINKS", "PIP_CERT": "SSL_CERT_FILE"}
"""The settings of a mirror that uv does not read, by the names that it reads."""


class MissingLibrary(Exception):  # noqa: N818 - its name is not shown, only its message
    """A library cannot be installed, or does not start."""


def interpreter_with(name: str, packages: Sequence[str]) -> Path:
    """Return the interpreter of the environment with these packages, which is created if it is missing.

    Raises MissingLibrary.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "memoryd-tests"
    directory = cache / "-".join((name, *packages))
    interpreter, stamp = directory / "bin" / "python", directory / "installed"
    if stamp.exists():
        return interpreter
    uv = str(Path(sys.executable).with_name("uv"))
    _run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(directory)])
    _run([uv, "pip", "install", "--quiet", "--python", str(interpreter), *packages])
    stamp.touch()
    return interpreter


def last_line(text: str) -> str:
    """Return the last line of a program's output."""
    return (text.strip().splitlines() or ["no output"])[-1]


def _run(command: Sequence[str]) -> None:
    environment = {uv: os.environ[pip] for pip, uv in _OF_PIP.items() if os.environ.get(pip)} | os.environ
    try:
        subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_S_MAX, check=True, env=environment)
    except subprocess.TimeoutExpired:
        raise MissingLibrary(f"it is not installed within {INSTALL_S_MAX:.0f} s") from None
    except subprocess.CalledProcessError as failure:
        raise MissingLibrary(f"it cannot be installed: {last_line(failure.stderr)}") from None
