"""Composed contexts, between the domain and the contract."""

from itertools import starmap
from typing import Any, NamedTuple

from memoryd.v1 import context_service_pb2 as pb
from memoryd.v1.record_filter_pb2 import RecordFilter
from memoryd_server.domain import limit, validation
from memoryd_server.domain.agents.agent import NO_DEFAULTS, AgentDefaults
from memoryd_server.domain.agents.tier import Feature
from memoryd_server.domain.context.context_budget import share_of
from memoryd_server.domain.context.filled_section import ComposedMessage, ManifestItem, SectionUsage
from memoryd_server.domain.documents.document import DOCUMENT_SHAPE
from memoryd_server.domain.entries.entry import ENTRY_SHAPE
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.notes.note import NOTE_SHAPE
from memoryd_server.domain.values.message import MessageRole
from memoryd_server.domain.values.record_filter import RecordFilter as DomainFilter
from memoryd_server.domain.values.record_filter import RecordShape
from memoryd_server.engine.context.context_source import (
    DocumentsFullText,
    DocumentsSearch,
    EntitiesSource,
    EntriesSource,
    MemoriesSource,
    MessagesSource,
    NotesSource,
    Part,
    PlanSource,
    Source,
    TextSource,
)
from memoryd_server.engine.context.contexts import Composition, CompositionRequest
from memoryd_server.transport.conversations.conversation_message import conversation_id_of
from memoryd_server.transport.conversations.part_message import part_message
from memoryd_server.transport.fields.further_agents import agent_revisions
from memoryd_server.transport.fields.json_value import write_json
from memoryd_server.transport.fields.min_score import min_score_of
from memoryd_server.transport.fields.record_filter import COMMON_SHAPE, record_filter_of
from memoryd_server.transport.fields.record_ref import record_ref
from memoryd_server.transport.memories.recall_message import memory_filter_of

_RESERVED_DIVISOR = 4
"""The default reserve is at most this part of the budget."""
_ROLES = {"documents": MessageRole.USER, "memories": MessageRole.USER}
"""The roles of sections by default. Others, whose texts an agent writes for itself, are the system's."""


def composition_request_of(
    message: pb.ComposeContextRequest, limits: limit.Limits, defaults: AgentDefaults = NO_DEFAULTS
) -> CompositionRequest:
    """Decode a request to compose a context. ``defaults`` are the agent's. Raises InvalidField."""
    validation.agent_id(message.agent_id)
    window = limits.context_tokens if defaults.context_tokens_max is None else defaults.context_tokens_max
    if message.HasField("max_tokens"):
        window = validation.within("max_tokens", message.max_tokens, 0, limit.CONTEXT_TOKENS_MAX)
    conversation_id = conversation_id_of(message.conversation_id) if message.conversation_id else ""
    validation.within("query", validation.size_bytes(message.query), 0, limit.QUERY_BYTES_MAX, " bytes")
    validation.within("sections", len(message.sections), 0, limit.SECTIONS_MAX)
    sections = list(message.sections) or _sections_by_default(conversation_id)
    asked = _Asked(
        message.filter, record_filter_of(message.filter, COMMON_SHAPE).user_ids, message.agent_id, conversation_id
    )
    parts = [_part_of(each, f"sections[{index}]", asked, window) for index, each in enumerate(sections)]
    names = [part.name for part in parts]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise InvalidField(f"sections[{index}].name", f"must be unique: {name!r} is the name of an earlier section")
    model = validation.optional_text("model", message.model, limit.MODEL_BYTES_MAX) or defaults.model
    is_named = message.HasField("max_tokens") or defaults.context_tokens_max is not None
    reserved = 0 if is_named else min(limits.context_reserve_tokens, window // _RESERVED_DIVISOR)
    if message.HasField("reserve_tokens"):
        reserved = validation.within("reserve_tokens", message.reserve_tokens, 0, limit.CONTEXT_TOKENS_MAX)
    return CompositionRequest(
        parts, max(window - reserved, 0), message.strict_budgets, model, conversation_id, message.query
    )


def composition_message(
    composition: Composition, request: CompositionRequest, *, has_manifest: bool
) -> pb.ComposeContextResponse:
    """Encode a composed context, with its manifest if ``has_manifest`` is true."""
    context = composition.context
    agents = {part.name: part.agent_id for part in request.parts}
    return pb.ComposeContextResponse(
        revision=composition.revision,
        messages=[_message(each) for each in context.messages],
        token_count=context.tokens,
        max_tokens=request.tokens_max,
        tokenizer=composition.tokenizer,
        usages=[*map(_usage, context.usages), *starmap(_left_out, composition.missing_features.items())],
        manifest=[_item(each, agents[each.section]) for each in context.manifest] if has_manifest else (),
        further_revisions=agent_revisions(composition.further_revisions.items()),
    )


def _sections_by_default(conversation_id: str) -> list[pb.ContextSection]:
    sections = [
        pb.ContextSection(notes=pb.NotesSource()),
        pb.ContextSection(documents=pb.DocumentsSource()),
        pb.ContextSection(memories=pb.MemoriesSource()),
    ]
    if conversation_id:
        sections += [
            pb.ContextSection(plan=pb.PlanSource()),
            pb.ContextSection(entities=pb.EntitiesSource()),
            pb.ContextSection(messages=pb.MessagesSource()),
        ]
    return sections


class _Asked(NamedTuple):
    """The options of a request that its sections share: ``user_ids`` are those of its filter."""

    filter: RecordFilter
    user_ids: frozenset[str] | None
    agent_id: str
    conversation_id: str

    def for_source(self, source: Any, field: str) -> tuple[RecordFilter, str, frozenset[str] | None]:
        """Return the filter of a source or else the request's own, its field, and the users if it names none."""
        if source.HasField("filter"):
            return source.filter, f"{field}.filter", self.user_ids
        return self.filter, "filter", self.user_ids


def _part_of(message: pb.ContextSection, field: str, asked: _Asked, tokens_max: int) -> Part:
    kind = message.WhichOneof("source")
    if kind is None:
        raise InvalidField(f"{field}.source", "must be set")
    own = share_of(kind, tokens_max)
    if message.HasField("max_tokens"):
        own = validation.within(f"{field}.max_tokens", message.max_tokens, 0, limit.CONTEXT_TOKENS_MAX)
    name = validation.optional_text(f"{field}.name", message.name, limit.SECTION_NAME_BYTES_MAX)
    source = _source_of(message, kind, field, asked)
    agent_id = _agent_of(message, field, asked.agent_id)
    return Part(name or kind, source, own, message.priority, agent_id, _role_of(message, kind, field))


def _role_of(message: pb.ContextSection, kind: str, field: str) -> MessageRole:
    if kind in ("text", "messages"):
        if message.role:
            raise InvalidField(f"{field}.role", f"must not be set for {kind}")
        own, place, default = message.text.role, f"{field}.text.role", MessageRole.SYSTEM
    else:
        own, place, default = message.role, f"{field}.role", _ROLES.get(kind, MessageRole.SYSTEM)
    return validation.known(place, own, MessageRole) if own else default


def _agent_of(message: pb.ContextSection, field: str, agent_id: str) -> str:
    """Return the agent whose records a section renders, empty for that of the request. Raises InvalidField."""
    if not message.agent_id:
        return ""
    named = validation.agent_id(message.agent_id, f"{field}.agent_id")
    return "" if named == agent_id else named


def _source_of(message: pb.ContextSection, kind: str, field: str, asked: _Asked) -> Source:
    if kind == "text":
        return _text_of(message.text, f"{field}.text")
    if kind == "notes":
        return NotesSource(_filter_of(message.notes, NOTE_SHAPE, f"{field}.notes", asked))
    if kind == "plan":
        chosen = _chosen(message.plan.conversation_id, asked.conversation_id, f"{field}.plan.conversation_id")
        return PlanSource(conversation_id_of(chosen))
    if kind == "entities":
        chosen_field = f"{field}.entities.conversation_id"
        return EntitiesSource(_chosen(message.entities.conversation_id, asked.conversation_id, chosen_field))
    if kind == "documents":
        return _documents_of(message.documents, f"{field}.documents", asked)
    if kind == "entries":
        chosen_entries = _filter_of(message.entries, ENTRY_SHAPE, f"{field}.entries", asked)
        return EntriesSource(message.entries.scope_id, chosen_entries)
    if kind == "memories":
        return _memories_of(message.memories, f"{field}.memories", asked)
    chosen_field = f"{field}.messages.conversation_id"
    return MessagesSource(
        conversation_id_of(_chosen(message.messages.conversation_id, asked.conversation_id, chosen_field))
    )


def _filter_of(source: Any, shape: RecordShape, field: str, asked: _Asked) -> DomainFilter:
    message, place, users = asked.for_source(source, field)
    return record_filter_of(message, shape, place, users)


def _chosen(named: str, conversation_id: str, field: str) -> str:
    if not (named or conversation_id):
        raise InvalidField(field, "must not be empty without the request's conversation_id")
    return named or conversation_id


def _text_of(message: pb.TextSource, field: str) -> TextSource:
    if not message.content:
        raise InvalidField(f"{field}.content", "must not be empty")
    size = validation.size_bytes(message.content)
    validation.within(f"{field}.content", size, 1, limit.COMPOSED_TEXT_BYTES_MAX, " bytes")
    return TextSource(message.content)


def _documents_of(message: pb.DocumentsSource, field: str, asked: _Asked) -> DocumentsSearch | DocumentsFullText:
    documents = _filter_of(message, DOCUMENT_SHAPE, field, asked)
    if message.WhichOneof("selection") == "full_text":
        return DocumentsFullText(documents)
    search, place = message.search, f"{field}.search"
    count_max = validation.within(f"{place}.limit", search.limit, 0, 2**31 - 1) or limit.CHUNKS_COMPOSED_DEFAULT
    validation.within(f"{place}.query", validation.size_bytes(search.query), 0, limit.QUERY_BYTES_MAX, " bytes")
    return DocumentsSearch(min(count_max, limit.MATCHES_MAX), documents, search.query)


def _memories_of(message: pb.MemoriesSource, field: str, asked: _Asked) -> MemoriesSource:
    count_max = validation.within(f"{field}.limit", message.limit, 0, 2**31 - 1) or limit.MATCHES_DEFAULT
    validation.within(f"{field}.query", validation.size_bytes(message.query), 0, limit.QUERY_BYTES_MAX, " bytes")
    return MemoriesSource(
        memory_filter_of(*asked.for_source(message, field)),
        min(count_max, limit.MATCHES_MAX),
        min_score_of(message, f"{field}.min_score"),
        message.query,
    )


def _message(message: ComposedMessage) -> pb.ContextMessage:
    encoded = pb.ContextMessage(
        section=message.section,
        role=int(message.role),  # type: ignore[arg-type]
        content=message.content,
        parts=[part_message(each) for each in message.parts],
        name=message.name,
    )
    if message.metadata_json:
        write_json(message.metadata_json, encoded.metadata)
    return encoded


def _usage(usage: SectionUsage) -> pb.ContextSectionUsage:
    return pb.ContextSectionUsage(
        section=usage.name,
        token_count=usage.tokens,
        max_tokens=usage.tokens_max,
        included_count=usage.included,
        left_out_count=usage.left_out,
    )


def _left_out(section: str, feature: Feature) -> pb.ContextSectionUsage:
    return pb.ContextSectionUsage(section=section, missing_feature=feature.value)


def _item(item: ManifestItem, agent_id: str) -> pb.ContextManifestItem:
    return pb.ContextManifestItem(
        section=item.section,
        record=record_ref(item.kind, item.ids, agent_id),
        token_count=item.tokens,
        outcome=int(item.outcome),  # type: ignore[arg-type]
    )
