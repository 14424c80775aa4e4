"""Pieces of the wire format, which protobuf decodes to the values that were encoded."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd_server.transport.fields.wire import bytes_tag, varint, varint_tag

REVISION = varint_tag(pb.GetEntryResponse.REVISION_FIELD_NUMBER)


@given(st.integers(0, 2**63 - 1))
@example(0)
@example(2**7 - 1)
@example(2**7)
@example(2**14 - 1)
@example(2**14)
@example(2**63 - 1)
def test_a_varint_is_encoded_as_protobuf_encodes_it(number: int) -> None:
    message = pb.GetEntryResponse(revision=number)
    assert pb.GetEntryResponse.FromString(REVISION + varint(number)) == message
    if number:
        assert REVISION + varint(number) == message.SerializeToString()


@pytest.mark.parametrize("size", [0, 1, 127, 128, 20_000])
def test_bytes_follow_their_length(size: int) -> None:
    key = "k" * size
    piece = bytes_tag(pb.BatchGetEntriesResponse.MISSING_KEYS_FIELD_NUMBER) + varint(size) + key.encode()
    assert list(pb.BatchGetEntriesResponse.FromString(piece).missing_keys) == [key]


def test_field_numbers_past_fifteen_take_two_bytes() -> None:
    assert varint_tag(16) == b"\x80\x01"
    assert bytes_tag(16) == b"\x82\x01"
