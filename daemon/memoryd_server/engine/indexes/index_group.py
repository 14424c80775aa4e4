"""The saved indexes of all parts of the agents, of which each is kept, forgotten and removed together."""

import asyncio
from typing import Any

from memoryd_server.engine.indexes.saved_agent_indexes import SavedAgentIndexes
from memoryd_server.ports.store import Store


class IndexGroup:
    """Passes each call on to the indexes of every part."""

    def __init__(self, *indexes: SavedAgentIndexes[Any]) -> None:
        self._indexes = indexes

    async def open(self) -> None:
        """Find what earlier daemons saved."""
        for each in self._indexes:
            await each.open()

    async def save_all(self) -> None:
        """Save what changed, as far as that takes no long computation first."""
        await asyncio.gather(*(each.save_all() for each in self._indexes))

    async def forget(self, agent_id: str) -> None:
        """Remove what was saved of an agent, of which something is to be erased."""
        for each in self._indexes:
            await each.forget(agent_id)

    async def retire(self, store: Store, age_s: float) -> None:
        """Save again, or remove, what was saved longer ago than this, if its agent has changed since."""
        for each in self._indexes:
            await each.retire(store, age_s)

    def make_room(self) -> None:
        """Remove all that was saved: the disk is full."""
        for each in self._indexes:
            each.make_room()
