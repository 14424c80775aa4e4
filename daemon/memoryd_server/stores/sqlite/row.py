"""The rows of the database: how they are made, and how they are checked when they are read.

Each row ends with a CRC-32 of everything that it says, its place included, because SQLite has no checksums of its own
in the main file. A row that fails the check raises DataDamaged.
"""

from typing import Any, NamedTuple
from zlib import crc32

from memoryd_server.domain.error import DataDamaged
from memoryd_server.ports.store import AgentHead, JournalRow, Record

StoreColumns = tuple[str, int, int, int, int, int]
AgentColumns = tuple[int, str, int, int, int, int, int | None, int, int, int]
RecordColumns = tuple[int, str, str, bytes, int]
JournalPlace = tuple[int, int, int, int, int, int]
JournalColumns = tuple[int, int, int, int, int, int, bytes, int]


class Tail(NamedTuple):
    """How far the database has come; the only row of ``store``.

    ``generation`` counts the transactions that wrote. Positions up to ``pruned_position`` are no longer retained.
    """

    store_id: str
    generation: int
    end_position: int
    pruned_position: int
    next_agent_key: int


class StoredHead(NamedTuple):
    """An agent's head with its number and the position of its last journal row, 0 without one."""

    agent_key: int
    last_position: int
    head: AgentHead


class StoredRow(NamedTuple):
    """A journal row that does not know its agent's id yet, and the position of the agent's row before it."""

    position: int
    agent_key: int
    previous_position: int
    base_revision: int
    revision: int
    commit_time: int
    data: bytes

    @property
    def place(self) -> JournalPlace:
        """All that it says beside its data."""
        return self[:6]

    def told(self, agent_id: str) -> JournalRow:
        """The row as the port answers it."""
        return JournalRow(self.position, agent_id, self.base_revision, self.revision, self.commit_time, self.data)


def tail_columns(tail: Tail) -> StoreColumns:
    """The values of ``store``'s columns."""
    return (*tail, crc32(repr(tuple(tail)).encode()))


def read_tail(columns: tuple[Any, ...]) -> Tail:
    """Check and read the row of ``store``."""
    tail = Tail(*columns[:-1])
    if columns[-1] != crc32(repr(columns[:-1]).encode()):
        raise DataDamaged("the row of the store")
    return tail


def agent_columns(agent_key: int, head: AgentHead, last_position: int) -> AgentColumns:
    """The values of ``agent``'s columns."""
    ended = int(head.ended)
    what = (
        f"{agent_key} {head.agent_id} {head.revision} {head.create_time} {head.update_time} {head.record_count}"
        f" {head.next_deadline} {ended} {last_position}"
    )
    return (
        agent_key,
        head.agent_id,
        head.revision,
        head.create_time,
        head.update_time,
        head.record_count,
        head.next_deadline,
        ended,
        last_position,
        crc32(what.encode()),
    )


def read_agent(columns: tuple[Any, ...]) -> StoredHead:
    """Check and read a row of ``agent``."""
    agent_key, agent_id, revision, create_time, update_time, record_count, next_deadline, ended, last, checksum = (
        columns
    )
    what = (
        f"{agent_key} {agent_id} {revision} {create_time} {update_time} {record_count} {next_deadline} {ended} {last}"
    )
    if checksum != crc32(what.encode()):
        raise DataDamaged(f"the head of agent number {agent_key}")
    head = AgentHead(agent_id, revision, create_time, update_time, record_count, next_deadline, bool(ended))
    return StoredHead(agent_key, last, head)


def record_columns(agent_key: int, record: Record) -> RecordColumns:
    """The values of ``record``'s columns."""
    checksum = crc32(record.data, crc32(f"{agent_key} {record.kind} {record.key}".encode()))
    return (agent_key, record.kind, record.key, record.data, checksum)


def read_record(agent_key: int, kind: Any, key: Any, data: Any, checksum: Any) -> Record:
    """Check and read a row of ``record``."""
    if type(data) is not bytes or checksum != crc32(data, crc32(f"{agent_key} {kind} {key}".encode())):
        raise DataDamaged(f"a record of agent number {agent_key}")
    return Record(kind, key, data)


def journal_columns(place: JournalPlace, data: bytes) -> JournalColumns:
    """The values of ``journal``'s columns."""
    return (*place, data, crc32(data, crc32(repr(place).encode())))


def read_journal_row(columns: tuple[Any, ...]) -> StoredRow:
    """Check and read a row of ``journal``."""
    row = StoredRow(*columns[:-1])
    if type(row.data) is not bytes or columns[-1] != crc32(row.data, crc32(repr(row.place).encode())):
        raise DataDamaged(f"the journal's row {row.position}")
    return row
