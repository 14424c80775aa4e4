"""What a context is composed of: sources, each made a section of pieces out of an agent's state."""

import itertools
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from memoryd_server.domain.context_composition import MessageSection, Piece, Section, SpokenPiece, TextSection
from memoryd_server.domain.conversation import CONVERSATION_KEY, ConversationMessage, MessageRole, message_key
from memoryd_server.domain.entry import ROOT
from memoryd_server.domain.kind import CONVERSATION, MESSAGE, NOTE
from memoryd_server.domain.limit import COMPOSED_ENTRIES_MAX, COMPOSED_MESSAGES_MAX
from memoryd_server.domain.memory import Memory
from memoryd_server.domain.note_prompt import FOOTER, HEADER, note_line
from memoryd_server.domain.state import AgentState
from memoryd_server.ports.retrieval import Criteria


class TextSource(msgspec.Struct, frozen=True, tag="text"):
    """A text of the caller's own."""

    content: str
    role: MessageRole = MessageRole.SYSTEM


class NotesSource(msgspec.Struct, frozen=True, tag="notes"):
    """Notes: those of one storage key, or all for None."""

    storage_key: str | None = None


class EntriesSource(msgspec.Struct, frozen=True, tag="entries"):
    """The entries that are visible in a scope."""

    scope_id: str = ROOT
    key_prefix: str = ""


class MemoriesSource(msgspec.Struct, frozen=True, tag="memories"):
    """The memories that match a query best."""

    criteria: Criteria
    limit: int
    min_score: float = 0.0
    query: str = ""


class MessagesSource(msgspec.Struct, frozen=True, tag="messages"):
    """The newest messages of a conversation."""

    conversation_id: str


Source = TextSource | NotesSource | EntriesSource | MemoriesSource | MessagesSource


class Part(msgspec.Struct, frozen=True):
    """A section as it was asked for."""

    name: str
    source: Source
    tokens_max: int
    priority: int = 0


def section_of(part: Part, state: AgentState, memories: Sequence[Memory], now: int) -> Section:
    """The section with its pieces. ``memories`` are those that were found for it, the best first.

    Raises ScopeDisposed, ScopeNotFound.
    """
    match part.source:
        case TextSource(content, role):
            pieces = (Piece("text", "", content),)
            return TextSection(part.name, pieces, part.tokens_max, part.priority, role)
        case NotesSource(storage_key):
            return _told(part, _notes(state, storage_key), HEADER, FOOTER)
        case EntriesSource(scope_id, key_prefix):
            return _told(part, _entries(state, scope_id, key_prefix, now), "[ENTRIES]\n", "[END_ENTRIES]\n")
        case MemoriesSource():
            return _told(part, _memories(memories), "[MEMORIES]\n", "[END_MEMORIES]\n")
        case MessagesSource(conversation_id):
            return _messages(part, state, conversation_id)


def newest_messages(state: AgentState, conversation_id: str) -> Iterator[ConversationMessage]:
    """The messages of a conversation, the newest first."""
    conversation = state.collection(CONVERSATION).find(conversation_id, CONVERSATION_KEY)
    if conversation is not None:
        there = state.collection(MESSAGE).group(conversation_id)
        for number in range(conversation.next_number - 1, 0, -1):
            message = there.get(message_key(number))
            if message is not None:
                yield message


def _told(part: Part, pieces: Iterable[Piece], header: str, footer: str) -> TextSection:
    return TextSection(part.name, tuple(pieces), part.tokens_max, part.priority, header=header, footer=footer)


def _notes(state: AgentState, storage_key: str | None) -> Iterator[Piece]:
    notes = [note for note in state.collection(NOTE) if storage_key in (None, note.storage_key)]
    by_rank = sorted(notes, key=lambda note: (-note.importance, -note.revision, note.note_id))
    ranks = {note.note_id: rank for rank, note in enumerate(by_rank)}
    for note in sorted(notes, key=lambda note: (note.create_time, note.note_id)):
        yield Piece("note", note.note_id, note_line(note), ranks[note.note_id])


def _entries(state: AgentState, scope_id: str, key_prefix: str, now: int) -> Iterator[Piece]:
    visible = (entry for entry in state.visible_entries(scope_id, now) if entry.key.startswith(key_prefix))
    by_rank = sorted(visible, key=lambda entry: (-entry.importance, -entry.revision, entry.key))
    ranks = {entry.key: rank for rank, entry in enumerate(by_rank[:COMPOSED_ENTRIES_MAX])}
    for entry in sorted(by_rank[:COMPOSED_ENTRIES_MAX], key=lambda entry: entry.key):
        yield Piece("entry", entry.key, f"- {entry.key}: {entry.value_json}\n", ranks[entry.key])


def _memories(memories: Sequence[Memory]) -> Iterator[Piece]:
    for rank, memory in enumerate(memories):
        yield Piece("memory", memory.memory_id, f"- {memory.content}\n", rank)


def _messages(part: Part, state: AgentState, conversation_id: str) -> MessageSection:
    newest = list(itertools.islice(newest_messages(state, conversation_id), COMPOSED_MESSAGES_MAX))
    conversation = state.collection(CONVERSATION).find(conversation_id, CONVERSATION_KEY)
    older = 0 if conversation is None else conversation.message_count - len(newest)
    spoken = tuple(
        SpokenPiece(
            Piece("message", str(each.number), each.content),
            each.role,
            each.name,
            each.tool_call_id,
            each.metadata_json,
        )
        for each in reversed(newest)
    )
    return MessageSection(part.name, spoken, part.tokens_max, part.priority, older)
