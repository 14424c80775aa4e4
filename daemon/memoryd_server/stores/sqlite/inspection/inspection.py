"""An inspection of the store's files, which it never changes: what must be repaired is repaired in a copy."""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

from typing_extensions import override

from memoryd_server.domain.error import DataDamaged, StoreUnavailable
from memoryd_server.ports.inspection import AgentCondition, StoreInspection
from memoryd_server.ports.store import StoredAgent
from memoryd_server.stores.sqlite import agent_query
from memoryd_server.stores.sqlite.failure import has_log, refusal_of, wal_path
from memoryd_server.stores.sqlite.inspection.journal_check import damaged_journals
from memoryd_server.stores.sqlite.log_file import LOST
from memoryd_server.stores.sqlite.mark import MarkState, read_mark
from memoryd_server.stores.sqlite.opening import DATABASE_NAME, MARK_NAME, verify_files, verify_or_mend
from memoryd_server.stores.sqlite.row import StoredHead, Tail, read_agent, read_record
from memoryd_server.stores.sqlite.schema import connect_reader, load_tail

_RECORDS = "SELECT kind, key, data, checksum FROM record WHERE agent_key = ?"
_IDS = "SELECT agent_key, agent_id FROM agent INDEXED BY sqlite_autoindex_agent_1"
_DAMAGE = (DataDamaged, sqlite3.Error)


class SqliteInspection(StoreInspection):
    """Implements ``StoreInspection``. Whole files are read in place, also while a daemon uses them.

    Damaged ones are copied to a temporary directory, which needs as much space as they have.
    """

    def __init__(self, directory: Path) -> None:
        self.loss = ""
        self._database = directory / DATABASE_NAME
        self._stack = ExitStack()

    @override
    def open(self) -> None:
        if not self._database.exists():
            raise StoreUnavailable from FileNotFoundError(f"{self._database} is missing")
        try:
            if not self._is_whole():
                self._database = self._copied()
                self._repair()
            self._connection = self._stack.enter_context(closing(connect_reader(self._database)))
            self._connection.execute("BEGIN")
            self._tail = self._last_tail()
        except (sqlite3.Error, OSError) as error:
            self.close()
            raise refusal_of(error, self._database) from error
        except BaseException:
            self.close()
            raise

    def _is_whole(self) -> bool:
        try:
            found = read_mark(self._database.with_name(MARK_NAME))
            if verify_files(self._database, found) is None:
                raise StoreUnavailable from FileNotFoundError(f"{self._database} is empty")
        except _DAMAGE:
            return False
        return found is None or not found.backfilling or has_log(self._database)

    def _copied(self) -> Path:
        directory = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="memoryd-check-")))
        for path in (self._database, wal_path(self._database), self._database.with_name(MARK_NAME)):
            if path.exists():
                shutil.copyfile(path, directory / path.name)
        return directory / DATABASE_NAME

    def _repair(self) -> None:
        """Repair the copy as a daemon would at its start. Otherwise take the latest state that is left."""
        try:
            found = read_mark(self._database.with_name(MARK_NAME))
        except DataDamaged as damage:
            self.loss = _without_advice(damage)
            return
        try:
            verify_or_mend(self._database, found)
            if found is not None and found.backfilling and not has_log(self._database):
                self.loss = LOST
        except _DAMAGE as damage:
            self._choose_state(found)
            left = _generation(self._database)
            self.loss = _without_advice(damage)
            if found is not None and left < found.required_generation:
                self.loss += f" ({left:,} of {found.required_generation:,} groups of commits are left)"

    def _choose_state(self, found: MarkState | None) -> None:
        """Leave the log out if the main file has later commits than the part of the log that can be read."""
        path = wal_path(self._database)
        if found is None or not found.shows_whole_copy or not path.exists():
            return
        with_log = _generation(self._database)
        aside = path.rename(path.with_name("aside"))
        if _generation(self._database) < with_log:
            aside.rename(path)

    def _last_tail(self) -> Tail:
        try:
            return load_tail(self._connection)
        except DataDamaged as damage:
            # Agents can be found without it; the journal cannot be checked then.
            self.loss = self.loss or damage.message
            (last,) = self._connection.execute("SELECT max(agent_key) FROM agent").fetchone()
            return Tail("", 0, 0, 0, (last or 0) + 1)

    @override
    def close(self) -> None:
        self._stack.close()

    @override
    def conditions(self) -> Iterator[AgentCondition]:
        ids: dict[int, str] = {}
        with suppress(sqlite3.Error):
            ids.update(self._connection.execute(_IDS).fetchall())
        heads = {key: self._head(key, key in ids) for key in sorted({*ids, *range(1, self._tail.next_agent_key)})}
        broken = damaged_journals(
            self._connection, self._tail, [each for each in heads.values() if isinstance(each, StoredHead)]
        )
        for key, head in heads.items():
            if isinstance(head, str):
                yield AgentCondition(ids.get(key, ""), journal_damaged=key in broken, error=head)
            elif head is not None and not head.head.ended:
                yield self._condition(head, journal_damaged=key in broken)

    def _head(self, agent_key: int, is_indexed: bool) -> StoredHead | str | None:
        """Return an agent's head, None if there is no such agent, or the damage."""
        try:
            row = self._connection.execute("SELECT * FROM agent WHERE agent_key = ?", (agent_key,)).fetchone()
            if row is not None:
                return read_agent(row)
        except _DAMAGE as damage:
            return str(damage)
        return f"the head of agent number {agent_key} is missing" if is_indexed else None

    def _condition(self, stored: StoredHead, *, journal_damaged: bool) -> AgentCondition:
        head = stored.head
        error, damaged = "", 0
        try:
            agent_query.with_records(self._connection, stored)
        except _DAMAGE as damage:
            error, damaged = str(damage), max(head.record_count - self._readable_records(stored.agent_key), 0)
        return AgentCondition(head.agent_id, head.revision, head.record_count, damaged, journal_damaged, error)

    def _readable_records(self, agent_key: int) -> int:
        count = 0
        with suppress(sqlite3.Error):
            for row in self._connection.execute(_RECORDS, (agent_key,)):
                with suppress(DataDamaged):
                    read_record(agent_key, *row)
                    count += 1
        return count

    @override
    def load(self, agent_id: str) -> StoredAgent | None:
        try:
            return agent_query.load(self._connection, agent_id)
        except sqlite3.Error as error:
            raise refusal_of(error, self._database) from error


def _without_advice(damage: Exception) -> str:
    return str(damage).partition(";")[0]


def _generation(database: Path) -> int:
    """Return the generation of a database; -1 if it cannot be read."""
    try:
        with closing(connect_reader(database)) as connection:
            return load_tail(connection).generation
    except _DAMAGE:
        return -1
