"""The user that an agent may be bound to: whom the agent writes about, and whose records it selects."""

from dataclasses import replace
from typing import Any, TypeVar

from google.protobuf.message import Message

from memoryd.protocol.call import Call
from memoryd.v1.record_filter_pb2 import RecordFilter

Result = TypeVar("Result")

_DRAFTS = ("draft", "create", "set")
_LISTS = ("drafts", "operations")


def call_of_user(call: Call[Result], user_id: str) -> Call[Result]:
    """Return a call whose request is about a user, unless it names others."""
    return replace(call, request=of_user(call.request, user_id))


def of_user(request: Message, user_id: str) -> Any:
    """Return a copy of a request that writes about a user and selects the user's records, unless it names others."""
    copy = type(request)()
    copy.CopyFrom(request)
    _write(copy, user_id)
    _select(copy, user_id)
    return copy


def _write(message: Any, user_id: str) -> None:
    fields = message.DESCRIPTOR.fields_by_name
    if (field := fields.get("user_id")) is not None:
        is_given = message.HasField("user_id") if field.has_presence else message.user_id
        if not is_given:
            message.user_id = user_id
    # An update changes the user of a record only where the caller says so.
    if "update_mask" not in fields:
        for name in _DRAFTS:
            if name in fields and message.HasField(name):
                _write(getattr(message, name), user_id)
    for name in _LISTS:
        # Parts of a record, such as the messages of a conversation, have no user of their own.
        for each in getattr(message, name) if name in fields else ():
            _write(each, user_id)
    if "header" in fields and message.HasField("header"):
        _write(message.header, user_id)
    for write in message.writes if "writes" in fields else ():
        _write(getattr(write, write.WhichOneof("write")), user_id)


def _select(request: Any, user_id: str) -> None:
    fields = request.DESCRIPTOR.fields_by_name
    if "filter" in fields and not _names_records(request):
        _narrow(request.filter, user_id)
    for each in request.filters if "filters" in fields else ():
        _narrow(each.record, user_id)


def _narrow(filter_: RecordFilter, user_id: str) -> None:
    if not filter_.user_ids and not filter_.all_users:
        filter_.user_ids.append(user_id)


def _names_records(request: Any) -> bool:
    """Return whether a request names the records, or what they belong to, whose user is theirs.

    The user would leave out those of a conversation without a user. Nor is a user selected where nothing else is, and
    the request would forget all that there is of the user.
    """
    match request.DESCRIPTOR.name:
        case "ListMessagesRequest":
            return True
        case "ListMemoryLinksRequest":
            return bool(request.memory_id)
        case "BatchForgetMemoriesRequest":
            return bool(request.memory_ids) or not request.filter.ByteSize()
    return False
