"""A sample of conversations in which what is worth remembering is marked, and how memories compare with it.

A language model that had not seen the rules wrote and marked it.

The file is JSON: ``{"conversations": [{"title", "messages": [{"role", "text", "name", "statements"}]}]}``. A statement
is ``{"text", "kind"}``. Rules may be mended by the conversations at even places: those at odd ones are to stay unread.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from tests.benchmarks.process import DaemonProcess

from memoryd.v1.conversation_pb2 import MESSAGE_ROLE_ASSISTANT, MESSAGE_ROLE_USER, MessageDraft
from memoryd.v1.conversation_service_pb2 import AppendMessagesRequest
from memoryd.v1.conversation_service_pb2_grpc import ConversationServiceStub
from memoryd.v1.long_term_memory_service_pb2 import IngestConversationRequest
from memoryd.v1.long_term_memory_service_pb2_grpc import LongTermMemoryServiceStub

AGREE_MIN = 0.7
"""Minimum share of common words (the F1 measure) of a memory and a statement that say the same."""
_WORD = re.compile(r"\w+(?:['\u2019]\w+)?")
_NEGATION = re.compile(r"\b(?:no|not|never|none|nobody|nothing|without|no longer|\w+n['\u2019]?t)\b", re.IGNORECASE)
_ROLES = {"user": MESSAGE_ROLE_USER, "assistant": MESSAGE_ROLE_ASSISTANT}


class Statement(msgspec.Struct, frozen=True):
    """A part of a message that is worth remembering, and its kind."""

    text: str
    kind: str


class Message(msgspec.Struct, frozen=True):
    """A message and its statements. ``name`` is that of the author in a chat between people."""

    role: str
    text: str
    name: str = ""
    statements: tuple[Statement, ...] = ()


class Talk(msgspec.Struct, frozen=True):
    """One conversation."""

    title: str
    messages: tuple[Message, ...]


class _File(msgspec.Struct, frozen=True):
    conversations: tuple[Talk, ...]


class Judgement(msgspec.Struct, frozen=True):
    """A memory beside the statement that it agrees with. One of them is missing if there is no other.

    ``talk`` is the place of the conversation in the file, ``kind`` that of the statement, or of the memory without one.
    """

    talk: int
    message: str
    kind: str
    memory: str | None
    statement: str | None

    @property
    def is_right(self) -> bool:
        """True if the memory says what is worth remembering."""
        return self.memory is not None and self.statement is not None

    @property
    def loses_negation(self) -> bool:
        """True if the statement has a negation, and the memory has none."""
        return (
            self.is_right and bool(_NEGATION.search(self.statement or "")) and not _NEGATION.search(self.memory or "")
        )


def read_sample(path: Path) -> Sequence[Talk]:
    """Return the conversations of a file. Raises OSError, and ValueError if a statement is no part of its message."""
    talks = msgspec.json.decode(path.read_bytes(), type=_File).conversations
    for talk in talks:
        for message in talk.messages:
            for statement in message.statements:
                if statement.text not in message.text:
                    raise ValueError(f"{talk.title}: {statement.text!r} is no part of its message")
    return talks


def judged(process: DaemonProcess, talks: Sequence[Talk]) -> Sequence[Judgement]:
    """Ingest the conversations, and return each memory and each statement, together where they agree."""
    return [each for number, talk in enumerate(talks) for each in _judged(process, number, talk)]


def _judged(process: DaemonProcess, place: int, talk: Talk) -> Iterator[Judgement]:
    agent_id = f"talk-{place}"
    drafts = [
        MessageDraft(role=_ROLES[message.role], name=message.name, content=message.text) for message in talk.messages
    ]
    appending = AppendMessagesRequest(agent_id=agent_id, conversation_id="talk", drafts=drafts)
    ConversationServiceStub(process.channel).AppendMessages(appending)
    ingesting = IngestConversationRequest(agent_id=agent_id, conversation_id="talk")
    made: dict[int, list[tuple[str, str]]] = {}
    memories = LongTermMemoryServiceStub(process.channel)
    left = len(drafts)
    while left:
        done = memories.IngestConversation(ingesting)
        left = done.remaining_count
        for memory in (each.memory for each in done.results if each.created):
            made.setdefault(memory.provenance.message_number, []).append((memory.content, memory.tags[0]))
    for number, message in enumerate(talk.messages, 1):
        yield from compared(place, message, made.get(number, []))


def compared(talk: int, message: Message, made: Sequence[tuple[str, str]]) -> Iterator[Judgement]:
    """Yield the memories that were made of a message, with their tags, beside the statements that they agree with."""
    statements = list(message.statements)
    for content, tag in made:
        said = content.removeprefix(f"{message.name}: ")
        best = max(statements, key=lambda each: agreement(each.text, said), default=None)
        if best is not None and agreement(best.text, said) >= AGREE_MIN:
            statements.remove(best)
            yield Judgement(talk, message.text, best.kind, content, best.text)
        else:
            yield Judgement(talk, message.text, tag, content, None)
    for statement in statements:
        yield Judgement(talk, message.text, statement.kind, None, statement.text)


def agreement(one: str, other: str) -> float:
    """Return the F1 measure of the words of two texts: 1 if they are the same words, 0 if none is in both."""
    first, second = (_WORD.findall(text.casefold()) for text in (one, other))
    common = len(set(first) & set(second))
    return 2 * common / (len(set(first)) + len(set(second))) if common else 0.0
