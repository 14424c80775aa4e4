"""Conversations, their messages, and numbers of tokens."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from google.protobuf.json_format import MessageToDict

from memoryd.model.enum_word import EnumWords
from memoryd.model.moment import datetime_from
from memoryd.v1 import context_service_pb2 as pb
from memoryd.v1 import message_pb2


class MessageRole(StrEnum):
    """The speaker of a message."""

    UNSPECIFIED = "unspecified"
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


MESSAGE_ROLE = EnumWords(message_pb2.MessageRole, "MESSAGE_ROLE")


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. ``number`` is its position there, from 1. ``token_count`` is an estimate."""

    conversation_id: str
    agent_id: str
    number: int
    role: MessageRole
    content: str
    name: str
    tool_call_id: str
    metadata: Mapping[str, Any]
    importance: float
    token_count: int
    create_time: datetime
    revision: int


@dataclass(frozen=True, slots=True)
class DraftMessage:
    """A message to append. ``content`` may be empty only with ``metadata``."""

    role: MessageRole | str
    content: str
    name: str = ""
    tool_call_id: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    importance: float | None = None


@dataclass(frozen=True, slots=True)
class ConversationInfo:
    """A conversation without its messages.

    ``token_count`` is an estimate for all messages and the summary. ``summary`` is of the messages that compaction
    removed; empty for none.
    """

    conversation_id: str
    agent_id: str
    message_count: int
    token_count: int
    next_number: int
    create_time: datetime
    update_time: datetime
    revision: int
    summary: str = ""


class CompactionStrategy(StrEnum):
    """The rule by which compaction chooses the messages to remove, and what it keeps of them."""

    UNSPECIFIED = "unspecified"
    DROP_OLDEST = "drop_oldest"
    KEEP_IMPORTANT = "keep_important"
    EXTRACT_TO_NOTES = "extract_to_notes"
    SUMMARIZE = "summarize"


COMPACTION_STRATEGY = EnumWords(pb.CompactionStrategy, "COMPACTION_STRATEGY")


@dataclass(frozen=True, slots=True)
class Compacted:
    """The result of a compaction: the removed messages, their tokens, and the notes that were made of them."""

    conversation: ConversationInfo
    messages_removed: int
    tokens_removed: int
    note_ids: tuple[str, ...]
    revision: int


@dataclass(frozen=True, slots=True)
class TokenCount:
    """The number of tokens of each text and of all. ``tokenizer`` is "estimate" where no tokenizer was at hand."""

    counts: tuple[int, ...]
    total: int
    tokenizer: str


def message_from(message: message_pb2.Message) -> Message:
    """Return the conversation's message of a protobuf message."""
    return Message(
        conversation_id=message.conversation_id,
        agent_id=message.agent_id,
        number=message.number,
        role=MESSAGE_ROLE.word(MessageRole, message.role),
        content=message.content,
        name=message.name,
        tool_call_id=message.tool_call_id,
        metadata=MessageToDict(message.metadata),
        importance=message.importance,
        token_count=message.token_count,
        create_time=datetime_from(message.create_time),
        revision=message.revision,
    )


def draft_message(draft: DraftMessage) -> pb.DraftMessage:
    """Return the draft as a protobuf message."""
    message = pb.DraftMessage(
        role=MESSAGE_ROLE.number(draft.role),
        content=draft.content,
        name=draft.name,
        tool_call_id=draft.tool_call_id,
        importance=draft.importance,
    )
    if draft.metadata:
        message.metadata.update(draft.metadata)
    return message


def conversation_from(message: message_pb2.Conversation) -> ConversationInfo:
    """Return the conversation of a message."""
    return ConversationInfo(
        conversation_id=message.conversation_id,
        agent_id=message.agent_id,
        message_count=message.message_count,
        token_count=message.token_count,
        next_number=message.next_number,
        create_time=datetime_from(message.create_time),
        update_time=datetime_from(message.update_time),
        revision=message.revision,
        summary=message.summary,
    )


def compacted_from(message: pb.CompactMessagesResponse) -> Compacted:
    """Return the result of a compaction."""
    return Compacted(
        conversation=conversation_from(message.conversation),
        messages_removed=message.messages_removed,
        tokens_removed=message.tokens_removed,
        note_ids=tuple(message.note_ids),
        revision=message.revision,
    )


def token_count_from(message: pb.CountTokensResponse) -> TokenCount:
    """Return the counts of a message."""
    return TokenCount(tuple(message.counts), message.total, message.tokenizer)
