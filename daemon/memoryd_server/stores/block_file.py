"""The framing of snapshots and of segments of the journal: blocks in one stream of bytes.

::

    the magic                names the kind of the file
    u16                      the version of its format
    one zstd frame           (window of at most 8 MiB) of blocks, each
        u32 length, u32 CRC-32, MessagePack of a struct of the kind
    SHA-256                  of all bytes before it

Integers are big-endian. The digest detects truncated, changed and appended bytes. The checksum of each block protects
the second reading of a file, after the check of the entire file. An encrypted file is this stream in an age file: see
``snapshot_key``.
"""

import hashlib
import struct
import zlib
from collections.abc import Callable
from typing import BinaryIO, Generic, Protocol, TypeVar, cast

import msgspec
import zstandard

from memoryd_server.domain.error import Refusal, SchemaTooNew
from memoryd_server.stores.limit import BLOCK_BYTES_MAX, SNAPSHOT_READ_BYTES, WINDOW_BYTES_MAX

_COMPRESSION_LEVEL = 3
_VERSION = struct.Struct(">H")
_BLOCK = struct.Struct(">II")
_DIGEST_BYTES = hashlib.sha256().digest_size
_encoder = msgspec.msgpack.Encoder()

B = TypeVar("B")

Damaged = Callable[[str], Refusal]
"""Returns the error that the file is damaged, for this reason."""


class BlockFormat(msgspec.Struct, Generic[B], frozen=True):
    """A kind of file. ``what`` names it in errors, and ``decoder`` decodes its blocks."""

    what: str
    magic: bytes
    version: int
    decoder: msgspec.msgpack.Decoder[B]


class Sink(Protocol):
    """A destination of bytes."""

    def write(self, data: bytes, /) -> int:
        """Write all of the data."""


class Source(Protocol):
    """A source of bytes."""

    def read(self, size: int, /) -> bytes:
        """Return up to ``size`` bytes; empty at the end."""


class BlockWriter(Generic[B]):
    """Writes one file to a sink, which it does not close. Raises what the sink raises."""

    def __init__(self, sink: Sink, file_format: BlockFormat[B]) -> None:
        self._sink = sink
        self._format = file_format
        self._digest = hashlib.sha256()
        self._compressor = zstandard.ZstdCompressor(level=_COMPRESSION_LEVEL).compressobj()

    def begin(self) -> None:
        """Write the parts before the blocks."""
        self._emit(self._format.magic + _VERSION.pack(self._format.version))

    def put(self, block: B) -> None:
        """Write a block."""
        payload = _encoder.encode(block)
        assert len(payload) <= BLOCK_BYTES_MAX, "a block is larger than any message"
        self._emit(self._compressor.compress(_BLOCK.pack(len(payload), zlib.crc32(payload))))
        self._emit(self._compressor.compress(payload))

    def finish(self) -> None:
        """Write the parts after the blocks."""
        self._emit(self._compressor.flush())
        self._sink.write(self._digest.digest())

    def _emit(self, data: bytes) -> None:
        if data:
            self._digest.update(data)
            self._sink.write(data)


class BlockReader(Generic[B]):
    """Reads the blocks of one file from a source, once and in order. It does not close the source.

    The constructor reads up to the first block. It and the methods raise SchemaTooNew, what ``damaged`` returns, and
    what the source raises.
    """

    def __init__(self, source: Source, file_format: BlockFormat[B], damaged: Damaged) -> None:
        self._format = file_format
        self._damaged = damaged
        self._body = _Body(source, len(file_format.magic) + _VERSION.size, damaged)
        self._check_start()
        decompressor = zstandard.ZstdDecompressor(max_window_size=WINDOW_BYTES_MAX)
        # The reader only ever calls the body's ``read``.
        self._plain = decompressor.stream_reader(cast("BinaryIO", self._body), SNAPSHOT_READ_BYTES, closefd=False)

    def next(self) -> B:
        """Return the next block."""
        length, checksum = _BLOCK.unpack(self._read_exactly(_BLOCK.size))
        if length > BLOCK_BYTES_MAX:
            raise self._damaged(f"a block is larger than {BLOCK_BYTES_MAX // 1024**2} MiB")
        payload = self._read_exactly(length)
        if zlib.crc32(payload) != checksum:
            raise self._damaged("a block's checksum is wrong")
        try:
            return self._format.decoder.decode(payload)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._damaged("a block cannot be decoded") from error

    def check_end(self) -> None:
        """Raise unless the last block was read, and the entire file is intact."""
        if self._read_plain(1) or self._body.read(1):
            raise self._damaged("it has data after its trailer")

    def _check_start(self) -> None:
        magic, version = self._format.magic, self._format.version
        start = self._body.read(len(magic) + _VERSION.size)
        if not start.startswith(magic) or len(start) < len(magic) + _VERSION.size:
            raise self._damaged(f"it is not a memoryd {self._format.what}")
        (found,) = _VERSION.unpack_from(start, len(magic))
        if found > version:
            raise SchemaTooNew(f"the {self._format.what}", found, version)
        if found < version:
            raise self._damaged(f"its version is {found}, which never existed")

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


class _Body:
    """The bytes before the digest. At their end, the digest is verified."""

    def __init__(self, source: Source, start_bytes: int, damaged: Damaged) -> None:
        self._source = source
        self._start_bytes = start_bytes
        self._damaged = damaged
        self._digest = hashlib.sha256()
        self._held = b""
        self._ended = False

    def read(self, size: int) -> bytes:
        """Return up to ``size`` bytes; empty at the end. Raises if the digest does not match."""
        while not self._ended and len(self._held) <= _DIGEST_BYTES + self._start_bytes:
            chunk = self._source.read(SNAPSHOT_READ_BYTES)
            self._ended = not chunk
            self._held += chunk
        piece = self._held[: min(size, max(len(self._held) - _DIGEST_BYTES, 0))]
        if not piece and self._held != self._digest.digest():
            raise self._damaged("its SHA-256 digest does not match: it was truncated or changed")
        self._digest.update(piece)
        self._held = self._held[len(piece) :]
        return piece
