"""Events, the filter that selects them, and the messages of a watch."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memoryd.model.agent import MEMORY_KIND, MemoryKind
from memoryd.model.conversation import ConversationInfo, Message, conversation_from, message_from
from memoryd.model.document import Document, document_from
from memoryd.model.entity import EntityWindowInfo, entity_window_from
from memoryd.model.entry import Entry, entry_from
from memoryd.model.enum_word import EnumWords
from memoryd.model.fragment import Fragment, fragment_from
from memoryd.model.memory import Memory, memory_from
from memoryd.model.memory_link import MemoryLink, link_from
from memoryd.model.moment import datetime_from
from memoryd.model.note import Note, note_from
from memoryd.model.plan import Plan, plan_from
from memoryd.v1 import event_pb2
from memoryd.v1 import event_service_pb2 as pb


class EventType(StrEnum):
    """The kind of change that an event states."""

    UNSPECIFIED = "unspecified"
    ENTRY_SET = "entry_set"
    ENTRY_REMOVED = "entry_removed"
    SCOPE_CREATED = "scope_created"
    SCOPE_DISPOSED = "scope_disposed"
    MEMORY_CLEARED = "memory_cleared"
    AGENT_ENDED = "agent_ended"
    AGENT_RESTORED = "agent_restored"
    FRAGMENT_STORED = "fragment_stored"
    FRAGMENT_DELETED = "fragment_deleted"
    FRAGMENTS_FLUSHED = "fragments_flushed"
    FRAGMENTS_CLEARED = "fragments_cleared"
    MEMORY_CREATED = "memory_created"
    MEMORY_UPDATED = "memory_updated"
    MEMORY_REINFORCED = "memory_reinforced"
    MEMORY_ARCHIVED = "memory_archived"
    MEMORY_FORGOTTEN = "memory_forgotten"
    MEMORY_RESTORED = "memory_restored"
    MEMORY_PURGED = "memory_purged"
    MEMORIES_LINKED = "memories_linked"
    MEMORIES_UNLINKED = "memories_unlinked"
    MEMORIES_CLEARED = "memories_cleared"
    NOTE_CREATED = "note_created"
    NOTE_UPDATED = "note_updated"
    NOTE_DELETED = "note_deleted"
    RECORDS_CLEARED = "records_cleared"
    PLAN_CREATED = "plan_created"
    PLAN_UPDATED = "plan_updated"
    PLAN_DELETED = "plan_deleted"
    DOCUMENT_ADDED = "document_added"
    DOCUMENT_REPLACED = "document_replaced"
    DOCUMENT_DELETED = "document_deleted"
    ENTITIES_UPDATED = "entities_updated"
    ENTITIES_CLEARED = "entities_cleared"
    MESSAGE_APPENDED = "message_appended"
    MESSAGE_REMOVED = "message_removed"
    CONVERSATION_DELETED = "conversation_deleted"
    CONVERSATION_COMPACTED = "conversation_compacted"


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
_CAUSE = EnumWords(event_pb2.EventCause, "EVENT_CAUSE")
_PHASE = EnumWords(pb.WatchPhase, "WATCH_PHASE")


@dataclass(frozen=True, slots=True)
class Event:
    """A committed change. ``event.proto`` says which fields an event of each type has.

    ``revision`` and ``index`` order the events of one agent. ``scope_id`` is empty for the root. ``origin`` is the
    name that the writing client chose for itself.
    """

    revision: int
    index: int
    type: EventType
    cause: EventCause
    agent_id: str
    scope_id: str
    scope_name: str
    parent_scope_id: str
    time: datetime
    key: str
    entry: Entry | None
    is_update: bool
    type_name: str
    entries_cleared: int
    snapshot_id: str
    origin: str
    fragment: Fragment | None = None
    fragment_id: str = ""
    fragment_count: int = 0
    memory: Memory | None = None
    memory_id: str = ""
    link: MemoryLink | None = None
    memory_count: int = 0
    note: Note | None = None
    memory_kind: MemoryKind | None = None
    record_count: int = 0
    message: Message | None = None
    conversation: ConversationInfo | None = None
    entity_window: EntityWindowInfo | None = None
    plan: Plan | None = None
    document: Document | None = None


@dataclass(frozen=True, slots=True)
class EventFilter:
    """A filter of events: it keeps those that pass all of its fields. An empty field keeps all.

    An empty string in ``scope_ids`` names the root. ``key_prefix`` applies to events about one entry; those about more
    than one pass. Events about anything but working memory have neither scope nor key: a filter with ``scope_ids`` or
    ``key_prefix`` leaves them out.
    """

    agent_ids: Collection[str] = ()
    scope_ids: Collection[str] = ()
    include_descendants: bool = False
    key_prefix: str = ""
    event_types: Collection[EventType | str] = ()


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
    return Event(
        revision=message.revision,
        index=message.index,
        type=EVENT_TYPE.word(EventType, message.type),
        cause=_CAUSE.word(EventCause, message.cause),
        agent_id=message.agent_id,
        scope_id=message.scope_id,
        scope_name=message.scope_name,
        parent_scope_id=message.parent_scope_id,
        time=datetime_from(message.time),
        key=message.key,
        entry=entry_from(message.entry) if message.HasField("entry") else None,
        is_update=message.is_update,
        type_name=message.type_name,
        entries_cleared=message.entries_cleared,
        snapshot_id=message.snapshot_id,
        origin=message.origin,
        fragment=fragment_from(message.fragment) if message.HasField("fragment") else None,
        fragment_id=message.fragment_id,
        fragment_count=message.fragment_count,
        memory=memory_from(message.memory) if message.HasField("memory") else None,
        memory_id=message.memory_id,
        link=link_from(message.link) if message.HasField("link") else None,
        memory_count=message.memory_count,
        note=note_from(message.note) if message.HasField("note") else None,
        memory_kind=MEMORY_KIND.word(MemoryKind, message.memory_kind) if message.memory_kind else None,
        record_count=message.record_count,
        message=message_from(message.message) if message.HasField("message") else None,
        conversation=conversation_from(message.conversation) if message.HasField("conversation") else None,
        entity_window=entity_window_from(message.entity_window) if message.HasField("entity_window") else None,
        plan=plan_from(message.plan) if message.HasField("plan") else None,
        document=document_from(message.document) if message.HasField("document") else None,
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
