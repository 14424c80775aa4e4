"""Links between memories."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memoryd.model.enum_word import EnumWords
from memoryd.model.moment import datetime_from
from memoryd.v1 import memory_pb2


class MemoryLinkType(StrEnum):
    """The relation of the memory at a link's start to the one at its end: a link reads "start type end".

    The start is about the same, was derived from the end, contradicts it, replaces it, or supports it.
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
    """A directed link from one memory to another. ``strength`` is from 0 to 1; ``update_time`` is its last change."""

    agent_id: str
    revision: int
    create_time: datetime
    update_time: datetime
    from_memory_id: str
    to_memory_id: str
    type: MemoryLinkType
    strength: float


def link_from(message: memory_pb2.MemoryLink) -> MemoryLink:
    """Return the link of a message."""
    return MemoryLink(
        agent_id=message.agent_id,
        revision=message.revision,
        create_time=datetime_from(message.create_time),
        update_time=datetime_from(message.update_time),
        from_memory_id=message.from_memory_id,
        to_memory_id=message.to_memory_id,
        type=MEMORY_LINK_TYPE.word(MemoryLinkType, message.type),
        strength=message.strength,
    )
