"""Entities, a conversation's window of them, and the window as JSON."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memoryd.model.moment import datetime_in
from memoryd.v1 import entity_pb2


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing that an agent's tools touched: a page, for example. ``slug`` is empty for none.

    ``last_access_time`` is when it was last touched. Adding an entity without it sets it to now; an entity that was
    only extracted from a tool's answer has none.
    """

    type: str
    entity_id: str
    name: str
    slug: str = ""
    last_access_time: datetime | None = None


@dataclass(frozen=True, slots=True)
class EntityWindowInfo:
    """The entities that were touched last in one conversation, newest first, at most ``window_size``.

    ``user_id`` is the user with whom the conversation is, empty for none. ``revision`` is the agent's revision that
    last wrote the window. If the conversation has no window, it is 0 and the times are None.
    """

    conversation_id: str
    agent_id: str
    user_id: str
    entities: tuple[Entity, ...]
    window_size: int
    create_time: datetime | None
    update_time: datetime | None
    revision: int


def entity_from(message: entity_pb2.Entity) -> Entity:
    """Return the entity of a message."""
    return Entity(message.type, message.entity_id, message.name, message.slug, datetime_in(message, "last_access_time"))


def entity_window_from(message: entity_pb2.EntityWindow) -> EntityWindowInfo:
    """Return the window of a message."""
    return EntityWindowInfo(
        conversation_id=message.conversation_id,
        agent_id=message.agent_id,
        user_id=message.user_id,
        entities=tuple(map(entity_from, message.entities)),
        window_size=message.window_size,
        create_time=datetime_in(message, "create_time"),
        update_time=datetime_in(message, "update_time"),
        revision=message.revision,
    )


def json_of(entities: Iterable[Entity]) -> str:
    """Return a window as JSON: ``{"entities": [{"type", "id", "name", "slug", "timestamp"}]}``, newest first.

    An empty slug and a missing time are left out. Timestamps are RFC 3339.
    """
    return json.dumps({"entities": [_plain(each) for each in entities]}, ensure_ascii=False)


def entities_of_json(text: str) -> list[Entity]:
    """Return the entities of a window that ``json_of`` wrote. Raises ValueError for any other text."""
    state = json.loads(text)
    if not isinstance(state, dict) or not isinstance(state.get("entities"), list):
        raise ValueError('a window is JSON such as {"entities": []}')
    return [_entity_of(each) for each in state["entities"]]


def _plain(entity: Entity) -> dict[str, str]:
    plain = {"type": entity.type, "id": entity.entity_id, "name": entity.name}
    if entity.slug:
        plain["slug"] = entity.slug
    if entity.last_access_time is not None:
        plain["timestamp"] = entity.last_access_time.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return plain


def _entity_of(plain: Any) -> Entity:
    given = {"slug": "", "timestamp": "", **plain} if isinstance(plain, dict) else {}
    texts = [given.get(name) for name in ("type", "id", "name", "slug", "timestamp")]
    if not all(isinstance(each, str) for each in texts):
        raise ValueError("an entity has type, id and name, and may have slug and timestamp, which are strings")
    entity_type, entity_id, name, slug, timestamp = map(str, texts)
    return Entity(entity_type, entity_id, name, slug, datetime.fromisoformat(timestamp) if timestamp else None)
