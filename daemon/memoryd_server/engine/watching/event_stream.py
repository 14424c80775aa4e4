"""Watches: committed events in order, each exactly once, from a position that may lie before a restart of the daemon.

A watch reads the journal until it has caught up with the hub, then reads its subscription to the hub. While it is in
step with others that ask for the same, it is a member of their group instead, and has no subscription. If it is too
slow, the subscription parks, and the watch reads the journal again. It fails for slowness only if the journal no longer
retains the rows that it lacks.
"""

import asyncio
import contextlib
import functools
import itertools
import sys
from collections import deque
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine, Iterator, Mapping
from typing import Any, ParamSpec, TypeVar

from memoryd_server.domain.agent.author import NOBODY
from memoryd_server.domain.agent.event import Event
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
from memoryd_server.engine.watching.journal_pages import JournalPages
from memoryd_server.engine.watching.outlet import WatchOutput
from memoryd_server.engine.watching.watch_group import Member, WatchGroup, WatchGroups
from memoryd_server.engine.watching.watch_position import WatchPosition
from memoryd_server.engine.watching.watch_step import WatchPhase, WatchRequest, WatchStep
from memoryd_server.ports.store import AgentQuery, CommitPoint, JournalCompacted, Store, all_agents

_NOTHING: Mapping[int, CommitPoint] = {}
_NOWHERE = ShardPoint(0, 0)
"""The point of a slice of initial state, which has no position in the journal."""

P = ParamSpec("P")
T = TypeVar("T")


def _refuses_compacted(method: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Return a coroutine function that raises RevisionCompacted where ``method`` raises JournalCompacted."""

    @functools.wraps(method)
    async def refuse(*args: P.args, **options: P.kwargs) -> T:
        try:
            return await method(*args, **options)
        except JournalCompacted as compacted:
            raise RevisionCompacted(compacted.oldest_revision) from None

    return refuse


class EventStream:
    """One watch; iterate ``steps`` once. ``flow`` is what it charges to the memory of all watches.

    With an ``output``, the watch has the messages of its steps in bytes, and joins the group of those that ask for the
    same, whose messages go to the outlet without being yielded.
    """

    __slots__ = (
        "_agents",
        "_clock",
        "_feed",
        "_flow",
        "_group",
        "_groups",
        "_has_sent_last",
        "_hub",
        "_member",
        "_output",
        "_pages",
        "_position",
        "_request",
        "_settled",
        "_shards",
        "_silent_since",
        "_store",
        "_subscription",
        "_watched",
    )

    def __init__(
        self,
        request: WatchRequest,
        *,
        flow: WatchFlow,
        output: WatchOutput | None,
        groups: WatchGroups,
        pages: JournalPages,
        store: Store,
        hub: Hub,
        feed: Feed,
        agents: AgentCache,
        clock: Clock,
    ) -> None:
        self._flow = flow
        self._output = output
        self._groups = groups
        self._pages = pages
        self._request = request
        self._watched = request.selection.agents
        self._shards = shards_of(store, self._watched)
        self._store = store
        self._hub = hub
        self._feed = feed
        self._agents = agents
        self._clock = clock
        self._settled: Mapping[int, CommitPoint] = _NOTHING
        self._group: WatchGroup | None = None
        self._member: Member | None = None
        self._subscription: Subscription
        self._position: WatchPosition
        self._silent_since = 0.0
        self._has_sent_last = False

    async def steps(self) -> AsyncGenerator[Any, None]:
        """Yield the messages to the watcher, in order, as bytes if there is an output. Ends only with an error.

        A step is charged to the flow until the next one is asked for. While it is sent, nothing else is held for it.

        Raises InvalidResumeToken, ForeignResumeToken, RevisionCompacted, RevisionInFuture, Draining, and what the store
        raises.
        """
        # First follow, then subscribe, then read positions: a commit that is in none of the positions read later is
        # then certain to pass through the subscription.
        with contextlib.closing(self._flow):
            await self._feed.follow(self._shards)
            self._begin()
            try:
                await self._find_start()
                yield self._message(self._position.step(WatchPhase.OPENED))
                if self._request.include_initial_state:
                    async for step in self._initial_state():
                        yield self._message(step)
                while True:
                    self._attach()
                    with self._pages.reading():
                        while (steps := await self._caught_up()) is not None:
                            while steps:
                                yield self._message(steps.popleft())
                            self._flow.sent()
                    self._silent_since = asyncio.get_running_loop().time()
                    while not self._subscription.parked:
                        if self._is_in_step:
                            await self._join().stay()
                            self._leave()
                            continue
                        steps = await self._next_live()
                        while steps:
                            yield self._message(steps.popleft())
                        self._flow.sent()
                        self._subscription.rest()
            finally:
                self._end()

    def _begin(self) -> None:
        self._position = WatchPosition(self._request.selection, self._shards)
        self._subscription = self._hub.subscribe(self._watched)
        if self._output is not None:
            self._group = self._groups.enter(self._request, self._output, self._shards)
            # What is equal for all of the group is held once.
            self._watched, self._shards = self._group.agents, self._group.shards

    def _end(self) -> None:
        if self._group is not None:
            self._groups.exit(self._group)
        if self._member is None or self._leave():
            self._hub.unsubscribe(self._subscription, self._watched)
        self._feed.release(self._shards)

    def _attach(self) -> None:
        # Before reading the journal: a commit between the two would be missed. One that comes from both is emitted
        # once, since the cursor has passed it.
        if self._subscription.parked:
            self._subscription.attach()

    def _message(self, step: WatchStep) -> WatchStep | bytes:
        if self._output is None:
            return step
        message = self._output.encode(step, self._request.selection, self._output.view)
        self._flow.send(message)
        return message

    @property
    def _is_in_step(self) -> bool:
        if self._group is None or self._has_unreported:
            return False
        return self._group.admits(self._subscription, self._position, self._settled)

    def _join(self) -> Member:
        """Become a member of the group. Drop what it holds for all: most watches are idle members most of the time."""
        assert self._group is not None
        assert self._output is not None
        self._member = self._group.join(self._position, self._output.outlet, self._flow)
        self._hub.unsubscribe(self._subscription, self._watched)
        self._request, self._settled = self._group.request, _NOTHING
        del self._subscription, self._position
        return self._member

    def _leave(self) -> bool:
        """Go on where the group has sent this watch away. Return False if it has not: the watch has ended."""
        assert self._group is not None
        assert self._member is not None
        member, self._member = self._member, None
        self._group.remove(member)
        if member.subscription is None or member.place is None:
            return False
        self._subscription = member.subscription
        self._position = WatchPosition(self._request.selection, self._shards)
        self._position.restart(*member.place)
        self._silent_since = asyncio.get_running_loop().time()
        return True

    @property
    def _one_agent(self) -> str | None:
        return self._watched.one_agent

    @_refuses_compacted
    async def _find_start(self) -> None:
        request = self._request
        self._settled = ends = await self._feed.ends(self._shards)
        writer = None if self._one_agent is None else await self._agents.current(self._one_agent)
        # The hub may lag behind the store. Start at the latest of these ends: without a start of its own, which is set
        # below, a watch emits no event that was committed before it began.
        self._position.move_past(self._subscription.attach())
        self._position.cursor.move_past(ends)
        if writer is not None:
            self._position.revision = writer.state.revision
            self._position.cursor.move_past({self._store.shard_of(writer.state.agent_id): writer.point})
        if request.resume_token:
            await self._resume(decode_resume(self._store.store_id, request.resume_token))
        elif request.after_revision is not None:
            assert self._one_agent is not None
            if request.after_revision > self._position.revision:
                raise RevisionInFuture(self._position.revision)
            self._position.revision = request.after_revision
            position = await self._store.locate(self._one_agent, request.after_revision)
            shard = self._store.shard_of(self._one_agent)
            self._position.cursor.start((ShardPoint(shard, position + 1),))
            self._position.cursor.of(shard).note_emitted(self._one_agent, request.after_revision)

    async def _resume(self, point: ResumePoint) -> None:
        """Start at a token's point, which must have a position in every shard that this watch covers."""
        known = {each.shard: each for each in point.shards}
        if not known.keys() >= set(self._shards):
            raise InvalidResumeToken
        points = [known[shard] for shard in self._shards]
        if any(each.position > self._position.cursor.of(each.shard).position for each in points):
            # The token is ahead of the journal. A shared store has then gone back in time: a watch emits only what it
            # has. A store of this daemon's own may have lost commits that were not yet synced when it crashed.
            raise RevisionInFuture(self._position.revision) if self._store.sharing is None else HistoryLost
        await self._feed.check(points)
        self._position.cursor.start(points)
        if self._one_agent is not None:
            (only,) = points
            self._position.revision = await self._revision_before(only)

    async def _revision_before(self, point: ShardPoint) -> int:
        """Return the last revision of the one agent whose events all lie before a point."""
        page = await self._store.read_journal(point.position - 1, 1, self._watched.ids, point.shard)
        if not page.rows:
            return self._position.revision
        following = published(page.rows[0])
        if following.position > point.position or not following.events[point.offset :]:
            return following.base_revision
        return following.events[point.offset].revision - 1

    async def _initial_state(self) -> AsyncGenerator[WatchStep, None]:
        async for agent_id in self._initial_agents():
            state = (await self._agents.current(agent_id)).state
            # The state is newer than the start of the watch: its commits come again from the hub, and must be skipped.
            self._position.cursor.of(self._store.shard_of(agent_id)).note_emitted(agent_id, state.revision)
            if agent_id == self._one_agent:
                self._position.revision = state.revision
            keeps = self._request.selection.keeps
            events = tuple(event for event in _state_events(state, self._clock()) if keeps(agent_id, event))
            source = Published(0, agent_id, 0, state.revision, events, 0)
            for part in split(events):
                each = EventSlice(source, part, False, _NOWHERE, state.revision)
                await self._flow.room()
                yield WatchStep(WatchPhase.INITIAL_STATE, (each,), self._position.revision, None)
                self._flow.sent()
        self._settled = await self._feed.ends(self._shards)
        yield self._position.step(WatchPhase.INITIAL_STATE_COMPLETE)

    async def _initial_agents(self) -> AsyncGenerator[str, None]:
        for agent_id in sorted(self._watched.ids):
            yield agent_id
        wanted = AgentQuery(JOURNAL_READ_COMMITS_MAX, AgentPatterns(prefixes=self._watched.prefixes))
        async for each in all_agents(self._store, wanted):
            yield each.head.agent_id

    @_refuses_compacted
    async def _caught_up(self) -> deque[WatchStep] | None:
        """Read a page, and return its messages; None once all is read up to where the subscription begins.

        The page is read when there is room for a message of it, so that a watcher that waits for room holds nothing.
        """
        subscription = self._subscription
        for shard in self._shards:
            cursor, end = self._position.cursor.of(shard), subscription.attached[shard].position
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
            steps = self._position.steps_of(page.commits, None)
            self._position.cursor.move_past({shard: CommitPoint(page.end_position, 0)})
            return steps
        return None

    async def _next_live(self) -> deque[WatchStep]:
        """Return the next messages from the subscription.

        Return none if it has parked, if no event matches, or if the watch is in step with its group.

        Raises Draining after the last PROGRESS, and the failure of the subscription.
        """
        if self._has_sent_last:
            raise Draining
        interval_s = self._request.progress_interval_ns / SECOND_NS
        loop, subscription = asyncio.get_running_loop(), self._subscription
        commits = self._take(subscription)
        while not commits:
            if subscription.has_commits:
                if self._group is not None and subscription.next_number > self._end_of_take(subscription):
                    await self._group.next_message()
                    return deque()
                # They stay in the queue, unless the hub parks it meanwhile.
                await self._flow.room()
                commits = subscription.take(PAGE_BYTES_MAX, before=self._end_of_take(subscription))
                continue
            if subscription.failure is not None:
                raise subscription.failure
            if subscription.parked:
                # PROGRESS would pass what was dropped.
                return deque()
            silent_s = loop.time() - self._silent_since
            if silent_s >= interval_s or self._hub.closed or self._has_unreported:
                self._silent_since = loop.time()
                self._has_sent_last = self._hub.closed
                return deque((self._position.progress(self._hub.points),))
            await subscription.wait(interval_s - silent_s)
            if subscription.parked or self._is_in_step:
                return deque()
            commits = self._take(subscription)
        return self._steps_of(commits)

    def _steps_of(self, commits: list[Published]) -> deque[WatchStep]:
        """Return the messages of commits that were taken from the subscription, and since when nothing was awaited.

        If the subscription is empty, the hub has thus published nothing that is not in these commits.
        """
        points = self._hub.points if self._subscription.is_empty else None
        steps = self._position.steps_of(commits, points)
        if points is not None and self._has_unreported:
            steps.append(self._position.progress(points))
        if steps:
            self._silent_since = asyncio.get_running_loop().time()
        return steps

    @property
    def _has_unreported(self) -> bool:
        return self._request.progress_on_commit and self._position.lags

    def _end_of_take(self, subscription: Subscription) -> int:
        """Return the number of the first commit not to take: one that the group has not taken is left to the group.

        A watch that has passed the group waits for it. A watch that cannot join at this commit takes it itself.
        """
        end = None if self._group is None else self._group.next_number
        if end is None or end == subscription.next_number or not self._position.is_plain(self._settled):
            return sys.maxsize
        return end

    def _take(self, subscription: Subscription) -> list[Published]:
        """Take what a message may contain; if there is no room, only what is small."""
        before = self._end_of_take(subscription)
        if self._flow.has_room:
            return subscription.take(PAGE_BYTES_MAX, before=before)
        return subscription.take(WATCH_MESSAGE_BYTES_SMALL, even_larger=False, before=before)


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
