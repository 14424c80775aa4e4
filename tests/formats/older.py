"""A database of an older schema version, made from one of today's: what the step of that version undoes."""

import sqlite3
from contextlib import closing
from pathlib import Path

from memoryd_server.stores.sqlite.schema import OLDEST_VERSION, RECORD_TABLE

_TO_VERSION_1 = (
    "ALTER TABLE record RENAME TO record_2",
    f"{RECORD_TABLE} WITHOUT ROWID",
    "INSERT INTO record SELECT * FROM record_2",
    "DROP TABLE record_2",
    "PRAGMA user_version = 1",
)


def make_oldest(data: Path) -> None:
    """Turn the database in a data directory that no daemon uses into one of ``OLDEST_VERSION``."""
    assert OLDEST_VERSION == 1
    with closing(sqlite3.connect(data / "memoryd.db", isolation_level=None)) as connection:
        for statement in _TO_VERSION_1:
            connection.execute(statement)


def version_of(database: Path) -> int:
    """Return the schema version of a database."""
    with closing(sqlite3.connect(database)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        return int(version)
