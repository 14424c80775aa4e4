"""An inspection of the store's files, which it never changes: what must be repaired is repaired in a copy."""

import shutil
import sqlite3
import tempfile
from collections.abc import AsyncIterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import msgspec
from typing_extensions import override

from memoryd_server.domain.error import DataDamaged, StoreUnavailable
from memoryd_server.ports.inspection import InspectedAgent, StoreInspection
from memoryd_server.stores.sqlite import agent_query
from memoryd_server.stores.sqlite.failure import has_log, refusal_of, wal_path
from memoryd_server.stores.sqlite.inspection.journal_check import damaged_journals
from memoryd_server.stores.sqlite.log.log_file import LOST
from memoryd_server.stores.sqlite.log.repair import verify_or_mend
from memoryd_server.stores.sqlite.mark import MarkState, read_mark
from memoryd_server.stores.sqlite.row import StoredHead, Tail, read_agent, read_record
from memoryd_server.stores.sqlite.schema import connect_reader, load_tail, verify
from memoryd_server.stores.sqlite.verification import DATABASE_NAME, MARK_NAME, generation_of, verify_files

_IDS = "SELECT agent_key, agent_id FROM agent INDEXED BY sqlite_autoindex_agent_1"
_DAMAGE = (DataDamaged, sqlite3.Error)


class SqliteInspection(StoreInspection):
    """Implements ``StoreInspection``. Whole files are read in place.

    Damaged ones are copied to a temporary directory, which needs as much space as they have.
    """

    def __init__(self, directory: Path) -> None:
        self.loss = ""
        self._database = directory / DATABASE_NAME
        self._stack = ExitStack()

    @override
    async def open(self) -> None:
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
            self._stack.close()
            raise refusal_of(error, self._database) from error
        except BaseException:
            self._stack.close()
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
        found: MarkState | None = None
        try:
            found = read_mark(self._database.with_name(MARK_NAME))
            verify_or_mend(self._database, found)
            if found is not None and found.backfilling and not has_log(self._database):
                self.loss = LOST
        except _DAMAGE as damage:
            self._choose_state(found)
            self.loss = self._loss(found, str(damage).partition(";")[0])

    def _choose_state(self, found: MarkState | None) -> None:
        """Leave the log out if the main file has later commits than the part of the log that can be read."""
        path = wal_path(self._database)
        if found is None or not found.shows_whole_copy or not path.exists():
            return
        with_log = generation_of(self._database) or 0
        left_out = path.rename(path.with_name("left-out"))
        if (generation_of(self._database) or 0) < with_log:
            left_out.rename(path)

    def _loss(self, found: MarkState | None, damage: str) -> str:
        """Return the damage if acknowledged commits are missing from the copy, or may be; empty if they are there."""
        left = generation_of(self._database)
        if found is None or left is None:
            return damage
        if left >= found.required_generation and found.store_id == self._store_id():
            return ""
        return f"{damage} ({left:,} of {found.required_generation:,} groups of commits are left)"

    def _store_id(self) -> bytes:
        with closing(connect_reader(self._database)) as connection:
            return bytes.fromhex(load_tail(connection).store_id)

    def _last_tail(self) -> Tail | None:
        """Return the tail; None if it is damaged. Agents can be found without it, but the journal cannot be checked."""
        try:
            return load_tail(self._connection)
        except _DAMAGE as damage:
            self.loss = self.loss or str(damage)
            return None

    @override
    async def close(self) -> None:
        self._stack.close()

    @override
    async def agents(self) -> AsyncIterator[InspectedAgent]:
        ids: dict[int, str] = {}
        with suppress(sqlite3.Error):
            ids.update(self._connection.execute(_IDS).fetchall())
        heads = {key: self._head(key, key in ids) for key in sorted({*ids, *range(1, self._next_agent_key())})}
        broken = self._broken_journals([each for each in heads.values() if isinstance(each, StoredHead)])
        if not any(isinstance(head, str) for head in heads.values()) and (damage := self._table_damage()):
            # An agent may be missing without a trace.
            yield InspectedAgent("", error=damage)
        for key, head in heads.items():
            is_journal_damaged = None if broken is None else key in broken
            if isinstance(head, str):
                yield InspectedAgent(ids.get(key, ""), is_journal_damaged=is_journal_damaged, error=head)
            elif head is not None and not head.head.ended:
                yield self._inspected(head, is_journal_damaged=is_journal_damaged)

    def _next_agent_key(self) -> int:
        if self._tail is not None:
            return self._tail.next_agent_key
        try:
            (last,) = self._connection.execute("SELECT max(agent_key) FROM agent").fetchone()
        except sqlite3.Error:  # There may be no such table: the database is another application's.
            return 0
        return (last or 0) + 1

    def _broken_journals(self, heads: list[StoredHead]) -> set[int] | None:
        return None if self._tail is None else damaged_journals(self._connection, self._tail, heads)

    def _table_damage(self) -> str:
        """Return what is wrong with the table of agents and its indexes; empty for nothing."""
        try:
            verify(self._connection)
        except _DAMAGE as damage:
            return str(damage)
        return ""

    def _head(self, agent_key: int, is_indexed: bool) -> StoredHead | str | None:
        """Return an agent's head, None if there is no such agent, or the damage."""
        try:
            row = self._connection.execute("SELECT * FROM agent WHERE agent_key = ?", (agent_key,)).fetchone()
            if row is not None:
                return read_agent(row)
        except _DAMAGE as damage:
            return str(damage)
        return f"the head of agent number {agent_key} is missing" if is_indexed else None

    def _inspected(self, stored: StoredHead, *, is_journal_damaged: bool | None) -> InspectedAgent:
        head = stored.head
        found = InspectedAgent(head.agent_id, head.revision, head.record_count, 0, is_journal_damaged)
        try:
            return msgspec.structs.replace(found, stored=agent_query.with_records(self._connection, stored))
        except _DAMAGE as damage:
            error = str(damage)
        # The index may be damaged and the records whole.
        with suppress(*_DAMAGE):
            whole = agent_query.with_records(self._connection, stored, agent_query.RECORDS_UNINDEXED)
            return msgspec.structs.replace(found, error=error, stored=whole)
        readable = max(
            self._readable_records(stored.agent_key, statement)
            for statement in (agent_query.RECORDS, agent_query.RECORDS_UNINDEXED)
        )
        return msgspec.structs.replace(found, damaged_records=max(head.record_count - readable, 0), error=error)

    def _readable_records(self, agent_key: int, statement: str) -> int:
        count = 0
        with suppress(sqlite3.Error):
            for row in self._connection.execute(statement, (agent_key,)):
                with suppress(DataDamaged):
                    read_record(agent_key, row)
                    count += 1
        return count


def _without_advice(damage: Exception) -> str:
    return str(damage).partition(";")[0]
