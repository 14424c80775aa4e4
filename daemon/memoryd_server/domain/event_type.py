"""Types and causes of events, as the contract names them."""

import enum


class EventType(enum.IntEnum):
    """The change that an event reports. The numbers are those of the contract and are stored: never renumber."""

    ENTRY_SET = 1
    ENTRY_REMOVED = 2
    SCOPE_CREATED = 3
    SCOPE_DISPOSED = 4
    ENTRIES_CLEARED = 5
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
    """The reason of a change. The numbers are those of the contract and are stored: never renumber."""

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
