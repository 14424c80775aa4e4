"""The journals' queries."""

import asyncio
from collections.abc import Callable, Collection
from typing import Any

from memoryd_server.domain.error import HistoryLost, StoreUnavailable
from memoryd_server.ports.store import NEVER, AgentHead, CommitPoint, JournalCompacted, JournalPage, JournalRow
from memoryd_server.stores.redis.key import ShardKeys
from memoryd_server.stores.redis.link import Command
from memoryd_server.stores.redis.portion import PORTION_BYTES, Portion
from memoryd_server.stores.redis.route import Route
from memoryd_server.stores.redis.row import padded, point_of, read_row, row_id
from memoryd_server.stores.redis.script import PRUNE, WALK

_ROWS_PER_READ = 256
_ROWS_READ_MAX = 4_096
"""How many rows of other agents a filtered page passes, before it answers with how far it came."""
_PRUNED_TOGETHER = 1_000
"""How many old rows one script drops, and how many ended agents it forgets."""


class Journals:
    """The journals of all shards. Raises what the port says."""

    def __init__(self, route: Route, store_id: str, keys_of: Callable[[int], ShardKeys]) -> None:
        self._route = route
        self.store_id = store_id
        self._keys_of = keys_of
        self._portion = Portion(_ROWS_PER_READ)

    def last_command(self, shard: int) -> Command:
        """What asks for a shard's last row; see ``checked_point``."""
        return ("HMGET", self._keys_of(shard).shard, "store", "last")

    def last_point(self, shard: int) -> asyncio.Future[CommitPoint]:
        """The point of a shard's last row."""
        command = self.last_command(shard)
        return self._route.send("checks", shard, command, convert=lambda reply, _: self.checked_point(reply))

    def checked_point(self, reply: list[bytes | None]) -> CommitPoint:
        """The point that ``last_command`` was answered. Raises HistoryLost for another store, or none."""
        store_id, last = reply
        self.check_store(store_id)
        return point_of(last)

    def check_store(self, store_id: bytes | None) -> None:
        """Make sure that a shard is of this store. Raises HistoryLost for another one, or none."""
        if store_id != self.store_id.encode():
            raise HistoryLost

    async def _range(self, shard: int, first: str, last: str, limit: int) -> tuple[int, list[Any]]:
        """The end of a journal, and then the items of its stream between two ids."""
        point, items = await self._route.send(
            "reads",
            shard,
            self.last_command(shard),
            ("XRANGE", self._keys_of(shard).journal, first, last, "COUNT", limit),
        )
        return self.checked_point(point).position, items

    async def start(self, shard: int) -> int:
        """The position of the oldest retained row, or of the next one."""
        end, items = await self._range(shard, "-", "+", 1)
        return point_of(items[0][0]).position if items else end + 1

    async def nonce_at(self, shard: int, position: int) -> int | None:
        """The nonce of the row at a position, if it is there."""
        _, items = await self._range(shard, str(position), str(position), 1)
        return point_of(items[0][0]).nonce if items else None

    async def page(self, shard: int, after: int, limit: int, agent_ids: Collection[str] | None) -> JournalPage:
        """Rows after a position; JournalCompacted has no oldest revision yet."""
        kept: list[JournalRow] = []
        position = after
        while True:
            wanted = self._portion.rows if agent_ids is not None else min(limit, self._portion.rows)
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
        try:
            end, items = await self._range(shard, f"{after + 1}-0", "+", limit)
        except StoreUnavailable:
            self._portion.failed()
            raise
        rows = [read_row(shard, item).row for item in items]
        self._portion.came(rows)
        # Positions have no holes: another first row, or none, means that those before it were pruned.
        if (rows and rows[0].position != after + 1) or (not rows and after < end):
            raise JournalCompacted
        return end, rows

    async def oldest_revision(self, shard: int, agent_id: str, head: AgentHead | None) -> int | None:
        """The first of an agent's revisions that are retained."""
        oldest = await self._oldest(shard, agent_id, "id", "")
        if oldest is not None:
            return oldest.base_revision + 1
        return None if head is None else head.revision + 1

    async def recent(self, shard: int, agent_id: str, since_time: int, limit: int) -> list[JournalRow]:
        """An agent's last rows, oldest first."""
        _, rows = await self._last(shard, agent_id, "time", padded(max(since_time, 0)), limit)
        return rows[::-1]

    async def locate(self, shard: int, agent_id: str, revision: int, head: AgentHead) -> int:
        """The position before the first row of an agent that tells of a later revision; there must be one."""
        oldest = await self._oldest(shard, agent_id, "revision", str(revision))
        if oldest is None:
            raise JournalCompacted(head.revision + 1)
        if oldest.base_revision > revision:
            raise JournalCompacted(oldest.base_revision + 1)
        return oldest.position - 1

    async def since(self, shard: int, agent_id: str, known: CommitPoint) -> list[JournalRow] | None:
        """An agent's rows after a known commit; see ``ports.store.Sharing.rows_since``."""
        ending, rows = await self._last(shard, agent_id, "id", row_id(known), _ROWS_PER_READ)
        if ending == "fork":
            raise HistoryLost(agent_id)
        if ending == "found" or (ending == "start" and known == NEVER):
            return rows[::-1]
        # Too many came after it, or it is before the agent began anew, its end and itself pruned. Or it is lost.
        if known != NEVER and await self._is_lost(shard, known):
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
        dropped, ended = await self._prune(shard, rows_max, since_time, [])
        total = dropped
        # No further: whoever writes meanwhile would be chased.
        while dropped >= _PRUNED_TOGETHER or ended:
            dropped, ended = await self._prune(shard, rows_max, since_time, ended)
            total += dropped
        return total

    async def _prune(self, shard: int, rows_max: int, since_time: int, ended: list[str]) -> tuple[int, list[str]]:
        """Drop rows and forget these ended agents: how many rows that were, and the agents to forget the next time."""
        keys = self._keys_of(shard)
        reply = await self._route.send(
            "reads",
            shard,
            PRUNE.call(
                (keys.shard, keys.journal, keys.ended, *map(keys.agent, ended)),
                self.store_id,
                rows_max,
                padded(since_time),
                _PRUNED_TOGETHER,
                *ended,
            ),
        )
        if reply[0] == b"lost":
            raise HistoryLost
        return reply[0], [agent_id.decode() for agent_id in reply[1]]

    async def _last(
        self, shard: int, agent_id: str, way: str, value: str, rows_max: int
    ) -> tuple[str, list[JournalRow]]:
        """How the walk ended, and an agent's last rows, at most so many, newest first."""
        rows: list[JournalRow] = []
        ending, following = "more", ""
        while ending == "more" and len(rows) < rows_max:
            ending, following, found = await self._walk(shard, agent_id, following, way, value, rows_max - len(rows))
            rows += found
        return ending, rows

    async def _oldest(self, shard: int, agent_id: str, way: str, value: str) -> JournalRow | None:
        """The last row of the walk."""
        oldest = None
        ending, following = "more", ""
        while ending == "more":
            ending, following, found = await self._walk(
                shard, agent_id, following, way, value, _ROWS_PER_READ, only_oldest=True
            )
            oldest = found[0] if found else oldest
        return oldest

    async def _walk(
        self, shard: int, agent_id: str, start: str, way: str, value: str, rows_max: int, *, only_oldest: bool = False
    ) -> tuple[str, str, list[JournalRow]]:
        """A part of the way through an agent's rows, newest first: how it ended, the next row's id, and the rows."""
        keys = self._keys_of(shard)
        command = WALK.call(
            (keys.shard, keys.journal, keys.agent(agent_id)),
            self.store_id,
            start,
            way,
            value,
            rows_max,
            PORTION_BYTES,
            int(only_oldest),
        )
        ending, following, items = await self._route.send("reads", shard, command)
        if ending == b"lost":
            raise HistoryLost(agent_id)
        return ending.decode(), following.decode(), [read_row(shard, item).row for item in items]
