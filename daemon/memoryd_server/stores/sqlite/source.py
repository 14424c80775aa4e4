"""The embedded store as somebody else's: read while the daemon that it belongs to goes on."""

from functools import partial
from pathlib import Path

from memoryd_server.domain.error import StoreUnavailable
from memoryd_server.ports.store import AgentHead, StoredAgent
from memoryd_server.stores.sqlite import agent_query
from memoryd_server.stores.sqlite.opening import DATABASE_NAME
from memoryd_server.stores.sqlite.reader import ReaderPool


class SqliteSource:
    """Answers what ``ports.store.Store`` does of the same name, without the right to write."""

    def __init__(self, directory: Path) -> None:
        """Raises StoreUnavailable when there is no database in the directory."""
        database = directory / DATABASE_NAME
        if not database.is_file():
            raise StoreUnavailable from FileNotFoundError(f"{database} is not there")
        self._readers = ReaderPool(database)

    def close(self) -> None:
        """Let go of the file."""
        self._readers.close()

    async def list_agents(self, prefix: str, after_agent_id: str, limit: int) -> list[AgentHead]:
        """See the port."""
        query = partial(agent_query.list_agents, prefix=prefix, after_agent_id=after_agent_id, limit=limit)
        return await self._readers.read(query)

    async def load_head(self, agent_id: str) -> AgentHead | None:
        """See the port."""
        return await self._readers.read(partial(agent_query.load_head, agent_id=agent_id))

    async def load(self, agent_id: str) -> StoredAgent | None:
        """See the port."""
        return await self._readers.read(partial(agent_query.load, agent_id=agent_id))
