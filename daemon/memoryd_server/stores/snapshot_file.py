"""The snapshot format, version 1: one or all agents as one stream of bytes.

::

    "memoryd snapshot\\n"     the magic
    u16                      the version of the format
    one zstd frame           (window of at most 8 MiB) of blocks, each
        u32 length, u32 CRC-32, MessagePack of one of
            header           agent_id (empty: all agents), create_time, trigger, label, request_id, snapshot_id
            agent            an agent's head, and its first records
            records          more records of the same agent
            trailer          agent_count, record_count; the last block
    SHA-256                  of all bytes before it

Integers are big-endian. An agent's records are split into blocks of about 1 MiB, so that a large agent can be written
and checked without being in memory as a whole. An encrypted snapshot is this stream in an age file: see
``snapshot_key``.

The digest detects truncated, changed and appended bytes. The checksum of each block protects the second reading of a
file, after the check of the entire file. The tally detects files that were written wrongly.
"""

import hashlib
import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import Annotated, BinaryIO, Protocol, cast

import msgspec
import zstandard

from memoryd_server.domain.error import DataDamaged, QuotaExceeded, SchemaTooNew, SnapshotDamaged
from memoryd_server.ports.snapshot import SnapshotTrigger
from memoryd_server.ports.store import AgentHead, Record, StoredAgent
from memoryd_server.stores.limit import BLOCK_BYTES_MAX, BLOCK_DATA_BYTES, SNAPSHOT_READ_BYTES, WINDOW_BYTES_MAX

MAGIC = b"memoryd snapshot\n"
VERSION = 1

INTEGER_MAX = 2**63 - 1

_COMPRESSION_LEVEL = 3
_VERSION = struct.Struct(">H")
_BLOCK = struct.Struct(">II")
_DIGEST_BYTES = hashlib.sha256().digest_size


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

_encoder = msgspec.msgpack.Encoder()
_decoder: msgspec.msgpack.Decoder[Block] = msgspec.msgpack.Decoder(Block)


class Sink(Protocol):
    """A destination of bytes."""

    def write(self, data: bytes, /) -> int:
        """Write all of the data."""


class Source(Protocol):
    """A source of bytes."""

    def read(self, size: int, /) -> bytes:
        """Return up to ``size`` bytes; empty at the end."""


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
        self._sink = sink
        self._header = header
        self._digest = hashlib.sha256()
        self._compressor = zstandard.ZstdCompressor(level=_COMPRESSION_LEVEL).compressobj()

    def begin(self) -> None:
        """Write the parts before the agents."""
        self._emit(MAGIC + _VERSION.pack(VERSION))
        self._put(self._header)

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
            self._put(AgentBlock(agent.head, first))
            for records in blocks:
                self._put(RecordsBlock(records))

    def finish(self) -> None:
        """Write the parts after the agents."""
        try:
            trailer = self.tally.end()
        except ValueError as error:
            raise DataDamaged(str(error)) from error
        self._put(trailer)
        self._emit(self._compressor.flush())
        self._sink.write(self._digest.digest())

    def _put(self, block: Block) -> None:
        payload = _encoder.encode(block)
        assert len(payload) <= BLOCK_BYTES_MAX, "a record is larger than any message"
        self._emit(self._compressor.compress(_BLOCK.pack(len(payload), zlib.crc32(payload))))
        self._emit(self._compressor.compress(payload))

    def _emit(self, data: bytes) -> None:
        if data:
            self._digest.update(data)
            self._sink.write(data)


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
        self._snapshot_id = snapshot_id
        self._storage_bytes_per_agent = storage_bytes_per_agent
        self._body = _Body(snapshot_id, source)
        self._check_start()
        decompressor = zstandard.ZstdDecompressor(max_window_size=WINDOW_BYTES_MAX)
        # The reader only ever calls the body's ``read``.
        self._plain = decompressor.stream_reader(cast("BinaryIO", self._body), SNAPSHOT_READ_BYTES, closefd=False)
        header = self._next_block()
        if not isinstance(header, Header):
            raise self._damaged("it has no header")
        self.header = header
        self.tally = Tally(header.agent_id)

    def blocks(self) -> Iterator[AgentBlock | RecordsBlock]:
        """Yield the blocks of the agents. Once this ends without an error, the entire file is known to be intact."""
        while not isinstance(block := self._next_block(), Trailer):
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

    def _check_start(self) -> None:
        start = self._body.read(len(MAGIC) + _VERSION.size)
        if not start.startswith(MAGIC) or len(start) < len(MAGIC) + _VERSION.size:
            raise self._damaged("it is not a memoryd snapshot")
        (version,) = _VERSION.unpack_from(start, len(MAGIC))
        if version > VERSION:
            raise SchemaTooNew("the snapshot", version, VERSION)
        if version < VERSION:
            raise self._damaged(f"its version is {version}, which never existed")

    def _check_end(self, trailer: Trailer) -> None:
        try:
            found = self.tally.end()
        except ValueError as error:
            raise self._damaged(str(error)) from error
        if found != trailer:
            raise self._damaged("it does not have as many agents and records as its trailer states")
        if self._read_plain(1) or self._body.read(1):
            raise self._damaged("it has data after its trailer")

    def _count(self, block: AgentBlock | RecordsBlock) -> None:
        try:
            if isinstance(block, AgentBlock):
                self.tally.begin(block.head)
            self.tally.add(block.records)
        except ValueError as error:
            raise self._damaged(str(error)) from error
        if self.tally.agent_data_bytes > 2 * self._storage_bytes_per_agent:
            raise QuotaExceeded("storage_bytes_per_agent", self._storage_bytes_per_agent)

    def _next_block(self) -> Block:
        length, checksum = _BLOCK.unpack(self._read_exactly(_BLOCK.size))
        if length > BLOCK_BYTES_MAX:
            raise self._damaged(f"a block is larger than {BLOCK_BYTES_MAX // 1024**2} MiB")
        payload = self._read_exactly(length)
        if zlib.crc32(payload) != checksum:
            raise self._damaged("a block's checksum is wrong")
        try:
            return _decoder.decode(payload)
        except msgspec.DecodeError as error:
            raise self._damaged("a block cannot be decoded") from error

    def _read_exactly(self, size: int) -> bytes:
        pieces = []
        while size:
            piece = self._read_plain(size)
            if not piece:
                raise self._damaged("it ends before its trailer")
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def _read_plain(self, size: int) -> bytes:
        try:
            return self._plain.read(size)
        except zstandard.ZstdError as error:
            raise self._damaged("it cannot be decompressed") from error

    def _damaged(self, what: str) -> SnapshotDamaged:
        return SnapshotDamaged(self._snapshot_id, what)


class _Body:
    """The bytes before the digest. At their end, the digest is verified."""

    def __init__(self, snapshot_id: str, source: Source) -> None:
        self._snapshot_id = snapshot_id
        self._source = source
        self._digest = hashlib.sha256()
        self._held = b""
        self._ended = False

    def read(self, size: int) -> bytes:
        """Return up to ``size`` bytes; empty at the end. Raises SnapshotDamaged if the digest does not match."""
        while not self._ended and len(self._held) <= _DIGEST_BYTES + len(MAGIC) + _VERSION.size:
            chunk = self._source.read(SNAPSHOT_READ_BYTES)
            self._ended = not chunk
            self._held += chunk
        piece = self._held[: min(size, max(len(self._held) - _DIGEST_BYTES, 0))]
        if not piece and self._held != self._digest.digest():
            raise SnapshotDamaged(self._snapshot_id, "its SHA-256 digest does not match: it was truncated or changed")
        self._digest.update(piece)
        self._held = self._held[len(piece) :]
        return piece
