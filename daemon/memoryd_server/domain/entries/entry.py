"""Entries: keys with a JSON value in a scope."""

import enum
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import ClassVar

import msgspec

from memoryd_server.domain.limit import IMPORTANCE_DEFAULT
from memoryd_server.domain.validation import size_bytes
from memoryd_server.domain.values.record_filter import KindCondition, RecordShape, Test, at_least, one_of

ROOT = ""
"""The scope id of an agent's root."""


class EntryType(enum.IntEnum):
    """The category of an entry. The numbers are those of the contract and are stored: never renumber."""

    FACT = 1
    EVENT = 2
    INSIGHT = 3
    PREFERENCE = 4
    CORRECTION = 5
    CONVERSATION = 6


class EntryCondition(KindCondition, frozen=True):
    """Conditions on entries; see ``EntryCondition`` of the contract."""

    key_prefixes: tuple[str, ...] = ()
    types: frozenset[EntryType] = frozenset()
    type_names: frozenset[str] = frozenset()
    min_importance: float = 0.0

    def tests(self) -> Iterator[Test]:
        """Yield the conditions that are set."""
        if self.key_prefixes:
            yield "id", lambda entry: entry.key.startswith(self.key_prefixes)
        yield from one_of("type", self.types)
        yield from one_of("type_name", self.type_names)
        yield from at_least("importance", self.min_importance)


ENTRY_SHAPE = RecordShape("entry", attrgetter("key"), condition=EntryCondition)
"""The fields of entries that a filter asks for."""


class EntryDraft(msgspec.Struct, frozen=True, gc=False):
    """An entry as its writer gives it.

    ``size_bytes`` is counted against the storage limit. ``expire_time`` is in nanoseconds since the Unix epoch, None
    for never.
    """

    key: str
    value_json: str
    size_bytes: int
    type_name: str = ""
    type: EntryType = EntryType.FACT
    importance: float = IMPORTANCE_DEFAULT
    tags: tuple[str, ...] = ()
    metadata_json: str = ""
    expire_time: int | None = None
    user_id: str = ""

    def keeping(self, previous: "Entry", names: Iterable[str]) -> "EntryDraft":
        """Return the draft with these fields of an earlier entry."""
        kept = {name: getattr(previous, name) for name in names}
        changed = msgspec.structs.replace(self, **kept)
        growth = changed.attribute_bytes - self.attribute_bytes
        return msgspec.structs.replace(changed, size_bytes=self.size_bytes + growth) if growth else changed

    @property
    def attribute_bytes(self) -> int:
        """The bytes of the texts beside key and value, which count against the storage limit."""
        return sum(map(size_bytes, (self.metadata_json, self.type_name, *self.tags)))


class Entry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A key with its value in a scope. Times are nanoseconds since the Unix epoch; fields are stored in this order."""

    kept_when_erased: ClassVar = ("key", "entry_id", "scope_id")

    key: str
    value_json: str
    entry_id: str
    type_name: str
    type: EntryType
    importance: float
    tags: tuple[str, ...]
    metadata_json: str
    scope_id: str
    revision: int
    create_time: int
    update_time: int
    expire_time: int | None
    size_bytes: int
    access_count: int = 0
    last_access_time: int | None = None
    user_id: str = ""

    def is_live(self, now: int) -> bool:
        """Return True if the entry has not expired at ``now``."""
        return self.expire_time is None or now < self.expire_time

    def has_content_of(self, other: "Entry") -> bool:
        """Return True if both entries have the same content, whatever their times, revisions and access counts."""
        return self == msgspec.structs.replace(other, **{name: getattr(self, name) for name in _BOOKKEEPING})

    @property
    def without_content(self) -> "Entry":
        """The entry without what its writer wrote."""
        return msgspec.structs.replace(self, value_json="", type_name="", tags=(), metadata_json="")

    @property
    def access_id(self) -> str:
        """The id for which reads are counted. An entry that is set again after its removal has a new one."""
        return self.entry_id

    @property
    def draft(self) -> EntryDraft:
        """The draft that would write the same entry again."""
        return EntryDraft(*(getattr(self, name) for name in EntryDraft.__struct_fields__))


_BOOKKEEPING = ("scope_id", "revision", "create_time", "update_time", "size_bytes", "access_count", "last_access_time")
"""The fields that are not content: two entries that differ in these alone have the same content."""


def entry_of(draft: EntryDraft, scope_id: str, entry_id: str, revision: int, now: int, previous: Entry | None) -> Entry:
    """Return the entry that a draft becomes. One that it overwrites passes on its id, creation and accesses."""
    return Entry(
        draft.key,
        draft.value_json,
        entry_id if previous is None else previous.entry_id,
        draft.type_name,
        draft.type,
        draft.importance,
        draft.tags,
        draft.metadata_json,
        scope_id,
        revision,
        now if previous is None else previous.create_time,
        now,
        draft.expire_time,
        draft.size_bytes,
        0 if previous is None else previous.access_count,
        None if previous is None else previous.last_access_time,
        draft.user_id,
    )
