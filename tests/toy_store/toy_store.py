"""A store that appends each change to one file and reads the file again when it opens: ``toy:DIRECTORY``.

What was acknowledged survives a killed process. Everything is held in memory, by memoryd's reference store.
"""

import asyncio
import os
import secrets
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import msgspec

from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.ports.durability import Durability
from memoryd_server.ports.store import Commit, Record, RecordKey, Store
from memoryd_server.ports.store_factory import StoreFactory, StoreOptions, StoreSource
from memoryd_server.stores.in_memory import InMemoryStore

LENGTH_BYTES = 4


class Created(msgspec.Struct, frozen=True, tag=True):
    """The first change of a file: the store has an identity."""

    store_id: str


class Committed(msgspec.Struct, frozen=True, tag=True):
    """A commit, and the position of its row."""

    commit: Commit
    position: int


class Pruned(msgspec.Struct, frozen=True, tag=True):
    """Rows were dropped."""

    rows_max: int
    since_time: int


Change = Created | Committed | Pruned

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Change)


class ToyStore(InMemoryStore):
    """Implements ``ports.store.Store`` with ``toy.log`` in a directory that no other process writes to.

    With ``is_source`` the file must be there, and is only read.
    """

    backend = "toy"

    def __init__(self, directory: Path, *, is_source: bool = False) -> None:
        super().__init__()
        self._path = directory / "toy.log"
        self._is_source = is_source
        self._changes: list[Change] = []

    async def open(self) -> None:
        """Read the file, or create it."""
        try:
            self._changes = list(_decoded(self._path.read_bytes()))
        except FileNotFoundError as error:
            if self._is_source:
                raise StoreUnavailable from error
        for change in self._changes:
            await self._replay(change)
        if not self._changes:
            self.store_id = secrets.token_hex(16)
            self._changes.append(Created(self.store_id))
        if not self._is_source:
            # Whole, without what a process that was killed had written of its last change.
            self._write_all()
            self._file = self._path.open("ab", buffering=0)

    async def close(self) -> None:
        """Close the file."""
        if not self._is_source:
            os.fsync(self._file.fileno())
            self._file.close()

    def commit(self, commit: Commit) -> asyncio.Future[int]:
        """Carry out a commit, and write it before it is acknowledged."""
        future = super().commit(commit)
        if future.exception() is None:
            self._write(Committed(commit, future.result()))
        return future

    async def prune_journal(self, rows_max: int, since_time: int, shards: Collection[int] | None = None) -> int:
        """Drop rows; the store has one shard."""
        pruned = await super().prune_journal(rows_max, since_time, shards)
        if pruned:
            self._write(Pruned(rows_max, since_time))
        return pruned

    async def rewrite_journal(self, agent_id: str, rows: Mapping[int, bytes]) -> int:
        """Replace the data of rows, and rewrite the file without replaced data of rows and records."""
        rewritten = await super().rewrite_journal(agent_id, rows)
        self._changes = _without_what_is_gone(self._changes, agent_id, rows)
        self._file.close()
        self._write_all()
        self._file = self._path.open("ab", buffering=0)
        return rewritten

    async def _replay(self, change: Change) -> None:
        match change:
            case Created(store_id):
                self.store_id = store_id
            case Committed(commit, _):
                await super().commit(commit)
            case Pruned(rows_max, since_time):
                await super().prune_journal(rows_max, since_time)

    def _write(self, change: Change) -> None:
        self._changes.append(change)
        self._file.write(_encoded(change))

    def _write_all(self) -> None:
        written = self._path.with_suffix(".new")
        written.write_bytes(b"".join(map(_encoded, self._changes)))
        written.replace(self._path)


class ToyFactory(StoreFactory):
    """Makes stores of ``toy``, in the data directory, or of ``toy:DIRECTORY``."""

    is_shared = False
    durabilities: tuple[Durability, ...] = ("journaled",)

    def directory(self, options: StoreOptions) -> Path:
        """The directory that the URL names, or the data directory."""
        place = options.url.partition(":")[2]
        if not place and options.data_directory is None:
            raise ValueError("must name a directory: toy:DIRECTORY")
        return Path(place).absolute() if place else Path(options.data_directory or "")

    def new_store(self, options: StoreOptions) -> Store:
        """A store of the directory's file."""
        return ToyStore(self.directory(options))

    def new_source(self, options: StoreOptions) -> StoreSource:
        """A reader of the directory's file."""
        return ToyStore(self.directory(options), is_source=True)


def _encoded(change: Change) -> bytes:
    data = _encoder.encode(change)
    return len(data).to_bytes(LENGTH_BYTES, "big") + data


def _decoded(data: bytes) -> Iterator[Change]:
    """Yield the complete changes. Only the last one can be incomplete: then it was never acknowledged."""
    start = 0
    while start + LENGTH_BYTES <= len(data):
        end = start + LENGTH_BYTES + int.from_bytes(data[start : start + LENGTH_BYTES], "big")
        if end > len(data):
            return
        yield _decoder.decode(data[start + LENGTH_BYTES : end])
        start = end


def _without_what_is_gone(changes: list[Change], agent_id: str, rows: Mapping[int, bytes]) -> list[Change]:
    """Return the changes with new data of rows, without records that later changes replaced or deleted."""
    kept: list[Change] = []
    replaced: set[RecordKey] = set()
    is_dropped = False
    for change in reversed(changes):
        if isinstance(change, Committed) and change.commit.head.agent_id == agent_id:
            commit = change.commit
            is_row = commit.journal is not None and change.position in rows
            puts = tuple(each for each in commit.puts if not is_dropped and _key_of(each) not in replaced)
            replaced.update(map(_key_of, commit.puts), commit.deletes)
            is_dropped = is_dropped or commit.drop_records
            journal = rows[change.position] if is_row else commit.journal
            change = Committed(msgspec.structs.replace(commit, puts=puts, journal=journal), change.position)
        kept.append(change)
    return kept[::-1]


def _key_of(record: Record) -> RecordKey:
    return RecordKey(record.kind, record.key)
