"""The file in which a watch keeps its place."""

import os
from pathlib import Path

import click

from memoryd_server.domain.limit import TOKEN_BYTES_MAX


class ResumeFile:
    """Holds the resume token of what has been printed; the file is whole at any moment."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._token = ""

    def read(self) -> str | None:
        """The token; None when there is no file yet, or an empty one. Raises click.UsageError, OSError."""
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
        """Replace the token, if it is another one. Raises OSError."""
        if not token or token == self._token:
            return
        partial = self._path.with_name(f"{self._path.name}.partial")
        with partial.open("w", encoding="ascii") as file:
            file.write(f"{token}\n")
            file.flush()
            # Renamed before its content is on disk, it may be empty after a loss of power.
            os.fsync(file.fileno())
        partial.replace(self._path)
        self._token = token
