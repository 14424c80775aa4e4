"""The inspection port: reads the agents of a store that may be damaged, one by one, and says which are whole."""

from collections.abc import Iterator
from typing import Protocol

import msgspec

from memoryd_server.ports.store import StoredAgent


class AgentCondition(msgspec.Struct, frozen=True):
    """The condition of one agent that has not ended.

    ``agent_id`` is empty if the id itself is damaged. ``damaged_records`` is the number of the agent's ``records`` that
    are missing or damaged. ``error`` is the first damage of what the agent now is; empty if it is whole. If
    ``journal_damaged`` is true, a part of its retained history cannot be read.
    """

    agent_id: str
    revision: int = 0
    records: int = 0
    damaged_records: int = 0
    journal_damaged: bool = False
    error: str = ""

    @property
    def state(self) -> str:
        """``whole`` or ``damaged``: whether the agent can be saved as it is."""
        return "damaged" if self.error else "whole"


class StoreInspection(Protocol):
    """A reader of a store that may be damaged. It never changes the store. The methods block."""

    loss: str
    """What the store as a whole has lost, so that any agent may lack its last changes; empty for nothing."""

    def open(self) -> None:
        """Open the store. Raises StoreUnavailable if there is none, DataDamaged if nothing can be read."""

    def close(self) -> None:
        """Release all that was opened."""

    def conditions(self) -> Iterator[AgentCondition]:
        """Yield the condition of each agent that has not ended."""

    def load(self, agent_id: str) -> StoredAgent | None:
        """Return an agent with all its records. Raises DataDamaged."""
