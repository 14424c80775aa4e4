"""Counting what a serialized message has in it."""

import pytest
from google.protobuf import struct_pb2
from google.protobuf.message import Message
from tests.unit.transport.parsing.encoded import tagged

from memoryd.v1 import (
    conversation_service_pb2,
    event_service_pb2,
    long_term_memory_service_pb2,
    working_memory_service_pb2,
)
from memoryd_server.domain.error import InvalidField, MalformedMessage, TooLarge
from memoryd_server.transport.limit import MESSAGE_DEPTH_MAX, MESSAGE_ELEMENTS_MAX, PARSED_IN_LOOP_BYTES_MAX
from memoryd_server.transport.parsing.element_count import check_elements
from memoryd_server.transport.parsing.message_shape import shape_of

Append = conversation_service_pb2.AppendMessagesRequest
Watch = event_service_pb2.WatchEventsRequest
Set = working_memory_service_pb2.SetEntryRequest
Create = long_term_memory_service_pb2.CreateMemoryRequest


def check(request: Message) -> None:
    check_bytes(type(request), request.SerializeToString())


def check_bytes(request_type: type[Message], data: bytes) -> None:
    check_elements(data, shape_of(request_type.DESCRIPTOR))


def test_a_request_within_all_limits_passes() -> None:
    request = Append(agent_id="a", conversation_id="c", drafts=[{"content": "x" * 100_000}] * 1_000)
    request.drafts[0].metadata.update({"key": [1, "text", {"nested": None}]})
    request.drafts[0].create_time.GetCurrentTime()
    check(request)


def test_too_many_messages_in_a_field_are_refused_by_its_name() -> None:
    with pytest.raises(InvalidField, match="drafts: must be at most 1000"):
        check(Append(drafts=[{}] * 1_001))


def test_elements_are_counted_in_each_message_by_itself() -> None:
    check(Append(drafts=[{"parts": [{"text": "x"}] * 256}] * 2))
    with pytest.raises(InvalidField, match=r"drafts\[1\]\.parts: must be at most 256"):
        check(Append(drafts=[{}, {"parts": [{"text": "x"}] * 257}]))


@pytest.mark.parametrize(
    ("request_type", "field", "bytes_allowed"),
    [(long_term_memory_service_pb2.RecallMemoriesRequest, "query", 4_096), (Set, "agent_id", 256), (Set, "key", 1_024)],
)
def test_a_text_that_is_far_too_long_is_refused_with_the_limit_of_the_contract(
    request_type: type[Message], field: str, bytes_allowed: int
) -> None:
    check(request_type(**{field: "x" * PARSED_IN_LOOP_BYTES_MAX}))
    with pytest.raises(InvalidField, match=f"^{field}: must be at most {bytes_allowed} bytes$"):
        check(request_type(**{field: "x" * (PARSED_IN_LOOP_BYTES_MAX + 1)}))


@pytest.mark.parametrize("kinds", [256, 257])
@pytest.mark.parametrize("is_packed", [True, False])
def test_numbers_are_counted_in_both_encodings(kinds: int, is_packed: bool) -> None:
    number = Watch.DESCRIPTOR.fields_by_name["filters"].message_type.fields_by_name["kinds"].number
    # A number of three bytes, of which each counts once.
    packed = tagged(number, b"\x81\x80\x01" * kinds)
    data = tagged(10, packed if is_packed else (bytes([number << 3]) + b"\x81\x80\x01") * kinds)
    assert Watch.DESCRIPTOR.fields_by_name["filters"].number == 10
    if kinds == 256:
        check_bytes(Watch, data)
    else:
        with pytest.raises(InvalidField, match=r"filters\[0\]\.kinds: must be at most 256"):
            check_bytes(Watch, data)


def test_a_long_list_of_numbers_is_refused_without_being_read() -> None:
    number = Watch.DESCRIPTOR.fields_by_name["filters"].message_type.fields_by_name["kinds"].number
    with pytest.raises(InvalidField, match="kinds"):
        check_bytes(Watch, tagged(10, tagged(number, b"\x80" * 100_000)))


@pytest.mark.parametrize("dimensions", [4_096, 4_097])
def test_numbers_of_a_vector_are_counted_by_its_size(dimensions: int) -> None:
    request = Create(draft={"embedding": {"vector": [0.5] * dimensions}})
    if dimensions == 4_096:
        check(request)
    else:
        with pytest.raises(InvalidField, match=r"draft\.embedding\.vector: must be at most 4096"):
            check(request)


def test_a_name_that_is_too_long_is_refused_but_a_long_content_is_not() -> None:
    check(Create(draft={"content": "x" * 1_000_000}))
    with pytest.raises(InvalidField, match=r"draft\.project_id: must be at most 256 bytes"):
        check(Create(draft={"project_id": "x" * (PARSED_IN_LOOP_BYTES_MAX + 1)}))


def test_metadata_that_is_too_large_as_json_is_refused() -> None:
    with pytest.raises(InvalidField, match="metadata: must be at most 65536 bytes"):
        check(Set(metadata={"key": "x" * 400_000}))


@pytest.mark.parametrize("count", [MESSAGE_ELEMENTS_MAX, MESSAGE_ELEMENTS_MAX + 1])
def test_the_elements_of_a_whole_message_are_counted(count: int) -> None:
    # The value, its list, and an empty value for each other element.
    data = tagged(Set.DESCRIPTOR.fields_by_name["value"].number, tagged(6, b"\x0a\x00" * (count - 2)))
    if count == MESSAGE_ELEMENTS_MAX:
        check_bytes(Set, data)
    else:
        with pytest.raises(TooLarge) as refused:
            check_bytes(Set, data)
        assert refused.value.metadata["limit"] == "message_elements"


@pytest.mark.parametrize("part", [b"\x1a\x00", b"\xfa\x7f\x00", b"\xf8\x7f\x01"], ids=["singular", "unknown", "number"])
def test_repeats_of_any_field_count(part: bytes) -> None:
    check_bytes(Set, part * MESSAGE_ELEMENTS_MAX)
    with pytest.raises(TooLarge):
        check_bytes(Set, part * (MESSAGE_ELEMENTS_MAX + 1))


@pytest.mark.parametrize("depth", [10, MESSAGE_DEPTH_MAX])
def test_messages_in_each_other_are_bounded(depth: int) -> None:
    value = struct_pb2.Value(null_value=struct_pb2.NULL_VALUE).SerializeToString()
    for _ in range(depth):
        value = tagged(6, tagged(1, value))
    data = tagged(Set.DESCRIPTOR.fields_by_name["value"].number, value)
    if depth == 10:
        check_bytes(Set, data)
    else:
        with pytest.raises(MalformedMessage):
            check_bytes(Set, data)


@pytest.mark.parametrize(
    "data",
    [
        b"\x0a",
        b"\x0a\x05abc",
        b"\x0a\xff",
        b"\x0a" + b"\xff" * 11,
        b"\x08" + b"\x80" * 11,
        b"\x0b\x0c",
        b"\x0f",
        b"\x09\x00",
        b"\x1a\x02\x0a\x05",
    ],
)
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedMessage):
        check_bytes(Set, data)


def test_numbers_of_all_wire_types_are_skipped() -> None:
    check_bytes(Set, b"\xf8\x7f\x81\x01" + b"\xf9\x7f" + bytes(8) + b"\xfd\x7f" + bytes(4) + tagged(1, b"a"))
