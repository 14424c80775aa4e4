"""Events, the filter that selects them, and the messages of a watch."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from memoryd.model.entry import Entry
from memoryd.model.enum_word import EnumWords
from memoryd.model.moment import datetime_from
from memoryd.model.record import RECORD_KIND, RecordKind
from memoryd.v1 import event_pb2
from memoryd.v1 import event_service_pb2 as pb

# The records of all kinds are imported with the first event: a program that watches nothing starts faster.
if TYPE_CHECKING:
    from memoryd.model.event_subject import EventSubject


class EventType(StrEnum):
    """The kind of change that an event states."""

    UNSPECIFIED = "unspecified"
    ENTRY_SET = "entry_set"
    ENTRY_REMOVED = "entry_removed"
    ENTRIES_CLEARED = "entries_cleared"
    SCOPE_CREATED = "scope_created"
    SCOPE_DISPOSED = "scope_disposed"
    FRAGMENT_CREATED = "fragment_created"
    FRAGMENT_DELETED = "fragment_deleted"
    FRAGMENTS_FLUSHED = "fragments_flushed"
    FRAGMENTS_CLEARED = "fragments_cleared"
    MEMORY_CREATED = "memory_created"
    MEMORY_UPDATED = "memory_updated"
    MEMORY_PURGED = "memory_purged"
    MEMORY_REINFORCED = "memory_reinforced"
    MEMORY_ARCHIVED = "memory_archived"
    MEMORY_FORGOTTEN = "memory_forgotten"
    MEMORY_RESTORED = "memory_restored"
    MEMORIES_CLEARED = "memories_cleared"
    MEMORIES_LINKED = "memories_linked"
    MEMORIES_UNLINKED = "memories_unlinked"
    NOTE_CREATED = "note_created"
    NOTE_UPDATED = "note_updated"
    NOTE_DELETED = "note_deleted"
    NOTES_CLEARED = "notes_cleared"
    PLAN_CREATED = "plan_created"
    PLAN_UPDATED = "plan_updated"
    PLAN_DELETED = "plan_deleted"
    PLAN_NOTE_ADDED = "plan_note_added"
    PLANS_CLEARED = "plans_cleared"
    PLAN_STEP_ADDED = "plan_step_added"
    PLAN_STEP_UPDATED = "plan_step_updated"
    PLAN_STEP_REMOVED = "plan_step_removed"
    PLAN_STEP_MOVED = "plan_step_moved"
    ENTITY_WINDOW_CREATED = "entity_window_created"
    ENTITY_WINDOW_UPDATED = "entity_window_updated"
    ENTITY_WINDOW_DELETED = "entity_window_deleted"
    ENTITY_WINDOWS_CLEARED = "entity_windows_cleared"
    DOCUMENT_CREATED = "document_created"
    DOCUMENT_UPDATED = "document_updated"
    DOCUMENT_DELETED = "document_deleted"
    DOCUMENTS_CLEARED = "documents_cleared"
    CONVERSATION_CREATED = "conversation_created"
    CONVERSATION_UPDATED = "conversation_updated"
    CONVERSATION_DELETED = "conversation_deleted"
    CONVERSATION_COMPACTED = "conversation_compacted"
    CONVERSATIONS_CLEARED = "conversations_cleared"
    MESSAGE_APPENDED = "message_appended"
    MESSAGE_REMOVED = "message_removed"
    AGENT_UPDATED = "agent_updated"
    AGENT_ENDED = "agent_ended"
    AGENT_RESTORED = "agent_restored"
    USER_FORGOTTEN = "user_forgotten"
    MEMORY_PROPOSAL_CREATED = "memory_proposal_created"
    MEMORY_PROPOSAL_DELETED = "memory_proposal_deleted"
    MEMORY_PROPOSALS_CLEARED = "memory_proposals_cleared"


class EventCause(StrEnum):
    """The reason for an event. ``INITIAL_STATE`` is not a change: the event states what exists when a watch starts."""

    UNSPECIFIED = "unspecified"
    REQUEST = "request"
    EXPIRY = "expiry"
    MERGE = "merge"
    PARENT_DISPOSED = "parent_disposed"
    CLEAR = "clear"
    RESTORE = "restore"
    INITIAL_STATE = "initial_state"
    EVICTION = "eviction"
    ACKNOWLEDGED = "acknowledged"
    THRESHOLD = "threshold"
    SUPERSEDED = "superseded"
    DUPLICATE = "duplicate"
    CONTRADICTION = "contradiction"
    SIMILARITY = "similarity"
    CONSOLIDATION = "consolidation"
    COMPACTION = "compaction"
    USER_FORGOTTEN = "user_forgotten"
    ERASED = "erased"
    ACCEPTED = "accepted"


class WatchPhase(StrEnum):
    """The phase of a watch.

    ``RESTARTED`` comes from this client, not from the server: the connection broke during the initial state, which now
    starts again. Discard the events of the initial state that came before.
    """

    UNSPECIFIED = "unspecified"
    OPENED = "opened"
    INITIAL_STATE = "initial_state"
    INITIAL_STATE_COMPLETE = "initial_state_complete"
    LIVE = "live"
    PROGRESS = "progress"
    RESTARTED = "restarted"


EVENT_TYPE = EnumWords(event_pb2.EventType, "EVENT_TYPE")
EVENT_CAUSE = EnumWords(event_pb2.EventCause, "EVENT_CAUSE")
_PHASE = EnumWords(pb.WatchPhase, "WATCH_PHASE")


@dataclass(frozen=True, slots=True)
class Event:
    """A committed change. ``subject`` is what it is about: match it by its type.

        match event.subject:
            case EntryEvent(key=key, entry=None):
                print("removed", key)
            case EntryEvent(key=key, entry=entry):
                print("set", key, entry.value)

    ``revision`` and ``index`` order the events of one agent. ``origin`` is the name that the writing client chose for
    itself, ``principal`` the name of its token or certificate, and ``request_id`` that of its request. An update names
    the fields that it changed in ``changed_fields``. ``previous_revision`` is the revision that wrote the record
    before, 0 if this event created it.
    """

    revision: int
    index: int
    type: EventType
    kind: RecordKind
    cause: EventCause
    agent_id: str
    event_time: datetime
    subject: "EventSubject | None"
    origin: str = ""
    principal: str = ""
    request_id: str = ""
    changed_fields: tuple[str, ...] = ()
    previous_revision: int = 0

    @property
    def key(self) -> str:
        """The key of the entry that the event is about; empty for other subjects."""
        from memoryd.model.event_subject import EntryEvent

        return self.subject.key if isinstance(self.subject, EntryEvent) else ""

    @property
    def entry(self) -> Entry | None:
        """The entry that the event is about, after the change; None if it was removed, and for other subjects."""
        from memoryd.model.event_subject import EntryEvent

        return self.subject.entry if isinstance(self.subject, EntryEvent) else None


@dataclass(frozen=True, slots=True)
class EventFilter:
    """A filter of events: it keeps those that pass all of its fields. None keeps all; an empty list is refused.

    An empty string in ``scope_ids`` names the root. ``key_prefix`` applies to events about one entry; those about more
    than one pass. ``conversation_ids`` keeps the events of the records of conversations, ``user_ids`` those of
    records of users, ``record`` those of the records that a RecordFilter selects. An update of a field that it has a
    condition on passes, too, since the record may have passed before. Events about all records of a kind, or about
    the whole agent, pass if they may concern such records; records of other kinds do not pass. ``agent_ids`` may be
    patterns, such as "support-*".
    """

    agent_ids: Collection[str] | None = None
    scope_ids: Collection[str] | None = None
    include_descendants: bool = False
    key_prefix: str = ""
    event_types: Collection[EventType | str] | None = None
    kinds: Collection[RecordKind | str] | None = None
    causes: Collection[EventCause | str] | None = None
    conversation_ids: Collection[str] | None = None
    user_ids: Collection[str] | None = None
    record: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WatchMessage:
    """One message of a watch, for callers that need more than its events.

    ``revision`` is the agent's revision up to which all events were sent, if the filters name exactly one agent; else
    0. ``resume_token`` continues after this message; empty during the initial state. ``revision_continues`` is true if
    the next message has more events of the last event's revision.
    """

    phase: WatchPhase
    events: tuple[Event, ...] = ()
    revision: int = 0
    resume_token: str = ""
    revision_continues: bool = False


def event_from(message: event_pb2.Event) -> Event:
    """Return the event of a message."""
    from memoryd.model.event_subject import subject_from

    return Event(
        revision=message.revision,
        index=message.index,
        type=EVENT_TYPE.word(EventType, message.type),
        kind=RECORD_KIND.word(RecordKind, message.kind),
        cause=EVENT_CAUSE.word(EventCause, message.cause),
        agent_id=message.agent_id,
        event_time=datetime_from(message.event_time),
        subject=subject_from(message),
        origin=message.origin,
        principal=message.principal,
        request_id=message.request_id,
        changed_fields=tuple(message.changed_fields.paths),
        previous_revision=message.previous_revision,
    )


def watch_message_from(message: pb.WatchEventsResponse) -> WatchMessage:
    """Return the message of a watch."""
    return WatchMessage(
        phase=_PHASE.word(WatchPhase, message.phase),
        events=tuple(event_from(event) for event in message.events),
        revision=message.revision,
        resume_token=message.resume_token,
        revision_continues=message.revision_continues,
    )
