"""Types and causes of events, as the contract names them."""

import enum

from memoryd_server.domain.record_kind import RecordKind

_NUMBERS_PER_KIND = 10
_DELETED = 2
_CLEARED = 9


class EventType(enum.IntEnum):
    """The change that an event reports. The numbers are those of the contract and are stored: never renumber.

    Ten numbers are kept for each kind of record, from ten times the number of the kind: the first three of them are
    for its creation, its change, and its end, the last one is for the end of all of its records.
    """

    ENTRY_SET = 10
    ENTRY_REMOVED = 12
    ENTRIES_CLEARED = 19
    SCOPE_CREATED = 20
    SCOPE_DISPOSED = 22
    FRAGMENT_CREATED = 30
    FRAGMENT_DELETED = 32
    FRAGMENTS_FLUSHED = 33
    FRAGMENTS_CLEARED = 39
    MEMORY_CREATED = 40
    MEMORY_UPDATED = 41
    MEMORY_PURGED = 42
    MEMORY_REINFORCED = 43
    MEMORY_ARCHIVED = 44
    MEMORY_FORGOTTEN = 45
    MEMORY_RESTORED = 46
    MEMORIES_CLEARED = 49
    MEMORIES_LINKED = 50
    MEMORIES_UNLINKED = 52
    NOTE_CREATED = 60
    NOTE_UPDATED = 61
    NOTE_DELETED = 62
    NOTES_CLEARED = 69
    PLAN_CREATED = 70
    PLAN_UPDATED = 71
    PLAN_DELETED = 72
    PLAN_NOTE_ADDED = 73
    PLANS_CLEARED = 79
    PLAN_STEP_ADDED = 80
    PLAN_STEP_UPDATED = 81
    PLAN_STEP_REMOVED = 82
    PLAN_STEP_MOVED = 83
    ENTITY_WINDOW_CREATED = 100
    ENTITY_WINDOW_UPDATED = 101
    ENTITY_WINDOW_DELETED = 102
    ENTITY_WINDOWS_CLEARED = 109
    DOCUMENT_CREATED = 110
    DOCUMENT_UPDATED = 111
    DOCUMENT_DELETED = 112
    DOCUMENTS_CLEARED = 119
    CONVERSATION_CREATED = 130
    CONVERSATION_UPDATED = 131
    CONVERSATION_DELETED = 132
    CONVERSATION_COMPACTED = 133
    CONVERSATIONS_CLEARED = 139
    MESSAGE_APPENDED = 140
    MESSAGE_REMOVED = 142
    AGENT_UPDATED = 171
    AGENT_ENDED = 172
    AGENT_RESTORED = 173
    USER_FORGOTTEN = 174
    MEMORY_PROPOSAL_CREATED = 190
    MEMORY_PROPOSAL_DELETED = 192
    MEMORY_PROPOSALS_CLEARED = 199

    @property
    def kind(self) -> RecordKind:
        """The kind of the records that the events are about."""
        return _KINDS[self]

    @property
    def is_end(self) -> bool:
        """True if the record that the event is about exists no more."""
        return self % _NUMBERS_PER_KIND == _DELETED

    @property
    def is_removal(self) -> bool:
        """True if the event reports the end of its record, or of all records of its kind."""
        return self % _NUMBERS_PER_KIND in (_DELETED, _CLEARED)

    @classmethod
    def cleared(cls, kind: RecordKind) -> "EventType":
        """Return the type of the event that all records of a kind were cleared. Raises ValueError if there is none."""
        return cls(kind * _NUMBERS_PER_KIND + _CLEARED)


_KINDS = {each: RecordKind(each // _NUMBERS_PER_KIND) for each in EventType}


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
    USER_FORGOTTEN = 17
    ERASED = 18
    ACCEPTED = 19


WITHOUT_OWNER = frozenset({EventCause.USER_FORGOTTEN, EventCause.ERASED})
"""The causes of events that do not say whose the removed record was, or what it was like."""
