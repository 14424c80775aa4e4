"""Encoding of what events are about: a row of the table for each kind of record."""

from collections.abc import Callable
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from memoryd.v1 import event_pb2, plan_pb2
from memoryd_server.domain.agent.event import ClearedSubject, Event
from memoryd_server.domain.agents.agent import Agent
from memoryd_server.domain.agents.agent_subject import AgentSubject
from memoryd_server.domain.conversations.conversation import Conversation, ConversationMessage
from memoryd_server.domain.documents.document import Document
from memoryd_server.domain.entities.entity import EntityWindow
from memoryd_server.domain.entries.entry import Entry
from memoryd_server.domain.entries.entry_subject import EntrySubject, ScopeSubject
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.fragments.fragment_subject import FlushedSubject, FragmentSubject
from memoryd_server.domain.memories.memory_proposal import MemoryProposal
from memoryd_server.domain.memories.memory_subject import LinkSubject, MemorySubject
from memoryd_server.domain.notes.note import Note
from memoryd_server.domain.plans.plan import Plan, PlanStep
from memoryd_server.domain.plans.plan_subject import PlanNoteSubject, PlanStepSubject, PlanSubject
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.engine.upkeep.agents import DescribedAgent
from memoryd_server.transport.agents.agent_message import agent_message
from memoryd_server.transport.conversations.conversation_message import conversation_message
from memoryd_server.transport.conversations.message_message import message_message
from memoryd_server.transport.documents.document_message import document_message
from memoryd_server.transport.entities.entity_message import window_message
from memoryd_server.transport.entries.entry_message import committed_entry_message
from memoryd_server.transport.entries.scope_message import committed_scope_message
from memoryd_server.transport.fields.record_count import count_messages
from memoryd_server.transport.fragments.fragment_message import fragment_message
from memoryd_server.transport.memories.memory_message import committed_memory_message, link_message
from memoryd_server.transport.memories.proposal_message import proposal_message
from memoryd_server.transport.notes.note_message import note_message
from memoryd_server.transport.plans.plan_message import plan_message, plan_note_message, plan_step_message

Encode = Callable[[str, Any], Message]
"""A function that encodes a record of an agent, of which the id is given."""

Row = Callable[[event_pb2.Event, str, Event, Any], None]
"""A function that encodes the subject of an agent's event, with the record before the change, into the event."""


def write_subject(message: event_pb2.Event, agent_id: str, event: Event, previous: Any) -> None:
    """Encode what an event is about. ``previous`` is the record before the change; None to leave it out."""
    _ROWS[type(event.subject)](message, agent_id, event, previous)


def _record(field: str, ids: Callable[[Any], dict[str, Any]], encode: Encode) -> Row:
    """Return the row of a kind: the event's field, the ids of a subject, and the encoding of its record.

    The subject's message has the record in a field of the same name, unless the event reports the record's end.
    """

    def write(message: event_pb2.Event, agent_id: str, event: Event, previous: Any) -> None:
        target = getattr(message, field)
        target.SetInParent()
        for name, value in ids(event.subject).items():
            setattr(target, name, value)
        record = None if event.type.is_end else event.subject.record
        if record is not None:
            getattr(target, field).CopyFrom(encode(agent_id, record))
        _write_changed_fields(message, type(getattr(target, field)), event)
        if previous is not None:
            target.previous.CopyFrom(encode(agent_id, previous))

    return write


def _write_changed_fields(message: event_pb2.Event, resource: type[Message], event: Event) -> None:
    if event.changed:
        paths = (path_of(resource.DESCRIPTOR, name) for name in event.changed)
        message.changed_fields.paths.extend(filter(None, paths))


@cache
def path_of(resource: Descriptor, name: str) -> str:
    """Return the path of a record's field in the record's message, empty if the message does not have it."""
    candidates: tuple[str, ...] = (name, name.removesuffix("_json"), *_PATHS.get(name, ()))
    for path in candidates:
        descriptor: Descriptor | None = resource
        for each in path.split("."):
            field = None if descriptor is None else descriptor.fields_by_name.get(each)
            if field is None:
                break
            descriptor = field.message_type
        else:
            return path
    return ""


_PATHS: dict[str, tuple[str, ...]] = {"confidences": ("confidence",)}
"""The paths of fields that have another name or another place in the record's message."""


def _write_agent(message: event_pb2.Event, agent_id: str, event: Event[AgentSubject], previous: Any) -> None:
    target = message.agent
    target.SetInParent()
    target.snapshot_id = event.subject.snapshot_id
    target.cleared.extend(count_messages(event.subject.counts))
    if not event.type.is_end:
        subject = event.subject
        described = DescribedAgent(agent_id, event.revision, subject.create_time, event.time, subject.description)
        target.agent.CopyFrom(agent_message(described))


def _write_scope(message: event_pb2.Event, agent_id: str, event: Event[ScopeSubject], previous: Any) -> None:
    subject = event.subject
    if event.type is EventType.ENTRIES_CLEARED:
        cleared = message.cleared
        cleared.cleared.extend(count_messages({RecordKind.ENTRY: subject.entries_cleared}))
        cleared.scope_id, cleared.scope_name = subject.scope_id, subject.scope_name
        cleared.SetInParent()
        return
    _SCOPE(message, agent_id, event, previous)
    message.scope.cleared_entry_count = subject.entries_cleared


def _write_plan_step(message: event_pb2.Event, agent_id: str, event: Event[PlanStepSubject], previous: Any) -> None:
    _PLAN_STEP(message, agent_id, event, previous)
    message.plan_step.before_step_id = event.subject.before_step_id


def _write_plan_note(message: event_pb2.Event, agent_id: str, event: Event[PlanNoteSubject], previous: Any) -> None:
    message.plan_note.plan_id = event.subject.plan_id
    message.plan_note.plan_note.CopyFrom(plan_note_message(event.subject.note))
    _write_changed_fields(message, plan_pb2.Plan, event)


def _write_cleared(message: event_pb2.Event, agent_id: str, event: Event[ClearedSubject], previous: Any) -> None:
    message.cleared.cleared.extend(count_messages(event.subject.counts))
    message.cleared.SetInParent()


def _write_flushed(message: event_pb2.Event, agent_id: str, event: Event[FlushedSubject], previous: Any) -> None:
    message.flushed.fragment_count = event.subject.count


def _description_message(agent_id: str, description: Agent) -> Message:
    times = description.revision, description.create_time, description.update_time
    return agent_message(DescribedAgent(agent_id, *times, description))


def _entry_message(agent_id: str, entry: Entry) -> Message:
    return committed_entry_message(entry)


def _scope_message(agent_id: str, scope: Scope) -> Message:
    return committed_scope_message(scope)


def _scope_ids(subject: ScopeSubject) -> dict[str, Any]:
    parent = subject.ancestors[0] if subject.ancestors else ""
    return {"scope_id": subject.scope_id, "name": subject.scope_name, "parent_scope_id": parent}


def _entry_ids(subject: EntrySubject) -> dict[str, Any]:
    return {"scope_id": subject.scope_id, "key": subject.key, "scope_name": subject.scope_name}


def _link_ids(subject: LinkSubject) -> dict[str, Any]:
    link = subject.link
    return {"from_memory_id": link.from_id, "to_memory_id": link.to_id, "type": int(link.type)}


def _step_message(agent_id: str, step: PlanStep) -> Message:
    return plan_step_message(step)


def _step_ids(subject: PlanStepSubject) -> dict[str, Any]:
    return {"plan_id": subject.plan_id, "step_id": subject.step_id}


def _message_ids(subject: ConversationMessage) -> dict[str, Any]:
    return {"conversation_id": subject.conversation_id, "number": subject.number}


def _id(name: str) -> Callable[[Any], dict[str, Any]]:
    return lambda subject: {name: getattr(subject, name)}


_SCOPE = _record("scope", _scope_ids, _scope_message)
_PLAN = _record("plan", _id("plan_id"), plan_message)
_PLAN_STEP = _record("plan_step", _step_ids, _step_message)

_ROWS: dict[type[Any], Row] = {
    AgentSubject: _write_agent,
    Agent: _record("agent", lambda subject: {}, _description_message),
    ClearedSubject: _write_cleared,
    FlushedSubject: _write_flushed,
    ScopeSubject: _write_scope,
    EntrySubject: _record("entry", _entry_ids, _entry_message),
    FragmentSubject: _record("fragment", _id("fragment_id"), fragment_message),
    MemorySubject: _record("memory", _id("memory_id"), committed_memory_message),
    LinkSubject: _record("memory_link", _link_ids, link_message),
    MemoryProposal: _record("memory_proposal", _id("memory_proposal_id"), proposal_message),
    Note: _record("note", _id("note_id"), note_message),
    Plan: _PLAN,
    PlanSubject: _PLAN,
    PlanStepSubject: _write_plan_step,
    PlanNoteSubject: _write_plan_note,
    EntityWindow: _record("entity_window", _id("conversation_id"), window_message),
    Document: _record("document", _id("document_id"), document_message),
    Conversation: _record("conversation", _id("conversation_id"), conversation_message),
    ConversationMessage: _record("message", _message_ids, message_message),
}
"""The row of each type of subject."""
