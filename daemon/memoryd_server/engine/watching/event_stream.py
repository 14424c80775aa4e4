"""Watches: committed events in order, each exactly once, from a position that may lie before a restart of the daemon.

A watch reads the journal until it has caught up with the hub, then reads its subscription to the hub. If it is too
slow, the subscription parks, and the watch reads the journal again. It fails for slowness only if the journal no longer
retains the rows that it lacks.
"""

import asyncio
import contextlib
import enum
import itertools
from collections import deque
from collections.abc import AsyncGenerator, Collection, Iterator, Sequence

import msgspec

from memoryd_server.domain.agent.author import NOBODY
from memoryd_server.domain.agent.event import Event, EventSelection
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.error import Draining, HistoryLost, InvalidResumeToken, RevisionCompacted, RevisionInFuture
from memoryd_server.domain.event_type import EventCause
from memoryd_server.domain.kinds import PARTS
from memoryd_server.domain.limit import PAGE_BYTES_MAX, SECOND_NS
from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.engine.agents.agent_cache import AgentCache
from memoryd_server.engine.agents.clock import Clock
from memoryd_server.engine.agents.feed import Feed
from memoryd_server.engine.agents.hub import Hub, Subscription
from memoryd_server.engine.agents.journal import Published, published
from memoryd_server.engine.agents.token import ResumePoint, ShardPoint, decode_resume
from memoryd_server.engine.agents.watch_memory import WatchFlow
from memoryd_server.engine.limit import JOURNAL_READ_COMMITS_MAX, WATCH_MESSAGE_BYTES_SMALL
from memoryd_server.engine.watching.event_cursor import EventSlice, split
from memoryd_server.engine.watching.journal_cursor import JournalCursor
from memoryd_server.engine.watching.journal_pages import JournalPages
from memoryd_server.ports.store import AgentQuery, CommitPoint, JournalCompacted, Store, all_agents

_NOWHERE = ShardPoint(0, 0)
"""The point of a slice of initial state, which has no position in the journal."""


class WatchPhase(enum.IntEnum):
    """The phase of a watch. The numbers are those of the wire contract."""

    OPENED = 1
    INITIAL_STATE = 2
    INITIAL_STATE_COMPLETE = 3
    LIVE = 4
    PROGRESS = 5


class WatchRequest(msgspec.Struct, frozen=True):
    """The selection and the start of a watch. At most one of the last three fields is set."""

    selection: EventSelection
    progress_interval_ns: int
    resume_token: str = ""
    after_revision: int | None = None
    include_initial_state: bool = False


class WatchStep(msgspec.Struct, frozen=True):
    """The next message to a watcher. ``point`` is where to resume after it; None if a watch cannot resume there.

    ``revision`` is 0 unless exactly one agent is watched.
    """

    phase: WatchPhase
    slices: tuple[EventSlice, ...]
    revision: int
    point: ResumePoint | None
    revision_continues: bool = False


class EventStream:
    """One watch; iterate ``steps`` once. ``flow`` is what it charges to the memory of all watches."""

    def __init__(
        self,
        request: WatchRequest,
        *,
        flow: WatchFlow,
        pages: JournalPages,
        store: Store,
        hub: Hub,
        feed: Feed,
        agents: AgentCache,
        clock: Clock,
    ) -> None:
        self._flow = flow
        self._pages = pages
        self._request = request
        self._watched = request.selection.agents
        self._one_agent = self._watched.one_agent
        self._store = store
        self._hub = hub
        self._feed = feed
        self._agents = agents
        self._clock = clock
        self._cursor = JournalCursor(request.selection, shards_of(store, self._watched))
        self._revision = 0
        self._silent_since = 0.0
        self._has_sent_last = False

    async def steps(self) -> AsyncGenerator[WatchStep, None]:
        """Yield the messages to the watcher, in order. Ends only with an error.

        A step is charged to the flow until the next one is asked for. While it is sent, nothing else is held for it.

        Raises InvalidResumeToken, ForeignResumeToken, RevisionCompacted, RevisionInFuture, Draining, and what the store
        raises.
        """
        # First follow, then subscribe, then read positions: a commit that is in none of the positions read later is
        # then certain to pass through the subscription.
        with contextlib.closing(self._flow):
            await self._feed.follow(self._cursor.shards)
            subscription = self._hub.subscribe(self._watched)
            try:
                await self._find_start(subscription)
                yield self._step(WatchPhase.OPENED)
                if self._request.include_initial_state:
                    async for step in self._initial_state():
                        yield step
                while True:
                    # Attach before reading the journal: a commit between the two would be missed. One that comes from
                    # both is emitted once, since the cursor has passed it.
                    if subscription.parked:
                        subscription.attach()
                    with self._pages.reading():
                        while (steps := await self._caught_up(subscription)) is not None:
                            while steps:
                                yield steps.popleft()
                            self._flow.sent()
                    self._silent_since = asyncio.get_running_loop().time()
                    while not subscription.parked:
                        steps = await self._next_live(subscription)
                        while steps:
                            yield steps.popleft()
                        self._flow.sent()
                        subscription.rest()
            except JournalCompacted as compacted:
                raise RevisionCompacted(compacted.oldest_revision) from None
            finally:
                self._hub.unsubscribe(subscription, self._watched)
                self._feed.release(self._cursor.shards)

    async def _find_start(self, subscription: Subscription) -> None:
        request = self._request
        ends = await self._feed.ends(self._cursor.shards)
        writer = None if self._one_agent is None else await self._agents.current(self._one_agent)
        # The hub may lag behind the store. Start at the latest of these ends: without a start of its own, which is set
        # below, a watch emits no event that was committed before it began.
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
            self._cursor.of(shard).note_emitted(self._one_agent, request.after_revision)

    async def _resume(self, point: ResumePoint) -> None:
        """Start at a token's point, which must have a position in every shard that this watch covers."""
        known = {each.shard: each for each in point.shards}
        if not known.keys() >= set(self._cursor.shards):
            raise InvalidResumeToken
        points = [known[shard] for shard in self._cursor.shards]
        if any(each.position > self._cursor.of(each.shard).position for each in points):
            # The token is ahead of the journal. A shared store has then gone back in time: a watch emits only what it
            # has. A store of this daemon's own may have lost commits that were not yet synced when it crashed.
            raise RevisionInFuture(self._revision) if self._store.sharing is None else HistoryLost
        await self._feed.check(points)
        self._cursor.start(points)
        if self._one_agent is not None:
            (only,) = points
            self._revision = await self._revision_before(only)

    def _of_ours(self, points: Sequence[CommitPoint]) -> dict[int, CommitPoint]:
        return {shard: points[shard] for shard in self._cursor.shards}

    async def _revision_before(self, point: ShardPoint) -> int:
        """Return the last revision of the one agent whose events all lie before a point."""
        page = await self._store.read_journal(point.position - 1, 1, self._watched.ids, point.shard)
        if not page.rows:
            return self._revision
        following = published(page.rows[0])
        if following.position > point.position or not following.events[point.offset :]:
            return following.base_revision
        return following.events[point.offset].revision - 1

    async def _initial_state(self) -> AsyncGenerator[WatchStep, None]:
        async for agent_id in self._initial_agents():
            state = (await self._agents.current(agent_id)).state
            # The state is newer than the start of the watch: its commits come again from the hub, and must be skipped.
            self._cursor.of(self._store.shard_of(agent_id)).note_emitted(agent_id, state.revision)
            if agent_id == self._one_agent:
                self._revision = state.revision
            keeps = self._request.selection.keeps
            events = tuple(event for event in _state_events(state, self._clock()) if keeps(agent_id, event))
            source = Published(0, agent_id, 0, state.revision, events, 0)
            for part in split(events):
                each = EventSlice(source, part, False, _NOWHERE, state.revision)
                await self._flow.room()
                yield WatchStep(WatchPhase.INITIAL_STATE, (each,), self._revision, None)
                self._flow.sent()
        yield self._step(WatchPhase.INITIAL_STATE_COMPLETE)

    async def _initial_agents(self) -> AsyncGenerator[str, None]:
        for agent_id in sorted(self._watched.ids):
            yield agent_id
        wanted = AgentQuery(JOURNAL_READ_COMMITS_MAX, AgentPatterns(prefixes=self._watched.prefixes))
        async for each in all_agents(self._store, wanted):
            yield each.head.agent_id

    async def _caught_up(self, subscription: Subscription) -> deque[WatchStep] | None:
        """Read a page, and return its messages; None once all is read up to where the subscription begins.

        The page is read when there is room for a message of it, so that a watcher that waits for room holds nothing.
        """
        for shard in self._cursor.shards:
            cursor, end = self._cursor.of(shard), subscription.attached[shard].position
            if cursor.position > end:
                continue
            await self._flow.room()
            if self._hub.closed:
                raise Draining
            if subscription.failure is not None:
                raise subscription.failure
            page = await self._pages.read(cursor.position - 1, rows_of(self._watched), shard, end)
            # The hub has published rows that the journal does not have: the store has gone back in time.
            if page.complete and page.end_position < end:
                raise HistoryLost
            steps = deque(self._live_steps(page.commits))
            self._cursor.move_past({shard: CommitPoint(page.end_position, 0)})
            return steps
        return None

    async def _next_live(self, subscription: Subscription) -> deque[WatchStep]:
        """Return the next messages from the subscription; none if it has parked, or if no event matches.

        Raises Draining after the last PROGRESS, and the failure of the subscription.
        """
        if self._has_sent_last:
            raise Draining
        interval_s = self._request.progress_interval_ns / SECOND_NS
        loop = asyncio.get_running_loop()
        commits = self._take(subscription)
        while not commits:
            if subscription.has_commits:
                # They stay in the queue, unless the hub parks it meanwhile.
                await self._flow.room()
                commits = subscription.take(PAGE_BYTES_MAX)
                continue
            if subscription.failure is not None:
                raise subscription.failure
            silent_s = loop.time() - self._silent_since
            if silent_s >= interval_s or self._hub.closed:
                return deque((self._progress(),))
            await subscription.wait(interval_s - silent_s)
            if subscription.parked:
                return deque()
            commits = self._take(subscription)
        steps = deque(self._live_steps(commits))
        if len(self._cursor.shards) > 1 and subscription.is_empty:
            # Nothing was awaited since the queue was emptied. The hub has thus published nothing that is not in these
            # commits, and the token may advance in the shards without selected events, too.
            self._cursor.move_past(self._of_ours(self._hub.points))
            if steps:
                steps.append(msgspec.structs.replace(steps.pop(), point=self._cursor.point))
        if steps:
            self._silent_since = loop.time()
        return steps

    def _take(self, subscription: Subscription) -> list[Published]:
        """Take what a message may contain; if there is no room, only what is small."""
        if self._flow.has_room:
            return subscription.take(PAGE_BYTES_MAX)
        return subscription.take(WATCH_MESSAGE_BYTES_SMALL, even_larger=False)

    def _progress(self) -> WatchStep:
        """Return a PROGRESS message whose token is past everything that the filters left out."""
        self._cursor.move_past(self._of_ours(self._hub.points))
        if self._one_agent is not None:
            passed_revision = self._cursor.of(self._store.shard_of(self._one_agent)).passed_revision
            self._revision = passed_revision or self._revision
        self._silent_since = asyncio.get_running_loop().time()
        self._has_sent_last = self._hub.closed
        return self._step(WatchPhase.PROGRESS)

    def _live_steps(self, commits: list[Published]) -> Iterator[WatchStep]:
        """Yield messages with these commits' events, as many in each as fit. A partial commit begins a new message."""
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
            self._cursor.note_emitted(each)
        last = slices[-1]
        if last.commit.agent_id == self._one_agent:
            self._revision = last.revision
        point = self._cursor.point
        return WatchStep(WatchPhase.LIVE, tuple(slices), self._revision, point, last.revision_continues)

    def _step(self, phase: WatchPhase) -> WatchStep:
        return WatchStep(phase, (), self._revision, self._cursor.point)


def shards_of(store: Store, agents: AgentPatterns) -> Collection[int]:
    """Return the shards that have these agents, or may have them."""
    if agents.prefixes:
        return range(store.shard_count)
    return sorted({store.shard_of(agent_id) for agent_id in agents.ids})


def rows_of(agents: AgentPatterns) -> Collection[str] | None:
    """Return the agents whose rows to read from a journal; None for all, since no journal is searched by a prefix."""
    return None if agents.prefixes else agents.ids


def _state_events(state: AgentState, now: int) -> Iterator[Event]:
    """Yield an agent's records as events, part by part; see ``domain.agent.part.Part.initial_events``."""
    index = itertools.count()
    for part in PARTS:
        for each in part.initial_events(state.part(part), now):
            yield Event(
                each.type, EventCause.INITIAL_STATE, each.revision, next(index), each.time, NOBODY, each.subject
            )
