"""Events: committed facts, in the past tense."""

import enum

import msgspec

from memoryd_server.domain.conversations.conversation import Conversation, ConversationMessage
from memoryd_server.domain.documents.document import Document, DocumentChunk
from memoryd_server.domain.entities.entity import EntityWindow
from memoryd_server.domain.entries.entry import ROOT, Entry
from memoryd_server.domain.fragments.fragment import Fragment
from memoryd_server.domain.memories.memory import Memory
from memoryd_server.domain.memories.memory_link import MemoryLink
from memoryd_server.domain.notes.note import Note
from memoryd_server.domain.plans.plan import Plan

CollectedRecord = Note | Plan | ConversationMessage | Conversation | EntityWindow | Document | DocumentChunk
"""The records that are kept in collections. Each has a tag, which tells them apart in an event."""


class EventType(enum.IntEnum):
    """What happened. The numbers are those of the contract and are stored: never renumber."""

    ENTRY_SET = 1
    ENTRY_REMOVED = 2
    SCOPE_CREATED = 3
    SCOPE_DISPOSED = 4
    MEMORY_CLEARED = 5
    AGENT_ENDED = 6
    AGENT_RESTORED = 7
    FRAGMENT_STORED = 8
    FRAGMENT_DELETED = 9
    FRAGMENTS_FLUSHED = 10
    FRAGMENTS_CLEARED = 11
    MEMORY_CREATED = 12
    MEMORY_UPDATED = 13
    MEMORY_REINFORCED = 14
    MEMORY_ARCHIVED = 15
    MEMORY_FORGOTTEN = 16
    MEMORY_RESTORED = 17
    MEMORY_PURGED = 18
    MEMORIES_LINKED = 19
    MEMORIES_UNLINKED = 20
    MEMORIES_CLEARED = 21
    NOTE_CREATED = 22
    NOTE_UPDATED = 23
    NOTE_DELETED = 24
    RECORDS_CLEARED = 25
    PLAN_CREATED = 26
    PLAN_UPDATED = 27
    PLAN_DELETED = 28
    ENTITIES_UPDATED = 29
    ENTITIES_CLEARED = 30
    DOCUMENT_ADDED = 31
    DOCUMENT_REPLACED = 32
    DOCUMENT_DELETED = 33
    MESSAGE_APPENDED = 34
    MESSAGE_REMOVED = 35
    CONVERSATION_DELETED = 36
    CONVERSATION_COMPACTED = 37


class EventCause(enum.IntEnum):
    """Why it happened. The numbers are those of the contract and are stored: never renumber."""

    REQUEST = 1
    EXPIRY = 2
    MERGE = 3
    PARENT_DISPOSED = 4
    CLEAR = 5
    RESTORE = 6
    INITIAL_STATE = 7
    EVICTION = 8
    ACKNOWLEDGED = 9
    THRESHOLD = 10
    SUPERSEDED = 11
    DUPLICATE = 12
    CONTRADICTION = 13
    SIMILARITY = 14
    CONSOLIDATION = 15
    COMPACTION = 16


_OUTSIDE_OF_SCOPES = frozenset(each for each in EventType if each >= EventType.FRAGMENT_STORED)
"""Events that have neither scope nor key: those about anything but working memory."""


class Event(msgspec.Struct, frozen=True, array_like=True):
    """One fact of an agent; stored in this order. ``index`` is its place among the events of its revision.

    ``ancestors`` are those of the scope when it happened, the parent first, without the root. ``record`` is the one
    that was put, or was deleted: then without its content. ``memory_kind`` is what was cleared, as a number.
    """

    type: EventType
    cause: EventCause
    revision: int
    index: int
    time: int
    scope_id: str = ROOT
    scope_name: str = ""
    ancestors: tuple[str, ...] = ()
    key: str = ""
    entry: Entry | None = None
    is_update: bool = False
    entries_cleared: int = 0
    snapshot_id: str = ""
    origin: str = ""
    fragment: Fragment | None = None
    fragment_id: str = ""
    fragment_count: int = 0
    memory: Memory | None = None
    memory_id: str = ""
    link: MemoryLink | None = None
    memory_count: int = 0
    record: CollectedRecord | None = None
    memory_kind: int = 0
    record_count: int = 0

    @property
    def payload(self) -> Entry | Fragment | Memory | MemoryLink | CollectedRecord | None:
        """The record that the event carries."""
        return self.entry or self.fragment or self.memory or self.link or self.record

    @property
    def payload_bytes(self) -> int:
        """The size of what the event carries beside itself."""
        return sum(each.size_bytes for each in (self.entry, self.fragment, self.memory, self.record) if each)


class EventFilter(msgspec.Struct, frozen=True):
    """Keeps the events that pass all of its fields; an empty field keeps all. See ``EventFilter`` of the contract."""

    agent_ids: frozenset[str] = frozenset()
    scope_ids: frozenset[str] = frozenset()
    include_descendants: bool = False
    key_prefix: str = ""
    event_types: frozenset[EventType] = frozenset()

    def keeps(self, agent_id: str, event: Event) -> bool:
        """Whether the event of this agent passes."""
        return (
            (not self.agent_ids or agent_id in self.agent_ids)
            and (not self.event_types or event.type in self.event_types)
            and (not event.key or event.key.startswith(self.key_prefix))
            and (not self.scope_ids or self._keeps_scope(event))
            and not ((self.scope_ids or self.key_prefix) and event.type in _OUTSIDE_OF_SCOPES)
        )

    def _keeps_scope(self, event: Event) -> bool:
        if event.scope_id in self.scope_ids:
            return True
        if not self.include_descendants:
            return False
        return ROOT in self.scope_ids or not self.scope_ids.isdisjoint(event.ancestors)


class EventSelection(msgspec.Struct, frozen=True, cache_hash=True):
    """The events that a watch or a listing is about: those that pass any filter and are not of the excluded origin."""

    filters: tuple[EventFilter, ...] = ()
    exclude_origin: str = ""

    def keeps(self, agent_id: str, event: Event) -> bool:
        """Whether the event of this agent is selected."""
        if self.exclude_origin and event.origin == self.exclude_origin:
            return False
        return not self.filters or any(each.keeps(agent_id, event) for each in self.filters)

    @property
    def agent_ids(self) -> frozenset[str] | None:
        """The agents that the selection is about, None for all."""
        if not self.filters or any(not each.agent_ids for each in self.filters):
            return None
        return frozenset().union(*(each.agent_ids for each in self.filters))
