"""Groups of watches that ask for the same and are in step: they share one position, one message, one encoding.

A watch that is in step with its group joins it, and keeps nothing but its place there. At the first message that it
cannot take at once it leaves, with the commits of that message in a queue of its own, and joins again once it is in
step. Nobody in a group thus waits for a client that does not read.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Collection, Hashable, Iterable, Mapping
from typing import Any, NamedTuple

from memoryd_server.domain.agent.event import EventSelection
from memoryd_server.domain.limit import PAGE_BYTES_MAX, SECOND_NS
from memoryd_server.engine.agents.hub import Hub, Subscription
from memoryd_server.engine.agents.journal import Published
from memoryd_server.engine.agents.token import ResumePoint
from memoryd_server.engine.agents.watch_memory import WatchFlow
from memoryd_server.engine.limit import (
    BROADCAST_BYTES_MAX,
    BROADCAST_CALLS_PER_TURN,
    WATCH_MESSAGE_BYTES_SMALL,
    WATCH_PATIENCE_S,
    WATCH_REST_PER_CALL_S,
    WATCH_REST_PER_WATCHER_S,
    WATCH_REST_S_MIN,
    WATCHERS_WOKEN_PER_TURN,
)
from memoryd_server.engine.watching.outlet import Crowd, Outlet, WatchOutput
from memoryd_server.engine.watching.watch_position import WatchPosition
from memoryd_server.engine.watching.watch_step import WatchRequest, WatchStep
from memoryd_server.ports.store import CommitPoint

log = logging.getLogger("memoryd.watches")


class Place(NamedTuple):
    """The place after a message: the point to resume at, and the revision of the one agent."""

    point: ResumePoint
    revision: int


class GroupKey(NamedTuple):
    """All that makes the messages of watches equal, and lets them be sent together. The request has no start."""

    request: WatchRequest
    view: Hashable
    crowd: Crowd | None


class Member:
    """A watch in a group. Its coroutine waits in ``stay``.

    After that it goes on from ``place``, with ``subscription``, which has all commits after it unless it is parked.
    """

    __slots__ = ("_group", "_message", "_waiter", "flow", "outlet", "place", "subscription")

    def __init__(self, group: "WatchGroup", outlet: Outlet, flow: WatchFlow) -> None:
        self.outlet = outlet
        self.flow = flow
        self.place: Place | None = None
        self.subscription: Subscription | None = None
        self._group = group
        self._message: bytes | None = None
        self._waiter: asyncio.Future[None] | None = None

    @property
    def is_sending(self) -> bool:
        """True if it has not sent what it was handed."""
        return self._message is not None

    async def stay(self) -> None:
        """Send what is handed to this member, until it has left the group. Raises what the transport raises."""
        while True:
            if self._message is not None:
                await self.outlet.send(self._message)
                self.flow.sent()
                self._message = None
                self._group.note_sent(self)
            elif self.subscription is not None:
                return
            else:
                self._waiter = asyncio.get_running_loop().create_future()
                await self._waiter

    def hand(self, message: bytes) -> None:
        """Let the member's coroutine send a message."""
        self.flow.send(message)
        self._message = message
        self._wake()

    def leave(self, place: Place, subscription: Subscription) -> None:
        """End ``stay``, after the message that was handed last."""
        self.place, self.subscription = place, subscription
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class WatchGroup:
    """The watches of one key. ``watches`` of them exist; those in step are its members, and all others are alone.

    It follows the hub while it has members, in a task of its own. A watch that is the only one stays alone.
    """

    def __init__(
        self,
        key: GroupKey,
        encode: Callable[[WatchStep, EventSelection, Any], bytes],
        hub: Hub,
        shards: Collection[int],
    ) -> None:
        self.key = key
        self.watches = 0
        self.request = key.request
        self.agents = key.request.selection.agents
        self.shards = shards
        self._crowd = key.crowd
        self._encode = encode
        self._hub = hub
        self._members: dict[Member, None] = {}
        self._sending: set[Member] = set()
        self._all_sent: asyncio.Future[None] | None = None
        self._waiting: list[asyncio.Future[None]] = []
        self._task: asyncio.Task[None] | None = None
        self._subscription: Subscription | None = None
        self._position: WatchPosition
        self._place: Place
        self._silence_end = 0.0

    def admits(self, subscription: Subscription, position: WatchPosition, settled: Mapping[int, CommitPoint]) -> bool:
        """Return True if the group's next message is the next one of a watch at this position, too.

        The watch must have emitted all that it took. ``settled`` is as in ``WatchPosition.is_plain``.
        """
        ours = self._subscription
        if self.watches < 2 or _is_ending(subscription, self._hub):
            return False
        if ours is None:
            if subscription.has_commits:
                return False
        elif _is_ending(ours, self._hub) or ours.next_number != subscription.next_number:
            return False
        return position.is_plain(settled) and position.precedes(subscription.queued, self._hub.points)

    def join(self, position: WatchPosition, outlet: Outlet, flow: WatchFlow) -> Member:
        """Add a watch that the group admits. Its subscription is no longer needed."""
        if self._task is None:
            self._begin(position)
        member = Member(self, outlet, flow)
        self._members[member] = None
        return member

    def remove(self, member: Member) -> None:
        """Remove a member whose watch has ended, unless it has left."""
        self._members.pop(member, None)
        self._forget_sending(member)
        if not self._members and self._subscription is not None:
            self._subscription.wake()

    def note_sent(self, member: Member) -> None:
        """Note that a member has sent what it was handed."""
        self._forget_sending(member)

    @property
    def next_number(self) -> int | None:
        """The number of the next commit that members will receive; None while the group has no members."""
        return None if self._subscription is None else self._subscription.next_number

    async def next_message(self) -> None:
        """Wait until the group has taken the commits of its next message, or has ended."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        await waiter

    def _begin(self, position: WatchPosition) -> None:
        self._place = Place(position.cursor.point, position.passed_revision)
        self._position = WatchPosition(self.request.selection, self.shards)
        self._position.restart(*self._place)
        self._subscription = self._hub.subscribe(self.agents)
        self._subscription.attach()
        self._task = asyncio.create_task(self._run(self._subscription), name="group of watches")

    async def _run(self, subscription: Subscription) -> None:
        loop = asyncio.get_running_loop()
        interval_s = self.request.progress_interval_ns / SECOND_NS
        self._silence_end = loop.time() + interval_s
        try:
            while self._members:
                await subscription.wait(self._silence_end - loop.time())
                if _is_ending(subscription, self._hub):
                    # Each member goes on with what is queued, and ends by itself or catches up.
                    break
                if subscription.has_commits:
                    await self._wait_for_senders()
                    has_sent = await self._send_commits(subscription)
                else:
                    has_sent = loop.time() >= self._silence_end
                    if has_sent:
                        await self._send_progress()
                if has_sent:
                    self._silence_end = loop.time() + interval_s
        except Exception as defect:
            log.exception("group of watches failed")
            # Some members may have a message that others have not: only their clients know where to resume.
            subscription.failure = defect
        finally:
            self._end(subscription)

    def _end(self, subscription: Subscription) -> None:
        for member in list(self._members):
            self._send_away(member, self._place, subscription.queued)
        self._hub.unsubscribe(subscription, self.agents)
        self._subscription = self._task = None
        self._wake_waiting()

    async def _send_commits(self, subscription: Subscription) -> bool:
        """Send the queued commits to all members. Return False if there was nothing to send of them."""
        # Who joins from here on is in step with all that is taken: no message of it is for them.
        due = list(self._members)
        taken = subscription.take(PAGE_BYTES_MAX)
        self._wake_waiting()
        points = self._hub.points if subscription.is_empty else None
        steps = self._position.steps_of(taken, points)
        if self.request.progress_on_commit and points is not None and self._position.lags:
            steps.append(self._position.progress(points))
        for step in steps:
            before = self._place
            async for member in self._send(step, due):
                self._send_away(member, before, (*taken, *subscription.queued))
        subscription.rest(self._rest_s)
        return bool(steps)

    async def _send_progress(self) -> None:
        """Send PROGRESS to the members that have room. The others have something to read, and do not need it."""
        async for _ in self._send(self._position.progress(self._hub.points), list(self._members)):
            pass

    async def _send(self, step: WatchStep, due: list[Member]) -> AsyncGenerator[Member, None]:
        """Send a message to those of ``due`` that are still members. Yield those of them that have no room."""
        assert step.point is not None
        message = self._encode(step, self.request.selection, self.key.view)
        self._place = Place(step.point, step.revision)
        end = 0
        while end < len(due):
            if end:
                # Calls are served between two turns.
                await asyncio.sleep(0)
            is_broadcast = self._crowd is not None and self._can_broadcast(len(message))
            begin, end = end, end + (_calls_per_turn(len(message)) if is_broadcast else WATCHERS_WOKEN_PER_TURN)
            members = [each for each in due[begin:end] if each in self._members]
            for member in self._broadcast(members, message) if is_broadcast else self._hand_out(members, message):
                yield member

    def _can_broadcast(self, size_bytes: int) -> bool:
        if size_bytes <= WATCH_MESSAGE_BYTES_SMALL:
            return True
        return size_bytes <= BROADCAST_BYTES_MAX and self._hub.memory.admits_broadcast(size_bytes)

    def _broadcast(self, members: list[Member], message: bytes) -> list[Member]:
        assert self._crowd is not None
        idle = [each for each in members if not each.is_sending]
        refused = [idle[index] for index in self._crowd.broadcast([each.outlet.call for each in idle], message)]
        self._hub.memory.messages.add(len(idle) - len(refused))
        return refused if len(idle) == len(members) else refused + [each for each in members if each.is_sending]

    def _hand_out(self, members: list[Member], message: bytes) -> list[Member]:
        """Let the members' coroutines send a message. Return those without room: who sends, or is over the budget."""
        refused = []
        for member in members:
            if member.is_sending or (len(message) > WATCH_MESSAGE_BYTES_SMALL and not member.flow.has_room):
                refused.append(member)
            else:
                self._sending.add(member)
                member.hand(message)
        return refused

    @property
    def _rest_s(self) -> float:
        """The pause until the next message: about as long as all members take to send one."""
        if self._crowd is None:
            return len(self._members) * WATCH_REST_PER_WATCHER_S
        return max(WATCH_REST_S_MIN, len(self._members) * WATCH_REST_PER_CALL_S)

    async def _wait_for_senders(self) -> None:
        """Wait for the members that send, but not long: who is slower than all others leaves, and delays nobody."""
        if self._sending:
            loop = asyncio.get_running_loop()
            self._all_sent = loop.create_future()
            timer = loop.call_later(WATCH_PATIENCE_S, _resolve, self._all_sent)
            await self._all_sent
            timer.cancel()
            self._all_sent = None

    def _forget_sending(self, member: Member) -> None:
        self._sending.discard(member)
        if self._all_sent is not None and not self._sending:
            _resolve(self._all_sent)

    def _send_away(self, member: Member, place: Place, commits: Iterable[Published]) -> None:
        """Let a member go on alone after a place, with these commits first, which are all after it."""
        ours = self._subscription
        assert ours is not None
        del self._members[member]
        self._forget_sending(member)
        subscription = self._hub.subscribe(self.agents)
        if not ours.parked:
            subscription.attach()
            for commit in commits:
                subscription.offer(commit, 1)
        subscription.failure = ours.failure
        member.leave(place, subscription)

    def _wake_waiting(self) -> None:
        for waiter in self._waiting:
            _resolve(waiter)
        self._waiting.clear()


class WatchGroups:
    """The groups of all watches of a daemon, by what makes their messages equal."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._groups: dict[GroupKey, WatchGroup] = {}

    def enter(self, request: WatchRequest, output: WatchOutput, shards: Collection[int]) -> WatchGroup:
        """Return the group of a new watch, which is to ``exit`` it at its end."""
        of_all = WatchRequest(request.selection, request.progress_interval_ns, request.progress_on_commit)
        key = GroupKey(of_all, output.view, output.outlet.crowd)
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = WatchGroup(key, output.encode, self._hub, shards)
            if key.crowd is not None:
                self._hub.memory.count_broadcast(key.crowd.unsent_bytes)
        group.watches += 1
        return group

    def exit(self, group: WatchGroup) -> None:
        """Note the end of a watch."""
        group.watches -= 1
        if not group.watches:
            del self._groups[group.key]


def _calls_per_turn(size_bytes: int) -> int:
    return BROADCAST_CALLS_PER_TURN * WATCH_MESSAGE_BYTES_SMALL // max(size_bytes, WATCH_MESSAGE_BYTES_SMALL)


def _is_ending(subscription: Subscription, hub: Hub) -> bool:
    return hub.closed or subscription.parked or subscription.failure is not None


def _resolve(waiter: "asyncio.Future[None]") -> None:
    if not waiter.done():
        waiter.set_result(None)
