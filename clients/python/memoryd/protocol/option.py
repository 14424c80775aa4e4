"""The options of calls, stated once for both clients."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, TypedDict

from memoryd.model.entry import MEMORY_TYPE, MemoryType
from memoryd.model.moment import duration_of, timestamp_of
from memoryd.model.value import Json, encode
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.fragment_service_pb2 import StoreFragmentRequest
from memoryd.v1.long_term_memory_service_pb2 import MemoryDraft
from memoryd.v1.precondition_pb2 import Precondition

EntryWrite = pb.SetEntryRequest | pb.SetEntryOperation | pb.GetOrSetEntryRequest


class ExpiryOptions(TypedDict, total=False):
    """When what is stored ends, in at most one of two ways.

    ``ttl``: how long it lives, in seconds or as a timedelta.
    ``expire_time``: the moment at which it ends, with a time zone.
    """

    ttl: timedelta | float | None
    expire_time: datetime | None


class EntryOptions(ExpiryOptions, total=False):
    """What may be said about a value that is stored, and at most one way to end; none means that it stays.

    ``type_name``: the writer's name for the value's type; the name of its Python type when left out.
    ``memory_type``: what the entry holds; a fact when left out.
    ``importance``: from 0 to 1; 0.5 when left out.
    ``tags``: labels, at most 64.
    ``metadata``: JSON values of the writer; integers beyond 2**53 lose their last digits.
    ``expiry_days``: the number of days that it lives. ``ttl`` and ``expire_time`` as in ExpiryOptions.
    """

    type_name: str | None
    memory_type: MemoryType | str | None
    importance: float | None
    tags: Iterable[str] | None
    metadata: Mapping[str, Any] | None
    expiry_days: int | None


class SetOptions(EntryOptions, total=False):
    """EntryOptions, and at most one condition on the entry in this very scope.

    ``must_not_exist``: raise EntryExists when it is there.
    ``expected_revision``: raise RevisionMismatch unless it has this revision; 0 means that it is not there.
    """

    must_not_exist: bool
    expected_revision: int | None


def write_entry(message: EntryWrite, value: Any, options: EntryOptions) -> None:
    """Write the value and what is said about it into a message."""
    message.value_json = encode(value)
    type_name = options.get("type_name")
    if type_name is None:
        type_name = "" if isinstance(value, Json) else type(value).__name__
    message.type_name = type_name
    if (memory_type := options.get("memory_type")) is not None:
        message.memory_type = MEMORY_TYPE.number(memory_type)
    if (importance := options.get("importance")) is not None:
        message.importance = importance
    if (tags := options.get("tags")) is not None:
        message.tags.extend(strings_of("tags", tags))
    if (metadata := options.get("metadata")) is not None:
        message.metadata.update(metadata)
    write_expiry(message, options)
    if (expiry_days := options.get("expiry_days")) is not None:
        if message.WhichOneof("expiry") is not None:
            raise ValueError("expiry_days excludes ttl and expire_time")
        message.expiry_days = expiry_days


def write_expiry(message: EntryWrite | StoreFragmentRequest | MemoryDraft, options: ExpiryOptions) -> None:
    """Write when it ends into the message. Raises ValueError when there are two ends."""
    ttl, expire_time = options.get("ttl"), options.get("expire_time")
    if ttl is not None and expire_time is not None:
        raise ValueError("ttl and expire_time exclude each other")
    if ttl is not None:
        message.ttl.CopyFrom(duration_of(ttl))
    elif expire_time is not None:
        message.expire_time.CopyFrom(timestamp_of(expire_time))


def strings_of(option: str, given: Iterable[str]) -> Iterable[str]:
    """Answer what was given for an option. Raises TypeError for one string, which is many letters."""
    if isinstance(given, str):
        raise TypeError(f"{option} are many: use a list or a tuple, not one string")
    return given


def precondition_of(*, must_not_exist: bool = False, expected_revision: int | None = None) -> Precondition | None:
    """Answer the condition as a message. Raises ValueError when there are two."""
    if must_not_exist and expected_revision is not None:
        raise ValueError("must_not_exist and expected_revision exclude each other")
    if must_not_exist:
        return Precondition(must_not_exist=True)
    return None if expected_revision is None else Precondition(expected_revision=expected_revision)


def set_precondition_of(options: SetOptions) -> Precondition | None:
    """Answer the condition among the options as a message."""
    return precondition_of(
        must_not_exist=options.get("must_not_exist", False), expected_revision=options.get("expected_revision")
    )
