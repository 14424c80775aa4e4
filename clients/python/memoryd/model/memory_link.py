"""Links between memories."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memoryd.model.enum_word import EnumWords
from memoryd.model.moment import datetime_from
from memoryd.v1 import memory_pb2


class MemoryLinkType(StrEnum):
    """The relation of the memory at a link's start to the one at its end.

    It is about the same, was derived from it, contradicts it, replaces it, or supports it.
    """

    UNSPECIFIED = "unspecified"
    RELATED = "related"
    DERIVED_FROM = "derived_from"
    CONTRADICTS = "contradicts"
    SUPERSEDES = "supersedes"
    REINFORCES = "reinforces"


MEMORY_LINK_TYPE = EnumWords(memory_pb2.MemoryLinkType, "MEMORY_LINK_TYPE")


@dataclass(frozen=True, slots=True)
class MemoryLink:
    """A directed link from one memory to another. ``strength`` is from 0 to 1."""

    from_memory_id: str
    to_memory_id: str
    type: MemoryLinkType
    strength: float
    create_time: datetime
    revision: int


def link_from(message: memory_pb2.MemoryLink) -> MemoryLink:
    """Return the link of a message."""
    return MemoryLink(
        from_memory_id=message.from_memory_id,
        to_memory_id=message.to_memory_id,
        type=MEMORY_LINK_TYPE.word(MemoryLinkType, message.type),
        strength=message.strength,
        create_time=datetime_from(message.create_time),
        revision=message.revision,
    )
