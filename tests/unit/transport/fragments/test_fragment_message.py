"""What a writer sends of a fragment is refused before it is converted where there is far too much of it."""

from typing import Any

import pytest
from google.protobuf import json_format, struct_pb2

from memoryd.v1 import fragment_service_pb2 as pb
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import PROPERTIES_BYTES_MAX, SOURCES_BYTES_MAX, Limits
from memoryd_server.transport.fields.json_value import json_text_of
from memoryd_server.transport.fragments.fragment_message import fragment_draft_of


def numbers(count: int) -> struct_pb2.Struct:
    """An object with a list of so many numbers, which takes 11 bytes as a message for every 2 of its JSON text."""
    message = struct_pb2.Struct()
    message.fields["n"].list_value.values.extend([struct_pb2.Value(number_value=1)] * count)
    return message


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"sources": [struct_pb2.Struct()] * 10_000}, "sources"),
        ({"sources": [numbers(SOURCES_BYTES_MAX)]}, "sources"),
        ({"properties": numbers(PROPERTIES_BYTES_MAX)}, "properties"),
    ],
    ids=["many sources", "a large source", "properties"],
)
def test_what_is_far_too_much_is_refused_without_being_converted(
    monkeypatch: pytest.MonkeyPatch, fields: dict[str, Any], field: str
) -> None:
    def converted(_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(json_format, "MessageToDict", converted)
    with pytest.raises(InvalidField) as refused:
        fragment_draft_of(pb.StoreFragmentRequest(content="x", **fields), 0, 1, Limits())
    assert refused.value.field == field


def test_what_just_fits_is_not_refused_for_the_size_of_its_message() -> None:
    message = numbers((PROPERTIES_BYTES_MAX - len('{"n":[]}')) // len("1,"))
    assert len(json_text_of(message, "properties", PROPERTIES_BYTES_MAX)) <= PROPERTIES_BYTES_MAX
    with pytest.raises(InvalidField):
        json_text_of(numbers(PROPERTIES_BYTES_MAX // len("1,")), "properties", PROPERTIES_BYTES_MAX)
