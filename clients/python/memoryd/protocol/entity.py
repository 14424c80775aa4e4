"""The calls about a session's window of entities."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from memoryd.model.entity import (
    Entity,
    EntityWindowInfo,
    RecentEntities,
    entities_of_json,
    entity_from,
    entity_window_from,
    recent_entities_from,
)
from memoryd.model.moment import timestamp_if_given
from memoryd.model.value import encode
from memoryd.protocol import method
from memoryd.protocol.call import Call, call, new_request_id
from memoryd.protocol.option import precondition_of
from memoryd.v1 import entity_pb2
from memoryd.v1 import entity_service_pb2 as pb

DEFAULT_LIMIT = 5
ENTITIES_MAX = 1_000
"""Maximum number of entities in a window."""


@dataclass(frozen=True, slots=True)
class Session:
    """A session of an agent."""

    agent_id: str
    session_id: str


def add_entities(
    session: Session,
    entities: Iterable[Entity],
    *,
    window_size: int = 0,
    replace: bool = False,
    expected_revision: int | None = None,
) -> Call[EntityWindowInfo]:
    """Add entities to a window, one after the other; if ``replace`` is true, remove the present ones first."""
    request = pb.AddEntitiesRequest(
        agent_id=session.agent_id,
        session_id=session.session_id,
        entities=[_message_of(each) for each in entities],
        window_size=window_size,
        replace=replace,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.ADD_ENTITIES, request, lambda answer: entity_window_from(answer.window))


def load_entities(session: Session, text: str, *, expected_revision: int | None) -> Call[EntityWindowInfo]:
    """Replace a window by one that was written as JSON. Raises ValueError for any other text."""
    # A window has its newest entity first, and the entity that is added last becomes the newest.
    oldest_first = reversed(entities_of_json(text))
    return add_entities(session, oldest_first, replace=True, expected_revision=expected_revision)


def extract_entities(
    session: Session, tool_name: str, result: Any, *, tool_prefix: str, dry_run: bool
) -> Call[list[Entity]]:
    """Extract entities from a tool's result, and add them unless ``dry_run`` is true.

    Raises UnsupportedValue if JSON cannot represent the result.
    """
    request = pb.ExtractEntitiesRequest(
        agent_id=session.agent_id,
        session_id=session.session_id,
        tool_name=tool_name,
        result_json=encode(result),
        tool_prefix=tool_prefix,
        dry_run=dry_run,
        request_id=new_request_id(),
    )
    return call(method.EXTRACT_ENTITIES, request, lambda answer: [*map(entity_from, answer.entities)])


def list_recent_entities(session: Session, limit: int) -> Call[RecentEntities]:
    """List the newest entities of a window."""
    request = pb.ListRecentEntitiesRequest(agent_id=session.agent_id, session_id=session.session_id, limit=limit)
    return call(method.LIST_RECENT_ENTITIES, request, recent_entities_from)


def clear_entities(session: Session, expected_revision: int | None) -> Call[int]:
    """Remove a window."""
    request = pb.ClearEntitiesRequest(
        agent_id=session.agent_id,
        session_id=session.session_id,
        precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.CLEAR_ENTITIES, request, lambda answer: answer.entities_cleared)


def _message_of(entity: Entity) -> entity_pb2.Entity:
    return entity_pb2.Entity(
        type=entity.type,
        id=entity.id,
        name=entity.name,
        slug=entity.slug,
        access_time=timestamp_if_given(entity.access_time),
    )
