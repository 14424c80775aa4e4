"""Queries of the journal. Each function reads through one connection, within its caller's transaction.

A missing row is detected, because positions have no holes, and each agent's rows are linked in a chain that starts at
its head. All functions raise DataDamaged for data that fails a check, and sqlite3.Error.
"""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence

from memoryd_server.domain.error import DataDamaged
from memoryd_server.ports.store import JournalCompacted, JournalPage, JournalRow, fitting_rows
from memoryd_server.stores.sqlite.agent_query import heads_of, ids_of
from memoryd_server.stores.sqlite.limit import CHAIN_STEPS_MAX, POSITIONS_PER_STATEMENT
from memoryd_server.stores.sqlite.row import StoredHead, StoredRow, read_journal_row
from memoryd_server.stores.sqlite.schema import load_tail

# Positions along an agent's chain, backwards from one position to another (exclusive), at most a number.
_CHAIN = """
WITH RECURSIVE chain (position) AS (
  SELECT ?
  UNION ALL
  SELECT journal.previous_position FROM chain JOIN journal USING (position) WHERE journal.previous_position > ?
)
SELECT position FROM chain LIMIT ?
"""

# The position of an agent's first retained row with a later revision, searched backwards from its last position.
_FIRST_LATER = """
WITH RECURSIVE chain (position, previous_position, base_revision) AS (
  SELECT position, previous_position, base_revision FROM journal WHERE position = ?
  UNION ALL
  SELECT journal.position, journal.previous_position, journal.base_revision
  FROM chain JOIN journal ON journal.position = chain.previous_position
  WHERE chain.base_revision > ?
)
SELECT min(position) FROM chain
"""


def journal_end(connection: sqlite3.Connection) -> int:
    """``Store.journal_end``, on this connection."""
    return load_tail(connection).end_position


def journal_start(connection: sqlite3.Connection) -> int:
    """``Store.journal_start``, on this connection."""
    return load_tail(connection).pruned_position + 1


def read_journal(
    connection: sqlite3.Connection, after: int, limit: int, agent_ids: Collection[str] | None
) -> JournalPage:
    """``Store.read_journal``, on this connection."""
    tail = load_tail(connection)
    heads = heads_of(connection, agent_ids) if agent_ids is not None else {}
    if after < tail.pruned_position:
        asked = next(iter(heads.values()), None) if agent_ids is not None and len(agent_ids) == 1 else None
        raise JournalCompacted(asked and oldest_revision(connection, asked, tail.pruned_position))
    if agent_ids is None:
        count = min(limit, max(tail.end_position - after, 0))
        rows = _read_all(connection, after, count)
        exhausted = len(rows) == count < limit
    else:
        rows, exhausted = _read_agents(connection, after, limit, list(heads.values()))
    end_position = tail.end_position if exhausted else rows[-1].position
    return JournalPage(_journal_rows(connection, rows), end_position, complete=end_position == tail.end_position)


def read_journal_back(
    connection: sqlite3.Connection, before: int, limit: int, agent_ids: Collection[str] | None
) -> JournalPage:
    """``Store.read_journal_back``, on this connection."""
    tail = load_tail(connection)
    first, last = tail.pruned_position + 1, min(before - 1, tail.end_position)
    if agent_ids is None:
        count = max(min(limit, last - first + 1), 0)
        rows = _read_all_back(connection, last, count)
        exhausted = len(rows) == count < limit
    else:
        heads = list(heads_of(connection, agent_ids).values())
        rows, exhausted = _read_agents_back(connection, last, limit, tail.pruned_position, heads)
    end_position = first if exhausted else rows[-1].position
    return JournalPage(_journal_rows(connection, rows), end_position, complete=end_position == first)


def _read_agents_back(
    connection: sqlite3.Connection, last: int, limit: int, pruned_position: int, heads: Sequence[StoredHead]
) -> tuple[list[StoredRow], bool]:
    """Return rows of some agents up to a position, the newest first, which form chains; and True if no more precede."""
    agent_keys = [stored.agent_key for stored in heads]
    marks = ", ".join("?" * len(agent_keys))
    statement = f"SELECT * FROM journal WHERE position <= ? AND agent_key IN ({marks}) ORDER BY position DESC LIMIT ?"  # noqa: S608
    rows, is_cut = fitting_rows(map(read_journal_row, connection.execute(statement, (last, *agent_keys, limit))))
    exhausted = len(rows) < limit and not is_cut
    following = {stored.agent_key: stored.last_position for stored in heads if stored.last_position <= last}
    for row in rows:
        if following.get(row.agent_key, row.position) != row.position:
            raise DataDamaged(f"the journal lacks the row before {following[row.agent_key]}")
        following[row.agent_key] = row.previous_position
    if exhausted and any(position > pruned_position for position in following.values()):
        raise DataDamaged("the journal lacks an agent's row")
    return rows, exhausted


def _read_all(connection: sqlite3.Connection, after: int, count: int) -> list[StoredRow]:
    rows = connection.execute("SELECT * FROM journal WHERE position > ? ORDER BY position LIMIT ?", (after, count))
    found, is_cut = fitting_rows(map(read_journal_row, rows))
    expected = range(after + 1, after + 1 + (len(found) if is_cut else count))
    if [row.position for row in found] != list(expected):
        raise DataDamaged(f"the journal has a hole after position {after}")
    return found


def _read_all_back(connection: sqlite3.Connection, last: int, count: int) -> list[StoredRow]:
    statement = "SELECT * FROM journal WHERE position <= ? ORDER BY position DESC LIMIT ?"
    found, is_cut = fitting_rows(map(read_journal_row, connection.execute(statement, (last, count))))
    expected = range(last, last - (len(found) if is_cut else count), -1)
    if [row.position for row in found] != list(expected):
        raise DataDamaged(f"the journal has a hole before position {last + 1}")
    return found


def _read_agents(
    connection: sqlite3.Connection, after: int, limit: int, heads: list[StoredHead]
) -> tuple[list[StoredRow], bool]:
    """Return rows of some agents, and True if no more follow."""
    with_rows = [stored for stored in heads if stored.last_position > after]
    positions = _chained_positions(connection, after, with_rows)
    if positions is not None:
        wanted = sorted(positions)[:limit]
        rows, is_cut = fitting_rows(_each_row_at(connection, wanted))
        if not is_cut and len(rows) < len(wanted):
            raise DataDamaged("the journal lacks a row")
        exhausted = len(positions) <= limit and not is_cut
    else:
        forward = _each_forward(connection, after, limit, [stored.agent_key for stored in with_rows])
        rows, is_cut = fitting_rows(forward)
        exhausted = len(rows) < limit and not is_cut
    _verify_chains(rows, with_rows, after, exhausted=exhausted)
    return rows, exhausted


def _chained_positions(connection: sqlite3.Connection, after: int, heads: Iterable[StoredHead]) -> list[int] | None:
    """Return the positions of the agents' rows after a position; None if they are more than CHAIN_STEPS_MAX."""
    positions: list[int] = []
    for stored in heads:
        steps_max = CHAIN_STEPS_MAX - len(positions)
        chain = connection.execute(_CHAIN, (stored.last_position, after, steps_max + 1)).fetchall()
        if len(chain) > steps_max:
            return None
        positions.extend(position for (position,) in chain)
    return positions


def rows_at(connection: sqlite3.Connection, positions: Sequence[int]) -> list[StoredRow]:
    """Return the rows at ascending positions. Raises DataDamaged if one is missing."""
    found = list(_each_row_at(connection, positions))
    if len(found) != len(positions):
        raise DataDamaged("the journal lacks a row")
    return found


def _each_row_at(connection: sqlite3.Connection, positions: Sequence[int]) -> Iterator[StoredRow]:
    for start in range(0, len(positions), POSITIONS_PER_STATEMENT):
        chunk = positions[start : start + POSITIONS_PER_STATEMENT]
        marks = ", ".join("?" * len(chunk))
        statement = f"SELECT * FROM journal WHERE position IN ({marks}) ORDER BY position"  # noqa: S608 - marks only
        yield from map(read_journal_row, connection.execute(statement, chunk))


def _each_forward(
    connection: sqlite3.Connection, after: int, limit: int, agent_keys: Sequence[int]
) -> Iterator[StoredRow]:
    marks = ", ".join("?" * len(agent_keys))
    statement = f"SELECT * FROM journal WHERE position > ? AND agent_key IN ({marks}) ORDER BY position LIMIT ?"  # noqa: S608
    return map(read_journal_row, connection.execute(statement, (after, *agent_keys, limit)))


def _verify_chains(rows: Iterable[StoredRow], heads: Sequence[StoredHead], after: int, *, exhausted: bool) -> None:
    """Raise DataDamaged unless each agent's rows form a chain after a position; if ``exhausted``, up to its head."""
    reached = {stored.agent_key: after for stored in heads}
    for row in rows:
        previous = reached.get(row.agent_key, -1)
        if row.previous_position > previous or (previous > after and row.previous_position != previous):
            raise DataDamaged(f"the journal lacks the row before {row.position}")
        reached[row.agent_key] = row.position
    if exhausted and any(reached[stored.agent_key] != stored.last_position for stored in heads):
        raise DataDamaged("the journal lacks an agent's last row")


def recent_journal(connection: sqlite3.Connection, agent_id: str, since_time: int, limit: int) -> list[JournalRow]:
    """``Store.recent_journal``, on this connection."""
    stored = heads_of(connection, (agent_id,)).get(agent_id)
    pruned_position = load_tail(connection).pruned_position
    if stored is None or stored.last_position <= pruned_position:
        return []
    chain = connection.execute(_CHAIN, (stored.last_position, pruned_position, limit)).fetchall()
    rows = rows_at(connection, sorted(position for (position,) in chain))
    _verify_chains(rows, [stored], rows[0].previous_position, exhausted=True)
    return [row for row in _journal_rows(connection, rows) if row.commit_time >= since_time]


def locate(connection: sqlite3.Connection, agent_id: str, revision: int) -> int:
    """``Store.locate``, on this connection."""
    tail = load_tail(connection)
    stored = heads_of(connection, (agent_id,)).get(agent_id)
    if stored is None or stored.head.revision <= revision:
        return tail.end_position
    first = _first_later(connection, stored, revision, tail.pruned_position)
    if first is None or first.base_revision > revision:
        raise JournalCompacted(_oldest(stored, first))
    return first.position - 1


def oldest_revision(connection: sqlite3.Connection, stored: StoredHead, pruned_position: int) -> int:
    """Return the first retained revision of an agent; its next revision if none is retained."""
    return _oldest(stored, _first_later(connection, stored, -1, pruned_position))


def _oldest(stored: StoredHead, first: StoredRow | None) -> int:
    return (stored.head.revision if first is None else first.base_revision) + 1


def _first_later(
    connection: sqlite3.Connection, stored: StoredHead, revision: int, pruned_position: int
) -> StoredRow | None:
    """Return the agent's first retained row with a revision after ``revision``; None if none is retained."""
    if stored.last_position <= pruned_position:
        return None
    (position,) = connection.execute(_FIRST_LATER, (stored.last_position, revision)).fetchone()
    if position is None:
        raise DataDamaged("the journal lacks an agent's last row")
    (row,) = rows_at(connection, (position,))
    if row.agent_key != stored.agent_key or (row.base_revision > revision and row.previous_position > pruned_position):
        raise DataDamaged(f"the journal lacks the row before {position}")
    return row


def _journal_rows(connection: sqlite3.Connection, rows: Sequence[StoredRow]) -> tuple[JournalRow, ...]:
    ids = ids_of(connection, {row.agent_key for row in rows})
    if any(row.agent_key not in ids for row in rows):
        raise DataDamaged("a row of the journal belongs to no agent")
    return tuple(row.with_agent_id(ids[row.agent_key]) for row in rows)
