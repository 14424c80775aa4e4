"""Conversations without their messages, and the results of changing them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from google.protobuf.json_format import MessageToDict

from memoryd.model.erasure import ErasureReceipt, optional_receipt
from memoryd.model.moment import datetime_from
from memoryd.v1 import conversation_pb2
from memoryd.v1 import conversation_service_pb2 as pb


@dataclass(frozen=True, slots=True)
class ConversationInfo:
    """A conversation without its messages.

    ``token_count`` is an estimate for all messages and the summary. ``summary`` is of the messages that compaction
    removed. Texts are empty for none. ``ingested_number`` is that of the last message that was read for memories.
    """

    conversation_id: str
    agent_id: str
    user_id: str
    title: str
    tags: tuple[str, ...]
    metadata: Mapping[str, Any]
    message_count: int
    token_count: int
    next_number: int
    summary: str
    create_time: datetime
    update_time: datetime
    revision: int
    ingested_number: int = 0


@dataclass(frozen=True, slots=True)
class Appended:
    """The result of an append: the conversation as it is now, and the ids of the messages in their order.

    ``first_number`` is the number of the first one; the others have the numbers that follow.
    """

    conversation: ConversationInfo
    first_number: int
    message_ids: tuple[str, ...]
    revision: int


@dataclass(frozen=True, slots=True)
class DeletedConversation:
    """The result of a deletion: whether the conversation existed, and what was deleted with it.

    ``receipt`` is that of the erasure; None if there was none.
    """

    deleted: bool
    deleted_message_count: int
    deleted_plan_count: int
    deleted_entity_count: int
    revision: int
    receipt: ErasureReceipt | None = None


@dataclass(frozen=True, slots=True)
class Truncated:
    """The result of a truncation: the conversation as it is now, and the number of deleted messages.

    ``receipt`` is that of the erasure; None if there was none.
    """

    conversation: ConversationInfo
    deleted_message_count: int
    revision: int
    receipt: ErasureReceipt | None = None


@dataclass(frozen=True, slots=True)
class DropOldest:
    """A compaction that deletes the oldest messages."""


@dataclass(frozen=True, slots=True)
class KeepImportant:
    """A compaction that deletes the least important messages, none with at least ``min_importance``."""

    min_importance: float | None = None


@dataclass(frozen=True, slots=True)
class ExtractToNotes:
    """A compaction that deletes the oldest messages, and writes the important ones into notes of a notebook.

    ``min_importance`` is by default 0.5.
    """

    notebook: str = ""
    min_importance: float | None = None


@dataclass(frozen=True, slots=True)
class Summarize:
    """A compaction that deletes the oldest messages, and has a model summarize them."""


CompactionStrategy = DropOldest | KeepImportant | ExtractToNotes | Summarize


@dataclass(frozen=True, slots=True)
class Compacted:
    """The result of a compaction: the deleted messages, their tokens, and the notes that were made of them."""

    conversation: ConversationInfo
    deleted_message_count: int
    deleted_token_count: int
    note_ids: tuple[str, ...]
    revision: int


def conversation_from(message: conversation_pb2.Conversation) -> ConversationInfo:
    """Return the conversation of a message."""
    return ConversationInfo(
        conversation_id=message.conversation_id,
        agent_id=message.agent_id,
        user_id=message.user_id,
        title=message.title,
        tags=tuple(message.tags),
        metadata=MessageToDict(message.metadata),
        message_count=message.message_count,
        token_count=message.token_count,
        next_number=message.next_number,
        summary=message.summary,
        create_time=datetime_from(message.create_time),
        update_time=datetime_from(message.update_time),
        revision=message.revision,
        ingested_number=message.ingested_number,
    )


def appended_from(message: pb.AppendMessagesResponse) -> Appended:
    """Return the result of an append."""
    conversation = conversation_from(message.conversation)
    return Appended(conversation, message.first_number, tuple(message.message_ids), message.revision)


def deleted_from(message: pb.DeleteConversationResponse) -> DeletedConversation:
    """Return the result of a deletion."""
    return DeletedConversation(
        deleted=message.deleted,
        deleted_message_count=message.deleted_message_count,
        deleted_plan_count=message.deleted_plan_count,
        deleted_entity_count=message.deleted_entity_count,
        revision=message.revision,
        receipt=optional_receipt(message),
    )


def truncated_from(message: pb.TruncateMessagesResponse) -> Truncated:
    """Return the result of a truncation."""
    conversation, receipt = conversation_from(message.conversation), optional_receipt(message)
    return Truncated(conversation, message.deleted_message_count, message.revision, receipt)


def compacted_from(message: pb.CompactMessagesResponse) -> Compacted:
    """Return the result of a compaction."""
    return Compacted(
        conversation=conversation_from(message.conversation),
        deleted_message_count=message.deleted_message_count,
        deleted_token_count=message.deleted_token_count,
        note_ids=tuple(message.note_ids),
        revision=message.revision,
    )
