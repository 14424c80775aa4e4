"""The format of a segment of the journal, version 1: a file of blocks (see ``block_file``). The blocks are:

::

    header           store_id, start_token
    rows             rows, those of each shard in the order of their positions
    more             more data of the last row, which is larger than a block
    trailer          end_token, end_time, complete, commit_count; the last block
"""

from collections.abc import Iterator, Sequence
from functools import partial

import msgspec

from memoryd_server.domain.error import DataDamaged
from memoryd_server.ports.segment import SegmentEnd, SegmentStart
from memoryd_server.ports.store import JournalRow
from memoryd_server.stores.block_file import BlockFormat, BlockReader, BlockWriter, Sink, Source
from memoryd_server.stores.limit import BLOCK_DATA_BYTES

MAGIC = b"memoryd journal\n"
VERSION = 1


class RowsBlock(msgspec.Struct, frozen=True, tag="rows"):
    """Rows. Of one that is larger than a block, this has the first part."""

    rows: tuple[JournalRow, ...]


class MoreBlock(msgspec.Struct, frozen=True, tag="more"):
    """More data of the last row."""

    data: bytes


Block = SegmentStart | RowsBlock | MoreBlock | SegmentEnd

_FORMAT: BlockFormat[Block] = BlockFormat("journal segment", MAGIC, VERSION, msgspec.msgpack.Decoder(Block))


class SegmentFileWriter:
    """Writes one segment to a sink, which it does not close. Raises what the sink raises."""

    def __init__(self, sink: Sink, start: SegmentStart) -> None:
        self._blocks = BlockWriter(sink, _FORMAT)
        self._start = start

    def begin(self) -> None:
        """Write the parts before the rows."""
        self._blocks.begin()
        self._blocks.put(self._start)

    def add(self, rows: Sequence[JournalRow]) -> None:
        """Write rows."""
        fitting: list[JournalRow] = []
        size_bytes = 0
        for row in rows:
            if len(row.data) > BLOCK_DATA_BYTES:
                self._put(fitting)
                self._put_large(row)
                fitting, size_bytes = [], 0
                continue
            fitting.append(row)
            size_bytes += len(row.data)
            if size_bytes >= BLOCK_DATA_BYTES:
                self._put(fitting)
                fitting, size_bytes = [], 0
        self._put(fitting)

    def finish(self, end: SegmentEnd) -> None:
        """Write the parts after the rows."""
        self._blocks.put(end)
        self._blocks.finish()

    def _put(self, rows: Sequence[JournalRow]) -> None:
        if rows:
            self._blocks.put(RowsBlock(tuple(rows)))

    def _put_large(self, row: JournalRow) -> None:
        parts = [row.data[start : start + BLOCK_DATA_BYTES] for start in range(0, len(row.data), BLOCK_DATA_BYTES)]
        self._put((msgspec.structs.replace(row, data=parts[0]),))
        for part in parts[1:]:
            self._blocks.put(MoreBlock(part))


class SegmentFileReader:
    """Reads one segment from a source, once and in order. ``start`` is known at once, ``end`` after the rows.

    The constructor and ``rows`` raise DataDamaged, SchemaTooNew, and what the source raises.
    """

    def __init__(self, name: str, source: Source) -> None:
        # Not a method of this reader: it would be in a cycle with the decompressor, which the collector cannot see.
        self._damaged = partial(_damaged, name)
        self._blocks = BlockReader(source, _FORMAT, self._damaged)
        start = self._blocks.next()
        if not isinstance(start, SegmentStart):
            raise self._damaged("it has no header")
        self.start = start
        self.end: SegmentEnd | None = None

    def rows(self) -> Iterator[JournalRow]:
        """Yield the rows. Once this ends without an error, the entire file is known to be intact."""
        count, last, parts = 0, None, []
        while not isinstance(block := self._blocks.next(), SegmentEnd):
            if isinstance(block, MoreBlock) and last is not None:
                parts.append(block.data)
                continue
            if not isinstance(block, RowsBlock):
                raise self._damaged("its blocks are not in order")
            if last is not None:
                yield _whole(last, parts)
            yield from block.rows[:-1]
            last, parts = block.rows[-1] if block.rows else None, []
            count += len(block.rows)
        if last is not None:
            yield _whole(last, parts)
        self._blocks.check_end()
        if block.commit_count != count:
            raise self._damaged("it does not have as many rows as its trailer states")
        self.end = block


def _damaged(name: str, what: str) -> DataDamaged:
    return DataDamaged(f"journal segment {name!r}: {what}")


def _whole(row: JournalRow, parts: Sequence[bytes]) -> JournalRow:
    return msgspec.structs.replace(row, data=b"".join((row.data, *parts))) if parts else row
