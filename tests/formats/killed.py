"""Converts a database and is killed before one of the statements: `python -m tests.formats.killed DATA STATEMENT`."""

import os
import signal
import sqlite3
import sys
from pathlib import Path
from unittest import mock

from memoryd_server.stores.sqlite import opening
from memoryd_server.stores.sqlite.conversion import convert
from memoryd_server.stores.sqlite.durability import Durability


class Killed:
    """A connection whose process is killed before its statement with a number, counted from 0."""

    def __init__(self, connection: sqlite3.Connection, statement: int) -> None:
        self._connection = connection
        self._left = statement

    def execute(self, statement: str) -> sqlite3.Cursor:
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self._left -= 1
        return self._connection.execute(statement)

    def backup(self, target: sqlite3.Connection) -> None:
        self._connection.backup(target, pages=8, progress=lambda *_: self.execute("SELECT 1"))

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction


if __name__ == "__main__":
    directory, number = Path(sys.argv[1]), int(sys.argv[2])

    def interrupted(connection: sqlite3.Connection, database: Path) -> None:
        convert(Killed(connection, number), database)  # type: ignore[arg-type]

    with mock.patch.object(opening, "convert", interrupted):
        opening.open_files(directory, Durability.SYNCED)
    os.kill(os.getpid(), signal.SIGKILL)
