"""Entities: things that an agent's tools touched, and the windows that keep the newest of each session."""

from collections.abc import Iterable

import msgspec

from memoryd_server.domain.agent.collection import Collected
from memoryd_server.domain.agent.collection_part import CollectionPart
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.limit import ENTITY_WINDOW_DEFAULT
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.validation import size_bytes

WINDOW_KEY = "window"


class Entity(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An entity: a thing that a tool touched, for example a page. Fields are stored in this order.

    ``access_time`` is in nanoseconds since the Unix epoch. ``name`` may have any characters, even line breaks; ``slug``
    is empty for none.
    """

    type: str
    id: str
    name: str
    slug: str
    access_time: int

    @property
    def size_bytes(self) -> int:
        """Bytes that the entity counts against the storage limit."""
        return sum(map(size_bytes, (self.type, self.id, self.name, self.slug)))


class EntityDraft(msgspec.Struct, frozen=True):
    """An entity as its writer gives it. ``access_time`` is None for the time at which it is added."""

    type: str
    id: str
    name: str
    slug: str = ""
    access_time: int | None = None

    def at(self, now: int) -> Entity:
        """Return the entity to store."""
        return Entity(self.type, self.id, self.name, self.slug, now if self.access_time is None else self.access_time)


class EntityWindow(Collected, frozen=True, array_like=True, gc=False, tag="entity_window"):
    """The newest entities of one session, newest first. Times are nanoseconds since the Unix epoch.

    No two entities have the same id. ``window_size`` is the maximum number that is kept. Fields are stored in this
    order.
    """

    session_id: str
    entities: tuple[Entity, ...] = ()
    window_size: int = ENTITY_WINDOW_DEFAULT
    create_time: int = 0
    update_time: int = 0
    revision: int = 0
    size_bytes: int = 0

    @property
    def group(self) -> str:
        """The session's id. A session is a group and not a key, since a key has no slash and a session id may."""
        return self.session_id

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
    by_id: dict[str, Entity] = {each.id: each for each in reversed(tuple(entities))}
    for each in added:
        by_id.pop(each.id, None)
        by_id[each.id] = each
    return tuple(reversed(by_id.values()))[:count_max]


ENTITY_WINDOW = CollectionPart(
    "entity_window",
    EntityWindow,
    RecordKind.ENTITY,
    EventType.ENTITIES_UPDATED,
    EventType.ENTITIES_UPDATED,
    EventType.ENTITIES_CLEARED,
)
