"""Entities: things that an agent's tools touched, and the windows that keep the newest of each conversation."""

from collections.abc import Iterable
from operator import attrgetter
from typing import ClassVar

import msgspec

from memoryd_server.domain.agent.collection import Collected
from memoryd_server.domain.agent.collection_part import CollectionPart
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.limit import ENTITY_WINDOW_DEFAULT
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.validation import size_bytes
from memoryd_server.domain.values.record_filter import RecordShape

WINDOW_KEY = "window"


class Entity(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An entity: a thing that a tool touched, for example a page. Fields are stored in this order.

    ``last_access_time`` is in nanoseconds since the Unix epoch. ``name`` may have any characters, even line breaks;
    ``slug`` is empty for none.
    """

    type: str
    entity_id: str
    name: str
    slug: str
    last_access_time: int

    @property
    def size_bytes(self) -> int:
        """Bytes that the entity counts against the storage limit."""
        return sum(map(size_bytes, (self.type, self.entity_id, self.name, self.slug)))


class EntityDraft(msgspec.Struct, frozen=True):
    """An entity as its writer gives it. ``last_access_time`` is None for the time at which it is added."""

    type: str
    entity_id: str
    name: str
    slug: str = ""
    last_access_time: int | None = None

    def at(self, now: int) -> Entity:
        """Return the entity to store."""
        last_access_time = now if self.last_access_time is None else self.last_access_time
        return Entity(self.type, self.entity_id, self.name, self.slug, last_access_time)


ENTITY_WINDOW_SHAPE = RecordShape(
    "entity_window",
    attrgetter("conversation_id"),
    tags_of=None,
    metadata_of=None,
    conversation_of=attrgetter("conversation_id"),
)
"""The fields of windows of entities that a filter asks for."""


class EntityWindow(Collected, frozen=True, array_like=True, gc=False, tag="entity_window"):
    """The newest entities of one conversation, newest first. Times are nanoseconds since the Unix epoch.

    No two entities have the same id. ``window_size`` is the maximum number that is kept, and ``user_id`` the user with
    whom the conversation is, empty for none. Fields are stored in this order.
    """

    shape: ClassVar[RecordShape | None] = ENTITY_WINDOW_SHAPE
    kept_when_erased: ClassVar = ("conversation_id",)

    conversation_id: str
    user_id: str = ""
    entities: tuple[Entity, ...] = ()
    window_size: int = ENTITY_WINDOW_DEFAULT
    create_time: int = 0
    update_time: int = 0
    revision: int = 0
    size_bytes: int = 0

    @property
    def group(self) -> str:
        """The conversation's id: a group and not a key, since a key has no slash and a conversation's id may."""
        return self.conversation_id

    @property
    def key(self) -> str:
        """A constant, since each group has one window."""
        return WINDOW_KEY

    def without_content(self) -> "EntityWindow":
        """Return the window without its entities, for events to clients that may not read content."""
        return msgspec.structs.replace(self, entities=())


def latest(entities: Iterable[Entity], added: Iterable[Entity], count_max: int) -> tuple[Entity, ...]:
    """Return the window's entities, newest first, after others were added one after the other.

    An added entity replaces one with the same id and moves to the front. Past ``count_max``, the oldest are dropped.
    """
    # Cutting once at the end is enough: an entity that would be dropped in between and is not added again is not among
    # the newest at the end either.
    by_id: dict[str, Entity] = {each.entity_id: each for each in reversed(tuple(entities))}
    for each in added:
        by_id.pop(each.entity_id, None)
        by_id[each.entity_id] = each
    return tuple(reversed(by_id.values()))[:count_max]


ENTITY_WINDOW = CollectionPart(
    "entity_window",
    EntityWindow,
    RecordKind.ENTITY_WINDOW,
    EventType.ENTITY_WINDOW_CREATED,
    EventType.ENTITY_WINDOW_UPDATED,
    EventType.ENTITY_WINDOW_DELETED,
    is_one_per_group=True,
    contained=(RecordKind.ENTITY, lambda window: len(window.entities)),
)
