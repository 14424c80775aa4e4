"""The requested sources of a context's sections."""

import msgspec

from memoryd_server.domain.documents.document_filter import EVERY_DOCUMENT, DocumentFilter
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.values.message import MessageRole
from memoryd_server.ports.retrieval import Criteria


class TextSource(msgspec.Struct, frozen=True, tag="text"):
    """A text that the caller gives."""

    content: str
    role: MessageRole = MessageRole.SYSTEM


class NotesSource(msgspec.Struct, frozen=True, tag="notes"):
    """Notes: those in one notebook, or all for None."""

    notebook: str | None = None


class PlanSource(msgspec.Struct, frozen=True, tag="plan"):
    """The current plan of a conversation."""

    conversation_id: str


class EntitiesSource(msgspec.Struct, frozen=True, tag="entities"):
    """The window of recent entities of a conversation."""

    conversation_id: str


class DocumentsSearch(msgspec.Struct, frozen=True, tag="documents_search"):
    """The chunks of documents that match a query best, at most ``limit``. The default query is the context's."""

    limit: int
    documents: DocumentFilter = EVERY_DOCUMENT
    query: str = ""


class DocumentsFullText(msgspec.Struct, frozen=True, tag="documents_full_text"):
    """Whole documents."""

    documents: DocumentFilter = EVERY_DOCUMENT


class EntriesSource(msgspec.Struct, frozen=True, tag="entries"):
    """The entries that are visible in a scope."""

    scope_id: str = ROOT
    key_prefix: str = ""


class MemoriesSource(msgspec.Struct, frozen=True, tag="memories"):
    """The memories that match a query best. The default query is the context's."""

    criteria: Criteria
    limit: int
    min_score: float = 0.0
    query: str = ""
    min_salience: float = 0.0


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


class Part(msgspec.Struct, frozen=True):
    """A requested section. ``agent_id`` is the agent whose records it renders, empty for that of the context."""

    name: str
    source: Source
    tokens_max: int
    priority: int = 0
    agent_id: str = ""
