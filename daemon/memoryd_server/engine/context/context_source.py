"""The requested sources of a context's sections."""

import msgspec

from memoryd_server.domain.agents.tier import Feature
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.values.message import MessageRole
from memoryd_server.domain.values.record_filter import EVERY_RECORD, RecordFilter


class TextSource(msgspec.Struct, frozen=True, tag="text"):
    """A text that the caller gives."""

    content: str


class NotesSource(msgspec.Struct, frozen=True, tag="notes"):
    """The notes that a filter keeps."""

    filter: RecordFilter = EVERY_RECORD


class PlanSource(msgspec.Struct, frozen=True, tag="plan"):
    """The current plan of a conversation; without one, the plan that was completed last."""

    conversation_id: str


class EntitiesSource(msgspec.Struct, frozen=True, tag="entities"):
    """The window of recent entities of a conversation."""

    conversation_id: str


class DocumentsSearch(msgspec.Struct, frozen=True, tag="documents_search"):
    """The chunks that match a query best, at most ``limit``, of the documents that a filter keeps.

    The default query is the context's. Without a query, they are the first chunks of the oldest documents.
    """

    limit: int
    filter: RecordFilter = EVERY_RECORD
    query: str = ""


class DocumentsFullText(msgspec.Struct, frozen=True, tag="documents_full_text"):
    """The documents that a filter keeps, as a whole."""

    filter: RecordFilter = EVERY_RECORD


class EntriesSource(msgspec.Struct, frozen=True, tag="entries"):
    """The entries that are visible in a scope and that a filter keeps."""

    scope_id: str = ROOT
    filter: RecordFilter = EVERY_RECORD


class MemoriesSource(msgspec.Struct, frozen=True, tag="memories"):
    """The memories that match a query best. The default query is the context's."""

    filter: RecordFilter
    limit: int
    min_score: float | None = None
    query: str = ""


class MessagesSource(msgspec.Struct, frozen=True, tag="messages"):
    """The newest messages of a conversation."""

    conversation_id: str


Source = (
    TextSource
    | NotesSource
    | PlanSource
    | EntitiesSource
    | DocumentsSearch
    | DocumentsFullText
    | EntriesSource
    | MemoriesSource
    | MessagesSource
)


FEATURES: dict[type[Source], Feature] = {
    NotesSource: Feature.NOTES,
    PlanSource: Feature.PLANS,
    EntitiesSource: Feature.ENTITIES,
    DocumentsSearch: Feature.DOCUMENTS,
    DocumentsFullText: Feature.DOCUMENTS,
    EntriesSource: Feature.WORKING,
    MemoriesSource: Feature.LONG_TERM,
    MessagesSource: Feature.CONVERSATIONS,
}
"""The features of the sources that read records."""


class Part(msgspec.Struct, frozen=True):
    """A requested section. ``agent_id`` is the agent whose records it renders, empty for that of the context.

    ``role`` is that of its message; the messages of a conversation have their own.
    """

    name: str
    source: Source
    tokens_max: int
    priority: int = 0
    agent_id: str = ""
    role: MessageRole = MessageRole.SYSTEM
