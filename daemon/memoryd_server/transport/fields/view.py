"""Views of records: messages in full, or without what a writer wrote."""

from functools import cache
from typing import Any, TypeVar

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from memoryd.v1.field_policy_pb2 import field_policy
from memoryd_server.domain import validation
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.values.list_order import UNRATED_ORDERS, ListOrder
from memoryd_server.domain.values.record_view import RecordView

M = TypeVar("M", bound=Message)


def view_of(request: Any) -> RecordView:
    """Return how much of each record a request asks for. Raises InvalidField."""
    return validation.known("view", request.view or RecordView.FULL, RecordView)


def order_of(request: Any, default: ListOrder, *, rated: bool = False) -> ListOrder:
    """Return the order that a request asks for. Its records have an importance if ``rated``. Raises InvalidField."""
    order = validation.known("order", request.order or default, ListOrder)
    if not rated and order not in UNRATED_ORDERS:
        raise InvalidField("order", "is by importance, which these records do not have")
    return order


def viewed(message: M, view: RecordView) -> M:
    """Return the message, after its content is removed from it if the view is without content.

    Content are the fields that the contract's FieldPolicy says so of, those of nested messages included.
    """
    if view is RecordView.WITHOUT_CONTENT:
        _remove_content(message)
    return message


def _remove_content(message: Message) -> None:
    contents, nested = _fields(message.DESCRIPTOR)
    for name in contents:
        message.ClearField(name)
    for name, is_repeated in nested:
        value = getattr(message, name)
        for each in value if is_repeated else (value,) if message.HasField(name) else ():
            _remove_content(each)


@cache
def _fields(descriptor: Descriptor) -> tuple[tuple[str, ...], tuple[tuple[str, bool], ...]]:
    """Return the names of the fields that are content, and of the nested messages to look into."""
    contents = tuple(each.name for each in descriptor.fields if _is_content(each))
    nested = tuple(
        (each.name, each.is_repeated)
        for each in descriptor.fields
        if each.message_type is not None and each.message_type.file.package == descriptor.file.package
        if not _is_content(each)
    )
    return contents, nested


def _is_content(field: FieldDescriptor) -> bool:
    return bool(field.GetOptions().Extensions[field_policy].content)  # type: ignore[index]
