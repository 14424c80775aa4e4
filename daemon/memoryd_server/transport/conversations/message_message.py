"""Messages of conversations, between the domain and the contract."""

from collections.abc import Callable, Sequence

from memoryd.v1 import conversation_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.conversations.conversation import ConversationMessage, MessageDraft
from memoryd_server.domain.error import InvalidField, TooLarge
from memoryd_server.domain.values.message import MessageRole
from memoryd_server.transport.conversations.part_message import part_message, part_of
from memoryd_server.transport.fields.importance import importance_of
from memoryd_server.transport.fields.json_value import json_text_of, write_json
from memoryd_server.transport.fields.record_id import record_id_of
from memoryd_server.transport.fields.timestamp import moment_of, timestamp


def message_message(agent_id: str, message: ConversationMessage) -> pb.Message:
    """Encode a message of a conversation, for responses and events."""
    encoded = pb.Message(
        message_id=message.message_id,
        agent_id=agent_id,
        revision=message.revision,
        create_time=timestamp(message.create_time),
        conversation_id=message.conversation_id,
        number=message.number,
        role=int(message.role),  # type: ignore[arg-type]
        content=message.content,
        parts=[part_message(each) for each in message.parts],
        name=message.name,
        importance=message.importance,
        token_count=message.token_count,
    )
    if message.metadata_json:
        write_json(message.metadata_json, encoded.metadata)
    return encoded


def drafts_of(
    messages: Sequence[pb.MessageDraft], new_id: Callable[[], str], limits: limit.Limits
) -> tuple[MessageDraft, ...]:
    """Decode the messages to append; those without an id get a new one. Raises InvalidField, TooLarge."""
    validation.within("drafts", len(messages), 1, limit.MESSAGES_PER_CALL_MAX)
    return tuple(_draft_of(each, f"drafts[{index}]", new_id, limits) for index, each in enumerate(messages))


def _draft_of(message: pb.MessageDraft, field: str, new_id: Callable[[], str], limits: limit.Limits) -> MessageDraft:
    content, has_metadata = message.content, message.HasField("metadata") and bool(message.metadata.fields)
    if content and message.parts:
        raise InvalidField(f"{field}.content", "must be empty if there are parts: make it one of them")
    if not (message.parts or has_metadata):
        validation.content(f"{field}.content", content, "message_content_bytes", limits.message_content_bytes)
    validation.within(f"{field}.parts", len(message.parts), 0, limit.MESSAGE_PARTS_MAX)
    parts = tuple(part_of(each, f"{field}.parts[{index}]") for index, each in enumerate(message.parts))
    texts = [content, *(text for part in parts for text in part.texts)]
    content_bytes = sum(map(validation.size_bytes, texts))
    if content_bytes > limits.message_content_bytes:
        raise TooLarge("message_content_bytes", limits.message_content_bytes)
    metadata_json = ""
    if has_metadata:
        metadata_json = json_text_of(message.metadata, f"{field}.metadata", limit.METADATA_BYTES_MAX)
    name = validation.optional_text(f"{field}.name", message.name, limit.MESSAGE_NAME_BYTES_MAX)
    message_id = record_id_of(f"{field}.message_id", message.message_id) if message.message_id else new_id()
    return MessageDraft(
        message_id,
        validation.known(f"{field}.role", message.role, MessageRole),
        content,
        parts,
        name,
        metadata_json,
        importance_of(message, f"{field}.importance"),
        moment_of(message.create_time, f"{field}.create_time") if message.HasField("create_time") else None,
        content_bytes + sum(map(validation.size_bytes, (message_id, metadata_json, name))),
    )
