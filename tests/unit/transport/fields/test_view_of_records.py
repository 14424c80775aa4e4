"""Records and events without their content: what is left of every kind of the contract."""

from collections.abc import Iterator

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Struct
from tests.contract.rule import RESOURCES, is_content

from memoryd.v1 import event_pb2
from memoryd_server.domain.values.record_view import RecordView
from memoryd_server.transport.fields.view import viewed

PACKAGE = event_pb2.DESCRIPTOR.package


def filled(message: Message, depth: int = 0) -> Message:
    """Return the message with every field set: of a oneof the last one, of nested messages four levels."""
    for field in message.DESCRIPTOR.fields:
        if field.message_type is not None and depth == 4:
            continue
        target = getattr(message, field.name)
        if field.message_type is not None:
            one = target.add() if field.is_repeated else target
            if isinstance(one, Struct):
                one["k"] = "v"
            elif field.message_type.file.package == PACKAGE:
                filled(one, depth + 1)
            elif not field.is_repeated:
                one.SetInParent()
        elif field.is_repeated:
            target.append(_value_of(field))
        else:
            setattr(message, field.name, _value_of(field))
    return message


def _value_of(field: FieldDescriptor) -> object:
    if field.enum_type is not None:
        return field.enum_type.values[-1].number
    if field.type == FieldDescriptor.TYPE_STRING:
        return "secret"
    if field.type == FieldDescriptor.TYPE_BYTES:
        return b"secret"
    return True if field.type == FieldDescriptor.TYPE_BOOL else 1


def fields_of(message: Message, path: str = "") -> Iterator[tuple[str, bool]]:
    """Yield the path of each field that is set, and whether it or a message above it is content."""
    for field, value in message.ListFields():
        here = f"{path}.{field.name}"
        yield here, is_content(field)
        if field.message_type is not None and field.message_type.file.package == PACKAGE and not is_content(field):
            for each in value if field.is_repeated else (value,):
                yield from fields_of(each, here)


def resources() -> list[type[Message]]:
    """Return the messages of all records, which events contain."""
    subjects = event_pb2.Event.DESCRIPTOR.oneofs_by_name["subject"].fields
    nested = {each.message_type for subject in subjects for each in subject.message_type.fields if each.message_type}
    records: list[Descriptor] = [each for each in nested if each.name in RESOURCES]
    return [each._concrete_class for each in sorted(records, key=lambda each: each.name)]


def subjects() -> list[str]:
    return [each.name for each in event_pb2.Event.DESCRIPTOR.oneofs_by_name["subject"].fields]


def check(message: Message) -> None:
    expected = {path for path, content in fields_of(message) if not content}
    left = dict(fields_of(viewed(message, RecordView.WITHOUT_CONTENT)))
    assert left.keys() == expected
    assert not any(left.values())


@pytest.mark.parametrize("kind", resources(), ids=lambda kind: kind.DESCRIPTOR.name)
def test_a_record_without_content_keeps_exactly_what_a_writer_did_not_write(kind: type[Message]) -> None:
    check(filled(kind()))


@pytest.mark.parametrize("subject", subjects())
def test_an_event_without_content_keeps_exactly_what_a_writer_did_not_write(subject: str) -> None:
    message = event_pb2.Event()
    filled(getattr(message, subject))
    message.principal = "token"
    check(message)
    assert message.principal == "token"


@pytest.mark.parametrize("subject", subjects())
def test_an_event_in_full_keeps_all(subject: str) -> None:
    message = event_pb2.Event()
    filled(getattr(message, subject))
    before = message.SerializeToString()
    assert viewed(message, RecordView.FULL).SerializeToString() == before
