"""The options that several calls share."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, TypedDict

from memoryd.model.entry import ENTRY_TYPE, EntryType, write_metadata
from memoryd.model.moment import duration_of, timestamp_of
from memoryd.model.value import Json, encode
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.fragment_pb2 import FragmentDraft
from memoryd.v1.long_term_memory_service_pb2 import MemoryDraft
from memoryd.v1.precondition_pb2 import Precondition

EntryWrite = pb.SetEntryRequest | pb.SetEntryOperation | pb.GetOrSetEntryRequest


class ExpiryOptions(TypedDict, total=False):
    """The expiry of a record, as at most one of two options.

    ``ttl``: time to live, in seconds or as a timedelta.
    ``expire_time``: the time at which it ends, with a time zone.
    """

    ttl: timedelta | float | None
    expire_time: datetime | None


class EntryOptions(ExpiryOptions, total=False):
    """The options of an entry, with at most one expiry; by default it does not expire.

    ``type_name``: the writer's name for the value's type; by default the name of its Python type.
    ``entry_type``: the kind of knowledge that the entry holds; a fact by default.
    ``importance``: from 0 to 1; 0.5 by default.
    ``tags``: labels, at most 64.
    ``metadata``: JSON values of the writer; integers beyond 2**53 lose their last digits.
    ``user_id``: the user that the entry is about; none by default.
    ``expiry_days``: time to live in days. ``ttl`` and ``expire_time``: as in ExpiryOptions.
    """

    type_name: str | None
    entry_type: EntryType | str | None
    importance: float | None
    tags: Iterable[str] | None
    metadata: Mapping[str, Any] | None
    user_id: str | None
    expiry_days: int | None


class Condition(TypedDict, total=False):
    """At most one condition of a change on a record. Unless it holds, nothing changes.

    ``must_not_exist``: if true, raise RecordExists if there is one.
    ``must_exist``: if true, raise RecordNotFound unless there is one.
    ``expected_revision``: raise RevisionMismatch unless it has this revision; 0 means that there is none.
    """

    must_not_exist: bool
    must_exist: bool
    expected_revision: int | None


class SetOptions(EntryOptions, Condition, total=False):
    """EntryOptions, and a Condition on the entry in this scope; inherited entries do not count."""


def write_entry(message: EntryWrite, value: Any, options: EntryOptions) -> None:
    """Write the value and its options into a message. Raises UnsupportedValue, and ValueError for two expiries."""
    message.value_json = encode(value)
    type_name = options.get("type_name")
    message.type_name = type_name_of(value) if type_name is None else type_name
    if (entry_type := options.get("entry_type")) is not None:
        message.type = ENTRY_TYPE.number(entry_type)
    if (importance := options.get("importance")) is not None:
        message.importance = importance
    if (tags := options.get("tags")) is not None:
        message.tags.extend(strings_of("tags", tags))
    if (metadata := options.get("metadata")) is not None:
        write_metadata(message.metadata, metadata)
    if (user_id := options.get("user_id")) is not None:
        message.user_id = user_id
    write_expiry(message, options)
    if (expiry_days := options.get("expiry_days")) is not None:
        if message.WhichOneof("expiry") is not None:
            raise ValueError("expiry_days, ttl and expire_time exclude each other: give at most one")
        message.ttl.CopyFrom(duration_of(timedelta(days=expiry_days)))


def named_fields(options: EntryOptions) -> list[str]:
    """Return the fields of an entry that are among the options, also those that are None: their defaults are meant."""
    return sorted({_FIELDS.get(name, name) for name in options})


_FIELDS = {"entry_type": "type", "ttl": "expire_time", "expiry_days": "expire_time"}
"""The fields of options that are named differently."""


def type_name_of(value: Any) -> str:
    """Return the name that a value's type has unless its writer gives another one."""
    return "" if isinstance(value, Json) else type(value).__name__


def write_expiry(message: EntryWrite | FragmentDraft | MemoryDraft, options: ExpiryOptions) -> None:
    """Write the expiry into the message. Raises ValueError if there are two."""
    ttl, expire_time = options.get("ttl"), options.get("expire_time")
    if ttl is not None and expire_time is not None:
        raise ValueError("ttl and expire_time exclude each other: give at most one")
    if ttl is not None:
        message.ttl.CopyFrom(duration_of(ttl))
    elif expire_time is not None:
        message.expire_time.CopyFrom(timestamp_of(expire_time))


def strings_of(option: str, given: Iterable[str]) -> Iterable[str]:
    """Return the strings given for an option. Raises TypeError for a single string, which is iterable by characters."""
    if isinstance(given, str):
        raise TypeError(f"{option} is one string: use a list or a tuple of strings")
    return given


def any_of(option: str, given: Iterable[Any] | None) -> list[Any]:
    """Return what is given for an option that selects by any of several; none of it selects all, and so does None.

    Raises ValueError if there are none: they were meant to select nothing. Raises TypeError for a single string.
    """
    if given is None:
        return []
    chosen = list(strings_of(option, given))
    if not chosen:
        raise ValueError(f"{option} is empty, which selects nothing: leave it out to select all")
    return chosen


def precondition_of(
    *, must_not_exist: bool = False, must_exist: bool = False, expected_revision: int | None = None
) -> Precondition | None:
    """Return the condition as a message; None if there is none. Raises ValueError if there are two."""
    if must_not_exist + must_exist + (expected_revision is not None) > 1:
        raise ValueError("must_not_exist, must_exist and expected_revision exclude each other: give at most one")
    if must_not_exist:
        return Precondition(must_not_exist=True)
    if must_exist:
        return Precondition(must_exist=True)
    return None if expected_revision is None else Precondition(expected_revision=expected_revision)


def condition_of(options: Condition) -> Precondition | None:
    """Return the condition among the options as a message."""
    return precondition_of(
        must_not_exist=options.get("must_not_exist", False),
        must_exist=options.get("must_exist", False),
        expected_revision=options.get("expected_revision"),
    )
