"""Queries of agents. Each function reads through one connection, within its caller's transaction.

All raise DataDamaged for data that fails a check, and sqlite3.Error.
"""

import sqlite3
from collections.abc import Collection
from itertools import takewhile

from memoryd_server.domain.error import DataDamaged
from memoryd_server.ports.store import AgentHead, StoredAgent
from memoryd_server.stores.sqlite.limit import IDS_PER_STATEMENT
from memoryd_server.stores.sqlite.row import StoredHead, read_agent, read_record


def heads_of(connection: sqlite3.Connection, agent_ids: Collection[str]) -> dict[str, StoredHead]:
    """Return the heads of those agents that exist, by id."""
    return {stored.head.agent_id: stored for stored in _find(connection, "agent_id", list(agent_ids))}


def ids_of(connection: sqlite3.Connection, agent_keys: Collection[int]) -> dict[int, str]:
    """Return the ids of agents by their numbers."""
    return {stored.agent_key: stored.head.agent_id for stored in _find(connection, "agent_key", list(agent_keys))}


def _find(connection: sqlite3.Connection, column: str, values: list[str] | list[int]) -> list[StoredHead]:
    found: list[StoredHead] = []
    for start in range(0, len(values), IDS_PER_STATEMENT):
        chunk = values[start : start + IDS_PER_STATEMENT]
        marks = ", ".join("?" * len(chunk))
        rows = connection.execute(f"SELECT * FROM agent WHERE {column} IN ({marks})", chunk)  # noqa: S608 - our column
        found.extend(read_agent(row) for row in rows)
    return found


def load_head(connection: sqlite3.Connection, agent_id: str) -> AgentHead | None:
    """``Store.load_head``, on this connection."""
    stored = heads_of(connection, (agent_id,)).get(agent_id)
    return stored and stored.head


def load(connection: sqlite3.Connection, agent_id: str) -> StoredAgent | None:
    """``Store.load``, on this connection."""
    stored = heads_of(connection, (agent_id,)).get(agent_id)
    return stored and with_records(connection, stored)


def with_records(connection: sqlite3.Connection, stored: StoredHead) -> StoredAgent:
    """Return an agent with its records, of which none is missing or twice."""
    rows = connection.execute("SELECT kind, key, data, checksum FROM record WHERE agent_key = ?", (stored.agent_key,))
    records = tuple(read_record(stored.agent_key, *row) for row in rows)
    head = stored.head
    if len(records) != head.record_count or len({(r.kind, r.key) for r in records}) != len(records):
        raise DataDamaged(f"agent {head.agent_id!r} has {len(records)} records instead of {head.record_count}")
    return StoredAgent(head, records)


def list_heads(connection: sqlite3.Connection, prefix: str, after_agent_id: str, limit: int) -> list[StoredHead]:
    """Return agents that have not ended, in order of their ids' bytes, which is SQLite's order of text."""
    rows = connection.execute(
        "SELECT * FROM agent WHERE agent_id >= ? AND agent_id > ? AND NOT ended ORDER BY agent_id LIMIT ?",
        (prefix, after_agent_id, limit),
    )
    # Ids with the prefix are adjacent in this order, and begin at the first id that is not before the prefix.
    return list(takewhile(lambda stored: stored.head.agent_id.startswith(prefix), map(read_agent, rows)))


def list_agents(connection: sqlite3.Connection, prefix: str, after_agent_id: str, limit: int) -> list[AgentHead]:
    """``Store.list_agents``, on this connection."""
    return [stored.head for stored in list_heads(connection, prefix, after_agent_id, limit)]


def due_agents(connection: sqlite3.Connection, now: int, limit: int) -> list[str]:
    """``Store.due_agents``, on this connection."""
    rows = connection.execute(
        "SELECT * FROM agent WHERE next_deadline IS NOT NULL AND next_deadline <= ? ORDER BY next_deadline LIMIT ?",
        (now, limit),
    )
    return [read_agent(row).head.agent_id for row in rows]
