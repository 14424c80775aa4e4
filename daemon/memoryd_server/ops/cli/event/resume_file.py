"""The file in which `memoryd watch` saves its position."""

import os
from pathlib import Path

import click

from memoryd_server.domain.limit import TOKEN_BYTES_MAX


class ResumeFile:
    """The resume token of the last printed event. The file is replaced atomically."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._token = ""

    def read(self) -> str | None:
        """Return the token; None if the file is missing or empty. Raises click.UsageError, OSError."""
        try:
            with self._path.open("rb") as file:
                content = file.read(TOKEN_BYTES_MAX + 1).strip()
        except FileNotFoundError:
            return None
        if len(content) > TOKEN_BYTES_MAX or not content.isascii() or len(content.split()) > 1:
            raise click.UsageError(f"--resume-file: {self._path} does not hold a resume token")
        self._token = content.decode("ascii")
        return self._token or None

    def write(self, token: str) -> None:
        """Save the token, if it has changed. Raises OSError."""
        if not token or token == self._token:
            return
        partial = self._path.with_name(f"{self._path.name}.partial")
        with partial.open("w", encoding="ascii") as file:
            file.write(f"{token}\n")
            file.flush()
            # Without this, a loss of power after the rename could leave an empty file.
            os.fsync(file.fileno())
        partial.replace(self._path)
        self._token = token
