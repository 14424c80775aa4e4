"""An agent's state: an immutable value that readers keep as long as they like."""

from typing import Any

import immutables
import msgspec

from memoryd_server.domain.agent.part import E, Part, V


class AgentState(msgspec.Struct, frozen=True):
    """All memory of an agent at one revision.

    ``parts`` has the value of each part by its name; a part that never had a record may be absent. ``next_deadline`` is
    not later than that of any part. ``create_time`` is 0 if the agent does not exist; an agent that ended still has a
    revision. ``record_count``, ``size_bytes`` (counted against the storage limit) and ``memory_bytes`` (an estimate of
    the memory taken in addition to ``size_bytes``) are totals of all parts.
    """

    agent_id: str
    revision: int = 0
    create_time: int = 0
    update_time: int = 0
    parts: immutables.Map[str, Any] = immutables.Map()
    next_deadline: int | None = None
    record_count: int = 0
    size_bytes: int = 0
    memory_bytes: int = 0

    @property
    def exists(self) -> bool:
        """True if the agent was created and has not ended."""
        return self.create_time != 0

    def part(self, part: Part[V, E]) -> V:
        """Return the value of a part."""
        value: V | None = self.parts.get(part.name)
        return part.empty(self.agent_id) if value is None else value
