import pytest

from memoryd.model.entry import EntryType, entry_from
from memoryd.protocol.batch import Batch
from memoryd.protocol.entry import Listing, Place, get_value, list_entries
from memoryd.v1 import entry_pb2
from memoryd.v1 import working_memory_service_pb2 as pb


def message(key: str = "k", value_json: str = "1") -> entry_pb2.Entry:
    return entry_pb2.Entry(key=key, value_json=value_json, type=entry_pb2.ENTRY_TYPE_FACT)


def test_times_that_are_absent_are_none() -> None:
    entry = entry_from(message())
    assert (entry.expire_time, entry.last_access_time) == (None, None)


def test_an_entry_type_of_a_newer_server_is_unspecified() -> None:
    unknown = message()
    tag = type(unknown).TYPE_FIELD_NUMBER << 3
    unknown.MergeFromString(bytes([tag, 99]))
    assert entry_from(unknown).type is EntryType.UNSPECIFIED


def test_an_entry_read_without_its_value_raises() -> None:
    with pytest.raises(ValueError, match="without its value"):
        _ = entry_from(message(value_json="")).value


def test_a_large_integer_keeps_its_digits() -> None:
    assert entry_from(message(value_json="9007199254740993")).value == 9_007_199_254_740_993


def test_a_missing_key_answers_the_default_and_null_does_not() -> None:
    read = get_value(Place("a"), "k", "default", None, local_only=False)
    assert read.convert(pb.GetEntryResponse(found=False)) == "default"
    assert read.convert(pb.GetEntryResponse(found=True, entry=message(value_json="null"))) is None


def test_a_page_knows_the_next_one() -> None:
    first = list_entries(Place("a"), Listing(key_prefix="p"))
    page = first.convert(pb.ListEntriesResponse(entries=[message("p1")], next_page_token="more"))
    assert [entry.key for entry in page.items] == ["p1"]
    assert page.following is not None
    assert page.following.request.page_token == "more"
    assert page.following.request.filter.entry.key_prefixes == ["p"]
    assert page.following.convert(pb.ListEntriesResponse()).following is None


def test_an_empty_batch_has_nothing_to_send() -> None:
    assert Batch(Place("a")).pending() is None


def test_a_batch_sends_its_operations_in_their_order() -> None:
    batch = Batch(Place("a", "s"))
    batch.set("one", 1)
    batch.remove("two", expected_revision=2)
    pending = batch.pending()
    assert pending is not None
    assert [operation.WhichOneof("operation") for operation in pending.request.operations] == ["set", "remove"]
    assert (len(batch), pending.request.scope_id) == (2, "s")
