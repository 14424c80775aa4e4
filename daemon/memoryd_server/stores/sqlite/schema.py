"""The tables, and the connections to them.

An agent has a number, so that its records and journal rows stay small. The journal has no index by agent: each row
has the position of the agent's previous row, and the head that of the last one. This chain saves each commit the write
of an index page elsewhere, lets pruning delete adjacent pages, and reveals a missing row.

Records are rows of a table with an index by their keys, and not rows of that index: there, a row of a quarter of a page
and more would take a page of its own.
"""

import errno
import secrets
import sqlite3
from pathlib import Path

from memoryd_server.domain.error import DataDamaged, SchemaTooNew, SchemaTooOld
from memoryd_server.stores.sqlite.commits.statement import create_view
from memoryd_server.stores.sqlite.limit import (
    BUSY_WAIT_S,
    LOG_KEPT_BYTES_MAX,
    READER_CACHE_KIB,
    STATEMENTS_CACHED_MAX,
    WRITER_CACHE_KIB,
)
from memoryd_server.stores.sqlite.row import Tail, read_tail, tail_columns

SCHEMA_VERSION = 2
"""The version of the tables. Each change of them adds 1, and a step to ``conversion.STEPS``."""

OLDEST_VERSION = 1
"""The oldest version that can be converted; there was none before."""

APPLICATION_ID = 0x6D656D64
"""The id by which ``file`` and memoryd recognize the database: "memd"."""

RECORD_TABLE = """CREATE TABLE record (
  agent_key INTEGER NOT NULL,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  data BLOB NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (agent_key, kind, key)
)"""

_TABLES = (
    """CREATE TABLE store (
  store_id TEXT NOT NULL,
  generation INTEGER NOT NULL,
  end_position INTEGER NOT NULL,
  pruned_position INTEGER NOT NULL,
  next_agent_key INTEGER NOT NULL,
  checksum INTEGER NOT NULL
)""",
    """CREATE TABLE agent (
  agent_key INTEGER PRIMARY KEY,
  agent_id TEXT NOT NULL UNIQUE,
  revision INTEGER NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  record_count INTEGER NOT NULL,
  next_deadline INTEGER,
  ended INTEGER NOT NULL,
  last_position INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  scopes INTEGER NOT NULL,
  fragments INTEGER NOT NULL,
  memories INTEGER NOT NULL,
  checksum INTEGER NOT NULL
)""",
    "CREATE INDEX agent_deadline ON agent (next_deadline) WHERE next_deadline IS NOT NULL",
    "CREATE INDEX agent_ended ON agent (last_position) WHERE ended",
    RECORD_TABLE,
    """CREATE TABLE journal (
  position INTEGER PRIMARY KEY,
  agent_key INTEGER NOT NULL,
  previous_position INTEGER NOT NULL,
  base_revision INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  commit_time INTEGER NOT NULL,
  data BLOB NOT NULL,
  checksum INTEGER NOT NULL
)""",
)


def connect_writer(database: Path, *, synced: bool) -> sqlite3.Connection:
    """Open the connection that writes. Raises sqlite3.Error, OSError."""
    connection = _connect(
        database,
        "rwc",
        "PRAGMA auto_vacuum = NONE",  # freed pages are reused; moving pages would slow down every commit
        "PRAGMA journal_mode = WAL",
        f"PRAGMA synchronous = {'FULL' if synced else 'NORMAL'}",
        "PRAGMA wal_autocheckpoint = 0",  # the writer chooses the moment
        f"PRAGMA journal_size_limit = {LOG_KEPT_BYTES_MAX}",
        "PRAGMA secure_delete = ON",  # deleted content is overwritten with zeros, freed pages too
        f"PRAGMA cache_size = -{WRITER_CACHE_KIB}",
    )
    if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        connection.close()
        raise OSError(errno.ENOTSUP, "the file system has no shared memory for a write-ahead log")
    create_view(connection)
    return connection


def connect_copier(database: Path, *, synced: bool) -> sqlite3.Connection:
    """Open a connection that copies the log, and writes nothing else. Raises sqlite3.Error."""
    return _connect(
        database, "rw", f"PRAGMA synchronous = {'FULL' if synced else 'NORMAL'}", "PRAGMA wal_autocheckpoint = 0"
    )


def connect_reader(database: Path) -> sqlite3.Connection:
    """Open a read-only connection, which does not change the files when it is closed either. Raises sqlite3.Error."""
    return _connect(database, "ro", "PRAGMA query_only = ON", f"PRAGMA cache_size = -{READER_CACHE_KIB}")


def _connect(database: Path, mode: str, *pragmas: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{database.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_WAIT_S,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=STATEMENTS_CACHED_MAX,
    )
    try:
        # No mapped memory: a truncated file would kill the process by SIGBUS. With read() it is an error.
        for pragma in ("PRAGMA mmap_size = 0", "PRAGMA temp_store = MEMORY", "PRAGMA cell_size_check = ON", *pragmas):
            connection.execute(pragma).fetchall()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def create(connection: sqlite3.Connection) -> None:
    """Create the tables of an empty database in one transaction. Raises sqlite3.Error."""
    connection.execute("BEGIN IMMEDIATE")
    for statement in _TABLES:
        connection.execute(statement)
    first = Tail(secrets.token_hex(16), generation=0, end_position=0, pruned_position=0, next_agent_key=1)
    connection.execute("INSERT INTO store VALUES (?, ?, ?, ?, ?, ?)", tail_columns(first))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    connection.execute("COMMIT")


def is_blank(connection: sqlite3.Connection) -> bool:
    """Return True if nothing was created in the database yet. Raises sqlite3.Error."""
    return not (_application(connection) or version_of(connection) or _made(connection))


def verify(connection: sqlite3.Connection, oldest: int = SCHEMA_VERSION) -> None:
    """Check a database. Raise DataDamaged if it is another application's or visibly damaged, and SchemaTooNew or
    SchemaTooOld if another version wrote it: from ``oldest`` on, an older version is accepted.

    The table of agents is checked entirely, with its indexes: an agent that is not found would be created again. Rows
    of other tables are checked when they are read, against the counts and chains in the heads. A database of an older
    version is checked as a whole, since all of it may have to be converted.
    """
    if _application(connection) != APPLICATION_ID:
        raise DataDamaged("memoryd.db belongs to another application")
    version = version_of(connection)
    if version > SCHEMA_VERSION:
        raise SchemaTooNew("memoryd.db", version, SCHEMA_VERSION)
    if version < OLDEST_VERSION or (version == SCHEMA_VERSION and _made(connection) != set(_TABLES)):
        raise DataDamaged("memoryd.db has another schema than its version says")
    if version < oldest:
        raise SchemaTooOld("memoryd.db", version, SCHEMA_VERSION, "start `memoryd serve` on it once, which converts it")
    checked = "(agent)" if version == SCHEMA_VERSION else ""
    found = connection.execute(f"PRAGMA integrity_check{checked}").fetchall()
    if found != [("ok",)]:
        raise DataDamaged(f"memoryd.db: {found[0][0]}")


def load_tail(connection: sqlite3.Connection) -> Tail:
    """Read the tail of the database. Raises DataDamaged, sqlite3.Error."""
    rows = connection.execute("SELECT * FROM store").fetchall()
    if len(rows) != 1:
        raise DataDamaged(f"table store has {len(rows)} rows instead of 1")
    return read_tail(rows[0])


def _application(connection: sqlite3.Connection) -> int:
    (found,) = connection.execute("PRAGMA application_id").fetchone()
    return int(found)


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of the schema. Raises sqlite3.Error."""
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    return int(found)


def _made(connection: sqlite3.Connection) -> set[str]:
    rows = connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
    return {sql for (sql,) in rows}
