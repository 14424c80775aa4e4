"""The content of an agent's journal in a store."""

from memoryd_server.domain.agent.event import Event
from memoryd_server.engine.agents.journal import decode_row
from memoryd_server.ports.store import Store


async def journal_data(store: Store, agent: str = "a") -> bytes:
    """Return the data of all rows of an agent's journal."""
    shard = store.shard_of(agent)
    page = await store.read_journal(await store.journal_start(shard) - 1, 10_000, (agent,), shard)
    return b"".join(row.data for row in page.rows)


async def events(store: Store, agent: str = "a") -> list[Event]:
    """Return all events of an agent's journal."""
    shard = store.shard_of(agent)
    page = await store.read_journal(await store.journal_start(shard) - 1, 10_000, (agent,), shard)
    return [event for row in page.rows for event in decode_row(row).events]
