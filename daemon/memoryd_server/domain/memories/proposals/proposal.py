"""Proposals: statements that are worth a memory each."""

import enum

import msgspec

from memoryd_server.domain.memories.memory import MemoryType


class StatementKind(enum.Enum):
    """The kind of a statement. The values are the tags of the memories."""

    PREFERENCE = "preference"
    FACT = "fact"
    EVENT = "event"
    DECISION = "decision"

    @property
    def memory_type(self) -> MemoryType:
        """The type of the memory that such a statement becomes."""
        return MemoryType.EPISODIC if self is StatementKind.EVENT else MemoryType.SEMANTIC


class Proposal(msgspec.Struct, frozen=True):
    """A statement that is worth a memory. ``text`` is a part of ``sentence``, which is a sentence of the message."""

    kind: StatementKind
    text: str
    sentence: str
