"""Sections of a context from an agent's state: each source rendered as pieces.

A source may hold more than any model reads. Of each, only the highest-ranked records within the limits are rendered;
the rest is only counted.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Protocol, TypeVar

import msgspec

from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.context.context_section import Cut, MessageSection, Piece, Section, SpokenPiece, TextSection
from memoryd_server.domain.conversations.conversation import (
    CONVERSATION,
    CONVERSATION_KEY,
    MESSAGE,
    Conversation,
    ConversationMessage,
    message_key,
)
from memoryd_server.domain.documents.document import Document, DocumentChunk
from memoryd_server.domain.entities.entity import ENTITY_WINDOW, WINDOW_KEY
from memoryd_server.domain.entities.entity_prompt import HEADER as ENTITIES_HEADER
from memoryd_server.domain.entities.entity_prompt import entity_pieces
from memoryd_server.domain.entries.entry import ENTRY_SHAPE
from memoryd_server.domain.entries.working_memory_part import WORKING_MEMORY
from memoryd_server.domain.memories.memory import Memory
from memoryd_server.domain.notes.note import NOTE, NOTE_SHAPE
from memoryd_server.domain.notes.note_prompt import FOOTER, HEADER, note_line
from memoryd_server.domain.plans.plan import PlanName
from memoryd_server.domain.plans.plan_part import PLAN
from memoryd_server.domain.plans.plan_prompt import FOOTER as PLAN_FOOTER
from memoryd_server.domain.plans.plan_prompt import HEADER as PLAN_HEADER
from memoryd_server.domain.plans.plan_prompt import plan_pieces
from memoryd_server.domain.values.message import MessageRole
from memoryd_server.domain.values.prompt_text import defused, one_line
from memoryd_server.domain.values.record_filter import Matcher, RecordFilter
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
    TextSource,
)
from memoryd_server.engine.context.document_pieces import found_chunks, whole_documents
from memoryd_server.engine.context.origin import Origins
from memoryd_server.engine.limit import COMPOSED_BYTES_MAX, COMPOSED_RECORDS_MAX


class _Sized(Protocol):
    @property
    def size_bytes(self) -> int: ...


S = TypeVar("S", bound=_Sized)

OUTDATED = "(outdated: a newer memory contradicts this) "
"""The words before a memory that a newer one contradicts or supersedes: they stay if the rest is cut."""

_NUMBERS_PER_MESSAGE_MAX = 4
"""Maximum ratio of message numbers to remaining messages; above it, sorting is faster than trying each number."""


class Found(msgspec.Struct, frozen=True):
    """The search results for a section, best first. ``outdated`` are the ids of memories that newer ones contradict."""

    memories: Sequence[Memory] = ()
    outdated: frozenset[str] = frozenset()
    chunks: Sequence[tuple[Document, DocumentChunk]] = ()


def section_of(
    part: Part, state: AgentState, found: Found | None, now: int, conversation_ids: frozenset[str] = frozenset()
) -> Section:
    """Return the section with its pieces. Raises ScopeDisposed, RecordNotFound.

    ``found`` is None if nothing was searched for. The messages of ``conversation_ids`` are in the context, too.
    """
    match part.source:
        case TextSource(content):
            own = (Piece("text", (), content),)
            return TextSection(part.name, own, part.tokens_max, part.priority, part.role, cut=Cut.LAST, is_own=True)
        case NotesSource(chosen):
            return _notes(part, state, chosen)
        case PlanSource(conversation_id):
            return _plan(part, state, conversation_id)
        case EntitiesSource(conversation_id):
            return _entities(part, state, conversation_id)
        case EntriesSource(scope_id, chosen):
            return _entries(part, state, scope_id, chosen, now)
        case DocumentsFullText(chosen):
            return whole_documents(part, chosen, state)
        case DocumentsSearch(count_max, chosen):
            return _documents(part, state, found, count_max, chosen)
        case MemoriesSource():
            return _memories(part, found or Found(), state, conversation_ids)
        case MessagesSource(conversation_id):
            return _messages(part, state, conversation_id)


def _documents(part: Part, state: AgentState, found: Found | None, count_max: int, chosen: RecordFilter) -> TextSection:
    """Return the chunks that were found, or without a search the first ones."""
    return whole_documents(part, chosen, state, count_max) if found is None else found_chunks(part, found.chunks)


def newest_messages(state: AgentState, conversation_id: str) -> Iterator[ConversationMessage]:
    """Yield the messages of a conversation, newest first."""
    conversation = state.part(CONVERSATION).find(conversation_id, CONVERSATION_KEY)
    if conversation is not None:
        there = state.part(MESSAGE).group(conversation_id)
        newest = conversation.next_number - 1
        if newest <= _NUMBERS_PER_MESSAGE_MAX * len(there):
            keys: Iterable[str] = map(message_key, range(newest, 0, -1))
        else:
            keys = sorted(there, reverse=True)
        for key in keys:
            message = there.get(key)
            if message is not None:
                yield message


def _considered(ranked: Iterable[S]) -> Sequence[S]:
    """Return the first of these ranked records, as many as the limits allow."""
    considered: list[S] = []
    size_bytes = 0
    for record in itertools.islice(ranked, COMPOSED_RECORDS_MAX):
        size_bytes += record.size_bytes
        if size_bytes > COMPOSED_BYTES_MAX and considered:
            break
        considered.append(record)
    return considered


def _text_section(
    part: Part, pieces: Iterable[Piece], header: str, footer: str, *, skipped_count: int = 0
) -> TextSection:
    return TextSection(
        part.name,
        tuple(pieces),
        part.tokens_max,
        part.priority,
        part.role,
        header,
        footer,
        skipped_count=skipped_count,
        owner=part.agent_id,
    )


def _ranked(
    ranked: Sequence[S], order: Callable[[S], tuple[object, ...]], piece_of: Callable[[S, int], Piece]
) -> tuple[list[Piece], int]:
    """Return the pieces of ranked records in the order of rendering, and the number of records beyond the limits."""
    considered = list(enumerate(_considered(ranked)))
    in_order = sorted(considered, key=lambda each: order(each[1]))
    return [piece_of(record, rank) for rank, record in in_order], len(ranked) - len(considered)


def _notes(part: Part, state: AgentState, chosen: RecordFilter) -> TextSection:
    notes = filter(Matcher(chosen, NOTE_SHAPE).keeps, state.part(NOTE))
    pieces, skipped = _ranked(
        sorted(notes, key=lambda note: (-note.importance, -note.revision, note.note_id)),
        lambda note: (note.create_time, note.note_id),
        lambda note, rank: Piece("note", (note.note_id,), note_line(note), rank),
    )
    return _text_section(part, pieces, HEADER, FOOTER, skipped_count=skipped)


def _plan(part: Part, state: AgentState, conversation_id: str) -> TextSection:
    plan = PlanName(conversation_id=conversation_id).find(state.part(PLAN))
    pieces = () if plan is None else plan_pieces(plan)
    # Steps are meaningless without the goal, so no piece may be skipped to fit in a later one.
    return msgspec.structs.replace(_text_section(part, pieces, PLAN_HEADER, PLAN_FOOTER), fills_gaps=False)


def _entities(part: Part, state: AgentState, conversation_id: str) -> TextSection:
    window = state.part(ENTITY_WINDOW).find(conversation_id, WINDOW_KEY)
    entities = () if window is None else window.entities
    pieces = [msgspec.structs.replace(piece, ids=(conversation_id, *piece.ids)) for piece in entity_pieces(entities)]
    return _text_section(part, pieces, ENTITIES_HEADER, "", skipped_count=len(entities) - len(pieces))


def _entries(part: Part, state: AgentState, scope_id: str, chosen: RecordFilter, now: int) -> TextSection:
    visible = filter(Matcher(chosen, ENTRY_SHAPE).keeps, state.part(WORKING_MEMORY).visible_entries(scope_id, now))
    pieces, skipped = _ranked(
        sorted(visible, key=lambda entry: (-entry.importance, -entry.revision, entry.key)),
        lambda entry: (entry.key,),
        lambda entry, rank: Piece("entry", (entry.scope_id, entry.key), f"- {entry.key}: {entry.value_json}\n", rank),
    )
    return _text_section(part, pieces, "[ENTRIES]\n", "[END_ENTRIES]\n", skipped_count=skipped)


def _memories(part: Part, found: Found, state: AgentState, conversation_ids: frozenset[str]) -> TextSection:
    considered = _considered(found.memories)
    origins = Origins({each: partial(_newest_considered, state, each) for each in conversation_ids})
    pieces = (
        Piece("memory", (memory.memory_id,), _memory_line(memory, found), rank, origins=origins.of(memory))
        for rank, memory in enumerate(considered)
    )
    skipped = len(found.memories) - len(considered)
    section = _text_section(part, pieces, "[MEMORIES]\n", "[END_MEMORIES]\n", skipped_count=skipped)
    return msgspec.structs.replace(section, cut=Cut.ALONE)


def _memory_line(memory: Memory, found: Found) -> str:
    return f"- {OUTDATED if memory.memory_id in found.outdated else ''}{memory.content}\n"


def _messages(part: Part, state: AgentState, conversation_id: str) -> MessageSection:
    conversation = state.part(CONVERSATION).find(conversation_id, CONVERSATION_KEY)
    newest = _newest_considered(state, conversation_id)
    older = 0 if conversation is None else conversation.message_count - len(newest)
    spoken = tuple(_spoken(each) for each in reversed(newest))
    summary = None if conversation is None or not conversation.summary else _summed_up(conversation)
    return MessageSection(part.name, spoken, part.tokens_max, part.priority, older, summary, part.agent_id)


def _newest_considered(state: AgentState, conversation_id: str) -> Sequence[ConversationMessage]:
    return _considered(newest_messages(state, conversation_id))


def _summed_up(conversation: Conversation) -> SpokenPiece:
    text = f"[SUMMARY]\n{defused(conversation.summary)}\n[END_SUMMARY]\n"
    return SpokenPiece(Piece("summary", (conversation.conversation_id,), text), MessageRole.SYSTEM)


def _spoken(message: ConversationMessage) -> SpokenPiece:
    piece = Piece("message", (message.conversation_id, str(message.number)), defused(message.content))
    parts = tuple(part.with_text(defused) for part in message.parts)
    return SpokenPiece(piece, message.role, parts, one_line(defused(message.name)), message.metadata_json)
