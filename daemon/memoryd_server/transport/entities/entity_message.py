"""Entities, between the domain and the contract."""

from collections.abc import Sequence
from typing import Any

from memoryd.v1 import entity_pb2
from memoryd.v1 import entity_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.entities.entity import Entity, EntityDraft, EntityWindow
from memoryd_server.domain.entities.tool_result import read_tool_result
from memoryd_server.domain.error import InvalidField
from memoryd_server.transport.fields.json_value import json_text_of
from memoryd_server.transport.fields.timestamp import moment_of, timestamp


def window_message(agent_id: str, window: EntityWindow) -> entity_pb2.EntityWindow:
    """Encode a window of entities, for responses and events."""
    return entity_pb2.EntityWindow(
        conversation_id=window.conversation_id,
        agent_id=agent_id,
        revision=window.revision,
        create_time=timestamp(window.create_time) if window.revision else None,
        update_time=timestamp(window.update_time) if window.revision else None,
        user_id=window.user_id,
        entities=map(_entity_message, window.entities),
        window_size=window.window_size,
    )


def found_message(draft: EntityDraft) -> entity_pb2.Entity:
    """Encode an extracted entity, which may not be stored."""
    return entity_pb2.Entity(entity_id=draft.entity_id, type=draft.type, name=draft.name, slug=draft.slug)


def conversation_id_of(conversation_id: str) -> str:
    """Return a conversation's id, if it is valid. Raises InvalidField."""
    return validation.text("conversation_id", conversation_id, limit.CONVERSATION_ID_BYTES_MAX)


def drafts_of(messages: Sequence[entity_pb2.Entity]) -> tuple[EntityDraft, ...]:
    """Decode the entities to add. Raises InvalidField."""
    if len(messages) > limit.ENTITIES_MAX:
        raise InvalidField("entities", f"must be at most {limit.ENTITIES_MAX}")
    return tuple(_draft_of(each, f"entities[{index}]") for index, each in enumerate(messages))


def tool_result_of(message: pb.ExtractEntitiesRequest) -> Any:
    """Decode what entities are extracted from of a tool's result. Raises InvalidField."""
    field = message.WhichOneof("content")
    if field is None:
        raise InvalidField("content", "must be result_json or result")
    if field == "result":
        text = json_text_of(message.result, field, limit.TOOL_RESULT_BYTES_MAX)
    else:
        text = message.result_json
        if validation.size_bytes(text) > limit.TOOL_RESULT_BYTES_MAX:
            raise InvalidField(field, f"must be at most {limit.TOOL_RESULT_BYTES_MAX} bytes")
    return read_tool_result(field, text)


def _entity_message(entity: Entity) -> entity_pb2.Entity:
    return entity_pb2.Entity(
        entity_id=entity.entity_id,
        type=entity.type,
        name=entity.name,
        slug=entity.slug,
        last_access_time=timestamp(entity.last_access_time),
    )


def _draft_of(message: entity_pb2.Entity, field: str) -> EntityDraft:
    if not 1 <= validation.size_bytes(message.name) <= limit.ENTITY_NAME_BYTES_MAX:
        raise InvalidField(f"{field}.name", f"must be from 1 to {limit.ENTITY_NAME_BYTES_MAX} bytes")
    return EntityDraft(
        validation.text(f"{field}.type", message.type, limit.ENTITY_TYPE_BYTES_MAX),
        validation.text(f"{field}.entity_id", message.entity_id, limit.ENTITY_ID_BYTES_MAX),
        message.name,
        validation.optional_text(f"{field}.slug", message.slug, limit.ENTITY_SLUG_BYTES_MAX),
        moment_of(message.last_access_time, f"{field}.last_access_time")
        if message.HasField("last_access_time")
        else None,
    )
