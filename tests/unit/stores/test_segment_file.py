"""The file of a segment of the journal."""

import io
import weakref

import pytest

from memoryd_server.domain.error import DataDamaged, SchemaTooNew
from memoryd_server.ports.segment import SegmentEnd, SegmentStart
from memoryd_server.ports.store import CommitPoint, JournalRow
from memoryd_server.stores.limit import BLOCK_DATA_BYTES
from memoryd_server.stores.segment_file import SegmentFileReader, SegmentFileWriter

START, END = SegmentStart("store", "from"), SegmentEnd("to", 5, True, 4)
ROWS = [
    JournalRow(1, "a", 0, 1, 10, b"small", 0, 7, CommitPoint(0, 0)),
    JournalRow(1, "b", 0, 2, 11, b"x" * (2 * BLOCK_DATA_BYTES + 1), 1, 8),
    JournalRow(2, "a", 1, 1, 12, b"y" * BLOCK_DATA_BYTES),
    JournalRow(3, "a", 1, 2, 13, b""),
]


def written(rows: list[JournalRow], end: SegmentEnd = END) -> bytes:
    file = io.BytesIO()
    writer = SegmentFileWriter(file, START)
    writer.begin()
    writer.add(rows[:1])
    writer.add(rows[1:])
    writer.finish(end)
    return file.getvalue()


def test_rows_of_any_size_are_read_as_they_were_written() -> None:
    reader = SegmentFileReader("f", io.BytesIO(written(ROWS)))
    assert reader.start == START
    assert list(reader.rows()) == ROWS
    assert reader.end == END


@pytest.mark.parametrize("place", [20, 60, -1])
def test_a_changed_byte_is_noticed(place: int) -> None:
    data = bytearray(written(ROWS))
    data[place] ^= 1
    with pytest.raises(DataDamaged, match="journal segment 'f'"):
        list(SegmentFileReader("f", io.BytesIO(bytes(data))).rows())


def test_a_truncated_file_is_noticed_wherever_it_ends() -> None:
    data = written(ROWS[:1], SegmentEnd("to", 5, True, 1))
    for size in range(len(data)):
        with pytest.raises(DataDamaged):
            list(SegmentFileReader("f", io.BytesIO(data[:size])).rows())


def test_a_wrong_number_of_rows_is_noticed() -> None:
    with pytest.raises(DataDamaged, match="as many rows"):
        list(SegmentFileReader("f", io.BytesIO(written(ROWS[:1]))).rows())


def test_a_newer_format_is_refused() -> None:
    data = bytearray(written(ROWS))
    data[len(b"memoryd journal\n") + 1] = 2
    with pytest.raises(SchemaTooNew, match="journal segment"):
        SegmentFileReader("f", io.BytesIO(bytes(data)))


def test_a_reader_is_gone_with_the_last_reference_to_it() -> None:
    reader = SegmentFileReader("s", io.BytesIO(written([])))
    gone = weakref.ref(reader)
    # Not by the collector, which does not see what the decompressor refers to.
    del reader
    assert gone() is None
