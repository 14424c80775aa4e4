"""The rows of the database: their encoding, and the check of their checksums.

Each row ends with a CRC-32 of all its columns, its key included, because SQLite has no checksums of its own in the main
file. Reading a row that fails the check raises DataDamaged.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple
from zlib import crc32

from memoryd_server.domain.error import DataDamaged
from memoryd_server.ports.store import AgentHead, JournalRow, Record, Tally

StoreColumns = tuple[str, int, int, int, int, int]
AgentColumns = tuple[int, str, int, int, int, int, int | None, int, int, int, int, int, int, int]
RecordColumns = tuple[int, str, str, bytes, int]
JournalPlace = tuple[int, int, int, int, int, int]
JournalColumns = tuple[int, int, int, int, int, int, bytes, int]


class Tail(NamedTuple):
    """The state of the database as a whole; the only row of table ``store``.

    ``generation`` is the number of transactions that wrote. Positions up to ``pruned_position`` are no longer retained.
    """

    store_id: str
    generation: int
    end_position: int
    pruned_position: int
    next_agent_key: int


class StoredHead(NamedTuple):
    """An agent's head, its number, and the position of its last journal row; 0 if it never had one."""

    agent_key: int
    last_position: int
    head: AgentHead


class StoredRow(NamedTuple):
    """A journal row, with its agent's number instead of the id, and the position of the agent's previous row."""

    position: int
    agent_key: int
    previous_position: int
    base_revision: int
    revision: int
    commit_time: int
    data: bytes

    @property
    def place(self) -> JournalPlace:
        """All columns before the data."""
        return self[:6]

    def with_agent_id(self, agent_id: str) -> JournalRow:
        """Return the row in the form of the port."""
        return JournalRow(self.position, agent_id, self.base_revision, self.revision, self.commit_time, self.data)


def tail_columns(tail: Tail) -> StoreColumns:
    """Return the columns of table ``store``."""
    return (*tail, crc32(repr(tuple(tail)).encode()))


def read_tail(columns: tuple[Any, ...]) -> Tail:
    """Check and decode the row of table ``store``."""
    tail = Tail(*columns[:-1])
    if columns[-1] != crc32(repr(columns[:-1]).encode()):
        raise DataDamaged("the row of table store has a wrong checksum")
    return tail


def agent_columns(agent_key: int, head: AgentHead, last_position: int) -> AgentColumns:
    """Return the columns of table ``agent``."""
    ended = int(head.ended)
    what = (
        f"{agent_key} {head.agent_id} {head.revision} {head.create_time} {head.update_time} {head.record_count}"
        f" {head.next_deadline} {ended} {last_position} {tuple(head.tally)}"
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
        *head.tally,
        crc32(what.encode()),
    )


def read_agent(columns: tuple[Any, ...]) -> StoredHead:
    """Check and decode a row of table ``agent``."""
    agent_key, agent_id, revision, create_time, update_time, record_count, next_deadline, ended, last, *rest = columns
    *tally, checksum = rest
    what = (
        f"{agent_key} {agent_id} {revision} {create_time} {update_time} {record_count} {next_deadline} {ended} {last}"
        f" {tuple(tally)}"
    )
    if checksum != crc32(what.encode()):
        raise DataDamaged(f"the head of agent number {agent_key} has a wrong checksum")
    times = (create_time, update_time)
    head = AgentHead(agent_id, revision, *times, record_count, next_deadline, bool(ended), Tally(*tally))
    return StoredHead(agent_key, last, head)


def record_columns(agent_key: int, record: Record) -> RecordColumns:
    """Return the columns of table ``record``."""
    checksum = crc32(record.data, crc32(f"{agent_key} {record.kind} {record.key}".encode()))
    return (agent_key, record.kind, record.key, record.data, checksum)


def read_record(agent_key: int, row: tuple[Any, ...]) -> Record:
    """Check and decode a row of table ``record``, without the agent's number."""
    (record,) = read_records(agent_key, (row,))
    return record


def read_records(agent_key: int, rows: Iterable[tuple[Any, ...]]) -> list[Record]:
    """Check and decode rows of table ``record``, without the number of their agent."""
    records: list[Record] = []
    kinds: dict[Any, tuple[Any, int]] = {}
    for kind, key, data, checksum in rows:
        # What precedes the key is the same for all records of a kind.
        known = kinds.get(kind)
        if known is None:
            known = kinds[kind] = (kind, crc32(f"{agent_key} {kind} ".encode()))
        if type(data) is not bytes or type(key) is not str or checksum != crc32(data, crc32(key.encode(), known[1])):
            raise DataDamaged(f"a record of agent number {agent_key} has a wrong checksum")
        records.append(Record(known[0], key, data))
    return records


def journal_columns(place: JournalPlace, data: bytes) -> JournalColumns:
    """Return the columns of table ``journal``."""
    return (*place, data, crc32(data, crc32(repr(place).encode())))


def read_journal_row(columns: tuple[Any, ...]) -> StoredRow:
    """Check and decode a row of table ``journal``."""
    row = StoredRow(*columns[:-1])
    if type(row.data) is not bytes or columns[-1] != crc32(row.data, crc32(repr(row.place).encode())):
        raise DataDamaged(f"the journal's row {row.position} has a wrong checksum")
    return row
