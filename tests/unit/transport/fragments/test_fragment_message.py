"""Fields of a fragment that are far too large are refused before they are converted to JSON."""

from typing import Any

import pytest
from google.protobuf import json_format, struct_pb2

from memoryd.v1.fragment_pb2 import FragmentDraft
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import METADATA_BYTES_MAX, SOURCES_BYTES_MAX, Limits
from memoryd_server.transport.fields.json_value import json_text_of
from memoryd_server.transport.fragments.fragment_message import fragment_draft_of


def numbers(count: int) -> struct_pb2.Struct:
    """Return an object with a list of ``count`` numbers: each takes 11 bytes in the message and 2 in its JSON text."""
    message = struct_pb2.Struct()
    message.fields["n"].list_value.values.extend([struct_pb2.Value(number_value=1)] * count)
    return message


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"sources": [struct_pb2.Struct()] * 10_000}, "draft.sources"),
        ({"sources": [numbers(SOURCES_BYTES_MAX)]}, "draft.sources"),
        ({"metadata": numbers(METADATA_BYTES_MAX)}, "draft.metadata"),
    ],
    ids=["many sources", "a large source", "metadata"],
)
def test_a_field_that_is_far_too_large_is_refused_without_being_converted(
    monkeypatch: pytest.MonkeyPatch, fields: dict[str, Any], field: str
) -> None:
    def converted(_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(json_format, "MessageToDict", converted)
    with pytest.raises(InvalidField) as refused:
        fragment_draft_of(FragmentDraft(content="x", **fields), 0, Limits())
    assert refused.value.field == field


def test_a_field_is_limited_by_its_json_text_and_not_by_its_message() -> None:
    message = numbers((METADATA_BYTES_MAX - len('{"n":[]}')) // len("1,"))
    assert len(json_text_of(message, "metadata", METADATA_BYTES_MAX)) <= METADATA_BYTES_MAX
    with pytest.raises(InvalidField):
        json_text_of(numbers(METADATA_BYTES_MAX // len("1,")), "metadata", METADATA_BYTES_MAX)
