"""Waiting for new rows, on one connection for each group of shards."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from redis.asyncio.connection import Connection
from redis.exceptions import RedisError

from memoryd_server.domain.error import HistoryLost
from memoryd_server.ports.store import CommitPoint, FollowingRows, JournalCompacted, JournalRow
from memoryd_server.stores.redis.journal import Journals, has_hole
from memoryd_server.stores.redis.key import ShardKeys
from memoryd_server.stores.redis.limit import ANSWER_S, LOOK_BACK_S, ROWS_FOLLOWED_MAX
from memoryd_server.stores.redis.portion import Portion
from memoryd_server.stores.redis.row import StreamRow, read_row, row_id
from memoryd_server.stores.redis.servers.failure import refusal_of
from memoryd_server.stores.redis.servers.link import Command, Disconnected, connect, reply_of, send
from memoryd_server.stores.redis.servers.route import Route


class Tail:
    """The new rows of a group of shards. Concurrent calls of ``rows`` run one after the other."""

    def __init__(
        self, route: Route, journals: Journals, keys: Mapping[int, ShardKeys], *, may_be_replica: bool = False
    ) -> None:
        self._route = route
        self._may_be_replica = may_be_replica
        self._journals = journals
        self._keys = keys
        self._shards = {each.journal.encode(): shard for shard, each in keys.items()}
        self._moves = journals.moves_key(next(iter(keys))).encode()
        self._moves_id = "0-0"
        self._ends: dict[int, int] = {}
        self._connection: Connection | None = None
        self._look_time = 0.0
        self._returned: dict[int, CommitPoint] = {}
        self._portion = Portion(ROWS_FOLLOWED_MAX)
        self._turn = asyncio.Lock()

    async def close(self) -> None:
        """Disconnect."""
        if self._connection is not None:
            await self._connection.disconnect(nowait=True)
            self._connection = None

    async def rows(self, after: Mapping[int, CommitPoint], wait_s: float) -> FollowingRows:
        """Return the rows after these points; see ``ports.store.Sharing.await_rows``."""
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
                # The connection cannot be used again: the reply is still to come.
                await self.close()
                raise

    async def _rows(self, after: Mapping[int, CommitPoint], wait_s: float) -> FollowingRows:
        connection = await self._connected(after)
        # Each shard gets an equal part, so that none of them falls behind.
        rows_max = max(self._portion.rows // len(after), 1)
        items = await self._read(connection, after, rows_max, 0.0 if self._behind(after) else wait_s)
        if moves := items.pop(self._moves, None):
            self._moves_id = moves[-1][0].decode()
            await self._look_back(connection, after)
        found = await self._following(after, items, rows_max)
        self._portion.came(found)
        reached = {**after, **{row.shard: row.point for row in found}}
        found.complete &= not self._behind(reached)
        self._returned.update(reached)
        return found

    def _behind(self, after: Mapping[int, CommitPoint]) -> list[int]:
        """Return the shards whose journals extended beyond these points when ``_look_back`` last read their ends."""
        return [shard for shard, end in self._ends.items() if shard in after and end > after[shard].position]

    async def _read(
        self, connection: Connection, after: Mapping[int, CommitPoint], rows_max: int, wait_s: float
    ) -> dict[bytes, Sequence[Any]]:
        """Return the next items of the journals and of the stream that announces moved rows, by key."""
        keys = [*(self._keys[shard].journal for shard in after), self._moves.decode()]
        ids = [*(row_id(point) or "0-0" for point in after.values()), self._moves_id]
        wait: Command = ("XREAD", "COUNT", rows_max, "BLOCK", max(round(wait_s * 1000), 1), "STREAMS", *keys, *ids)
        await send(connection, [wait])
        streams = await reply_of(connection)
        if isinstance(streams, Exception):
            raise streams
        return dict(streams or ())

    async def _following(
        self, after: Mapping[int, CommitPoint], items: Mapping[bytes, Sequence[Any]], rows_max: int
    ) -> FollowingRows:
        """Return the rows of streams, and those that were moved out of them.

        Raises HistoryLost unless each row follows the previous one, and the first one follows the known point.
        """
        read = {self._shards[key]: [read_row(self._shards[key], item) for item in each] for key, each in items.items()}
        found = FollowingRows(complete=all(len(rows) < rows_max for rows in read.values()))
        lacking = [shard for shard, rows in read.items() if has_hole(after[shard].position, rows)]
        lacking += [shard for shard in self._behind(after) if shard not in read]
        compacted: list[int] = []
        for shard in lacking:
            try:
                end, read[shard] = await self._journals.following(shard, after[shard].position, rows_max)
            except JournalCompacted:
                compacted.append(shard)
            else:
                found.complete &= not read[shard] or read[shard][-1].row.position >= end
        if compacted:
            raise JournalCompacted(shards=compacted)
        for shard, rows in read.items():
            found += _checked(rows, after[shard])
        return found

    async def _connected(self, after: Mapping[int, CommitPoint]) -> Connection:
        loop = asyncio.get_running_loop()
        is_known = all(self._returned.get(shard) == point for shard, point in after.items())
        if self._connection is None:
            is_known = False
            self._moves_id = "0-0"
            self._connection = self._route.connection(next(iter(self._keys)))
            await connect(self._connection)
        if not is_known or loop.time() >= self._look_time + LOOK_BACK_S:
            await self._look_back(self._connection, after)
            self._look_time = loop.time()
            self._returned.update(after)
        return self._connection

    async def _look_back(self, connection: Connection, after: Mapping[int, CommitPoint]) -> None:
        """Raise HistoryLost if a journal ends before the point up to which it was read.

        A journal that was replaced by a longer one is detected when the next row is read: it has another predecessor.
        If a journal extends further, its new rows may have been moved out of the stream, so XREAD would not wake up.
        """
        await send(connection, [("ROLE",), *map(self._journals.last_command, after)])
        role, *replies = [await reply_of(connection) for _ in range(1 + len(after))]
        if isinstance(role, Exception):
            raise role
        if role[0] != b"master" and not self._may_be_replica:
            raise Disconnected(f"{connection.host}:{connection.port} is not a primary")
        for reply, (shard, point) in zip(replies, after.items(), strict=True):
            if isinstance(reply, Exception):
                raise reply
            last = self._journals.checked_point(reply)
            if last.position < point.position or (last.position == point.position and last != point):
                raise HistoryLost
            if last.position > point.position:
                self._ends[shard] = last.position
            else:
                self._ends.pop(shard, None)


def _checked(read: Iterable[StreamRow], known: CommitPoint) -> Iterator[JournalRow]:
    """Yield the rows of a shard after a known commit. Raises HistoryLost if one does not follow the previous one."""
    for each in read:
        if each.previous != known:
            raise HistoryLost
        known = each.row.point
        yield each.row
