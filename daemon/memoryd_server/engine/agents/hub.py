"""Fans committed events out to watchers; never blocks on one."""

import asyncio
import heapq
import itertools
import sys
from collections import deque
from collections.abc import Callable, Collection

from memoryd_server.domain.error import Refusal
from memoryd_server.domain.values.agent_pattern import AgentPatterns
from memoryd_server.engine.agents.journal import Published
from memoryd_server.engine.agents.watch_memory import WatchMemory
from memoryd_server.engine.limit import (
    WATCH_QUEUE_BYTES_MAX,
    WATCH_QUEUE_COMMITS_MAX,
    WATCH_REST_PER_WATCHER_S,
    WATCH_REST_S_MAX,
    WATCH_REST_S_MIN,
    WATCH_REST_S_ROUNDING,
    WATCHERS_WOKEN_PER_TURN,
)
from memoryd_server.ports.store import NEVER, CommitPoint


class Subscription:
    """One watcher's bounded queue of commits.

    When it is full, it parks: the queue is emptied and takes no more commits until the watcher attaches it again. The
    watcher reads what it missed from the journal. A slow watcher thus costs no memory, and never delays a commit.
    """

    def __init__(self, hub: "Hub") -> None:
        self._hub = hub
        self._queue: deque[Published] = deque()
        self._size_bytes = 0
        self._waiter: asyncio.Future[None] | None = None
        self._is_due = False
        self._hearers = 0
        self._wait_end = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._timer_time = 0.0
        self.parked = True
        self.attached: tuple[CommitPoint, ...] = ()
        self.failure: Exception | None = None
        self.rest_end = 0.0

    def attach(self) -> tuple[CommitPoint, ...]:
        """Start queueing. Return the point of each shard after which its commits are queued, also kept in ``attached``.

        Attach before reading the journal up to these points: a commit between the two would be missed otherwise.
        """
        self._clear()
        self.parked = False
        self.attached = tuple(self._hub.points)
        return self.attached

    def offer(self, commit: Published, hearers: int) -> None:
        """Queue a commit, or park if the queue is full. ``hearers`` is the number of watchers of this commit."""
        self._hearers = hearers
        if self.parked or self.failure is not None:
            return
        if len(self._queue) >= WATCH_QUEUE_COMMITS_MAX or self._size_bytes >= WATCH_QUEUE_BYTES_MAX:
            # Drop the whole queue, not only this commit: the journal has all of it, and the watcher must go there
            # for this commit anyway. A queue with a gap would break the order of events.
            self._park()
        else:
            self._queue.append(commit)
            self._size_bytes += commit.size_bytes
            self._hub.memory.queue(commit)
        if self._waiter is not None and not self._is_due:
            self._is_due = True
            self._hub.wake_in_turn(self)

    @property
    def size_bytes(self) -> int:
        """The size of the queued commits."""
        return self._size_bytes

    def park(self) -> None:
        """Drop the queue, to make room for others. The watcher reads from the journal what it held."""
        self._park()
        if self._waiter is not None and not self._is_due:
            self._is_due = True
            self._hub.wake_in_turn(self)

    def _park(self) -> None:
        self._clear()
        self.parked = True

    def _clear(self) -> None:
        for commit in self._queue:
            self._hub.memory.unqueue(commit)
        self._queue.clear()
        self._size_bytes = 0

    def fail(self, failure: Refusal) -> None:
        """End the watch with an error. The watcher raises it once the queue is empty."""
        self.failure = failure
        self.wake()

    def close(self) -> None:
        """Drop the queue and the timer: the watch has ended."""
        self._clear()
        self._release_timer()

    def _release_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def wake(self) -> None:
        """Resume a watcher that is in ``wait``; it checks again for what there is to do."""
        self._is_due = False
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def take(self, bytes_max: int, *, even_larger: bool = True, before: int = sys.maxsize) -> list[Published]:
        """Remove and return the next commits: at most ``bytes_max`` bytes, and with smaller numbers than ``before``.

        If ``even_larger`` is true, at least one commit if there is one, whatever its size.
        """
        taken: list[Published] = []
        size_bytes = 0
        while self._queue and ((even_larger and not taken) or size_bytes + self._queue[0].size_bytes <= bytes_max):
            if self._queue[0].number >= before:
                break
            commit = self._queue.popleft()
            size_bytes += commit.size_bytes
            taken.append(commit)
            self._hub.memory.unqueue(commit)
        self._size_bytes -= size_bytes
        return taken

    @property
    def is_empty(self) -> bool:
        """True if all queued commits were taken, and none was dropped."""
        return not self._queue and not self.parked

    @property
    def has_commits(self) -> bool:
        """True if commits are queued."""
        return bool(self._queue)

    @property
    def queued(self) -> Collection[Published]:
        """The queued commits, oldest first."""
        return self._queue

    @property
    def next_number(self) -> int:
        """The number of the next commit to take: of two subscriptions to the same agents, the one that is further."""
        return self._queue[0].number if self._queue else self._hub.published_count + 1

    def rest(self, others_s: float = 0.0) -> None:
        """Begin a pause after a message if its commits have many watchers: more commits share the next message.

        ``others_s`` is added to the pause that the subscriptions in the hub are worth.
        """
        rest_s = self._hearers * WATCH_REST_PER_WATCHER_S + others_s
        now = asyncio.get_running_loop().time()
        self.rest_end = 0.0 if rest_s < WATCH_REST_S_MIN else now + min(rest_s, WATCH_REST_S_MAX)

    async def wait(self, timeout_s: float) -> None:
        """Wait at most ``timeout_s`` seconds for commits, parking, a failure or the end of the hub.

        Commits end the wait only after the pause that ``rest`` began.
        """
        loop = asyncio.get_running_loop()
        if self.parked or self._hub.closed or self.failure or (self._queue and self.rest_end <= loop.time()):
            return
        self._waiter = loop.create_future()
        self._wait_end = loop.time() + timeout_s
        if self._timer is None or self._timer_time > self._wait_end:
            self._release_timer()
            self._set_timer(loop)
        if self._queue:
            self._is_due = True
            self._hub.wake_in_turn(self)
        try:
            await self._waiter
        finally:
            self._waiter = None
            self._is_due = False

    def _set_timer(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer_time = self._wait_end
        self._timer = loop.call_at(self._timer_time, self._look_at_time)

    def _look_at_time(self) -> None:
        """Wake the watcher if its wait is over, or set the timer again.

        One timer serves many waits: most end before it, and a new timer for each would cost more than this check.
        """
        self._timer = None
        if self._waiter is None:
            return
        loop = asyncio.get_running_loop()
        if self._wait_end <= loop.time():
            self.wake()
        else:
            self._set_timer(loop)


class Hub:
    """The watchers of each agent. ``points`` has the last published row of each shard's journal.

    Commits are numbered as they are published, through all shards.
    """

    def __init__(self, memory: WatchMemory | None = None) -> None:
        self.memory = memory or WatchMemory()
        self.points = [NEVER]
        self.published_count = 0
        self.closed = False
        self._by_agent: dict[str, dict[Subscription, None]] = {}
        # By the length of the prefix, then by the prefix: a commit is looked up once for each length in use.
        self._by_prefix: dict[int, dict[str, dict[Subscription, None]]] = {}
        self._due: deque[Subscription] = deque()
        self._resting: list[tuple[float, int, Subscription]] = []
        self._rest_count = itertools.count()
        self._rest_timer: asyncio.TimerHandle | None = None

    def subscribe(self, agents: AgentPatterns) -> Subscription:
        """Return a parked subscription to the commits of these agents, which may not exist yet."""
        subscription = Subscription(self)
        # No agent matches two of the patterns, so that a commit is never queued twice.
        for agent_id in agents.ids:
            self._by_agent.setdefault(agent_id, {})[subscription] = None
        for prefix in agents.prefixes:
            self._by_prefix.setdefault(len(prefix), {}).setdefault(prefix, {})[subscription] = None
        return subscription

    def unsubscribe(self, subscription: Subscription, agents: AgentPatterns) -> None:
        """Remove a subscription. ``agents`` must be those that ``subscribe`` was called with."""
        subscription.close()
        for agent_id in agents.ids:
            _leave(self._by_agent, agent_id, subscription)
        for prefix in agents.prefixes:
            _leave(self._by_prefix[len(prefix)], prefix, subscription)
            if not self._by_prefix[len(prefix)]:
                del self._by_prefix[len(prefix)]

    def publish(self, commit: Published) -> None:
        """Queue a commit for its watchers. The commits of a shard must come in the order of their positions."""
        # Even without a watcher: a subscription that attaches later starts after this commit.
        self.points[commit.shard] = CommitPoint(commit.position, commit.nonce)
        if commit.revision == commit.base_revision:
            return  # No event reports what it changed.
        self.published_count = commit.number = self.published_count + 1
        if not self._by_agent and not self._by_prefix:
            return
        groups = self._groups_of(commit.agent_id)
        hearers = sum(map(len, groups))
        for group in groups:
            for subscription in group:
                subscription.offer(commit, hearers)
        if self.memory.queued_bytes > self.memory.queued_bytes_max:
            self._park_largest()

    def _park_largest(self) -> None:
        """Park the watchers with the largest queues until a quarter of the room for queues is free."""
        for subscription in sorted(self._every(), key=lambda each: each.size_bytes, reverse=True):
            if self.memory.queued_bytes <= self.memory.queued_bytes_max * 3 // 4:
                return
            subscription.park()

    def parked_and_lag(self) -> tuple[int, int]:
        """Return how many subscriptions are parked, and the number of commits in the longest queue."""
        every = self._every()
        return sum(each.parked for each in every), max((len(each.queued) for each in every), default=0)

    def is_heard(self, agent_id: str) -> bool:
        """Return True if a watcher is subscribed to this agent's commits."""
        return bool(self._groups_of(agent_id))

    def fail(self, is_concerned: Callable[[str], bool], failure: Refusal) -> None:
        """End the watches of the agents for which ``is_concerned`` is true, and all watches by a prefix."""
        concerned = [group for agent_id, group in self._by_agent.items() if is_concerned(agent_id)]
        for group in (*concerned, *self._groups_of_prefixes()):
            for subscription in group:
                subscription.fail(failure)

    def close(self) -> None:
        """End all watches. Each is woken, emits a last PROGRESS, and ends because the hub is closed."""
        self.closed = True
        self.memory.release_all()
        for group in (*self._groups_of_prefixes(), *self._by_agent.values()):
            for subscription in group:
                subscription.wake()

    def wake_in_turn(self, subscription: Subscription) -> None:
        """Wake a watcher once its rest is over and the watchers due before it were woken.

        Only a few are woken in each turn of the event loop. Calls are served between them, and the events that those
        calls commit join the messages of the watchers that are still due.
        """
        loop = asyncio.get_running_loop()
        if subscription.rest_end > loop.time() + WATCH_REST_S_ROUNDING:
            heapq.heappush(self._resting, (subscription.rest_end, next(self._rest_count), subscription))
            if self._resting[0][2] is subscription:
                self._set_rest_timer(loop)
            return
        if not self._due:
            loop.call_soon(self._wake_some)
        self._due.append(subscription)

    def _set_rest_timer(self, loop: asyncio.AbstractEventLoop) -> None:
        """Look at the next end of a rest. One timer serves all watchers."""
        if self._rest_timer is not None:
            self._rest_timer.cancel()
        self._rest_timer = loop.call_at(self._resting[0][0], self._end_rests)

    def _end_rests(self) -> None:
        """Wake the watchers whose rest is over."""
        self._rest_timer = None
        loop = asyncio.get_running_loop()
        while self._resting and self._resting[0][0] <= loop.time() + WATCH_REST_S_ROUNDING:
            self.wake_in_turn(heapq.heappop(self._resting)[2])
        if self._resting:
            self._set_rest_timer(loop)

    def _wake_some(self) -> None:
        for _ in range(min(len(self._due), WATCHERS_WOKEN_PER_TURN)):
            self._due.popleft().wake()
        if self._due:
            asyncio.get_running_loop().call_soon(self._wake_some)

    def _groups_of(self, agent_id: str) -> list[dict[Subscription, None]]:
        """Return the groups of watchers of an agent. Lengths of prefixes bound the look-ups, however many they are."""
        groups = [self._by_agent[agent_id]] if agent_id in self._by_agent else []
        for length, by_prefix in self._by_prefix.items():
            # An id that is shorter is no prefix of this length.
            group = by_prefix.get(agent_id[:length])
            if group is not None:
                groups.append(group)
        return groups

    def _every(self) -> Collection[Subscription]:
        groups = (*self._by_agent.values(), *self._groups_of_prefixes())
        return dict.fromkeys(each for group in groups for each in group)

    def _groups_of_prefixes(self) -> list[dict[Subscription, None]]:
        return [group for by_prefix in self._by_prefix.values() for group in by_prefix.values()]


def _leave(groups: dict[str, dict[Subscription, None]], name: str, subscription: Subscription) -> None:
    """Take a subscription out of a group, and drop the group with its last one."""
    del groups[name][subscription]
    if not groups[name]:
        del groups[name]
