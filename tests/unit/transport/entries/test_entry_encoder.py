"""Entries as bytes: the same whether encoded or cached, with the access count at the time of the read."""

from memoryd.v1 import entry_pb2
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd_server.domain.entries.entry import Entry, EntryType
from memoryd_server.domain.values.record_view import RecordView
from memoryd_server.engine.entries.working_memory import ReadEntry
from memoryd_server.transport.entries import entry_message
from memoryd_server.transport.entries.entry_message import EntryEncoder
from memoryd_server.transport.fields.timestamp import timestamp
from memoryd_server.transport.fields.wire import bytes_tag

NOW = 1_795_302_829_123_456_789


def entry(value_json: str = '"value"') -> Entry:
    return Entry(
        key="key",
        value_json=value_json,
        entry_id="id",
        type_name="note",
        type=EntryType.EVENT,
        importance=0.25,
        tags=("a", "b"),
        metadata_json='{"source":"test"}',
        scope_id="scope",
        revision=7,
        create_time=NOW,
        update_time=NOW + 1,
        expire_time=NOW + 2,
        size_bytes=100,
    )


def decoded(encoder: EntryEncoder, read: ReadEntry, view: RecordView = RecordView.FULL) -> entry_pb2.Entry:
    return entry_pb2.Entry.FromString(encoder.encode(read, view))


def test_every_field_is_encoded() -> None:
    message = decoded(EntryEncoder(), ReadEntry(entry(), 300, NOW + 3))
    expected = entry_pb2.Entry(
        key="key",
        value_json='"value"',
        entry_id="id",
        type_name="note",
        type=entry_pb2.ENTRY_TYPE_EVENT,
        importance=0.25,
        tags=["a", "b"],
        scope_id="scope",
        revision=7,
        create_time=timestamp(NOW),
        update_time=timestamp(NOW + 1),
        expire_time=timestamp(NOW + 2),
        access_count=300,
        last_access_time=timestamp(NOW + 3),
    )
    expected.metadata.update({"source": "test"})
    assert message == expected


def test_an_entry_that_was_never_read_has_no_access_fields() -> None:
    message = decoded(EntryEncoder(), ReadEntry(entry(), 0, None))
    assert message.access_count == 0
    assert not message.HasField("last_access_time")


def test_a_cached_entry_is_encoded_with_its_current_accesses() -> None:
    encoder, kept = EntryEncoder(), entry()
    other = entry('"other"')
    for read in (
        ReadEntry(kept, 1, NOW),
        ReadEntry(kept, 2, NOW),
        ReadEntry(other, 2, NOW),
        ReadEntry(other, 2, NOW + 1),
        ReadEntry(kept, 0, None),
    ):
        assert encoder.encode(read) == EntryEncoder().encode(read)


def test_entries_are_encoded_together_as_they_are_one_by_one() -> None:
    kept = entry()
    large = entry(f'"{"x" * 20_000}"')
    reads = [
        ReadEntry(kept, 0, None),
        ReadEntry(kept, 1, NOW),
        ReadEntry(large, 1, NOW),
        ReadEntry(kept, 1, NOW + 1),
        ReadEntry(kept, 0, None),
        ReadEntry(entry('"other"'), 2, NOW + 1),
    ]
    response = pb.BatchGetEntriesResponse()
    for each in reads:
        response.entries.add().MergeFromString(EntryEncoder().encode(each))
    tag = bytes_tag(pb.BatchGetEntriesResponse.ENTRIES_FIELD_NUMBER)
    encoder = EntryEncoder()
    for _ in range(2):
        assert pb.BatchGetEntriesResponse.FromString(b"".join(encoder.encode_each(tag, reads))) == response


def test_a_view_without_content_omits_what_the_writer_wrote() -> None:
    message = decoded(EntryEncoder(), ReadEntry(entry(), 1, NOW), RecordView.WITHOUT_CONTENT)
    assert (message.value_json, message.type_name, list(message.tags), message.HasField("metadata")) == (
        "",
        "",
        [],
        False,
    )
    assert message.key == "key"
    assert message.access_count == 1


def test_the_cache_is_bounded_in_bytes() -> None:
    entries = [entry(f'"{number:04}"') for number in range(20)]
    size = len(EntryEncoder().encode(ReadEntry(entries[0], 0, None)))
    encoder = EntryEncoder(kept_bytes_max=3 * size)
    for _ in range(2):
        for each in entries:
            assert decoded(encoder, ReadEntry(each, 0, None)).value_json == each.value_json
    assert len(encoder._kept) == 3
    encoder.encode(ReadEntry(entry(f'"{"x" * entry_message.ENCODED_ENTRY_BYTES_MAX}"'), 0, None))
    assert len(encoder._kept) == 3
