"""Watches: committed events in order, each once, from a point on that may lie before a restart.

A watch reads the journal until it is in step with the hub, then lives on its subscription. When it is too slow, its
subscription parks, and it reads the journal again. It ends only when the journal no longer retains what it lacks.
"""

import asyncio
import enum
import itertools
from collections.abc import AsyncGenerator, Collection, Iterator, Sequence

import msgspec

from memoryd_server.domain.agent.event import Event, EventSelection
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.error import Draining, HistoryLost, InvalidResumeToken, RevisionCompacted, RevisionInFuture
from memoryd_server.domain.event_type import EventCause
from memoryd_server.domain.kinds import PARTS
from memoryd_server.domain.limit import JOURNAL_READ_COMMITS_MAX, PAGE_BYTES_MAX, SECOND_NS
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import Clock
from memoryd_server.engine.agents.feed import Feed
from memoryd_server.engine.agents.hub import Hub, Subscription
from memoryd_server.engine.agents.journal import Published, published
from memoryd_server.engine.agents.token import ResumePoint, ShardPoint, decode_resume
from memoryd_server.engine.watching.event_cursor import EventSlice, split
from memoryd_server.engine.watching.journal_cursor import JournalCursor
from memoryd_server.ports.store import CommitPoint, JournalCompacted, Store

_NOWHERE = ShardPoint(0, 0)
"""The point of what is told as it is now, which is no place in the journal."""


class WatchPhase(enum.IntEnum):
    """Where a watch stands. The numbers are those of the contract."""

    OPENED = 1
    INITIAL_STATE = 2
    INITIAL_STATE_COMPLETE = 3
    LIVE = 4
    PROGRESS = 5


class WatchRequest(msgspec.Struct, frozen=True):
    """What to watch, and from where: at most one of the last three is set."""

    selection: EventSelection
    progress_interval_ns: int
    resume_token: str = ""
    after_revision: int | None = None
    include_initial_state: bool = False


class WatchStep(msgspec.Struct, frozen=True):
    """What to tell a watcher next. ``point`` is where to resume after it; None when it cannot be.

    ``revision`` is 0 unless exactly one agent is watched.
    """

    phase: WatchPhase
    slices: tuple[EventSlice, ...]
    revision: int
    point: ResumePoint | None
    revision_continues: bool = False


class EventStream:
    """One watch; iterate ``steps`` once."""

    def __init__(
        self, request: WatchRequest, *, store: Store, hub: Hub, feed: Feed, agents: AgentCache, clock: Clock
    ) -> None:
        self._request = request
        self._agent_ids = request.selection.agent_ids
        self._store = store
        self._hub = hub
        self._feed = feed
        self._agents = agents
        self._clock = clock
        self._cursor = JournalCursor(request.selection, shards_of(store, self._agent_ids))
        self._revision = 0
        self._silent_since = 0.0
        self._is_last_told = False

    async def steps(self) -> AsyncGenerator[WatchStep, None]:
        """What to tell the watcher, in order.

        Raises InvalidResumeToken, ForeignResumeToken, RevisionCompacted, RevisionInFuture, Draining, and what the store
        raises.
        """
        await self._feed.follow(self._cursor.shards)
        subscription = self._hub.subscribe(self._agent_ids)
        try:
            await self._find_start(subscription)
            yield self._step(WatchPhase.OPENED)
            if self._request.include_initial_state:
                async for step in self._initial_state():
                    yield step
            while True:
                async for step in self._catch_up(subscription):
                    yield step
                self._silent_since = asyncio.get_running_loop().time()
                while not subscription.parked:
                    for step in await self._next_live(subscription):
                        yield step
                    subscription.rest()
        except JournalCompacted as compacted:
            raise RevisionCompacted(compacted.oldest_revision) from None
        finally:
            self._hub.unsubscribe(subscription, self._agent_ids)
            self._feed.release(self._cursor.shards)

    @property
    def _one_agent(self) -> str | None:
        if self._agent_ids is None or len(self._agent_ids) != 1:
            return None
        return next(iter(self._agent_ids))

    async def _find_start(self, subscription: Subscription) -> None:
        request = self._request
        ends = await self._feed.ends(self._cursor.shards)
        writer = None if self._one_agent is None else await self._agents.current(self._one_agent)
        # What the hub hears next may lie before what was committed when this watch began.
        self._cursor.move_past(self._of_ours(subscription.attach()))
        self._cursor.move_past(ends)
        if writer is not None:
            self._revision = writer.state.revision
            self._cursor.move_past({self._store.shard_of(writer.state.agent_id): writer.point})
        if request.resume_token:
            await self._resume(decode_resume(self._store.store_id, request.resume_token))
        elif request.after_revision is not None:
            assert self._one_agent is not None
            if request.after_revision > self._revision:
                raise RevisionInFuture(self._revision)
            self._revision = request.after_revision
            position = await self._store.locate(self._one_agent, request.after_revision)
            shard = self._store.shard_of(self._one_agent)
            self._cursor.start((ShardPoint(shard, position + 1),))
            self._cursor.of(shard).note_told(self._one_agent, request.after_revision)

    async def _resume(self, point: ResumePoint) -> None:
        """Go on at a token's point, which must tell of every shard that this watch is about."""
        known = {each.shard: each for each in point.shards}
        if not known.keys() >= set(self._cursor.shards):
            raise InvalidResumeToken
        points = [known[shard] for shard in self._cursor.shards]
        if any(each.position > self._cursor.of(each.shard).position for each in points):
            # What was told of a shared store was in it: it has gone back. One's own may have lost what was not synced.
            raise RevisionInFuture(self._revision) if self._store.sharing is None else HistoryLost
        await self._feed.check(points)
        self._cursor.start(points)
        if self._one_agent is not None:
            (only,) = points
            self._revision = await self._revision_before(only)

    def _of_ours(self, points: Sequence[CommitPoint]) -> dict[int, CommitPoint]:
        return {shard: points[shard] for shard in self._cursor.shards}

    async def _revision_before(self, point: ShardPoint) -> int:
        """Up to which revision of the one agent all was told before a point."""
        page = await self._store.read_journal(point.position - 1, 1, self._agent_ids, point.shard)
        if not page.rows:
            return self._revision
        following = published(page.rows[0])
        if following.position > point.position or not following.events[point.offset :]:
            return following.base_revision
        return following.events[point.offset].revision - 1

    async def _initial_state(self) -> AsyncGenerator[WatchStep, None]:
        async for agent_id in self._agents_to_tell():
            state = (await self._agents.current(agent_id)).state
            self._cursor.of(self._store.shard_of(agent_id)).note_told(agent_id, state.revision)
            if agent_id == self._one_agent:
                self._revision = state.revision
            keeps = self._request.selection.keeps
            events = tuple(event for event in _state_events(state, self._clock()) if keeps(agent_id, event))
            source = Published(0, agent_id, 0, state.revision, events, 0)
            for part in split(events):
                told = EventSlice(source, part, False, _NOWHERE, state.revision)
                yield WatchStep(WatchPhase.INITIAL_STATE, (told,), self._revision, None)
        yield self._step(WatchPhase.INITIAL_STATE_COMPLETE)

    async def _agents_to_tell(self) -> AsyncGenerator[str, None]:
        if self._agent_ids is not None:
            for agent_id in sorted(self._agent_ids):
                yield agent_id
            return
        last = ""
        while heads := await self._store.list_agents("", last, JOURNAL_READ_COMMITS_MAX):
            for head in heads:
                yield head.agent_id
            last = heads[-1].agent_id

    async def _catch_up(self, subscription: Subscription) -> AsyncGenerator[WatchStep, None]:
        if subscription.parked:
            subscription.attach()
        for shard in self._cursor.shards:
            cursor = self._cursor.of(shard)
            while cursor.position <= subscription.attached[shard].position:
                if self._hub.closed:
                    raise Draining
                if subscription.failure is not None:
                    raise subscription.failure
                page = await self._store.read_journal(
                    cursor.position - 1, JOURNAL_READ_COMMITS_MAX, self._agent_ids, shard
                )
                for step in self._live_steps([published(row) for row in page.rows]):
                    yield step
                if page.complete and page.end_position < subscription.attached[shard].position:
                    raise HistoryLost
                self._cursor.move_past({shard: CommitPoint(page.end_position, 0)})

    async def _next_live(self, subscription: Subscription) -> list[WatchStep]:
        """What to tell next when in step with the hub. Raises Draining once the last PROGRESS was told."""
        if self._is_last_told:
            raise Draining
        interval_s = self._request.progress_interval_ns / SECOND_NS
        loop = asyncio.get_running_loop()
        commits = subscription.take(PAGE_BYTES_MAX)
        while not commits:
            if subscription.failure is not None:
                raise subscription.failure
            silent_s = loop.time() - self._silent_since
            if silent_s >= interval_s or self._hub.closed:
                return [self._progress()]
            await subscription.wait(interval_s - silent_s)
            if subscription.parked:
                return []
            commits = subscription.take(PAGE_BYTES_MAX)
        steps = list(self._live_steps(commits))
        if len(self._cursor.shards) > 1 and subscription.is_empty:
            # Nothing was awaited since the queue was emptied: the shards that told nothing hold nothing to tell.
            self._cursor.move_past(self._of_ours(self._hub.points))
            steps[-1:] = [msgspec.structs.replace(each, point=self._cursor.point) for each in steps[-1:]]
        if steps:
            self._silent_since = loop.time()
        return steps

    def _progress(self) -> WatchStep:
        self._cursor.move_past(self._of_ours(self._hub.points))
        if self._one_agent is not None:
            passed_revision = self._cursor.of(self._store.shard_of(self._one_agent)).passed_revision
            self._revision = passed_revision or self._revision
        self._silent_since = asyncio.get_running_loop().time()
        self._is_last_told = self._hub.closed
        return self._step(WatchPhase.PROGRESS)

    def _live_steps(self, commits: list[Published]) -> Iterator[WatchStep]:
        """The messages for these commits: as much in one as fits."""
        slices: list[EventSlice] = []
        size_bytes = 0
        for each in self._cursor.slices(commits):
            if slices and (size_bytes + each.commit.size_bytes > PAGE_BYTES_MAX or not each.whole):
                yield self._live_step(slices)
                slices, size_bytes = [], 0
            slices.append(each)
            size_bytes += each.commit.size_bytes
        if slices:
            yield self._live_step(slices)

    def _live_step(self, slices: list[EventSlice]) -> WatchStep:
        for each in slices:
            self._cursor.note_told(each)
        last = slices[-1]
        if last.commit.agent_id == self._one_agent:
            self._revision = last.revision
        point = self._cursor.point
        return WatchStep(WatchPhase.LIVE, tuple(slices), self._revision, point, last.revision_continues)

    def _step(self, phase: WatchPhase) -> WatchStep:
        return WatchStep(phase, (), self._revision, self._cursor.point)


def shards_of(store: Store, agent_ids: Collection[str] | None) -> Collection[int]:
    """The shards of these agents, or all."""
    if agent_ids is None:
        return range(store.shard_count)
    return sorted({store.shard_of(agent_id) for agent_id in agent_ids})


def _state_events(state: AgentState, now: int) -> Iterator[Event]:
    """Yield what an agent holds as events, part by part; see ``domain.agent.part.Part.initial_events``."""
    index = itertools.count()
    for part in PARTS:
        for each in part.initial_events(state.part(part), now):
            yield Event(each.type, EventCause.INITIAL_STATE, each.revision, next(index), each.time, "", each.subject)
