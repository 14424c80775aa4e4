"""The kinds of records that are kept in collections: what is the same for all of them.

Such a kind needs no store, no snapshot and no replay of its own: it is put, removed, cleared, restored, counted and
told of by what stands here. ARCHITECTURE.md says what one consists of.
"""

import enum
from typing import Any, Generic, TypeVar

import msgspec

from memoryd_server.domain.agent.collection import Collected
from memoryd_server.domain.agent.event import EventType
from memoryd_server.domain.conversations.conversation import Conversation, ConversationMessage
from memoryd_server.domain.documents.document import Document, DocumentChunk
from memoryd_server.domain.entities.entity import EntityWindow
from memoryd_server.domain.notes.note import Note
from memoryd_server.domain.plans.plan import Plan

R = TypeVar("R", bound=Collected)


class MemoryKind(enum.IntEnum):
    """The parts of an agent's memory that are cleared together. The numbers are those of the contract."""

    WORKING = 1
    FRAGMENT = 2
    LONG_TERM = 3
    NOTE = 4
    PLAN = 5
    ENTITY = 6
    DOCUMENT = 7
    CONTEXT = 8


CLEARED_BY_DEFAULT = frozenset({MemoryKind.WORKING, MemoryKind.FRAGMENT, MemoryKind.ENTITY, MemoryKind.CONTEXT})


class Kind(msgspec.Struct, Generic[R], frozen=True):
    """A kind of record.

    ``name`` is stored with each record and names the field of the contract's ``Event`` that carries one: never rename.
    ``created``, ``updated`` and ``deleted`` tell what happened to one; None for those that belong to another record,
    which tells of them.
    """

    name: str
    type: type[R]
    memory_kind: MemoryKind
    created: EventType | None = None
    updated: EventType | None = None
    deleted: EventType | None = None


NOTE: Kind[Note] = Kind(
    "note", Note, MemoryKind.NOTE, EventType.NOTE_CREATED, EventType.NOTE_UPDATED, EventType.NOTE_DELETED
)

PLAN: Kind[Plan] = Kind(
    "plan", Plan, MemoryKind.PLAN, EventType.PLAN_CREATED, EventType.PLAN_UPDATED, EventType.PLAN_DELETED
)

MESSAGE: Kind[ConversationMessage] = Kind(
    "message",
    ConversationMessage,
    MemoryKind.CONTEXT,
    EventType.MESSAGE_APPENDED,
    EventType.MESSAGE_APPENDED,
    EventType.MESSAGE_REMOVED,
)
CONVERSATION: Kind[Conversation] = Kind(
    "conversation", Conversation, MemoryKind.CONTEXT, deleted=EventType.CONVERSATION_DELETED
)
ENTITY_WINDOW: Kind[EntityWindow] = Kind(
    "entity_window",
    EntityWindow,
    MemoryKind.ENTITY,
    EventType.ENTITIES_UPDATED,
    EventType.ENTITIES_UPDATED,
    EventType.ENTITIES_CLEARED,
)

DOCUMENT_CHUNK: Kind[DocumentChunk] = Kind("document_chunk", DocumentChunk, MemoryKind.DOCUMENT)
DOCUMENT: Kind[Document] = Kind(
    "document",
    Document,
    MemoryKind.DOCUMENT,
    EventType.DOCUMENT_ADDED,
    EventType.DOCUMENT_REPLACED,
    EventType.DOCUMENT_DELETED,
)

KINDS: dict[str, Kind[Any]] = {
    kind.name: kind for kind in (NOTE, PLAN, MESSAGE, CONVERSATION, ENTITY_WINDOW, DOCUMENT_CHUNK, DOCUMENT)
}
"""All of them by name, in the order in which they are told of."""
