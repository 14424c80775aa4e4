"""Conversations and their messages, between the domain and the contract."""

from memoryd.v1 import context_service_pb2 as pb
from memoryd.v1 import message_pb2
from memoryd_server.domain import limit, validation
from memoryd_server.domain.conversations.conversation import (
    Conversation,
    ConversationMessage,
    MessageDraft,
    MessageRole,
)
from memoryd_server.domain.error import InvalidField, LimitExceeded
from memoryd_server.transport.fields.importance import importance_of
from memoryd_server.transport.fields.json_value import json_text_of, write_json
from memoryd_server.transport.fields.timestamp import timestamp


def message_message(agent_id: str, message: ConversationMessage) -> message_pb2.Message:
    """Encode a message of a conversation, for responses and events."""
    encoded = message_pb2.Message(
        conversation_id=message.conversation_id,
        agent_id=agent_id,
        number=message.number,
        role=int(message.role),  # type: ignore[arg-type]
        content=message.content,
        name=message.name,
        tool_call_id=message.tool_call_id,
        importance=message.importance,
        token_count=message.token_count,
        create_time=timestamp(message.create_time),
        revision=message.revision,
    )
    if message.metadata_json:
        write_json(message.metadata_json, encoded.metadata)
    return encoded


def conversation_message(agent_id: str, conversation: Conversation) -> message_pb2.Conversation:
    """Encode a conversation, for responses and events."""
    return message_pb2.Conversation(
        conversation_id=conversation.conversation_id,
        agent_id=agent_id,
        message_count=conversation.message_count,
        token_count=conversation.token_count,
        next_number=conversation.next_number,
        create_time=timestamp(conversation.create_time),
        update_time=timestamp(conversation.update_time),
        revision=conversation.revision,
        summary=conversation.summary,
    )


def drafts_of(messages: "list[pb.DraftMessage]", limits: limit.Limits) -> tuple[MessageDraft, ...]:
    """Decode the messages to append. Raises InvalidField, LimitExceeded."""
    validation.within("messages", len(messages), 1, limit.MESSAGES_PER_CALL_MAX)
    return tuple(_draft_of(each, f"messages[{index}]", limits) for index, each in enumerate(messages))


def conversation_id_of(value: str) -> str:
    """Return the id of a conversation, if it is valid. Raises InvalidField."""
    return validation.text("conversation_id", value, limit.CONVERSATION_ID_BYTES_MAX)


def _draft_of(message: pb.DraftMessage, field: str, limits: limit.Limits) -> MessageDraft:
    content, has_metadata = message.content, bool(message.metadata.fields)
    if not content and not has_metadata:
        raise InvalidField(f"{field}.content", "must not be empty without metadata")
    content_bytes = validation.size_bytes(content)
    if content_bytes > limits.message_content_bytes:
        raise LimitExceeded("message_content_bytes", limits.message_content_bytes)
    metadata_json = ""
    if has_metadata:
        metadata_json = json_text_of(message.metadata, f"{field}.metadata", limit.METADATA_BYTES_MAX)
    name = validation.optional_text(f"{field}.name", message.name, limit.MESSAGE_NAME_BYTES_MAX)
    tool_call_id = validation.optional_text(f"{field}.tool_call_id", message.tool_call_id, limit.TOOL_CALL_ID_BYTES_MAX)
    return MessageDraft(
        validation.known(f"{field}.role", message.role, MessageRole),
        content,
        name,
        tool_call_id,
        metadata_json,
        importance_of(message, f"{field}.importance"),
        content_bytes + sum(map(validation.size_bytes, (metadata_json, name, tool_call_id))),
    )
