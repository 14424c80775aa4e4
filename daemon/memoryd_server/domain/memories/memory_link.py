"""Links: typed relations from one memory to another."""

import enum
from collections.abc import Iterator

import immutables
import msgspec

from memoryd_server.domain.values.record_filter import KindCondition, RecordShape, Test, at_least, one_of

STRENGTH_DEFAULT = 0.5


class LinkType(enum.IntEnum):
    """The relation of the memory at a link's start to the one at its end. The numbers are those of the contract."""

    RELATED = 1
    DERIVED_FROM = 2
    CONTRADICTS = 3
    SUPERSEDES = 4
    REINFORCES = 5


class MemoryLinkCondition(KindCondition, frozen=True):
    """Conditions on links; see ``MemoryLinkCondition`` of the contract."""

    types: frozenset[LinkType] = frozenset()
    min_strength: float = 0.0

    def tests(self) -> Iterator[Test]:
        """Yield the conditions that are set."""
        yield from one_of("type", self.types)
        yield from at_least("strength", self.min_strength)


MEMORY_LINK_SHAPE = RecordShape(
    "memory_link", user_of=None, tags_of=None, metadata_of=None, condition=MemoryLinkCondition
)
"""The fields of links that a filter asks for. Their user is that of their memories."""


class MemoryLinkDraft(msgspec.Struct, frozen=True, gc=False):
    """A link that its writer gives together with the memory at its start. ``strength`` is from 0 to 1."""

    to_id: str
    type: LinkType
    strength: float = STRENGTH_DEFAULT


class MemoryLink(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A link from one memory to another. Fields are stored in this order.

    ``strength`` is from 0 to 1. Times are in nanoseconds since the Unix epoch; ``update_time`` is that of the last
    change of the strength, at first the creation.
    """

    from_id: str
    to_id: str
    type: LinkType
    strength: float
    create_time: int
    update_time: int
    revision: int

    @property
    def key(self) -> str:
        """The link's key within the agent, unique for its two memories, its direction and its type."""
        return link_key(self.from_id, self.to_id, self.type)

    def other_end(self, memory_id: str) -> str:
        """Return the id of the memory at the other end of the link."""
        return self.to_id if memory_id == self.from_id else self.from_id


def link_name(from_id: str, to_id: str, link_type: LinkType) -> dict[str, str]:
    """Return what identifies a link in errors, as parameters of RecordNotFound: its ends and its type are its id."""
    word = link_type.name.lower()
    ends = {"from_memory_id": from_id, "to_memory_id": to_id, "type": word}
    return {"kind": "memory_link", "record_id": f"{from_id}/{to_id}/{word}", **ends}


def link_key(from_id: str, to_id: str, link_type: LinkType) -> str:
    """Return the key of a link within the agent. Memory ids have no slash."""
    return f"{from_id}/{to_id}/{int(link_type)}"


Ids = immutables.Map[str, None]
NO_IDS: Ids = immutables.Map()


class Succession(msgspec.Struct, frozen=True):
    """The ids of the memories that one memory supersedes, and of those that supersede it.

    ``in_force`` is the number of the latter that are not forgotten.
    """

    superseded: Ids = NO_IDS
    superseding: Ids = NO_IDS
    in_force: int = 0


NO_SUCCESSION = Succession()
