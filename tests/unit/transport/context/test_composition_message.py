"""Every field of a source must have an effect: one that is ignored composes what the caller excluded."""

from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from memoryd.v1 import context_service_pb2 as pb
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import Limits
from memoryd_server.domain.values.record_filter import RecordFilter
from memoryd_server.transport.context.composition_message import composition_request_of

REQUIRED = {"text": {"content": "text"}}
"""The fields that a source cannot do without."""


def fields_of(message: Descriptor, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the path of each field that is no message of ours, and of each filter."""
    for field in message.fields:
        kind = field.message_type
        if kind is not None and kind.full_name.startswith("memoryd.") and kind.name != "RecordFilter":
            yield from fields_of(kind, (*path, field.name))
        else:
            yield (*path, field.name)


def set_value(message: Message, path: tuple[str, ...]) -> None:
    """Set a field to a valid value other than its default."""
    *outer, name = path
    for each in outer:
        message = getattr(message, each)
    field = message.DESCRIPTOR.fields_by_name[name]
    if field.message_type is not None:
        getattr(message, name).all_users = True
        return
    value = {FieldDescriptor.TYPE_STRING: "other", FieldDescriptor.TYPE_DOUBLE: 0.25}.get(field.type, 2)
    if field.is_repeated:
        getattr(message, name).append(value)
    else:
        setattr(message, name, value)


SOURCES = [field.name for field in pb.ContextSection.DESCRIPTOR.oneofs_by_name["source"].fields]
PATHS = [
    (source, path)
    for source in SOURCES
    for path in fields_of(pb.ContextSection.DESCRIPTOR.fields_by_name[source].message_type)
]


@pytest.mark.parametrize(("source", "path"), PATHS, ids=lambda value: ".".join(value) if value else "")
def test_every_field_of_a_source_changes_what_is_composed(source: str, path: tuple[str, ...]) -> None:
    request = pb.ComposeContextRequest(agent_id="a", conversation_id="c", max_tokens=1_000)
    section = request.sections.add()
    getattr(section, source).SetInParent()
    for name, value in REQUIRED.get(source, {}).items():
        setattr(getattr(section, source), name, value)
    before = composition_request_of(request, Limits())
    set_value(getattr(section, source), path)
    assert composition_request_of(request, Limits()) != before


def test_the_filter_of_a_source_takes_the_place_of_the_requests_but_for_its_users() -> None:
    request = pb.ComposeContextRequest(agent_id="a", filter={"user_ids": ["ann"], "all_tags": ["t"]})
    for own in (None, {"any_tags": ["u"]}, {"all_users": True}, {"user_ids": [""]}):
        request.sections.add(name=f"{own}", entries=pb.EntriesSource(filter=own))
    ann = frozenset({"ann"})
    sources: list[Any] = [part.source for part in composition_request_of(request, Limits()).parts]
    assert [source.filter for source in sources] == [
        RecordFilter(user_ids=ann, all_tags=frozenset({"t"})),
        RecordFilter(user_ids=ann, any_tags=frozenset({"u"})),
        RecordFilter(),
        RecordFilter(user_ids=frozenset({""})),
    ]


@pytest.mark.parametrize("refused", [{"ids": ["a"]}, {"conversation_ids": ["c"]}, {"note": {}}, {"memory": {}}])
def test_the_filter_of_a_request_asks_only_for_what_all_kinds_have(refused: dict[str, Any]) -> None:
    with pytest.raises(InvalidField, match="filter"):
        composition_request_of(pb.ComposeContextRequest(agent_id="a", filter=refused), Limits())
