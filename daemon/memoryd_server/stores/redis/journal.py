"""The journals' queries."""

from collections.abc import Callable, Collection
from typing import Any

from memoryd_server.domain.error import HistoryLost
from memoryd_server.ports.store import NEVER, AgentHead, CommitPoint, JournalCompacted, JournalPage, JournalRow
from memoryd_server.stores.redis.key import ShardKeys
from memoryd_server.stores.redis.route import Route
from memoryd_server.stores.redis.row import padded, point_of, read_row, row_id
from memoryd_server.stores.redis.script import PRUNE, WALK

_ROWS_PER_READ = 256
_ROWS_READ_MAX = 4_096
"""How many rows of other agents a filtered page passes, before it answers with how far it came."""


class Journals:
    """The journals of all shards. Raises what the port says."""

    def __init__(self, route: Route, store_id: str, keys_of: Callable[[int], ShardKeys]) -> None:
        self._route = route
        self._store_id = store_id.encode()
        self._keys_of = keys_of

    def last_point(self, shard: int) -> Any:
        """A future of the point of a shard's last row."""
        command = ("HMGET", self._keys_of(shard).shard, "store", "last")
        return self._route.send("checks", shard, command, convert=lambda reply, _: self.checked_point(reply))

    def checked_point(self, reply: list[bytes | None]) -> CommitPoint:
        """The point of a shard's ``last`` beside its ``store``. Raises HistoryLost for another store, or none."""
        store_id, last = reply
        if store_id != self._store_id:
            raise HistoryLost
        return point_of(last)

    async def start(self, shard: int) -> int:
        """The position of the oldest retained row, or of the next one."""
        keys = self._keys_of(shard)
        last, rows = await self._route.send(
            "reads",
            shard,
            ("HMGET", keys.shard, "store", "last"),
            ("XRANGE", keys.journal, "-", "+", "COUNT", 1),
        )
        end = self.checked_point(last).position
        return point_of(rows[0][0]).position if rows else end + 1

    async def nonce_at(self, shard: int, position: int) -> int | None:
        """The nonce of the row at a position, if it is there."""
        keys = self._keys_of(shard)
        last, rows = await self._route.send(
            "reads",
            shard,
            ("HMGET", keys.shard, "store", "last"),
            ("XRANGE", keys.journal, str(position), str(position), "COUNT", 1),
        )
        self.checked_point(last)
        return point_of(rows[0][0]).nonce if rows else None

    async def page(self, shard: int, after: int, limit: int, agent_ids: Collection[str] | None) -> JournalPage:
        """Rows after a position; JournalCompacted has no oldest revision yet."""
        kept: list[JournalRow] = []
        position = after
        while True:
            wanted = _ROWS_PER_READ if agent_ids is not None else min(limit, _ROWS_PER_READ)
            end, rows = await self._rows(shard, position, wanted)
            for row in rows:
                if len(kept) == limit:
                    return JournalPage(tuple(kept), kept[-1].position, complete=False)
                if agent_ids is None or row.agent_id in agent_ids:
                    kept.append(row)
                position = row.position
            if len(rows) < wanted:
                return JournalPage(tuple(kept), max(position, end), complete=True)
            if len(kept) >= limit or position - after >= _ROWS_READ_MAX:
                return JournalPage(tuple(kept), position, complete=position == end)

    async def _rows(self, shard: int, after: int, limit: int) -> tuple[int, list[JournalRow]]:
        """The next rows, and the end of the journal as it was just before."""
        keys = self._keys_of(shard)
        last, items = await self._route.send(
            "reads",
            shard,
            ("HMGET", keys.shard, "store", "last"),
            ("XRANGE", keys.journal, f"{after + 1}-0", "+", "COUNT", limit),
        )
        end = self.checked_point(last).position
        rows = [read_row(shard, item).row for item in items]
        # Positions have no holes: another first row, or none, means that those before it were pruned.
        if (rows and rows[0].position != after + 1) or (not rows and after < end):
            raise JournalCompacted
        return end, rows

    async def oldest_revision(self, shard: int, agent_id: str, head: AgentHead | None) -> int | None:
        """The first of an agent's revisions that are retained."""
        oldest = None if head is None else head.revision + 1
        start: str | None = ""
        while start is not None:
            _, start, rows = await self._walk(shard, agent_id, start, "id", "")
            oldest = rows[-1].base_revision + 1 if rows else oldest
        return oldest

    async def recent(self, shard: int, agent_id: str, since_time: int, limit: int) -> list[JournalRow]:
        """An agent's last rows, oldest first."""
        _, _, rows = await self._walk(shard, agent_id, "", "time", padded(max(since_time, 0)), limit)
        return rows[::-1]

    async def locate(self, shard: int, agent_id: str, revision: int, head: AgentHead) -> int:
        """The position before the first row of an agent that tells of a later revision; there must be one."""
        start: str | None = ""
        oldest = None
        while start is not None:
            _, start, rows = await self._walk(shard, agent_id, start, "revision", str(revision))
            oldest = rows[-1] if rows else oldest
        if oldest is None:
            raise JournalCompacted(head.revision + 1)
        if oldest.base_revision > revision:
            raise JournalCompacted(oldest.base_revision + 1)
        return oldest.position - 1

    async def since(self, shard: int, agent_id: str, known: CommitPoint) -> list[JournalRow] | None:
        """An agent's rows after a known commit; see ``ports.store.Sharing.rows_since``."""
        ending, _, rows = await self._walk(shard, agent_id, "", "id", row_id(known))
        if ending == "fork":
            raise HistoryLost(agent_id)
        if ending == "found" or (ending == "start" and known == NEVER):
            return rows[::-1]
        # Too many came after it, or it is before the agent began anew, its end and itself pruned. Or it is lost.
        if ending != "compacted" and await self._is_lost(shard, known):
            raise HistoryLost(agent_id)
        return None

    async def _is_lost(self, shard: int, known: CommitPoint) -> bool:
        """Whether a commit is gone although what came after it is retained."""
        name = row_id(known)
        if await self._route.send("reads", shard, ("XRANGE", self._keys_of(shard).journal, name, name)):
            return False
        return await self.start(shard) <= known.position

    async def prune(self, shard: int, rows_max: int, since_time: int) -> int:
        """Drop rows from the front; answers how many."""
        keys = self._keys_of(shard)
        command = PRUNE.call(
            (keys.shard, keys.journal, keys.ended), self._store_id, rows_max, padded(since_time), keys.agents_begin
        )
        dropped, pruned = 0, -1
        while pruned:
            pruned = await self._route.send("reads", shard, command)
            if not isinstance(pruned, int):
                raise HistoryLost
            dropped += pruned
        return dropped

    async def _walk(
        self, shard: int, agent_id: str, start: str, way: str, value: str, limit: int = _ROWS_PER_READ
    ) -> tuple[str, str | None, list[JournalRow]]:
        """An agent's rows, newest first: how the walk ended, the id to go on at if there is more, and the rows."""
        keys = self._keys_of(shard)
        command = WALK.call((keys.shard, keys.journal, keys.agent(agent_id)), self._store_id, start, way, value, limit)
        ending, following, items = await self._route.send("reads", shard, command)
        if ending == b"lost":
            raise HistoryLost(agent_id)
        rows = [read_row(shard, item).row for item in items]
        return ending.decode(), following.decode() if ending == b"more" else None, rows
