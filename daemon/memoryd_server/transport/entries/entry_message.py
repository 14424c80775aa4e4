"""Entries, between the domain and the contract."""

import logging
from collections.abc import Iterable

from memoryd.v1 import entry_pb2, working_memory_service_pb2
from memoryd_server.domain import limit, validation
from memoryd_server.domain.entries.entry import Entry, EntryDraft, EntryType
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import IMPORTANCE_DEFAULT, SECOND_NS
from memoryd_server.domain.values.record_view import RecordView
from memoryd_server.domain.values.weighted_lru import WeightedLru
from memoryd_server.engine.entries.working_memory import ReadEntry
from memoryd_server.transport.fields.expiry import expire_time_of
from memoryd_server.transport.fields.json_value import json_text_of, write_json
from memoryd_server.transport.fields.timestamp import write_timestamp
from memoryd_server.transport.fields.update_mask import paths_of
from memoryd_server.transport.fields.wire import length_of
from memoryd_server.transport.limit import ENCODED_ENTRIES_BYTES_MAX, ENCODED_ENTRY_BYTES_MAX

DraftMessage = (
    working_memory_service_pb2.SetEntryRequest
    | working_memory_service_pb2.GetOrSetEntryRequest
    | working_memory_service_pb2.SetEntryOperation
)

log = logging.getLogger("memoryd.working_memory")


class EntryEncoder:
    """Serialises entries, and caches the bytes of those that were read recently: an ``Entry`` is immutable.

    Only its number of reads and the last read time differ between responses. These fields are appended.
    """

    def __init__(self, kept_bytes_max: int = ENCODED_ENTRIES_BYTES_MAX) -> None:
        self._kept: WeightedLru[int, tuple[Entry, bytes]] = WeightedLru(kept_bytes_max)
        self._accesses = (0, 0)
        self._accesses_data = b""
        self._accesses_message = entry_pb2.Entry()

    def encode(self, read: ReadEntry, view: RecordView = RecordView.FULL) -> bytes:
        """Return the serialised Entry for a reader."""
        entry = read.entry
        if view is RecordView.WITHOUT_CONTENT:
            message = entry_pb2.Entry()
            write_entry_without_content(entry, message)
            data = message.SerializeToString()
        else:
            kept = self._kept.peek(id(entry))
            # The cached tuple holds the entry, so that its id is not reused for another one.
            data = kept[1] if kept is not None and kept[0] is entry else self._encode(entry)
        if read.last_access_time is None:
            return data
        return data + self._accesses_of(read.access_count, read.last_access_time)

    def encode_each(self, tag: bytes, reads: Iterable[ReadEntry]) -> list[bytes]:
        """Return the parts of a field that repeats, in full: those of each entry, after its tag and its length."""
        parts: list[bytes] = []
        kept = self._kept.peek
        count, last_time, accesses = 0, None, b""
        for read in reads:
            entry = read.entry
            known = kept(id(entry))
            data = known[1] if known is not None and known[0] is entry else self._encode(entry)
            if read.last_access_time != last_time or read.access_count != count:
                count, last_time = read.access_count, read.last_access_time
                accesses = b"" if last_time is None else self._accesses_of(count, last_time)
            parts += (tag, length_of(len(data) + len(accesses)), data, accesses)
        return parts

    def _accesses_of(self, count: int, last_time: int) -> bytes:
        accesses = (count, last_time)
        # Keep the last ones encoded: entries that are read together were often read together before.
        if accesses != self._accesses:
            self._accesses = accesses
            message = self._accesses_message
            last = message.last_access_time
            message.access_count, (last.seconds, last.nanos) = count, divmod(last_time, SECOND_NS)
            self._accesses_data = message.SerializeToString()
        return self._accesses_data

    def drop_all(self) -> None:
        """Drop the bytes of all entries."""
        self._kept.clear()

    def _encode(self, entry: Entry) -> bytes:
        data = committed_entry_message(entry).SerializeToString()
        if len(data) <= ENCODED_ENTRY_BYTES_MAX:
            self._kept.put(id(entry), (entry, data), len(data))
        return data


def committed_entry_message(entry: Entry) -> entry_pb2.Entry:
    """Encode an entry as it was committed, without its reads, for events."""
    message = entry_pb2.Entry(value_json=entry.value_json, type_name=entry.type_name)
    if entry.tags:
        message.tags.extend(entry.tags)
    if entry.metadata_json:
        write_json(entry.metadata_json, message.metadata)
    write_entry_without_content(entry, message)
    return message


def write_entry_without_content(entry: Entry, message: entry_pb2.Entry) -> None:
    """Write all but the content of an entry into a message, such as the field of a response."""
    message.key = entry.key
    message.entry_id = entry.entry_id
    message.type = int(entry.type)  # type: ignore[assignment]
    message.importance = entry.importance
    message.scope_id = entry.scope_id
    message.revision = entry.revision
    message.user_id = entry.user_id
    write_timestamp(message.create_time, entry.create_time)
    write_timestamp(message.update_time, entry.update_time)
    if entry.expire_time is not None:
        write_timestamp(message.expire_time, entry.expire_time)


def draft_of(message: DraftMessage, now: int, limits: limit.Limits) -> EntryDraft:
    """Decode an entry to set. Raises InvalidField, TooLarge."""
    key = validation.text("key", message.key, limit.KEY_BYTES_MAX)
    value_json = _value_json(message)
    metadata_json = _metadata_json(message) if message.HasField("metadata") else ""
    expire_time = None if message.WhichOneof("expiry") is None else expire_time_of(message, now)
    type_name, user_id = message.type_name, message.user_id
    if type_name:
        validation.optional_text("type_name", type_name, limit.TYPE_NAME_BYTES_MAX)
    tags = validation.tags("tags", message.tags) if message.tags else ()
    return EntryDraft(
        key,
        value_json,
        validation.entry_size(key, value_json, (metadata_json, type_name, *tags), limits),
        type_name,
        validation.known("type", message.type, EntryType) if message.type else EntryType.FACT,
        validation.importance("importance", message.importance)
        if message.HasField("importance")
        else IMPORTANCE_DEFAULT,
        tags,
        metadata_json,
        expire_time,
        user_id and validation.text("user_id", user_id, limit.USER_ID_BYTES_MAX),
    )


def kept_of(message: working_memory_service_pb2.SetEntryRequest) -> tuple[str, ...]:
    """Return the fields of a draft that an existing entry keeps. Raises InvalidField for a path that there is not."""
    if not message.HasField("update_mask"):
        return ()
    mask = message.update_mask
    named = paths_of(mask, _MASK_PATHS) if mask.paths else ()
    return tuple(field for path, field in _MASK_PATHS.items() if path not in named)


_MASK_PATHS = {
    "type_name": "type_name",
    "type": "type",
    "importance": "importance",
    "tags": "tags",
    "metadata": "metadata_json",
    "expire_time": "expire_time",
    "user_id": "user_id",
}
"""The paths of a mask, with the fields of a draft."""


def _value_json(message: DraftMessage) -> str:
    content = message.WhichOneof("content")
    if content == "value_json":
        try:
            return validation.json_text("value_json", message.value_json)
        except InvalidField as refusal:
            log.error("value cannot be serialized", extra={"key": message.key, "error": refusal.description})
            raise
    if content is None:
        raise InvalidField("content", "must have a value_json or a value")
    if message.value.WhichOneof("kind") is None:
        raise InvalidField("value", "must not be empty; null is a value")
    return json_text_of(message.value, "value")


def _metadata_json(message: DraftMessage) -> str:
    text = json_text_of(message.metadata, "metadata", limit.METADATA_BYTES_MAX)
    return text if message.metadata.fields else ""
