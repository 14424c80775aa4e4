"""The requested sources of a context's sections."""

import enum

import msgspec

from memoryd_server.domain.conversations.conversation import MessageRole
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.ports.retrieval import Criteria


class TextSource(msgspec.Struct, frozen=True, tag="text"):
    """A text that the caller gives."""

    content: str
    role: MessageRole = MessageRole.SYSTEM


class NotesSource(msgspec.Struct, frozen=True, tag="notes"):
    """Notes: those of one storage key, or all for None."""

    storage_key: str | None = None


class PlanSource(msgspec.Struct, frozen=True, tag="plan"):
    """The current plan of a conversation."""

    conversation_id: str


class EntitiesSource(msgspec.Struct, frozen=True, tag="entities"):
    """The window of entities of a session."""

    session_id: str


class DocumentStrategy(enum.IntEnum):
    """The selection of document text. The numbers are those of the wire contract."""

    SEARCH = 1
    FULL_TEXT = 2


class DocumentsSource(msgspec.Struct, frozen=True, tag="documents"):
    """Documents: the chunks that match a query best, or whole texts. The default query is the context's.

    ``document_ids`` and ``tags`` filter the documents; empty ones filter nothing. ``limit`` is the maximum number of
    chunks of a search.
    """

    strategy: DocumentStrategy
    limit: int
    document_ids: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    query: str = ""


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
    | DocumentsSource
    | EntriesSource
    | MemoriesSource
    | MessagesSource
)


class Part(msgspec.Struct, frozen=True):
    """A requested section."""

    name: str
    source: Source
    tokens_max: int
    priority: int = 0
