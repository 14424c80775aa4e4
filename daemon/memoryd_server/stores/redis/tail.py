"""Waits for the rows that others write, on a connection for each group of shards."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from redis.asyncio.connection import Connection
from redis.exceptions import RedisError

from memoryd_server.domain.error import HistoryLost
from memoryd_server.ports.store import CommitPoint, FollowingRows, JournalCompacted, JournalRow
from memoryd_server.stores.redis.failure import refusal_of
from memoryd_server.stores.redis.journal import Journals
from memoryd_server.stores.redis.key import ShardKeys
from memoryd_server.stores.redis.link import Command, Disconnected, connect, reply_of, send
from memoryd_server.stores.redis.portion import Portion
from memoryd_server.stores.redis.route import Route
from memoryd_server.stores.redis.row import read_row, row_id

LOOK_BACK_S = 2.0
"""How often it is made sure that what was read is still there: who waits for new rows does not see old ones go."""
ANSWER_S = 2.0
"""How much longer than asked for a server may take to answer."""
_ROWS_MAX = 1_024
"""How many rows of all shards together are read at a time."""


class Tail:
    """The new rows of a group of shards. Waits of several callers come one after the other."""

    def __init__(
        self, route: Route, journals: Journals, keys: Mapping[int, ShardKeys], *, may_be_replica: bool = False
    ) -> None:
        self._route = route
        self._may_be_replica = may_be_replica
        self._journals = journals
        self._keys = keys
        self._shards = {each.journal.encode(): shard for shard, each in keys.items()}
        self._connection: Connection | None = None
        self._look_time = 0.0
        self._told: dict[int, CommitPoint] = {}
        self._portion = Portion(_ROWS_MAX)
        self._turn = asyncio.Lock()

    async def close(self) -> None:
        """Hang up."""
        if self._connection is not None:
            await self._connection.disconnect(nowait=True)
            self._connection = None

    async def rows(self, after: Mapping[int, CommitPoint], wait_s: float) -> FollowingRows:
        """Rows after these points; see ``ports.store.Sharing.await_rows``."""
        async with self._turn:
            try:
                async with asyncio.timeout(wait_s + ANSWER_S):
                    return await self._rows(after, wait_s)
            except (RedisError, OSError) as error:
                self._portion.failed()
                await self.close()
                self._route.discover_soon()
                raise refusal_of(error) from error
            except asyncio.CancelledError:
                # Its answer is still to come.
                await self.close()
                raise

    async def _rows(self, after: Mapping[int, CommitPoint], wait_s: float) -> FollowingRows:
        connection = await self._connected(after)
        journals = [self._keys[shard].journal for shard in after]
        ids = [row_id(point) or "0-0" for point in after.values()]
        # Each shard has its part, so that none is left behind by the others.
        rows_max = max(self._portion.rows // len(after), 1)
        wait: Command = ("XREAD", "COUNT", rows_max, "BLOCK", max(round(wait_s * 1000), 1), "STREAMS", *journals, *ids)
        await send(connection, [wait])
        streams = await reply_of(connection)
        if isinstance(streams, Exception):
            raise streams
        is_complete = all(len(items) < rows_max for _, items in streams or ())
        found = FollowingRows(self._following(after, streams or ()), complete=is_complete)
        self._portion.came(found)
        self._told.update((row.shard, row.point) for row in found)
        return found

    def _following(self, after: Mapping[int, CommitPoint], streams: Iterable[Sequence[Any]]) -> list[JournalRow]:
        """The rows of streams, once it is sure that each follows the one before it, and the first what is known."""
        found: list[JournalRow] = []
        compacted: list[int] = []
        for journal, items in streams:
            shard = self._shards[journal]
            known = after[shard]
            read = [read_row(shard, item) for item in items]
            if read[0].row.position > known.position + 1:
                compacted.append(shard)
                continue
            for each in read:
                if each.previous != known:
                    raise HistoryLost
                known = each.row.point
                found.append(each.row)
        if compacted:
            raise JournalCompacted(shards=compacted)
        return found

    async def _connected(self, after: Mapping[int, CommitPoint]) -> Connection:
        loop = asyncio.get_running_loop()
        is_known = all(self._told.get(shard) == point for shard, point in after.items())
        if self._connection is None:
            is_known = False
            self._connection = self._route.connection(next(iter(self._keys)))
            await connect(self._connection)
        if not is_known or loop.time() >= self._look_time + LOOK_BACK_S:
            await self._look_back(self._connection, after)
            self._look_time = loop.time()
            self._told.update(after)
        return self._connection

    async def _look_back(self, connection: Connection, after: Mapping[int, CommitPoint]) -> None:
        """Make sure that the journals reach as far as they were read. That they fork shows in what follows."""
        await send(connection, [("ROLE",), *map(self._journals.last_command, after)])
        role, *replies = [await reply_of(connection) for _ in range(1 + len(after))]
        if isinstance(role, Exception):
            raise role
        if role[0] != b"master" and not self._may_be_replica:
            raise Disconnected("the server is not a primary")
        for reply, point in zip(replies, after.values(), strict=True):
            if isinstance(reply, Exception):
                raise reply
            last = self._journals.checked_point(reply)
            if last.position < point.position or (last.position == point.position and last != point):
                raise HistoryLost
