"""The paths of records: which records an erasure covers; see ``domain.agent.trace.RecordPath``."""

from collections.abc import Callable
from typing import Any

from memoryd_server.domain.agent.collection import Collected
from memoryd_server.domain.agent.event import ClearedSubject, Event
from memoryd_server.domain.agent.trace import RecordPath
from memoryd_server.domain.conversations.conversation import Conversation
from memoryd_server.domain.documents.document import Document
from memoryd_server.domain.entries.entry import Entry
from memoryd_server.domain.entries.entry_subject import EntrySubject, ScopeSubject
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.fragments.fragment import Fragment
from memoryd_server.domain.fragments.fragment_subject import FragmentSubject
from memoryd_server.domain.kinds import PARTS
from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.memory import Memory, MemoryVersion
from memoryd_server.domain.memories.memory_subject import LinkSubject, MemorySubject
from memoryd_server.domain.plans.plan import Plan
from memoryd_server.domain.plans.plan_record import (
    NOTE_RECORD,
    PLAN_RECORD,
    STEP_RECORD,
    StoredNote,
    StoredPlan,
    StoredStep,
)
from memoryd_server.domain.plans.plan_subject import PlanStepSubject

NO_RECORD: RecordPath = ("",)
"""The path of what is no record. Only an erasure of all records covers it."""

_NAMES = {record: name for part in PARTS for name, record in part.records.items()}


_PATHS: dict[type, Callable[[Any], RecordPath]] = {
    Entry: lambda entry: ("entry", entry.scope_id, entry.key),
    Scope: lambda scope: ("scope", scope.scope_id),
    Fragment: lambda fragment: ("fragment", fragment.fragment_id),
    Memory: lambda memory: ("memory", memory.memory_id),
    Embedding: lambda embedding: ("embedding", embedding.memory_id),
    MemoryVersion: lambda version: ("version", version.memory.memory_id),
    Plan: lambda plan: (PLAN_RECORD, plan.plan_id),
    StoredPlan: lambda stored: (PLAN_RECORD, stored.plan.plan_id),
    StoredStep: lambda stored: step_path(stored.plan_id, stored.step.step_id),
    StoredNote: lambda stored: note_path(stored.plan_id),
}


def path_of(record: Any) -> RecordPath:
    """Return the path of a stored record, or of one that an event or a result carries.

    A tuple is the place of a plan, for its notes, or that place followed by the id of a step.
    """
    find = _PATHS.get(type(record))
    if find is not None:
        return find(record)
    match record:
        case Collected():
            return (_NAMES[type(record)], record.group, record.key)
        case (_, plan_id, step_id):
            return step_path(plan_id, step_id)
        case (_, plan_id):
            return note_path(plan_id)
        case _:
            return NO_RECORD


def step_path(plan_id: str, step_id: str) -> RecordPath:
    """Return the path of a step of a plan."""
    return (STEP_RECORD, plan_id, step_id)


def note_path(plan_id: str) -> RecordPath:
    """Return the path of the notes of a plan: a note has no id, and is only erased with its plan."""
    return (NOTE_RECORD, plan_id)


_PARTS_OF_RECORD: dict[type, Callable[[Any], tuple[RecordPath, ...]]] = {
    Plan: lambda plan: ((STEP_RECORD, plan.plan_id), (NOTE_RECORD, plan.plan_id)),
    Conversation: lambda conversation: (("message", conversation.conversation_id),),
    Document: lambda document: (("document_chunk", document.document_id),),
}
"""The records that belong to a record, and end with it without an event of their own."""

_REMOVED: dict[type, Callable[[Any], tuple[RecordPath, ...]]] = {
    EntrySubject: lambda subject: (("entry", subject.scope_id, subject.key),),
    FragmentSubject: lambda subject: (("fragment", subject.fragment_id),),
    MemorySubject: lambda subject: tuple((name, subject.memory_id) for name in ("memory", "embedding", "version")),
    LinkSubject: lambda subject: (("link", subject.link.key),),
    PlanStepSubject: lambda subject: (step_path(subject.plan_id, subject.step_id),),
}
"""The records that the end of a subject's record removes."""


def removed_paths(event: Event) -> tuple[RecordPath, ...]:
    """Return the paths of all records whose removal an event reports."""
    subject: Any = event.subject
    if event.type is EventType.AGENT_ENDED:
        return ((),)
    if isinstance(subject, ClearedSubject):
        return tuple((name,) for part in PARTS if part.kind is event.type.kind for name in part.records)
    if isinstance(subject, ScopeSubject):
        scope = (("scope", subject.scope_id),) if event.type is EventType.SCOPE_DISPOSED else ()
        return (*scope, ("entry", subject.scope_id))
    find = _REMOVED.get(type(subject))
    if find is not None:
        return find(subject)
    contained = _PARTS_OF_RECORD.get(type(subject))
    return (path_of(subject), *(() if contained is None else contained(subject)))
