"""The data that the fuzzer begins with: what a release wrote, which has records of every kind."""

import functools
import io
import lzma
import sqlite3
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import zstandard
from tests.formats.fixture import FOLDER, VERSIONS, Fixture

FIXTURE = Fixture(FOLDER / VERSIONS[-1])
_BLOCK_HEAD_BYTES = 8
_DIGEST_BYTES = 32


class Stored(NamedTuple):
    """The content of an embedded store: the rows of its tables, and the mark."""

    journal: tuple[tuple[Any, ...], ...]
    records: tuple[tuple[Any, ...], ...]
    agents: tuple[tuple[Any, ...], ...]
    mark: bytes


@functools.cache
def stored() -> Stored:
    """Return the content of the released store."""
    with tempfile.TemporaryDirectory() as directory:
        data = FIXTURE.unpack(Path(directory, "data"))
        connection = sqlite3.connect(data / "memoryd.db")
        try:
            tables = [tuple(connection.execute(f"SELECT * FROM {name}")) for name in ("journal", "record", "agent")]
        finally:
            connection.close()
        return Stored(*tables, (data / "memoryd.mark").read_bytes())


@functools.cache
def journal_data() -> tuple[bytes, ...]:
    """Return the data of the journal's rows."""
    return tuple(next(part for part in row if isinstance(part, bytes)) for row in stored().journal)


@functools.cache
def snapshot_blocks() -> tuple[bytes, ...]:
    """Return the blocks of the released snapshot."""
    data = FIXTURE.snapshots["plain"].read_bytes()
    start = data.index(b"\n") + 3
    plain = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data[start:-_DIGEST_BYTES])).read()
    blocks, at = [], 0
    while at < len(plain):
        end = at + _BLOCK_HEAD_BYTES + int.from_bytes(plain[at : at + 4], "big")
        blocks.append(plain[at + _BLOCK_HEAD_BYTES : end])
        at = end
    return tuple(blocks)


@functools.cache
def redis_commands() -> bytes:
    """Return the commands that make the released store in Redis."""
    return lzma.decompress((FIXTURE.folder / "redis.resp.xz").read_bytes())


def decoded(data: bytes) -> Any:
    """Return the values of MessagePack, as lists and dicts that can be changed."""
    return msgspec.msgpack.decode(data)
