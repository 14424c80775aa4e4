"""The call that composes a context, and the sections of one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from memoryd.model.context import ComposedContext, composed_context_from
from memoryd.model.conversation import MESSAGE_ROLE, MessageRole
from memoryd.protocol import method
from memoryd.protocol.call import Call, call
from memoryd.protocol.option import strings_of
from memoryd.protocol.recall import MemoryFilters, filter_of
from memoryd.v1 import context_service_pb2 as pb


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSection:
    """What all sections have.

    ``name``: what the answer calls it; the name of its source when left out. ``max_tokens``: its own budget; a share of
    the whole when left out. ``priority``: who is filled first, the greatest.
    """

    name: str = ""
    max_tokens: int | None = None
    priority: int = 0


@dataclass(frozen=True, slots=True)
class TextSection(ContextSection):
    """A text of one's own, told whole or not at all."""

    content: str
    role: MessageRole | str = MessageRole.SYSTEM


@dataclass(frozen=True, slots=True)
class NotesSection(ContextSection):
    """The notes: those of one storage key, or all for None."""

    storage_key: str | None = None


@dataclass(frozen=True, slots=True)
class PlanSection(ContextSection):
    """The current plan of a conversation, that of the context when it is left out."""

    conversation_id: str = ""


@dataclass(frozen=True, slots=True)
class EntitiesSection(ContextSection):
    """The entities that were touched last in a session; one named as the context's conversation when it is left out."""

    session_id: str = ""


@dataclass(frozen=True, slots=True)
class DocumentsSection(ContextSection):
    """Documents: the chunks that match a query best, or with ``full_text`` all texts up to the budget.

    ``query``: what is looked for; what the context is asked for with when left out. ``document_ids`` and ``tags``: only
    these documents, and only those that have all of these. ``limit``: the most chunks to consider, up to 100.
    """

    query: str = ""
    full_text: bool = False
    document_ids: Sequence[str] = ()
    tags: Sequence[str] = ()
    limit: int = 20


@dataclass(frozen=True, slots=True)
class EntriesSection(ContextSection):
    """The entries that are visible in a scope, the root when it is left out."""

    scope_id: str = ""
    key_prefix: str = ""


@dataclass(frozen=True, slots=True)
class MemoriesSection(ContextSection):
    """The long-term memories that match best: the query, or what the context is asked for with.

    ``limit``: the most to consider, up to 100. ``min_score``: those that score so much, from 0 to 1. ``filters``: those
    that pass.
    """

    query: str = ""
    limit: int = 10
    min_score: float = 0.0
    filters: MemoryFilters = field(default_factory=lambda: MemoryFilters())


@dataclass(frozen=True, slots=True)
class MessagesSection(ContextSection):
    """The newest messages of a conversation, that of the context when it is left out."""

    conversation_id: str = ""


def compose_context(
    agent_id: str,
    conversation_id: str,
    sections: Iterable[ContextSection],
    *,
    max_tokens: int,
    model: str,
    query: str,
) -> Call[ComposedContext]:
    """Compose a context."""
    request = pb.ComposeContextRequest(
        agent_id=agent_id,
        conversation_id=conversation_id,
        max_tokens=max_tokens,
        model=model,
        query=query,
        sections=[_section_message(each) for each in sections],
    )
    return call(method.COMPOSE_CONTEXT, request, composed_context_from)


def _section_message(section: ContextSection) -> pb.ContextSection:
    message = pb.ContextSection(name=section.name, max_tokens=section.max_tokens, priority=section.priority)
    match section:
        case TextSection():
            message.text.CopyFrom(pb.TextSource(content=section.content, role=MESSAGE_ROLE.number(section.role)))
        case NotesSection():
            message.notes.CopyFrom(pb.NotesSource(storage_key=section.storage_key))
        case PlanSection():
            message.plan.CopyFrom(pb.PlanSource(conversation_id=section.conversation_id))
        case EntitiesSection():
            message.entities.CopyFrom(pb.EntitiesSource(session_id=section.session_id))
        case DocumentsSection():
            message.documents.CopyFrom(_documents_source(section))
        case EntriesSection():
            message.entries.CopyFrom(pb.EntriesSource(scope_id=section.scope_id, key_prefix=section.key_prefix))
        case MemoriesSection():
            asked = pb.MemoriesSource(
                query=section.query,
                limit=section.limit,
                min_score=section.min_score,
                filter=filter_of(section.filters),
            )
            message.memories.CopyFrom(asked)
        case MessagesSection():
            message.messages.CopyFrom(pb.MessagesSource(conversation_id=section.conversation_id))
        case _:
            raise TypeError(f"{type(section).__name__} is no section of a context")
    return message


def _documents_source(section: DocumentsSection) -> pb.DocumentsSource:
    strategies = pb.DocumentsSource.Strategy
    return pb.DocumentsSource(
        strategy=strategies.STRATEGY_FULL_TEXT if section.full_text else strategies.STRATEGY_SEARCH,
        document_ids=strings_of("document_ids", section.document_ids),
        tags=strings_of("tags", section.tags),
        query=section.query,
        limit=section.limit,
    )
