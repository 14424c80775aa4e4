"""Conversations without their messages, between the domain and the contract."""

from typing import Any

from google.protobuf import field_mask_pb2, struct_pb2

from memoryd.v1 import conversation_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.conversations.conversation import Conversation
from memoryd_server.domain.conversations.conversation_change import ConversationText, CreateConversation
from memoryd_server.transport.fields.json_value import json_text_of, write_json
from memoryd_server.transport.fields.timestamp import timestamp
from memoryd_server.transport.fields.update_mask import paths_of


def conversation_message(agent_id: str, conversation: Conversation) -> pb.Conversation:
    """Encode a conversation, for responses and events."""
    encoded = pb.Conversation(
        conversation_id=conversation.conversation_id,
        agent_id=agent_id,
        revision=conversation.revision,
        create_time=timestamp(conversation.create_time),
        update_time=timestamp(conversation.update_time),
        user_id=conversation.user_id,
        tags=conversation.tags,
        title=conversation.title,
        message_count=conversation.message_count,
        token_count=conversation.token_count,
        next_number=conversation.next_number,
        summary=conversation.summary,
        ingested_number=conversation.ingested_number,
    )
    if conversation.metadata_json:
        write_json(conversation.metadata_json, encoded.metadata)
    return encoded


def creation_of(draft: pb.ConversationDraft, new_id: str) -> CreateConversation:
    """Decode a conversation to create; one without an id gets ``new_id``. Raises InvalidField."""
    return CreateConversation(
        conversation_id_of(draft.conversation_id, "draft.conversation_id") if draft.conversation_id else new_id,
        _user_id_of(draft.user_id),
        _title_of(draft.title),
        validation.tags("draft.tags", draft.tags),
        _metadata_of(draft.metadata),
    )


def text_of(draft: pb.ConversationDraft, mask: field_mask_pb2.FieldMask) -> ConversationText:
    """Decode the changes of a conversation. Raises InvalidField."""
    fields: dict[str, Any] = {}
    for path in paths_of(mask, ("title", "user_id", "tags", "metadata")):
        match path:
            case "title":
                fields["title"] = _title_of(draft.title)
            case "user_id":
                fields["user_id"] = _user_id_of(draft.user_id)
            case "tags":
                fields["tags"] = validation.tags("draft.tags", draft.tags)
            case "metadata":
                fields["metadata_json"] = _metadata_of(draft.metadata)
    return ConversationText(**fields)


def conversation_id_of(value: str, field: str = "conversation_id") -> str:
    """Return the id of a conversation, if it is valid. Raises InvalidField."""
    return validation.text(field, value, limit.CONVERSATION_ID_BYTES_MAX)


def _user_id_of(value: str) -> str:
    return validation.optional_text("draft.user_id", value, limit.USER_ID_BYTES_MAX)


def _title_of(value: str) -> str:
    return validation.optional_text("draft.title", value, limit.TITLE_BYTES_MAX)


def _metadata_of(message: struct_pb2.Struct) -> str:
    return json_text_of(message, "draft.metadata", limit.METADATA_BYTES_MAX) if message.fields else ""
