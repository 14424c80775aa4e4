"""The additional methods of a Redis store that several daemons share."""

import asyncio
import contextlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from typing_extensions import override

from memoryd_server.domain.error import HistoryLost, Refusal
from memoryd_server.ports.store import NEVER, CommitPoint, FollowingRows, JournalRow, Sharing
from memoryd_server.stores.redis.agent import settle_command
from memoryd_server.stores.redis.announcement import announced_count, announcements
from memoryd_server.stores.redis.journal import Journals
from memoryd_server.stores.redis.key import ShardKeys
from memoryd_server.stores.redis.limit import DUTY_ANSWER_S, DUTY_S, GONE_MS
from memoryd_server.stores.redis.row import point_of
from memoryd_server.stores.redis.script import DUTIES
from memoryd_server.stores.redis.servers.route import Route
from memoryd_server.stores.redis.tail import Tail
from memoryd_server.stores.shard import shard_of

_RESTORING = "restoring"
"""The field of the first shard's hash that is there while a restore fills the store."""


class RedisSharing(Sharing):
    """Implements ``ports.store.Sharing``."""

    def __init__(self, daemon_id: str) -> None:
        self.shard_groups: Sequence[Sequence[int]] = ()
        self._daemon_id = daemon_id
        self._tails: dict[int, Tail] = {}
        self._duties: Collection[int] = ()
        self._duties_time = -DUTY_S
        self._waits = False

    def open(
        self, route: Route, journals: Journals, shards: Sequence[ShardKeys], *, is_cluster: bool, waits: bool
    ) -> None:
        """Start with these shards. If ``waits`` is true, commits wait until they are durable."""
        self._route = route
        self._journals = journals
        self._shards = shards
        self._waits = waits
        numbers = range(len(shards))
        self._duties = numbers
        # A blocking XREAD covers one server, and in a cluster one slot.
        self.shard_groups = [(number,) for number in numbers] if is_cluster else [numbers]
        for group in self.shard_groups:
            tail = Tail(route, journals, {shard: shards[shard] for shard in group}, may_be_replica=is_cluster)
            self._tails.update(dict.fromkeys(group, tail))

    async def close(self) -> None:
        """Close all connections."""
        for tail in set(self._tails.values()):
            await tail.close()

    @override
    def changed(self, agent_id: str, known: CommitPoint, *, settle: bool = False) -> asyncio.Future[bool]:
        # If commits do not wait, there is nothing to settle: before a server sends any reply, it has written all that
        # it carried out to its append-only file, and synced the file if appendfsync is always.
        shard = shard_of(agent_id, len(self._shards))
        keys = self._shards[shard]
        if settle and self._waits:
            command = settle_command(keys, self._journals.store_id, agent_id, known)
            return self._route.send("commits", shard, command, convert=_is_other)
        ask = ("HGET", keys.agent(agent_id), "id")
        if known != NEVER:
            return self._route.send("checks", shard, ask, convert=lambda reply, _: point_of(reply) != known)

        def is_there(replies: list[Any], _: bool) -> bool:
            # An emptied server would also reply that there is no such agent.
            self._journals.check_store(replies[0])
            return replies[1] is not None

        return self._route.send("checks", shard, ("HGET", keys.shard, "store"), ask, convert=is_there)

    @override
    async def rows_since(self, agent_id: str, known: CommitPoint) -> list[JournalRow] | None:
        return await self._journals.since(shard_of(agent_id, len(self._shards)), agent_id, known)

    @override
    async def await_rows(self, after: Mapping[int, CommitPoint], wait_s: float) -> FollowingRows:
        return await self._tails[next(iter(after))].rows(after, wait_s)

    @override
    async def nonce_at(self, shard: int, position: int) -> int | None:
        return await self._journals.nonce_at(shard, position)

    @override
    async def journal_points(self, shards: Collection[int]) -> dict[int, CommitPoint]:
        points = await asyncio.gather(*(self._journals.last_point(shard) for shard in shards))
        return dict(zip(shards, points, strict=True))

    @override
    async def unavailable_shards(self, wait_s: float) -> list[int]:
        points = [self._journals.last_point(shard) for shard in range(len(self._shards))]
        await asyncio.wait(points, timeout=wait_s)
        unavailable = [shard for shard, point in enumerate(points) if not point.done() or point.exception()]
        for point in points:
            point.cancel()
        return unavailable

    @override
    async def duties(self) -> Collection[int]:
        """Return the shards of this daemon: the current daemons, in order of their ids, take the shards in turn.

        If the store does not respond, the last known duties are returned, at first all shards: it does no harm if
        several daemons maintain a shard, but each shard needs one.
        """
        now = asyncio.get_running_loop().time()
        if now >= self._duties_time + DUTY_S:
            self._duties_time = now
            with contextlib.suppress(Refusal, TimeoutError):
                async with asyncio.timeout(DUTY_ANSWER_S):
                    self._duties = await self._find_duties()
        return self._duties

    async def _find_duties(self) -> Collection[int]:
        command = DUTIES.call((self._shards[0].daemons,), self._daemon_id, GONE_MS)
        daemons = await self._route.send("checks", 0, command)
        return range(daemons.index(self._daemon_id.encode()), len(self._shards), len(daemons))

    @override
    async def is_restoring(self) -> bool:
        return bool(await self._route.send("checks", 0, ("HEXISTS", self._shards[0].shard, _RESTORING)))

    @override
    async def note_restoring(self, is_restoring: bool) -> None:
        key = self._shards[0].shard
        command = ("HSET", key, _RESTORING, 1) if is_restoring else ("HDEL", key, _RESTORING)
        await self._route.send("commits", 0, command)

    @override
    async def daemon_count(self) -> int:
        """Return the number of daemons. A killed one counts until GONE_MS have passed."""
        daemons = self._shards[0].daemons
        return announced_count(*await self._route.send("checks", 0, *announcements(daemons)))

    async def resign(self) -> None:
        """Withdraw this daemon's announcement, so that the others take over its duties at once."""
        await self._route.send("checks", 0, ("ZREM", self._shards[0].daemons, self._daemon_id))


def _is_other(reply: Any, _: bool) -> bool:
    """Decode the reply of settle.lua. Raises HistoryLost."""
    if not isinstance(reply, int):
        raise HistoryLost
    return reply == 1
