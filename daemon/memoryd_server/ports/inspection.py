"""The inspection port: reads the agents of a store that may be damaged, one by one, and says which are whole."""

from collections.abc import AsyncIterator
from typing import Protocol

import msgspec

from memoryd_server.domain.error import Refusal
from memoryd_server.domain.limit import PAGE_SIZE_DEFAULT
from memoryd_server.ports.store import AgentLister, AgentQuery, StoredAgent, all_agents


class InspectedAgent(msgspec.Struct, frozen=True):
    """One agent that has not ended, and its condition.

    ``agent_id`` is empty if the id itself is damaged. ``damaged_records`` is the number of the agent's ``records`` that
    are missing or damaged. ``error`` is the first damage of what the agent now is; empty for none. ``stored`` is the
    agent, None if it cannot be read. It may be there in spite of an error by which no daemon can load it. If
    ``is_journal_damaged`` is true, a part of its retained history cannot be read; None if it was not checked.
    """

    agent_id: str
    revision: int = 0
    records: int = 0
    damaged_records: int = 0
    is_journal_damaged: bool | None = None
    error: str = ""
    stored: StoredAgent | None = None


class StoreInspection(Protocol):
    """A reader of a store that may be damaged. It never changes the store.

    No daemon uses the files of an embedded store meanwhile. Methods may block: nothing else runs in the process.
    """

    loss: str
    """The loss of the store as a whole, after which any agent may lack its last changes; empty for none."""

    async def open(self) -> None:
        """Open the store. Raises StoreUnavailable if there is none, DataDamaged if nothing can be read."""

    async def close(self) -> None:
        """Release all that was opened."""

    def agents(self) -> AsyncIterator[InspectedAgent]:
        """Yield all agents that have not ended, damaged ones too."""


class _Source(AgentLister, Protocol):
    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def load(self, agent_id: str) -> StoredAgent | None: ...


class SourceInspection(StoreInspection):
    """An inspection of any store: loads each agent. The journal is not checked."""

    def __init__(self, source: _Source) -> None:
        self.loss = ""
        self._source = source

    async def open(self) -> None:
        """Open the store; see the port."""
        await self._source.open()

    async def close(self) -> None:
        """Close the store."""
        await self._source.close()

    async def agents(self) -> AsyncIterator[InspectedAgent]:
        """Load all agents; see the port."""
        async for listed in all_agents(self._source, AgentQuery(PAGE_SIZE_DEFAULT)):
            head = listed.head
            try:
                stored = await self._source.load(head.agent_id)
            except Refusal as refusal:
                yield InspectedAgent(head.agent_id, head.revision, head.record_count, error=refusal.message)
                continue
            # An agent may have ended since it was listed.
            if stored is not None and not stored.head.ended:
                yield InspectedAgent(head.agent_id, stored.head.revision, len(stored.records), stored=stored)
