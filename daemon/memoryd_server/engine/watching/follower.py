"""Follows the journals of a shared store: other daemons' commits reach this daemon's watches and loaded agents.

A shard is followed while it is watched, while its agents are read from memory, and for some time after.
"""

import asyncio
import logging
import math
import time
from collections.abc import Collection

from typing_extensions import override

from memoryd_server.domain.error import HistoryLost, Refusal, RevisionCompacted, StoreUnavailable
from memoryd_server.engine.agents.feed import Feed, Followed
from memoryd_server.engine.agents.hub import Hub
from memoryd_server.engine.agents.journal import Published, published
from memoryd_server.engine.agents.token import ShardPoint, check_of
from memoryd_server.engine.limit import (
    FOLLOW_LINGER_S,
    FOLLOW_RETRY_S_MAX,
    FOLLOW_RETRY_S_MIN,
    FOLLOW_WAIT_S,
    FOLLOWED_ROWS_PER_TURN_MAX,
    OWN_COMMITS_BYTES_MAX,
)
from memoryd_server.ports.store import NEVER, CommitPoint, JournalCompacted, JournalRow, Sharing, Store

log = logging.getLogger("memoryd.follower")
monotonic = time.monotonic

OWN_OVERHEAD_BYTES = 1_024


class Follower(Feed):
    """Implements ``engine.agents.feed.Feed`` for a shared store."""

    def __init__(self, store: Store, sharing: Sharing, hub: Hub) -> None:
        self._store = store
        self._sharing = sharing
        self._hub = hub
        self._agents: Followed | None = None
        self._groups: list[_Group] = []
        self._group_of: dict[int, _Group] = {}
        self._own: dict[tuple[int, CommitPoint], Published] = {}
        self._own_bytes = 0

    @override
    def connect(self, agents: Followed) -> None:
        self._agents = agents

    @override
    async def open(self) -> None:
        self._hub.points = [NEVER] * self._store.shard_count
        for shards in self._sharing.shard_groups:
            group = _Group(tuple(shards), self, self._sharing)
            self._groups.append(group)
            self._group_of.update(dict.fromkeys(shards, group))

    @override
    async def close(self) -> None:
        for group in self._groups:
            await group.stop()

    @override
    async def follow(self, shards: Collection[int]) -> None:
        groups = self._groups_of(shards)
        begun = [group.follow() for group in groups]
        try:
            for each in begun:
                await asyncio.shield(each)
        except BaseException:
            self.release(shards)
            raise

    @override
    def release(self, shards: Collection[int]) -> None:
        for group in self._groups_of(shards):
            group.release()

    @override
    async def ends(self, shards: Collection[int]) -> dict[int, CommitPoint]:
        return await self._sharing.journal_points(shards)

    @override
    async def check(self, points: Collection[ShardPoint]) -> None:
        known = [each for each in points if each.check]
        nonces = await asyncio.gather(*(self._sharing.nonce_at(each.shard, each.position - 1) for each in known))
        if any(nonce is not None and check_of(nonce) != each.check for each, nonce in zip(known, nonces, strict=True)):
            raise HistoryLost

    @override
    def note_own(self, commit: Published) -> None:
        if commit.position <= self._hub.points[commit.shard].position:
            return  # its row arrived before the result of the commit
        # Keep the decoded commit until its row arrives, which then need not be decoded. Dropping all of them is safe.
        if self._group_of[commit.shard].is_following and self._hub.is_heard(commit.agent_id):
            if self._own_bytes >= OWN_COMMITS_BYTES_MAX:
                self._own.clear()
                self._own_bytes = 0
            self._own[commit.shard, CommitPoint(commit.position, commit.nonce)] = commit
            self._own_bytes += _own_bytes(commit)

    @override
    def is_fresh(self, shard: int, max_staleness_s: float) -> bool:
        group = self._group_of[shard]
        group.want()
        return monotonic() - group.confirmed_time <= max_staleness_s

    def _groups_of(self, shards: Collection[int]) -> "list[_Group]":
        return list(dict.fromkeys(self._group_of[shard] for shard in shards))

    def begin(self, points: dict[int, CommitPoint]) -> None:
        """Note that shards are followed from these points on. Rows before them were not seen."""
        assert self._agents is not None
        for shard, point in points.items():
            self._hub.points[shard] = point
        # Commits between the load of an agent and these points never reach it: only the store can say.
        self._agents.distrust(points.keys())
        self._own = {place: commit for place, commit in self._own.items() if place[0] not in points}
        self._own_bytes = sum(map(_own_bytes, self._own.values()))

    def hand_on(self, row: JournalRow) -> None:
        """Pass a row to the loaded agents and the hub. A row that cannot be decoded ends the watches of its agent."""
        assert self._agents is not None
        own = self._own.pop((row.shard, row.point), None)
        if own is not None:
            self._own_bytes -= _own_bytes(own)
        # The agents first: a watcher that reads the agent after an event must find the change.
        self._agents.receive(row)
        self._hub.points[row.shard] = row.point
        if row.revision == row.base_revision or not self._hub.is_heard(row.agent_id):
            return
        try:
            self._hub.publish(own or published(row))
        except Refusal as refusal:
            self._hub.fail(lambda agent_id: agent_id == row.agent_id, refusal)

    def lose(self, shards: Collection[int], loss: HistoryLost | RevisionCompacted) -> None:
        """End the watches of these shards: emitted commits are gone, or some were compacted before they were read."""
        message = "history lost" if isinstance(loss, HistoryLost) else "commits compacted before they were read"
        log.error(message, extra={"shards": ",".join(map(str, sorted(shards)))})
        self._hub.fail(lambda agent_id: self._store.shard_of(agent_id) in shards, loss)


class _Group:
    """Shards that are followed together, by one task at a time.

    All commits that ended before ``confirmed_time`` (monotonic, s) were passed on. It is -inf when that is uncertain.
    """

    def __init__(self, shards: tuple[int, ...], follower: Follower, sharing: Sharing) -> None:
        self._followers = 0
        self.confirmed_time = -math.inf
        self._sharing = sharing
        self._shards = shards
        self._follower = follower
        self._task: asyncio.Task[None] | None = None
        self._begun: asyncio.Future[None] | None = None
        self._linger_end = 0.0

    @property
    def is_following(self) -> bool:
        return self._task is not None and not self._task.done()

    def want(self) -> "asyncio.Future[None]":
        """Follow for at least ``FOLLOW_LINGER_S``.

        The future completes once every later commit is certain to be passed on.
        """
        loop = asyncio.get_running_loop()
        self._linger_end = loop.time() + FOLLOW_LINGER_S
        if self._begun is None or not self.is_following:
            self._begun = loop.create_future()
            self._task = loop.create_task(self._run(self._begun), name=f"follow {self._shards}")
        return self._begun

    def follow(self) -> "asyncio.Future[None]":
        """Follow until ``release``; the future is as in ``want``."""
        self._followers += 1
        return self.want()

    def release(self) -> None:
        """Undo one ``follow``."""
        self._followers -= 1
        self._linger_end = asyncio.get_running_loop().time() + FOLLOW_LINGER_S

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._begun is not None and not self._begun.done():
            self._begun.set_exception(StoreUnavailable())
            self._begun.exception()

    async def _run(self, begun: "asyncio.Future[None]") -> None:
        try:
            points: dict[int, CommitPoint] | None = await self._begin(self._shards)
        except Exception as failure:  # noqa: BLE001 - the callers that wait must get any failure
            begun.set_exception(failure)
            begun.exception()
            return
        begun.set_result(None)
        retry_s = FOLLOW_RETRY_S_MIN
        while points is not None and self._is_wanted:
            try:
                await self._take_in(points)
                retry_s = FOLLOW_RETRY_S_MIN
            except (HistoryLost, JournalCompacted) as loss:
                # A new watch must wait until following has begun again: the hub's points are no valid start now.
                begun = self._begun = asyncio.get_running_loop().create_future()
                shards = self._shards if isinstance(loss, HistoryLost) else loss.shards
                self._follower.lose(shards, loss if isinstance(loss, HistoryLost) else RevisionCompacted())
                points = await self._begin_again(points, shards, begun)
            except Exception as failure:  # noqa: BLE001 - following must go on after any failure, or watches would hang
                _log_failure(failure)
                await asyncio.sleep(retry_s)
                retry_s = min(2 * retry_s, FOLLOW_RETRY_S_MAX)
        self.confirmed_time = -math.inf

    @property
    def _is_wanted(self) -> bool:
        return self._followers > 0 or asyncio.get_running_loop().time() < self._linger_end

    async def _begin(self, shards: Collection[int]) -> dict[int, CommitPoint]:
        points = await self._sharing.journal_points(shards)
        self._follower.begin(points)
        return points

    async def _begin_again(
        self, points: dict[int, CommitPoint], shards: Collection[int], begun: "asyncio.Future[None]"
    ) -> dict[int, CommitPoint] | None:
        """Follow these shards from their current ends after a loss, and the others from where they were.

        Return the points of all; None if the group is no longer wanted. An attempt that fails raises in its waiters.
        """
        self.confirmed_time = -math.inf
        while self._is_wanted:
            try:
                restarted = await self._begin(shards)
            except Exception as failure:  # noqa: BLE001 - as above
                _log_failure(failure)
                begun.set_exception(failure)
                begun.exception()
                begun = self._begun = asyncio.get_running_loop().create_future()
                await asyncio.sleep(FOLLOW_RETRY_S_MAX)
            else:
                begun.set_result(None)
                return {**points, **restarted}
        return None

    async def _take_in(self, points: dict[int, CommitPoint]) -> None:
        # Before the store is asked: rows may be committed while the reply is on its way.
        asked_time = monotonic()
        rows = await self._sharing.await_rows(points, FOLLOW_WAIT_S)
        for number, row in enumerate(rows, 1):
            points[row.shard] = row.point
            self._follower.hand_on(row)
            if number % FOLLOWED_ROWS_PER_TURN_MAX == 0:
                await asyncio.sleep(0)
        if rows.complete:
            self.confirmed_time = asked_time


def _own_bytes(commit: Published) -> int:
    return OWN_OVERHEAD_BYTES + commit.size_bytes


def _log_failure(failure: Exception) -> None:
    if isinstance(failure, Refusal):
        log.warning("following failed", extra={"reason": failure.reason, "error": str(failure)})
    else:
        log.error("following failed", exc_info=failure)
