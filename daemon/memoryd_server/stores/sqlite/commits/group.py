"""Commits of many agents that are written as one transaction.

Every call into SQLite releases the interpreter's lock, and must wait for a busy event loop to get it back. So a group
is written by few statements of many rows, whatever the number of its commits, and a small one by a single statement.
"""

import sqlite3

from memoryd_server.ports.store import Commit, RevisionConflict
from memoryd_server.stores.sqlite.commits.statement import (
    ADD_JOURNAL,
    DELETE_RECORD,
    DROP_RECORDS,
    PUT_AGENTS,
    PUT_RECORDS,
    transaction,
    write_at_once,
    write_rows,
)
from memoryd_server.stores.sqlite.limit import ROWS_AT_ONCE_MAX
from memoryd_server.stores.sqlite.row import (
    AgentColumns,
    JournalColumns,
    RecordColumns,
    StoredHead,
    Tail,
    agent_columns,
    journal_columns,
    record_columns,
)

PAGE_BYTES = 4096

_Key = tuple[int, str, str]


class Group:
    """Collects commits, and checks them against known heads. Nothing is written before ``write``.

    ``heads`` are the heads of the changed agents after the group is written.
    """

    def __init__(self, tail: Tail, known: dict[str, StoredHead]) -> None:
        self.heads: dict[str, StoredHead] = {}
        self._from = tail
        self._end_position = tail.end_position
        self._next_agent_key = tail.next_agent_key
        self._known = known
        self._agents: dict[int, AgentColumns] = {}
        self._puts: dict[_Key, RecordColumns] = {}
        self._deletes: dict[_Key, None] = {}
        self._drops: dict[int, None] = {}
        self._journal: list[JournalColumns] = []
        self._bytes = 0
        self._rows_dropped = 0

    def add(self, commit: Commit) -> int:
        """Add a commit, and return its position. Raises RevisionConflict, and then leaves the group unchanged."""
        head = commit.head
        agent_id = head.agent_id
        known = self.heads.get(agent_id) or self._known.get(agent_id)
        agent_key, last_position, before = known or (self._next_agent_key, 0, None)
        revision = before.revision if before else 0
        if revision != commit.expected_revision:
            raise RevisionConflict(agent_id)
        # Whatever can fail comes before the first change of the group.
        puts = [record_columns(agent_key, record) for record in commit.puts]
        journal_row = None
        if commit.journal is not None:
            position = self._end_position + 1
            journal_row = journal_columns(
                (position, agent_key, last_position, revision, head.revision, head.update_time), commit.journal
            )
            last_position = position
        self._agents[agent_key] = agent_columns(agent_key, head, last_position)
        self.heads[agent_id] = StoredHead(agent_key, last_position, head)
        if before is None:
            self._next_agent_key += 1
        if journal_row is not None:
            self._end_position += 1
            self._journal.append(journal_row)
            self._bytes += len(journal_row[6])
        if commit.drop_records:
            self._drop_records(agent_key, before.record_count if before else 0)
        self._change_records(agent_key, commit, puts)
        return self._end_position

    def add_row(self, row: RecordColumns) -> None:
        """Add a row of table ``record`` that belongs to no commit."""
        self._puts[row[:3]] = row
        self._bytes += len(row[3])

    def delete_row(self, key: _Key) -> None:
        """Delete a row of table ``record`` that belongs to no commit."""
        self._deletes[key] = None

    def _drop_records(self, agent_key: int, record_count: int) -> None:
        self._drops[agent_key] = None
        self._rows_dropped += record_count
        self._puts = {key: row for key, row in self._puts.items() if key[0] != agent_key}
        self._deletes = {key: None for key in self._deletes if key[0] != agent_key}

    def _change_records(self, agent_key: int, commit: Commit, puts: list[RecordColumns]) -> None:
        """Merge the commit's changes into the group's, which are written in the order drops, deletes, puts."""
        for deleted in commit.deletes:
            key = (agent_key, deleted.kind, deleted.key)
            self._puts.pop(key, None)
            self._deletes[key] = None
        for row in puts:
            self.add_row(row)

    @property
    def tail(self) -> Tail:
        """The tail of the database after the group is written."""
        return self._from._replace(
            generation=self._from.generation + 1,
            end_position=self._end_position,
            next_agent_key=self._next_agent_key,
        )

    @property
    def empty(self) -> bool:
        """True if there is nothing to write."""
        return not self._agents

    @property
    def pages_max(self) -> int:
        """The approximate maximum number of pages that writing the group adds to the log."""
        rows = len(self._agents) + len(self._puts) + len(self._deletes) + len(self._journal)
        return rows + self._rows_dropped + self.pages_min + 3

    @property
    def pages_min(self) -> int:
        """The number of pages that its data alone take."""
        return self._bytes // PAGE_BYTES

    def write(self, connection: sqlite3.Connection) -> None:
        """Write everything as one transaction. Raises sqlite3.Error, ForeignWriter."""
        agents, records = list(self._agents.values()), list(self._puts.values())
        deleted = [key for key in self._deletes if key not in self._puts]
        if not self._drops and max(len(agents), len(deleted), len(records), len(self._journal)) <= ROWS_AT_ONCE_MAX:
            write_at_once(connection, agents, deleted, records, self._journal, self._from, self.tail)
            return
        with transaction(connection, self._from, self.tail):
            write_rows(connection, PUT_AGENTS, agents)
            if self._drops:
                connection.executemany(DROP_RECORDS, [(agent_key,) for agent_key in self._drops])
            if deleted:
                connection.executemany(DELETE_RECORD.format(*"???"), deleted)
            write_rows(connection, PUT_RECORDS, records)
            write_rows(connection, ADD_JOURNAL, self._journal)
