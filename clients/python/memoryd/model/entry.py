"""Entries, and the results of changing them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from google.protobuf.struct_pb2 import Struct, Value

from memoryd.errors import UnsupportedValue
from memoryd.model.enum_word import EnumWords
from memoryd.model.erasure import ErasureReceipt, optional_receipt
from memoryd.model.moment import datetime_from, datetime_in
from memoryd.model.typed_value import fault_in
from memoryd.model.value import decode
from memoryd.v1 import entry_pb2
from memoryd.v1 import working_memory_service_pb2 as pb

# A double represents every integer up to this one exactly.
_INTEGER_MAX = 2**53


class EntryType(StrEnum):
    """The kind of knowledge that an entry holds."""

    UNSPECIFIED = "unspecified"
    FACT = "fact"
    EVENT = "event"
    INSIGHT = "insight"
    PREFERENCE = "preference"
    CORRECTION = "correction"
    CONVERSATION = "conversation"


ENTRY_TYPE = EnumWords(entry_pb2.EntryType, "ENTRY_TYPE")


@dataclass(frozen=True, slots=True)
class Entry:
    """One key and its value in a scope, with their metadata.

    ``value_json`` is the value byte for byte as it was written; empty when the entry was read without its value.
    ``scope_id`` is the scope that holds the entry, empty for the root: of an inherited entry, the ancestor.
    ``user_id`` is the user that the entry is about, empty for none. Times are in UTC. ``importance`` is from 0 to 1.
    ``access_count`` is the number of reads before this one.
    """

    key: str
    value_json: str
    entry_id: str
    type_name: str
    type: EntryType
    importance: float
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    scope_id: str
    revision: int
    create_time: datetime
    update_time: datetime
    expire_time: datetime | None
    access_count: int
    last_access_time: datetime | None
    user_id: str

    @property
    def value(self) -> Any:
        """The decoded value. Raises ValueError if the entry was read without it."""
        if not self.value_json:
            raise ValueError(f"the entry {self.key!r} was read without its value")
        return decode(self.value_json)


@dataclass(frozen=True, slots=True)
class Stored:
    """The result of setting a key. ``created`` is false if it replaced an entry of the same scope.

    ``entry`` is the entry as the call left it, without its content: value, type name, tags and metadata.
    """

    created: bool
    entry: Entry
    revision: int


@dataclass(frozen=True, slots=True)
class OperationResult:
    """The result of one operation of a batch. ``entry_id`` is empty for a removal.

    ``created`` is true if the operation set a key that had no entry; ``deleted`` if it removed an entry.
    """

    key: str
    entry_id: str
    created: bool
    deleted: bool


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The result of a batch: its one revision, and a result for each operation in their order.

    ``receipt`` is that of the erasure; None if there was none.
    """

    revision: int
    results: tuple[OperationResult, ...]
    receipt: ErasureReceipt | None = None


def entry_from(message: entry_pb2.Entry) -> Entry:
    """Return the entry of a message."""
    return Entry(
        key=message.key,
        value_json=message.value_json,
        entry_id=message.entry_id,
        type_name=message.type_name,
        type=ENTRY_TYPE.word(EntryType, message.type),
        importance=message.importance,
        tags=tuple(message.tags),
        metadata=metadata_from(message.metadata),
        scope_id=message.scope_id,
        revision=message.revision,
        create_time=datetime_from(message.create_time),
        update_time=datetime_from(message.update_time),
        expire_time=datetime_in(message, "expire_time"),
        access_count=message.access_count,
        last_access_time=datetime_in(message, "last_access_time"),
        user_id=message.user_id,
    )


def stored_from(message: pb.SetEntryResponse) -> Stored:
    """Return the result of setting a key."""
    return Stored(message.created, entry_from(message.entry), message.revision)


def batch_result_from(message: pb.BatchWriteEntriesResponse) -> BatchResult:
    """Return the result of a batch."""
    results = tuple(
        OperationResult(result.key, result.entry_id, result.created, result.deleted) for result in message.results
    )
    return BatchResult(message.revision, results, optional_receipt(message))


def write_metadata(message: Struct, metadata: Mapping[str, Any]) -> None:
    """Write metadata to a message. Raises UnsupportedValue for what JSON cannot represent, or is nested too deeply."""
    try:
        message.update(metadata)
    except (TypeError, ValueError, RecursionError) as error:
        raise UnsupportedValue(f"metadata cannot be written as JSON: {fault_in(metadata) or error}") from error


def metadata_from(message: Struct) -> dict[str, Any]:
    """Return a Struct as a dict. A whole number becomes an int, since JSON does not tell 3 from 3.0."""
    return {name: _metadata_value(value) for name, value in message.fields.items()}


def _metadata_value(message: Value) -> Any:
    match message.WhichOneof("kind"):
        case "number_value":
            number = message.number_value
            return int(number) if number.is_integer() and abs(number) <= _INTEGER_MAX else number
        case "string_value":
            return message.string_value
        case "bool_value":
            return message.bool_value
        case "struct_value":
            return metadata_from(message.struct_value)
        case "list_value":
            return [_metadata_value(item) for item in message.list_value.values]
        case _:
            return None
