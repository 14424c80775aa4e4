"""The calls that compose a context and count tokens, and the sections of a context."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from memoryd.model.context import ComposedContext, TokenCount, composed_context_from, token_count_from
from memoryd.model.message import MESSAGE_ROLE, MessageRole
from memoryd.protocol import method
from memoryd.protocol.call import Call, call
from memoryd.protocol.option import strings_of
from memoryd.protocol.recall import MemoryFilters, own_memory_filter
from memoryd.protocol.record_filter import RecordFilter, UserOptions, filter_of, own_filter, select
from memoryd.v1 import context_service_pb2 as pb


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSection:
    """The options of every section.

    A section that selects records by its own options does so in place of the context's filter. Unless it names users,
    they are those of the context.

    ``name``: its name in the result; by default the name of its source. ``max_tokens``: its own budget; by default a
    share of the context's. ``priority``: sections of higher priority are filled first. ``agent``: the id of the agent
    whose records it renders; by default the context's. ``role``: that of its message; by default "user" for documents
    and memories, whose content comes from outside, and "system" for the others. Messages have roles of their own.
    """

    name: str = ""
    max_tokens: int | None = None
    priority: int = 0
    agent: str = ""
    role: MessageRole | str = MessageRole.UNSPECIFIED


@dataclass(frozen=True, slots=True)
class TextSection(ContextSection):
    """A text of the caller, rendered as it is, and cut at the end of a sentence if it does not fit."""

    content: str


@dataclass(frozen=True, slots=True)
class NotesSection(ContextSection):
    """Notes. ``notebook``: only those in this one. ``filter``: which ones."""

    notebook: str | None = None
    filter: RecordFilter = field(default_factory=lambda: RecordFilter())


@dataclass(frozen=True, slots=True)
class PlanSection(ContextSection):
    """The current plan of a conversation, by default of the context's."""

    conversation_id: str = ""


@dataclass(frozen=True, slots=True)
class EntitiesSection(ContextSection):
    """The entities that were touched last in a conversation, by default in the context's."""

    conversation_id: str = ""


@dataclass(frozen=True, slots=True)
class DocumentsSection(ContextSection):
    """Documents: the chunks that match a query best, or if ``full_text`` is true or there is no query, whole texts.

    ``query``: the query of the search; by default the context's. ``limit``: maximum number of chunks to consider, up to
    100. ``document_ids``: only these documents. ``all_tags``: only documents that have all of these tags. ``filter``:
    which documents.
    """

    query: str = ""
    full_text: bool = False
    document_ids: Sequence[str] | None = None
    all_tags: Sequence[str] = ()
    limit: int = 20
    filter: RecordFilter = field(default_factory=lambda: RecordFilter())


@dataclass(frozen=True, slots=True)
class EntriesSection(ContextSection):
    """The entries that are visible in a scope, by default in the root.

    ``key_prefix``: only those whose key begins with it. ``filter``: which ones.
    """

    scope_id: str = ""
    key_prefix: str = ""
    filter: RecordFilter = field(default_factory=lambda: RecordFilter())


@dataclass(frozen=True, slots=True)
class MemoriesSection(ContextSection):
    """The long-term memories that match a query best, by default the context's.

    ``limit``: maximum number of memories to consider, up to 100. ``min_score``: minimum score, from 0 to 1;
    see Memories.recall.
    ``filters``: which memories.
    """

    query: str = ""
    limit: int = 10
    min_score: float | None = None
    filters: MemoryFilters = field(default_factory=lambda: MemoryFilters())


@dataclass(frozen=True, slots=True)
class MessagesSection(ContextSection):
    """The newest messages of a conversation, by default of the context's."""

    conversation_id: str = ""


def compose_context(
    agent_id: str,
    conversation_id: str,
    sections: Iterable[ContextSection],
    *,
    max_tokens: int | None,
    model: str,
    query: str,
    include_manifest: bool,
    reserve_tokens: int | None = None,
    strict_budgets: bool = False,
    options: UserOptions,
) -> Call[ComposedContext]:
    """Compose a context. Raises TypeError for an option or a condition that there is not."""
    request = pb.ComposeContextRequest(
        agent_id=agent_id,
        conversation_id=conversation_id,
        max_tokens=max_tokens,
        model=model,
        query=query,
        sections=[_section_message(each) for each in sections],
        filter=own_filter(options),
        include_manifest=include_manifest,
        reserve_tokens=reserve_tokens,
        strict_budgets=strict_budgets,
    )
    return call(method.COMPOSE_CONTEXT, request, composed_context_from)


def count_tokens(texts: Iterable[str], model: str) -> Call[TokenCount]:
    """Count the tokens of texts."""
    return call(
        method.COUNT_TOKENS, pb.CountTokensRequest(texts=strings_of("texts", texts), model=model), token_count_from
    )


def _section_message(section: ContextSection) -> pb.ContextSection:
    message = pb.ContextSection(
        name=section.name, max_tokens=section.max_tokens, priority=section.priority, agent_id=section.agent
    )
    role = MESSAGE_ROLE.number(section.role)
    match section:
        case TextSection():
            message.text.CopyFrom(pb.TextSource(content=section.content, role=role))
            return message
        case NotesSection():
            notebooks = None if section.notebook is None else [section.notebook]
            chosen = own_filter({"filter": section.filter}, note={"notebooks": notebooks})
            message.notes.CopyFrom(pb.NotesSource(filter=chosen))
        case PlanSection():
            message.plan.CopyFrom(pb.PlanSource(conversation_id=section.conversation_id))
        case EntitiesSection():
            message.entities.CopyFrom(pb.EntitiesSource(conversation_id=section.conversation_id))
        case DocumentsSection():
            message.documents.CopyFrom(_documents_source(section))
        case EntriesSection():
            prefixes = [section.key_prefix] if section.key_prefix else None
            chosen = own_filter({"filter": section.filter}, entry={"key_prefixes": prefixes})
            message.entries.CopyFrom(pb.EntriesSource(scope_id=section.scope_id, filter=chosen))
        case MemoriesSection():
            memories = pb.MemoriesSource(
                query=section.query,
                limit=section.limit,
                min_score=section.min_score,
                filter=own_memory_filter(section.filters),
            )
            message.memories.CopyFrom(memories)
        case MessagesSection():
            message.messages.CopyFrom(pb.MessagesSource(conversation_id=section.conversation_id))
        case _:
            raise TypeError(f"{type(section).__name__} is not a section of a context: use one of memoryd's sections")
    message.role = role
    return message


def _documents_source(section: DocumentsSection) -> pb.DocumentsSource:
    chosen = filter_of({"filter": section.filter, "all_tags": section.all_tags})
    select(chosen, ids=section.document_ids)
    source = pb.DocumentsSource(filter=chosen if chosen.ByteSize() else None)
    if section.full_text:
        source.full_text.SetInParent()
    else:
        source.search.CopyFrom(pb.DocumentsSearch(query=section.query, limit=section.limit))
    return source
