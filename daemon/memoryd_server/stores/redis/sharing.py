"""What lets several daemons use one Redis store."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from memoryd_server.ports.store import NEVER, CommitPoint, JournalRow
from memoryd_server.stores.redis.journal import Journals
from memoryd_server.stores.redis.key import ShardKeys
from memoryd_server.stores.redis.route import Route
from memoryd_server.stores.redis.row import point_of
from memoryd_server.stores.redis.script import DUTIES
from memoryd_server.stores.redis.tail import Tail
from memoryd_server.stores.shard import shard_of

DUTY_S = 1.0
"""How often a daemon says that it is there."""
GONE_MS = 5_000
"""After so long one that said nothing is gone, and the others take its shards over."""


class RedisSharing:
    """Implements ``ports.store.Sharing``."""

    def __init__(self, daemon_id: str) -> None:
        self.shard_groups: Sequence[Sequence[int]] = ()
        self._daemon_id = daemon_id
        self._tails: dict[int, Tail] = {}
        self._duties: Collection[int] = ()
        self._duties_time = -DUTY_S

    def open(self, route: Route, journals: Journals, shards: Sequence[ShardKeys], *, is_cluster: bool) -> None:
        """Use this way to these shards from now on."""
        self._route = route
        self._journals = journals
        self._shards = shards
        numbers = range(len(shards))
        # One wait is for one server, and in a cluster for one slot.
        self.shard_groups = [(number,) for number in numbers] if is_cluster else [numbers]
        for group in self.shard_groups:
            tail = Tail(route, journals, {shard: shards[shard] for shard in group}, may_be_replica=is_cluster)
            self._tails.update(dict.fromkeys(group, tail))

    async def close(self) -> None:
        """Hang up."""
        for tail in set(self._tails.values()):
            await tail.close()

    def changed(self, agent_id: str, known: CommitPoint) -> asyncio.Future[bool]:
        """See the port."""
        shard = shard_of(agent_id, len(self._shards))
        keys = self._shards[shard]
        ask = ("HGET", keys.agent(agent_id), "id")
        if known != NEVER:
            return self._route.send("checks", shard, ask, convert=lambda reply, _: point_of(reply) != known)

        def is_there(replies: list[Any], _: bool) -> bool:
            # "There is nothing" is what an emptied server says as well.
            self._journals.checked_point([replies[0], None])
            return replies[1] is not None

        return self._route.send("checks", shard, ("HGET", keys.shard, "store"), ask, convert=is_there)

    async def rows_since(self, agent_id: str, known: CommitPoint) -> list[JournalRow] | None:
        """See the port."""
        return await self._journals.since(shard_of(agent_id, len(self._shards)), agent_id, known)

    async def await_rows(self, after: Mapping[int, CommitPoint], wait_s: float) -> list[JournalRow]:
        """See the port."""
        return await self._tails[next(iter(after))].rows(after, wait_s)

    async def nonce_at(self, shard: int, position: int) -> int | None:
        """See the port."""
        return await self._journals.nonce_at(shard, position)

    async def journal_points(self, shards: Collection[int]) -> dict[int, CommitPoint]:
        """See the port."""
        points = await asyncio.gather(*(self._journals.last_point(shard) for shard in shards))
        return dict(zip(shards, points, strict=True))

    async def unavailable_shards(self, wait_s: float) -> list[int]:
        """See the port."""
        points = [self._journals.last_point(shard) for shard in range(len(self._shards))]
        await asyncio.wait(points, timeout=wait_s)
        unavailable = [shard for shard, point in enumerate(points) if not point.done() or point.exception()]
        for point in points:
            point.cancel()
        return unavailable

    async def duties(self) -> Collection[int]:
        """See the port. Daemons that are there, in the order of their ids, take the shards in turn."""
        now = asyncio.get_running_loop().time()
        if now >= self._duties_time + DUTY_S:
            command = DUTIES.call((self._shards[0].daemons,), self._daemon_id, GONE_MS)
            daemons = await self._route.send("checks", 0, command)
            place = daemons.index(self._daemon_id.encode())
            self._duties = range(place, len(self._shards), len(daemons))
            self._duties_time = now
        return self._duties

    async def resign(self) -> None:
        """Leave the duties to the others."""
        await self._route.send("checks", 0, ("ZREM", self._shards[0].daemons, self._daemon_id))
