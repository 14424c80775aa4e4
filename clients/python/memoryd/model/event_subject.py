"""The subjects of events: a dataclass for each kind of record.

Each has the ids that name the record, the record after the change, which is None if the change removed it, and
``previous``, the record before the change, which is None unless the watch asked for it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from memoryd.model.agent import AgentInfo, agent_from
from memoryd.model.conversation import ConversationInfo, conversation_from
from memoryd.model.document import Document, document_from
from memoryd.model.entity import EntityWindowInfo, entity_window_from
from memoryd.model.entry import Entry, entry_from
from memoryd.model.fragment import Fragment, fragment_from
from memoryd.model.memory import Memory, memory_from
from memoryd.model.memory_link import MEMORY_LINK_TYPE, MemoryLink, MemoryLinkType, link_from
from memoryd.model.memory_proposal import MemoryProposal, proposal_from
from memoryd.model.message import Message, message_from
from memoryd.model.note import Note, note_from
from memoryd.model.plan import Plan, PlanNote, PlanStep, plan_from, plan_note_from, plan_step_from
from memoryd.model.record import RecordKind, counts_from
from memoryd.model.scope import ScopeInfo, scope_from
from memoryd.v1 import event_pb2


@dataclass(frozen=True, slots=True)
class AgentEvent:
    """An event about an agent as a whole. ``cleared`` has the numbers of records that ended with it, by kind."""

    agent: AgentInfo | None
    previous: AgentInfo | None = None
    snapshot_id: str = ""
    cleared: Mapping[RecordKind, int] | None = None


@dataclass(frozen=True, slots=True)
class EntryEvent:
    """An event about an entry. ``scope_id`` and ``scope_name`` are empty for the root."""

    scope_id: str
    key: str
    entry: Entry | None
    previous: Entry | None = None
    scope_name: str = ""


@dataclass(frozen=True, slots=True)
class ScopeEvent:
    """An event about a scope. ``cleared_entry_count`` is the number of entries that were removed with it."""

    scope_id: str
    name: str
    parent_scope_id: str
    scope: ScopeInfo | None
    previous: ScopeInfo | None = None
    cleared_entry_count: int = 0


@dataclass(frozen=True, slots=True)
class FragmentEvent:
    """An event about a fragment."""

    fragment_id: str
    fragment: Fragment | None
    previous: Fragment | None = None


@dataclass(frozen=True, slots=True)
class MemoryEvent:
    """An event about a long-term memory. ``memory`` is None if it was forgotten, too."""

    memory_id: str
    memory: Memory | None
    previous: Memory | None = None


@dataclass(frozen=True, slots=True)
class MemoryLinkEvent:
    """An event about a link between two long-term memories."""

    from_memory_id: str
    to_memory_id: str
    type: MemoryLinkType
    memory_link: MemoryLink | None
    previous: MemoryLink | None = None


@dataclass(frozen=True, slots=True)
class MemoryProposalEvent:
    """An event about a proposal of a memory."""

    memory_proposal_id: str
    memory_proposal: MemoryProposal | None
    previous: MemoryProposal | None = None


@dataclass(frozen=True, slots=True)
class NoteEvent:
    """An event about a note."""

    note_id: str
    note: Note | None
    previous: Note | None = None


@dataclass(frozen=True, slots=True)
class PlanEvent:
    """An event about a plan.

    Of the content of a plan that was updated, ``plan`` has only what ``changed_fields`` of the event names; the rest is
    empty. ``previous`` has what the event before had, and is None if that one was about a step or a note.
    """

    plan_id: str
    plan: Plan | None
    previous: Plan | None = None


@dataclass(frozen=True, slots=True)
class PlanStepEvent:
    """An event about a step of a plan.

    Of the texts of a step that was not just added, ``plan_step`` has only what ``changed_fields`` of the event names.
    ``before_step_id`` is the step before which it was added or moved, empty for the end.
    """

    plan_id: str
    step_id: str
    plan_step: PlanStep | None
    previous: PlanStep | None = None
    before_step_id: str = ""


@dataclass(frozen=True, slots=True)
class PlanNoteEvent:
    """An event about a note that was added to a plan, as its last one."""

    plan_id: str
    plan_note: PlanNote


@dataclass(frozen=True, slots=True)
class EntityWindowEvent:
    """An event about a conversation's window of entities."""

    conversation_id: str
    entity_window: EntityWindowInfo | None
    previous: EntityWindowInfo | None = None


@dataclass(frozen=True, slots=True)
class DocumentEvent:
    """An event about a document."""

    document_id: str
    document: Document | None
    previous: Document | None = None


@dataclass(frozen=True, slots=True)
class ConversationEvent:
    """An event about a conversation."""

    conversation_id: str
    conversation: ConversationInfo | None
    previous: ConversationInfo | None = None


@dataclass(frozen=True, slots=True)
class MessageEvent:
    """An event about a message of a conversation."""

    conversation_id: str
    number: int
    message: Message | None
    previous: Message | None = None


@dataclass(frozen=True, slots=True)
class ClearedEvent:
    """An event about all records of a kind, which were removed together. ``cleared`` has their numbers by kind.

    ``scope_id`` is the scope whose entries were removed; empty for the root, and for other kinds.
    """

    cleared: Mapping[RecordKind, int]
    scope_id: str = ""
    scope_name: str = ""


@dataclass(frozen=True, slots=True)
class FlushedEvent:
    """An event about a flush of all fragments: the number of those that were not ready for consolidation before."""

    fragment_count: int


EventSubject = (
    AgentEvent
    | EntryEvent
    | ScopeEvent
    | FragmentEvent
    | MemoryEvent
    | MemoryLinkEvent
    | MemoryProposalEvent
    | NoteEvent
    | PlanEvent
    | PlanStepEvent
    | PlanNoteEvent
    | EntityWindowEvent
    | DocumentEvent
    | ConversationEvent
    | MessageEvent
    | ClearedEvent
    | FlushedEvent
)
"""The subject of an event."""


def subject_from(message: event_pb2.Event) -> EventSubject | None:
    """Return what an event is about; None for a subject that a newer server sent and this client does not know."""
    field = message.WhichOneof("subject")
    return None if field is None else _READERS[field](getattr(message, field))


T = TypeVar("T")


def _both(message: Any, field: str, read: Callable[[Any], T]) -> tuple[T | None, T | None]:
    """Return the record after the change and the one before it, each None if it is absent."""
    after = read(getattr(message, field)) if message.HasField(field) else None
    return after, read(message.previous) if message.HasField("previous") else None


def _agent_event(message: event_pb2.AgentEvent) -> AgentEvent:
    return AgentEvent(*_both(message, "agent", agent_from), message.snapshot_id, counts_from(message.cleared))


def _entry_event(message: event_pb2.EntryEvent) -> EntryEvent:
    return EntryEvent(message.scope_id, message.key, *_both(message, "entry", entry_from), message.scope_name)


def _scope_event(message: event_pb2.ScopeEvent) -> ScopeEvent:
    ids = (message.scope_id, message.name, message.parent_scope_id)
    return ScopeEvent(*ids, *_both(message, "scope", scope_from), message.cleared_entry_count)


def _fragment_event(message: event_pb2.FragmentEvent) -> FragmentEvent:
    return FragmentEvent(message.fragment_id, *_both(message, "fragment", fragment_from))


def _memory_event(message: event_pb2.MemoryEvent) -> MemoryEvent:
    return MemoryEvent(message.memory_id, *_both(message, "memory", memory_from))


def _memory_link_event(message: event_pb2.MemoryLinkEvent) -> MemoryLinkEvent:
    link_type = MEMORY_LINK_TYPE.word(MemoryLinkType, message.type)
    ids = (message.from_memory_id, message.to_memory_id, link_type)
    return MemoryLinkEvent(*ids, *_both(message, "memory_link", link_from))


def _memory_proposal_event(message: event_pb2.MemoryProposalEvent) -> MemoryProposalEvent:
    return MemoryProposalEvent(message.memory_proposal_id, *_both(message, "memory_proposal", proposal_from))


def _note_event(message: event_pb2.NoteEvent) -> NoteEvent:
    return NoteEvent(message.note_id, *_both(message, "note", note_from))


def _plan_event(message: event_pb2.PlanEvent) -> PlanEvent:
    return PlanEvent(message.plan_id, *_both(message, "plan", plan_from))


def _plan_step_event(message: event_pb2.PlanStepEvent) -> PlanStepEvent:
    ids = (message.plan_id, message.step_id)
    return PlanStepEvent(*ids, *_both(message, "plan_step", plan_step_from), message.before_step_id)


def _plan_note_event(message: event_pb2.PlanNoteEvent) -> PlanNoteEvent:
    return PlanNoteEvent(message.plan_id, plan_note_from(message.plan_note))


def _entity_window_event(message: event_pb2.EntityWindowEvent) -> EntityWindowEvent:
    return EntityWindowEvent(message.conversation_id, *_both(message, "entity_window", entity_window_from))


def _document_event(message: event_pb2.DocumentEvent) -> DocumentEvent:
    return DocumentEvent(message.document_id, *_both(message, "document", document_from))


def _conversation_event(message: event_pb2.ConversationEvent) -> ConversationEvent:
    return ConversationEvent(message.conversation_id, *_both(message, "conversation", conversation_from))


def _message_event(message: event_pb2.MessageEvent) -> MessageEvent:
    return MessageEvent(message.conversation_id, message.number, *_both(message, "message", message_from))


def _cleared_event(message: event_pb2.ClearedEvent) -> ClearedEvent:
    return ClearedEvent(counts_from(message.cleared), message.scope_id, message.scope_name)


def _flushed_event(message: event_pb2.FlushedEvent) -> FlushedEvent:
    return FlushedEvent(message.fragment_count)


_READERS: Mapping[str, Callable[[Any], EventSubject]] = {
    "agent": _agent_event,
    "entry": _entry_event,
    "scope": _scope_event,
    "fragment": _fragment_event,
    "memory": _memory_event,
    "memory_link": _memory_link_event,
    "memory_proposal": _memory_proposal_event,
    "note": _note_event,
    "plan": _plan_event,
    "plan_step": _plan_step_event,
    "plan_note": _plan_note_event,
    "entity_window": _entity_window_event,
    "document": _document_event,
    "conversation": _conversation_event,
    "message": _message_event,
    "cleared": _cleared_event,
    "flushed": _flushed_event,
}
"""The reader of each subject, by its field."""
