"""Queries of the journals."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import count, takewhile
from typing import Any

from memoryd_server.domain.error import HistoryLost, StoreUnavailable
from memoryd_server.domain.limit import PAGE_BYTES_MAX
from memoryd_server.ports.store import (
    NEVER,
    AgentHead,
    CommitPoint,
    JournalCompacted,
    JournalPage,
    JournalRow,
)
from memoryd_server.stores.redis.key import ShardKeys
from memoryd_server.stores.redis.limit import (
    BLOCK_BYTES_MAX,
    BLOCK_ROWS_MAX,
    PORTION_BYTES,
    ROWS_PASSED_MAX,
    ROWS_PER_READ,
    ROWS_PRUNED_TOGETHER,
)
from memoryd_server.stores.redis.portion import Portion
from memoryd_server.stores.redis.row import StreamRow, moved_item, padded, point_of, read_row, row_id
from memoryd_server.stores.redis.script import PRUNE, WALK, Script
from memoryd_server.stores.redis.servers.link import Command
from memoryd_server.stores.redis.servers.route import Route

_REWRITE = Script("moved", "rewrite")


def has_hole(after: int, rows: Sequence[StreamRow]) -> bool:
    """Return True if a row is missing among rows that ascend from a position."""
    return bool(rows) and rows[-1].row.position - after > len(rows)


class Journals:
    """The journals of all shards. The methods raise the errors of the port."""

    def __init__(
        self, route: Route, store_id: str, keys_of: Callable[[int], ShardKeys], *, is_cluster: bool = False
    ) -> None:
        self._is_cluster = is_cluster
        self._route = route
        self.store_id = store_id
        self._keys_of = keys_of
        self._portion = Portion(ROWS_PER_READ)

    def moves_key(self, shard: int) -> str:
        """Return the key of the stream that announces moved rows: one for all shards that one wait covers."""
        return self._keys_of(shard if self._is_cluster else 0).moves

    def last_command(self, shard: int) -> Command:
        """Return the command that reads a shard's last row id; ``checked_point`` decodes its reply."""
        return ("HMGET", self._keys_of(shard).shard, "store", "last")

    def last_point(self, shard: int) -> asyncio.Future[CommitPoint]:
        """Return the point of a shard's last row."""
        command = self.last_command(shard)
        return self._route.send("checks", shard, command, convert=lambda reply, _: self.checked_point(reply))

    def checked_point(self, reply: list[bytes | None]) -> CommitPoint:
        """Decode the reply to ``last_command``. Raises HistoryLost if the shard is of another store, or of none."""
        store_id, last = reply
        self.check_store(store_id)
        return point_of(last)

    def check_store(self, store_id: bytes | None) -> None:
        """Raise HistoryLost if a shard is of another store, or of none."""
        if store_id != self.store_id.encode():
            raise HistoryLost

    async def _range(self, shard: int, first: int, last: int | None, limit: int) -> tuple[int, list[Any]]:
        """Return the end of a journal, and its items between two positions."""
        keys = self._keys_of(shard)
        # The stream before the moved rows: a row that is moved in between is then read twice, instead of not at all.
        point, in_stream, moved = await self._route.send(
            "reads",
            shard,
            self.last_command(shard),
            ("XRANGE", keys.journal, first, "+" if last is None else last, "COUNT", limit),
            ("ZRANGEBYSCORE", keys.moved, first, "+inf" if last is None else last, "LIMIT", 0, limit),
        )
        end = self.checked_point(point).position
        return end, _merged(in_stream, moved, end)[:limit] if moved else in_stream

    async def start(self, shard: int) -> int:
        """Return the position of the oldest retained row; of the next row if none is retained."""
        end, items = await self._range(shard, 0, None, 1)
        return point_of(items[0][0]).position if items else end + 1

    async def nonce_at(self, shard: int, position: int) -> int | None:
        """Return the nonce of the row at a position, if there is one."""
        _, items = await self._range(shard, position, position, 1)
        return point_of(items[0][0]).nonce if items else None

    async def page(self, shard: int, after: int, limit: int, agent_ids: Collection[str] | None) -> JournalPage:
        """Return rows after a position. Raises JournalCompacted without the oldest revision."""
        kept: list[JournalRow] = []
        kept_bytes, position = 0, after
        while True:
            wanted = self._portion.rows if agent_ids is not None else min(limit, self._portion.rows)
            end, following = await self.following(shard, position, wanted)
            rows = [each.row for each in following]
            for row in rows:
                if len(kept) == limit or kept_bytes >= PAGE_BYTES_MAX:
                    return JournalPage(tuple(kept), kept[-1].position, complete=False)
                if agent_ids is None or row.agent_id in agent_ids:
                    kept.append(row)
                    kept_bytes += len(row.data)
                position = row.position
            if len(rows) < wanted:
                return JournalPage(tuple(kept), max(position, end), complete=True)
            is_full = len(kept) >= limit or kept_bytes >= PAGE_BYTES_MAX
            if is_full or position - after >= ROWS_PASSED_MAX:
                return JournalPage(tuple(kept), position, complete=position == end)

    async def page_back(self, shard: int, before: int, limit: int, agent_ids: Collection[str] | None) -> JournalPage:
        """Return rows before a position, the newest first."""
        kept: list[JournalRow] = []
        kept_bytes, position, passed = 0, before, 0
        while True:
            rows = await self._preceding(shard, position, self._portion.rows)
            for row in rows:
                if len(kept) == limit or kept_bytes >= PAGE_BYTES_MAX:
                    return JournalPage(tuple(kept), position, complete=False)
                if agent_ids is None or row.agent_id in agent_ids:
                    kept.append(row)
                    kept_bytes += len(row.data)
                position = row.position
            passed += len(rows)
            if not rows or position <= 1:
                return JournalPage(tuple(kept), position, complete=True)
            if passed >= ROWS_PASSED_MAX:
                return JournalPage(tuple(kept), position, complete=False)

    async def _preceding(self, shard: int, before: int, limit: int) -> list[JournalRow]:
        """Return the last rows before a position, the newest first; none if none is retained."""
        last = min(before - 1, (await self.last_point(shard)).position)
        if last < 1:
            return []
        first = max(last - limit + 1, 1)
        try:
            _, items = await self._range(shard, first, last, limit)
        except StoreUnavailable:
            self._portion.failed()
            raise
        rows = [read_row(shard, item).row for item in items]
        self._portion.came(rows)
        # Positions have no holes: what is missing was pruned, with everything before it.
        retained = list(takewhile(lambda pair: pair[0] == pair[1].position, zip(count(last, -1), reversed(rows))))
        return [row for _, row in retained]

    async def following(self, shard: int, after: int, limit: int) -> tuple[int, list[StreamRow]]:
        """Return the end of the journal, read just before the rows, and the next rows. Raises JournalCompacted."""
        try:
            end, items = await self._range(shard, after + 1, None, limit)
        except StoreUnavailable:
            self._portion.failed()
            raise
        rows = [read_row(shard, item) for item in items]
        self._portion.came(each.row for each in rows)
        # Positions have no holes. If the first rows are missing, or all, they were pruned. So was a row that is missing
        # in between: it had been moved when the stream was read, and was pruned before the moved rows were read.
        if has_hole(after, rows) or (not rows and after < end):
            raise JournalCompacted
        return end, rows

    async def oldest_revision(self, shard: int, agent_id: str, head: AgentHead | None) -> int | None:
        """Return the first retained revision of an agent."""
        oldest = await self._oldest(shard, agent_id, "id", "")
        if oldest is not None:
            return oldest.base_revision + 1
        return None if head is None else head.revision + 1

    async def recent(self, shard: int, agent_id: str, since_time: int, limit: int) -> list[JournalRow]:
        """Return an agent's last rows, oldest first."""
        _, rows = await self._last(shard, agent_id, "time", padded(max(since_time, 0)), limit)
        return rows[::-1]

    async def locate(self, shard: int, agent_id: str, revision: int, head: AgentHead) -> int:
        """Return the position before the first row of an agent with a later revision, which must exist."""
        oldest = await self._oldest(shard, agent_id, "revision", str(revision))
        if oldest is None:
            raise JournalCompacted(head.revision + 1)
        if oldest.base_revision > revision:
            raise JournalCompacted(oldest.base_revision + 1)
        return oldest.position - 1

    async def since(self, shard: int, agent_id: str, known: CommitPoint) -> list[JournalRow] | None:
        """Return an agent's rows after a known commit; see ``ports.store.Sharing.rows_since``."""
        ending, rows = await self._last(shard, agent_id, "id", row_id(known), ROWS_PER_READ)
        if ending == "fork":
            raise HistoryLost(agent_id)
        if ending == "found" or (ending == "start" and known == NEVER):
            return rows[::-1]
        # Three causes are left: too many rows follow it; the agent ended and was created again, and the rows before
        # that were pruned; or the known commit is lost.
        if known != NEVER and await self._is_lost(shard, known):
            raise HistoryLost(agent_id)
        return None

    async def _is_lost(self, shard: int, known: CommitPoint) -> bool:
        """Return True if a commit is missing although later ones are retained."""
        if await self.nonce_at(shard, known.position) == known.nonce:
            return False
        return await self.start(shard) <= known.position

    async def prune(self, shard: int, rows_max: int, since_time: int) -> int:
        """Delete rows from the front. Return their number."""
        dropped, ended = await self._prune(shard, rows_max, since_time, [])
        total = dropped
        # Stop at the first step that is not full: with concurrent commits, there would always be a few more rows.
        while dropped >= ROWS_PRUNED_TOGETHER or ended:
            dropped, ended = await self._prune(shard, rows_max, since_time, ended)
            total += dropped
        return total

    async def rewrite(self, shard: int, agent_id: str, rows: Mapping[int, bytes]) -> int:
        """Replace the data of an agent's rows; see the port."""
        keys = self._keys_of(shard)
        command = _REWRITE.call_with_text(
            (keys.shard, keys.journal, keys.moved, self.moves_key(shard)),
            self.store_id,
            agent_id,
            BLOCK_ROWS_MAX,
            BLOCK_BYTES_MAX,
            *(part for row in rows.items() for part in row),
        )
        # On the lane of commits, because it must be as durable as they are.
        reply = await self._route.send("commits", shard, command, size_bytes=sum(map(len, rows.values())))
        if not isinstance(reply, int):
            raise HistoryLost(agent_id)
        return reply

    async def _prune(self, shard: int, rows_max: int, since_time: int, ended: list[str]) -> tuple[int, list[str]]:
        """Delete rows, and heads of ended agents. Return the number of rows, and the agents to pass in the next one."""
        keys = self._keys_of(shard)
        reply = await self._route.send(
            "reads",
            shard,
            PRUNE.call(
                (keys.shard, keys.journal, keys.ended, keys.moved, *map(keys.agent, ended)),
                self.store_id,
                rows_max,
                padded(since_time),
                ROWS_PRUNED_TOGETHER,
                *ended,
            ),
        )
        if reply[0] == b"lost":
            raise HistoryLost
        return reply[0], [agent_id.decode() for agent_id in reply[1]]

    async def _last(
        self, shard: int, agent_id: str, way: str, value: str, rows_max: int
    ) -> tuple[str, list[JournalRow]]:
        """Return the ending of the walk, and at most ``rows_max`` of an agent's last rows, newest first."""
        rows: list[JournalRow] = []
        ending, following = "more", ""
        while ending == "more" and len(rows) < rows_max:
            ending, following, found = await self._walk(shard, agent_id, following, way, value, rows_max - len(rows))
            rows += found
        return ending, rows

    async def _oldest(self, shard: int, agent_id: str, way: str, value: str) -> JournalRow | None:
        """Return the last row of the walk, which is the oldest."""
        oldest = None
        ending, following = "more", ""
        while ending == "more":
            ending, following, found = await self._walk(
                shard, agent_id, following, way, value, ROWS_PER_READ, only_oldest=True
            )
            oldest = found[0] if found else oldest
        return oldest

    async def _walk(
        self, shard: int, agent_id: str, start: str, way: str, value: str, rows_max: int, *, only_oldest: bool = False
    ) -> tuple[str, str, list[JournalRow]]:
        """Run one step of the walk (walk.lua). Return its ending, the next row's id, and the rows, newest first."""
        keys = self._keys_of(shard)
        command = WALK.call(
            (keys.shard, keys.journal, keys.agent(agent_id), keys.moved),
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


def _merged(in_stream: list[Any], moved: list[bytes], end: int) -> list[Any]:
    """Return the items of a stream and those that were moved out of it, in order.

    A row that was committed, and moved, after the stream was read is omitted: rows before it may not have been read.
    """
    items = {point_of(item[0]).position: item for item in in_stream}
    last = max(end, *items) if items else end
    for member in moved:
        item = moved_item(member)
        position = point_of(item[0]).position
        if position <= last:
            items[position] = item
    return [items[position] for position in sorted(items)]
