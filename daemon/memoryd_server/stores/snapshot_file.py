"""The snapshot format, version 1: one or all agents in a file of blocks (see ``block_file``). The blocks are:

::

    header           agent_id (empty: all agents), create_time, trigger, label, request_id, snapshot_id
    agent            an agent's head, and its first records
    records          more records of the same agent
    trailer          agent_count, record_count; the last block

An agent's records are split into blocks of about 1 MiB, so that a large agent can be written and checked without being
in memory as a whole. The tally detects files that were written wrongly.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Annotated

import msgspec

from memoryd_server.domain.error import DataDamaged, QuotaExceeded, SnapshotDamaged
from memoryd_server.ports.snapshot import SnapshotTrigger
from memoryd_server.ports.store import AgentHead, Record, StoredAgent
from memoryd_server.stores.block_file import BlockFormat, BlockReader, BlockWriter, Sink, Source
from memoryd_server.stores.limit import BLOCK_DATA_BYTES

MAGIC = b"memoryd snapshot\n"
VERSION = 1

INTEGER_MAX = 2**63 - 1


class Header(msgspec.Struct, frozen=True, tag="header"):
    """The origin of the image. ``agent_id`` is empty for all agents; ``create_time`` is in ns since the Unix epoch.

    ``snapshot_id`` is the id under which it was created.
    """

    agent_id: str
    create_time: Annotated[int, msgspec.Meta(ge=0, le=INTEGER_MAX)]
    trigger: SnapshotTrigger
    label: str = ""
    request_id: str = ""
    snapshot_id: str = ""


class AgentBlock(msgspec.Struct, frozen=True, tag="agent"):
    """The first block of an agent: its head, and its first records."""

    head: AgentHead
    records: tuple[Record, ...]


class RecordsBlock(msgspec.Struct, frozen=True, tag="records"):
    """A further block of the same agent."""

    records: tuple[Record, ...]


class Trailer(msgspec.Struct, frozen=True, tag="trailer"):
    """The last block, with the numbers of all agents and records."""

    agent_count: int
    record_count: int


Block = Header | AgentBlock | RecordsBlock | Trailer

_FORMAT: BlockFormat[Block] = BlockFormat("snapshot", MAGIC, VERSION, msgspec.msgpack.Decoder(Block))


class Tally:
    """Counts agents and records in the order of the file, and checks their consistency by raising ValueError."""

    def __init__(self, agent_id: str) -> None:
        self.agent_count = 0
        self.record_count = 0
        self.revision = 0
        self.agent_data_bytes = 0
        self._agent_id = agent_id
        self._head: AgentHead | None = None
        self._keys: set[tuple[str, str]] = set()

    def begin(self, head: AgentHead) -> None:
        """Begin an agent, and end the previous one."""
        self._end_agent()
        if self._agent_id and (self.agent_count or head.agent_id != self._agent_id):
            raise ValueError(f"the image of agent {self._agent_id!r} contains agent {head.agent_id!r}")
        if not all(0 <= number <= INTEGER_MAX for number in (head.revision, head.create_time, head.update_time)):
            raise ValueError(f"agent {head.agent_id!r} has a number out of range")
        self._head = head
        self.agent_count += 1
        if self._agent_id:
            self.revision = head.revision

    def add(self, records: tuple[Record, ...]) -> None:
        """Add records of the agent."""
        if self._head is None:
            raise ValueError("records precede the first agent")
        before = len(self._keys)
        self._keys.update((record.kind, record.key) for record in records)
        if len(self._keys) != before + len(records):
            raise ValueError(f"agent {self._head.agent_id!r} has a record twice")
        self.record_count += len(records)
        self.agent_data_bytes += sum(len(record.kind) + len(record.key) + len(record.data) for record in records)

    def end(self) -> Trailer:
        """End the file, and return its trailer."""
        self._end_agent()
        if self._agent_id and not self.agent_count:
            raise ValueError(f"the image of agent {self._agent_id!r} does not contain it")
        return Trailer(self.agent_count, self.record_count)

    def _end_agent(self) -> None:
        if self._head is not None and len(self._keys) != self._head.record_count:
            found, stated = len(self._keys), self._head.record_count
            raise ValueError(f"agent {self._head.agent_id!r} has {found} records instead of {stated}")
        self._keys.clear()
        self.agent_data_bytes = 0


class SnapshotWriter:
    """Writes one snapshot to a sink, which it does not close. Raises what the sink raises."""

    def __init__(self, sink: Sink, header: Header) -> None:
        self.tally = Tally(header.agent_id)
        self._header = header
        self._blocks = BlockWriter(sink, _FORMAT)

    def begin(self) -> None:
        """Write the parts before the agents."""
        self._blocks.begin()
        self._blocks.put(self._header)

    def add(self, agents: Iterable[StoredAgent]) -> None:
        """Write agents. Raises DataDamaged if an agent has not as many records as its head states."""
        for agent in agents:
            blocks = _cut(agent.records)
            first = next(blocks)
            try:
                self.tally.begin(agent.head)
                self.tally.add(agent.records)
            except ValueError as error:
                raise DataDamaged(str(error)) from error
            self._blocks.put(AgentBlock(agent.head, first))
            for records in blocks:
                self._blocks.put(RecordsBlock(records))

    def finish(self) -> None:
        """Write the parts after the agents."""
        try:
            trailer = self.tally.end()
        except ValueError as error:
            raise DataDamaged(str(error)) from error
        self._blocks.put(trailer)
        self._blocks.finish()


def _cut(records: tuple[Record, ...]) -> Iterator[tuple[Record, ...]]:
    """Yield the records in parts of about BLOCK_DATA_BYTES; one empty part if there are none."""
    start = size = 0
    for end, record in enumerate(records, start=1):
        size += len(record.data)
        if size >= BLOCK_DATA_BYTES and end < len(records):
            yield records[start:end]
            start, size = end, 0
    yield records[start:]


class SnapshotReader:
    """Reads one snapshot from a source, once and in order. It does not close the source.

    The constructor reads up to the header. It and the iterators raise SnapshotDamaged, SchemaTooNew, QuotaExceeded for
    an agent of more than twice ``storage_bytes_per_agent`` (which may count less than the records' size), and what the
    source raises. ``tally`` counts the agents and records read so far.
    """

    def __init__(self, snapshot_id: str, source: Source, storage_bytes_per_agent: int) -> None:
        self._storage_bytes_per_agent = storage_bytes_per_agent
        # Not a method of this reader: it would be in a cycle with the decompressor, which the collector cannot see.
        self._damaged = partial(SnapshotDamaged, snapshot_id)
        self._blocks = BlockReader(source, _FORMAT, self._damaged)
        header = self._blocks.next()
        if not isinstance(header, Header):
            raise self._damaged("it has no header")
        self.header = header
        self.tally = Tally(header.agent_id)

    def blocks(self) -> Iterator[AgentBlock | RecordsBlock]:
        """Yield the blocks of the agents. Once this ends without an error, the entire file is known to be intact."""
        while not isinstance(block := self._blocks.next(), Trailer):
            if isinstance(block, Header):
                raise self._damaged("it has a second header")
            self._count(block)
            yield block
        self._check_end(block)

    def agents(self) -> Iterator[StoredAgent]:
        """Yield the agents, each with all its records. Once this ends, the entire file is known to be intact."""
        head: AgentHead | None = None
        records: list[Record] = []
        for block in self.blocks():
            if isinstance(block, AgentBlock):
                if head is not None:
                    yield StoredAgent(head, tuple(records))
                head, records = block.head, []
            records.extend(block.records)
        if head is not None:
            yield StoredAgent(head, tuple(records))

    def _check_end(self, trailer: Trailer) -> None:
        try:
            found = self.tally.end()
        except ValueError as error:
            raise self._damaged(str(error)) from error
        if found != trailer:
            raise self._damaged("it does not have as many agents and records as its trailer states")
        self._blocks.check_end()

    def _count(self, block: AgentBlock | RecordsBlock) -> None:
        try:
            if isinstance(block, AgentBlock):
                self.tally.begin(block.head)
            self.tally.add(block.records)
        except ValueError as error:
            raise self._damaged(str(error)) from error
        if self.tally.agent_data_bytes > 2 * self._storage_bytes_per_agent:
            raise QuotaExceeded("storage_bytes_per_agent", self._storage_bytes_per_agent)
