"""Entities: things that an agent's tools touched, and the windows that keep the newest of each session."""

from collections.abc import Iterable

import msgspec

from memoryd_server.domain.agent.collection import Collected
from memoryd_server.domain.agent.collection_part import CollectionPart
from memoryd_server.domain.event_type import EventType
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.domain.validation import size_bytes

WINDOW_SIZE_DEFAULT = 10
WINDOW_KEY = "window"


class Entity(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One thing: a page, for example. ``access_time`` is in nanoseconds since the Unix epoch; stored in this order.

    ``name`` may have any characters, line breaks too; ``slug`` is empty for none.
    """

    type: str
    id: str
    name: str
    slug: str
    access_time: int

    @property
    def size_bytes(self) -> int:
        """What it counts against the storage limit."""
        return sum(map(size_bytes, (self.type, self.id, self.name, self.slug)))


class EntityDraft(msgspec.Struct, frozen=True):
    """What is said of a thing. Without an ``access_time`` it is touched when it is added."""

    type: str
    id: str
    name: str
    slug: str = ""
    access_time: int | None = None

    def at(self, now: int) -> Entity:
        """The thing as it is kept."""
        return Entity(self.type, self.id, self.name, self.slug, now if self.access_time is None else self.access_time)


class EntityWindow(Collected, frozen=True, array_like=True, gc=False, tag="entity_window"):
    """What was touched last in one session, newest first. Times are nanoseconds since the Unix epoch.

    No two entities have the same id; ``window_size`` is the most that are kept. Fields are stored in this order.
    """

    session_id: str
    entities: tuple[Entity, ...] = ()
    window_size: int = WINDOW_SIZE_DEFAULT
    create_time: int = 0
    update_time: int = 0
    revision: int = 0
    size_bytes: int = 0

    @property
    def group(self) -> str:
        """Its session: the one window of a group of its own, since a key has no slash and a session may."""
        return self.session_id

    @property
    def key(self) -> str:
        """The same for all: a session has one window."""
        return WINDOW_KEY

    def without_content(self) -> "EntityWindow":
        """The window as those are told of it who may not read it."""
        return msgspec.structs.replace(self, entities=())


def latest(entities: Iterable[Entity], added: Iterable[Entity], count_max: int) -> tuple[Entity, ...]:
    """What is left, newest first, once some are added one after the other to others that are newest first.

    One that is there already moves to the front and becomes what is said of it; past ``count_max`` the oldest fall off.
    """
    # Who falls off in between and is not added again is not among the newest at the end: cutting once is enough.
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
