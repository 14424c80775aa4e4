"""Hands what was committed to those who watch, without ever waiting for them."""

import asyncio
from collections import deque
from collections.abc import Callable, Collection

from memoryd_server.domain.error import Refusal
from memoryd_server.domain.limit import WATCH_QUEUE_BYTES_MAX, WATCH_QUEUE_COMMITS_MAX, WATCHERS_WOKEN_PER_TURN
from memoryd_server.engine.agents.journal import Published
from memoryd_server.ports.store import NEVER, CommitPoint

REST_PER_WATCHER_S = 0.0002
"""What a message costs, so that all who hear of a commit have had it when the first of them gets its next one."""
REST_S_MIN = 0.002
REST_S_MAX = 0.5


class Subscription:
    """One watcher's queue. Past its bounds it is parked: emptied, until the watcher attaches it again."""

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
        self.failure: Refusal | None = None
        self.rest_end = 0.0

    def attach(self) -> tuple[CommitPoint, ...]:
        """Begin to queue; answers the point of each shard after which its commits are queued.

        They are ``attached`` from now on.
        """
        self._queue.clear()
        self._size_bytes = 0
        self.parked = False
        self.attached = tuple(self._hub.points)
        return self.attached

    def offer(self, commit: Published, hearers: int) -> None:
        """Queue a commit that so many watchers hear of, or park."""
        self._hearers = hearers
        if self.parked or self.failure is not None:
            return
        if len(self._queue) >= WATCH_QUEUE_COMMITS_MAX or self._size_bytes >= WATCH_QUEUE_BYTES_MAX:
            self._queue.clear()
            self.parked = True
        else:
            self._queue.append(commit)
            self._size_bytes += commit.size_bytes
        if self._waiter is not None and not self._is_due:
            self._is_due = True
            self._hub.wake_in_turn(self)

    def fail(self, failure: Refusal) -> None:
        """End the watch with this."""
        self.failure = failure
        self.wake()

    def release(self) -> None:
        """Let go of what would wake it."""
        if self._timer is not None:
            self._timer.cancel()

    def wake(self) -> None:
        """Let the watcher look again."""
        self._is_due = False
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def take(self, bytes_max: int) -> list[Published]:
        """The next commits of the queue: as many as ``bytes_max`` holds, and at least one when there is one."""
        taken: list[Published] = []
        size_bytes = 0
        while self._queue and (not taken or size_bytes + self._queue[0].size_bytes <= bytes_max):
            commit = self._queue.popleft()
            size_bytes += commit.size_bytes
            taken.append(commit)
        self._size_bytes -= size_bytes
        return taken

    @property
    def is_empty(self) -> bool:
        """Whether all that was queued was taken, and nothing was dropped."""
        return not self._queue and not self.parked

    def rest(self) -> None:
        """After a message, let commits gather for the next one when many others hear of the same."""
        rest_s = self._hearers * REST_PER_WATCHER_S
        self.rest_end = 0.0 if rest_s < REST_S_MIN else asyncio.get_running_loop().time() + min(rest_s, REST_S_MAX)

    async def wait(self, timeout_s: float) -> None:
        """Wait until there is something to do, at most so long: commits, once the rest is over, or being parked."""
        loop = asyncio.get_running_loop()
        if self.parked or self._hub.closed or self.failure or (self._queue and self.rest_end <= loop.time()):
            return
        self._waiter = loop.create_future()
        self._wait_end = loop.time() + timeout_s
        if self._timer is None or self._timer_time > self._wait_end:
            self.release()
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
        """One timer serves many waits, most of which end before it: to set one anew costs more than to look."""
        self._timer = None
        if self._waiter is None:
            return
        loop = asyncio.get_running_loop()
        if self._wait_end <= loop.time():
            self.wake()
        else:
            self._set_timer(loop)


class Hub:
    """Knows who watches which agents. ``points`` is how far the journal of each shard was published."""

    def __init__(self) -> None:
        self.points = [NEVER]
        self.closed = False
        self._all: dict[Subscription, None] = {}
        self._by_agent: dict[str, dict[Subscription, None]] = {}
        self._due: deque[Subscription] = deque()
        self._resting: deque[Subscription] = deque()

    def subscribe(self, agent_ids: Collection[str] | None) -> Subscription:
        """A parked subscription to these agents' commits, or to all."""
        subscription = Subscription(self)
        for group in self._groups(agent_ids):
            group[subscription] = None
        return subscription

    def unsubscribe(self, subscription: Subscription, agent_ids: Collection[str] | None) -> None:
        """Forget a subscription that ``subscribe`` answered for the same agents."""
        subscription.release()
        for group in self._groups(agent_ids):
            group.pop(subscription, None)
        for agent_id in agent_ids or ():
            if not self._by_agent[agent_id]:
                del self._by_agent[agent_id]

    def publish(self, commit: Published) -> None:
        """Hand a commit out. The commits of a shard come in the order of their positions."""
        self.points[commit.shard] = CommitPoint(commit.position, commit.nonce)
        group = self._by_agent.get(commit.agent_id, {})
        hearers = len(group) + len(self._all)
        for subscription in group:
            subscription.offer(commit, hearers)
        for subscription in self._all:
            subscription.offer(commit, hearers)

    def is_heard(self, agent_id: str) -> bool:
        """Whether somebody would be told of this agent's commits."""
        return bool(self._all) or agent_id in self._by_agent

    def fail(self, is_concerned: Callable[[str], bool], failure: Refusal) -> None:
        """End the watches that are about agents that are concerned, or about all."""
        for agent_id, group in self._by_agent.items():
            if is_concerned(agent_id):
                for subscription in group:
                    subscription.fail(failure)
        for subscription in self._all:
            subscription.fail(failure)

    def close(self) -> None:
        """End all watches: each is woken, and finds the hub closed."""
        self.closed = True
        for group in (self._all, *self._by_agent.values()):
            for subscription in group:
                subscription.wake()

    def wake_in_turn(self, subscription: Subscription) -> None:
        """Wake a watcher when its rest is over and those before it were woken.

        Few are woken in each turn of the event loop, so that calls are served between them, and what they commit
        meanwhile goes out in the same message.
        """
        loop = asyncio.get_running_loop()
        if subscription.rest_end > loop.time():
            if not self._resting:
                loop.call_at(subscription.rest_end, self._end_rests)
            self._resting.append(subscription)
            return
        if not self._due:
            loop.call_soon(self._wake_some)
        self._due.append(subscription)

    def _end_rests(self) -> None:
        """Rests end about in the order in which they began, so one timer for the first of them is enough."""
        loop = asyncio.get_running_loop()
        rested, self._resting = self._resting, deque()
        while rested and rested[0].rest_end <= loop.time():
            self.wake_in_turn(rested.popleft())
        if rested:
            loop.call_at(rested[0].rest_end, self._end_rests)
            self._resting = rested

    def _wake_some(self) -> None:
        for _ in range(min(len(self._due), WATCHERS_WOKEN_PER_TURN)):
            self._due.popleft().wake()
        if self._due:
            asyncio.get_running_loop().call_soon(self._wake_some)

    def _groups(self, agent_ids: Collection[str] | None) -> list[dict[Subscription, None]]:
        if agent_ids is None:
            return [self._all]
        return [self._by_agent.setdefault(agent_id, {}) for agent_id in agent_ids]
