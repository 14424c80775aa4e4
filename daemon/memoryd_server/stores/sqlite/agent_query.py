"""Queries of agents. Each function reads through one connection, within its caller's transaction.

All raise DataDamaged for data that fails a check, and sqlite3.Error.
"""

import sqlite3
from collections.abc import Collection
from itertools import islice

from memoryd_server.domain.error import DataDamaged
from memoryd_server.domain.limit import AGENT_ID_BYTES_MAX
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.ports.store import AgentHead, AgentQuery, ListedAgent, Record, RecordKey, StoredAgent, Tally
from memoryd_server.stores.sqlite.commits.removal import Removal, find_removal
from memoryd_server.stores.sqlite.limit import HEADS_KNOWN_MAX, IDS_PER_STATEMENT, PATTERNS_PER_STATEMENT, TIME_NS_MAX
from memoryd_server.stores.sqlite.row import StoredHead, read_agent, read_record, read_records

RECORDS = "SELECT kind, key, data, checksum FROM record WHERE rowid IN (SELECT rowid FROM record WHERE agent_key = ?)"
"""The records of an agent, in the order in which they are in the file, and not in that of the index."""

RECORDS_UNINDEXED = "SELECT kind, key, data, checksum FROM record NOT INDEXED WHERE agent_key = ?"
"""The same, found without the index: by reading the records of all agents."""


def heads_of(connection: sqlite3.Connection, agent_ids: Collection[str]) -> dict[str, StoredHead]:
    """Return the heads of those agents that exist, by id."""
    return {stored.head.agent_id: stored for stored in _find(connection, "agent_id", list(agent_ids))}


def load_heads(connection: sqlite3.Connection, known: dict[str, StoredHead], agent_ids: set[str]) -> None:
    """Add the heads of those agents that exist to the known ones, which are forgotten when there are too many."""
    if len(known) + len(agent_ids) > HEADS_KNOWN_MAX:
        for agent_id in known.keys() - agent_ids:
            del known[agent_id]
    # Not `agent_ids - known.keys()`, which iterates over all known heads.
    if unknown := {agent_id for agent_id in agent_ids if agent_id not in known}:
        known.update(heads_of(connection, unknown))


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


def with_records(connection: sqlite3.Connection, stored: StoredHead, statement: str = RECORDS) -> StoredAgent:
    """Return an agent with its records, of which none is missing or twice. ``statement`` selects them."""
    agent_key, head = stored.agent_key, stored.head
    rows = connection.execute(statement, (agent_key,)).fetchall()
    if len(rows) > head.record_count and (removal := find_removal(connection)):
        rows = [row for row in rows if not removal.has(agent_key, *row[:2])]
    records = read_records(agent_key, rows)
    if len(records) != head.record_count or len({row[:2] for row in rows}) != len(records):
        raise DataDamaged(f"agent {head.agent_id!r} has {len(records)} records instead of {head.record_count}")
    return StoredAgent(head, tuple(records))


def totals(connection: sqlite3.Connection) -> Tally:
    """``Store.totals``, on this connection. Takes about half a second for a million agents."""
    sums = "SELECT TOTAL(entries), TOTAL(scopes), TOTAL(fragments), TOTAL(memories) FROM agent"
    return Tally(*map(int, connection.execute(sums).fetchone()))


def list_heads(connection: sqlite3.Connection, query: AgentQuery) -> list[StoredHead]:
    """Return the agents that a query lists. The order of their ids' bytes is SQLite's order of text.

    An order by time has no index: writing one with each commit would cost more than sorting 100,000 heads now and then.
    """
    is_narrow = query.agents.is_all or len(query.agents.ids) + len(query.agents.prefixes) <= PATTERNS_PER_STATEMENT
    condition, values = _condition_of(query, has_patterns=is_narrow)
    columns = _COLUMNS[query.order.ascending]
    direction = " DESC" if query.order.is_descending else ""
    order = ", ".join(column + direction for column in columns)
    # With a limit, SQLite keeps only the best while it sorts. Agents of many patterns are chosen afterwards instead.
    limit = query.limit if is_narrow else -1
    statement = f"SELECT * FROM agent WHERE {condition} ORDER BY {order} LIMIT ?"  # noqa: S608 - our texts
    rows = connection.execute(statement, (*values, limit))
    return list(islice((stored for stored in map(read_agent, rows) if query.selects(stored.head)), query.limit))


def list_agents(connection: sqlite3.Connection, query: AgentQuery) -> list[ListedAgent]:
    """``Store.list_agents``, on this connection."""
    removal = None if query.record is None else find_removal(connection)
    return [
        ListedAgent(each.head, _record(connection, each, query.record, removal))
        for each in list_heads(connection, query)
    ]


def _record(
    connection: sqlite3.Connection, stored: StoredHead, name: RecordKey | None, removal: Removal | None
) -> Record | None:
    if name is None or (removal is not None and removal.has(stored.agent_key, name.kind, name.key)):
        return None
    place = (stored.agent_key, name.kind, name.key)
    statement = "SELECT kind, key, data, checksum FROM record WHERE agent_key = ? AND kind = ? AND key = ?"
    row = connection.execute(statement, place).fetchone()
    return None if row is None else read_record(stored.agent_key, row)


def _condition_of(query: AgentQuery, *, has_patterns: bool) -> tuple[str, list[str | int]]:
    """Return the condition that the listed agents fulfil, and its values. The patterns are part of it on request."""
    conditions, values = ["NOT ended"], list[str | int]()
    if query.after is not None:
        columns = _COLUMNS[query.order.ascending]
        marks = ", ".join("?" * len(columns))
        conditions.append(f"({', '.join(columns)}) {'<' if query.order.is_descending else '>'} ({marks})")
        values += query.after[-len(columns) :]
    for column, times in (("create_time", query.create_times), ("update_time", query.update_times)):
        for comparison, bound in ((">=", times.start), ("<", times.end)):
            if bound is not None:
                conditions.append(f"{column} {comparison} ?")
                values.append(min(max(bound, -TIME_NS_MAX), TIME_NS_MAX))
    ids, prefixes = query.agents.ids, query.agents.prefixes
    if has_patterns and not query.agents.is_all:
        patterns = [f"agent_id IN ({', '.join('?' * len(ids))})", *["agent_id BETWEEN ? AND ?"] * len(prefixes)]
        conditions.append(f"({' OR '.join(patterns)})")
        values += [*ids, *(bound for prefix in prefixes for bound in (prefix, prefix + _LAST))]
    return " AND ".join(conditions), values


_COLUMNS = {
    ListOrder.ID: ("agent_id",),
    ListOrder.CREATE_TIME: ("create_time", "agent_id"),
    ListOrder.UPDATE_TIME: ("update_time", "agent_id"),
}
"""The columns of each order."""

_LAST = "\U0010ffff" * (AGENT_ID_BYTES_MAX // 4)
"""A text such that no id with a prefix comes after the prefix and it."""


def due_agents(connection: sqlite3.Connection, now: int, limit: int) -> list[str]:
    """``Store.due_agents``, on this connection."""
    rows = connection.execute(
        "SELECT * FROM agent WHERE next_deadline IS NOT NULL AND next_deadline <= ? ORDER BY next_deadline LIMIT ?",
        (now, limit),
    )
    return [read_agent(row).head.agent_id for row in rows]
