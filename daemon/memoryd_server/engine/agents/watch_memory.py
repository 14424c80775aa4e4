"""The memory of all watches of a daemon: one budget of bytes, whatever the number of watchers and however they read.

A half of it is for messages that a transport has taken and not sent yet; a quarter of that half, for those that many
calls share. Nothing can take these back, so a watcher waits before it takes commits for its next message; what it waits
for stays in the journal. A quarter more is for those that read while others have stopped. An eighth is for the commits
in the queues of watchers, each counted once; the last eighth is for what watchers share: pages of the journal, and
encodings.
"""

import asyncio
import heapq
import itertools
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

from memoryd_server.domain.limit import Limits
from memoryd_server.engine.agents.journal import Published
from memoryd_server.engine.limit import (
    WATCH_MESSAGE_BYTES_USUAL,
    WATCH_PROVEN_BYTES,
    WATCH_STALL_S,
)
from memoryd_server.ports.instrument import Counter, Gauge

Waiting = tuple[int, int, "WatchFlow", "asyncio.Future[None]"]


class _Group:
    """The watchers of one connection. ``spare`` is the number of messages that are allowed without room."""

    def __init__(self) -> None:
        self.flows = 0
        self.unsent_bytes = 0
        self.waiting: list[Waiting] = []
        self.spare = 0
        self.last_sent = 0.0


class WatchMemory:
    """The budget, and who waits for a part of it.

    A client that has stopped reading keeps its message, and may keep others from theirs. The watchers of one connection
    therefore get a quarter of the room. Whenever they sent nothing for WATCH_STALL_S, one more message is allowed: the
    watcher that has read most without a stall gets it, and the next one as soon as that one has read it. Beyond twice
    the quarter, only those get it who have proven to read.
    """

    def __init__(
        self, bytes_max: int = Limits().watch_bytes, gauge: Gauge | None = None, messages: Counter | None = None
    ) -> None:
        self.queued_bytes = 0
        self.unsent_bytes = 0
        self.kept_bytes = 0
        self.queued_bytes_max = bytes_max // 8
        self.kept_bytes_max = bytes_max // 16
        self.unsent_bytes_max = bytes_max // 2
        self.connection_bytes_max = self.unsent_bytes_max // 4
        self.beyond_bytes_max = bytes_max * 3 // 4
        self.broadcast_bytes_max = bytes_max // 8
        self._kept: deque[tuple[weakref.ref[Published], Any, int]] = deque()
        self._groups: dict[str, _Group] = {}
        self._broadcasts: dict[Callable[[], int], None] = {}
        self._numbers = itertools.count()
        self._timer: asyncio.TimerHandle | None = None
        self._gauge = gauge
        self.messages = messages or Counter("", "")
        self._is_open = False

    def count_broadcast(self, unsent_bytes: Callable[[], int]) -> None:
        """Count what ``unsent_bytes`` returns, too: the messages that a transport sends to many calls, each once."""
        self._broadcasts[unsent_bytes] = None

    def admits_broadcast(self, size_bytes: int) -> bool:
        """Return True if a message of this size may be sent to many calls at once, past the room of each.

        A call that stops keeps one such message, so that many calls may keep many. These have a part of their own:
        beyond it, each call is sent its messages for itself, when it has room.
        """
        if self._all_unsent_bytes + size_bytes > self.unsent_bytes_max:
            return False
        return self._broadcast_bytes + size_bytes <= self.broadcast_bytes_max

    def flow(self, connection: str = "") -> "WatchFlow":
        """Return the account of a new watch, which is to be closed. Flows of the same ``connection`` share a part."""
        group = self._groups.setdefault(connection, _Group())
        group.flows += 1
        return WatchFlow(self, connection, group)

    def close(self, connection: str) -> None:
        """Note the end of a watch of a connection."""
        group = self._groups[connection]
        group.flows -= 1
        if not group.flows:
            del self._groups[connection]

    def queue(self, commit: Published) -> None:
        """Count a commit that was added to a queue."""
        if not commit.holders:
            self.queued_bytes += commit.size_bytes
            self._report()
        commit.holders += 1

    def unqueue(self, commit: Published) -> None:
        """Undo one ``queue``."""
        commit.holders -= 1
        if not commit.holders:
            self.queued_bytes -= commit.size_bytes
            self._report()

    def keep(self, commit: Published, name: Any, encoding: bytes) -> None:
        """Keep an encoding with its commit, for other watchers, until newer ones need the room."""
        commit.encoded[name] = encoding
        size_bytes = len(encoding)
        self._kept.append((weakref.ref(commit), name, size_bytes))
        self.kept_bytes += size_bytes
        while self.kept_bytes > self.kept_bytes_max:
            of, oldest, size_bytes = self._kept.popleft()
            self.kept_bytes -= size_bytes
            if (kept := of()) is not None:
                kept.encoded.pop(oldest, None)

    def release_all(self) -> None:
        """Let all watchers go on, because they are about to end."""
        self._is_open = True
        for group in self._groups.values():
            for *_, waiter in group.waiting:
                if not waiter.done():
                    waiter.set_result(None)
            group.waiting.clear()

    def has_room(self, group: _Group) -> bool:
        """Return True if a watcher may take its next message at once."""
        return self._is_open or (not group.waiting and self._fits(group))

    def _fits(self, group: _Group) -> bool:
        return self._all_unsent_bytes < self.unsent_bytes_max and group.unsent_bytes < self.connection_bytes_max

    @property
    def is_full(self) -> bool:
        """True if watchers wait because others, of whatever connections, have not read their messages."""
        return self._all_unsent_bytes >= self.unsent_bytes_max

    @property
    def _all_unsent_bytes(self) -> int:
        return self.unsent_bytes + self._broadcast_bytes

    @property
    def _broadcast_bytes(self) -> int:
        return sum(unsent_bytes() for unsent_bytes in self._broadcasts)

    def charge(self, group: _Group, difference: int) -> None:
        """Add to the unsent bytes."""
        self.unsent_bytes += difference
        group.unsent_bytes += difference
        self._report()

    async def wait(self, flow: "WatchFlow", group: _Group) -> None:
        """Wait until the watcher may take its next message, which is charged as a usual one."""
        waiter = asyncio.get_running_loop().create_future()
        heapq.heappush(group.waiting, (-flow.proven_bytes, next(self._numbers), flow, waiter))
        self._admit(group)
        try:
            await waiter
        except BaseException:
            group.waiting = [each for each in group.waiting if each[3] is not waiter]
            heapq.heapify(group.waiting)
            flow.sent()
            raise

    def note_sent(self, group: _Group, *, frees_spare: bool) -> None:
        """Let others go on, after a watcher has read its message, or ended."""
        group.last_sent = asyncio.get_running_loop().time()
        group.spare += frees_spare
        self._admit(group)
        if self._all_unsent_bytes < self.unsent_bytes_max:
            for each in list(self._groups.values()):
                if each.waiting and each is not group:
                    self._admit(each)

    def _admit(self, group: _Group) -> None:
        while group.waiting:
            proven, _, flow, waiter = group.waiting[0]
            has_room = self._fits(group)
            if not has_room:
                if not group.spare or not (self._fits_beyond(group) or -proven >= WATCH_PROVEN_BYTES):
                    self._look_later()
                    return
                group.spare -= 1
            heapq.heappop(group.waiting)
            flow.has_spare = not has_room
            flow.hold(WATCH_MESSAGE_BYTES_USUAL)
            if not waiter.done():
                waiter.set_result(None)
        group.spare = 0

    def _fits_beyond(self, group: _Group) -> bool:
        return self._all_unsent_bytes < self.beyond_bytes_max and group.unsent_bytes < 2 * self.connection_bytes_max

    def _look_later(self) -> None:
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(WATCH_STALL_S, self._look)

    def _look(self) -> None:
        """Allow one more message to each connection that was sent none for some time."""
        self._timer = None
        now = asyncio.get_running_loop().time()
        for group in list(self._groups.values()):
            if group.waiting:
                if now - group.last_sent >= WATCH_STALL_S:
                    group.spare = 1
                self._admit(group)

    def _report(self) -> None:
        if self._gauge is not None:
            self._gauge.set(self.queued_bytes + self._all_unsent_bytes)


class WatchFlow:
    """The part of one watch in the budget. ``proven_bytes`` were sent without a stall since the last one."""

    __slots__ = ("_connection", "_group", "_held_bytes", "_memory", "_sends", "_since", "has_spare", "proven_bytes")

    def __init__(self, memory: WatchMemory, connection: str, group: _Group) -> None:
        self._memory = memory
        self._connection = connection
        self._group = group
        self._held_bytes = 0
        self._sends = False
        self._since = 0.0
        self.has_spare = False
        self.proven_bytes = 0

    @property
    def has_room(self) -> bool:
        """True if the watch may take its next message now, without ``room``."""
        return self._memory.has_room(self._group)

    def close(self) -> None:
        """Charge nothing any more, and leave: the watch has ended."""
        self.sent()
        self._memory.close(self._connection)

    async def room(self) -> None:
        """Wait until the watch may take what its next message is made of, and charge a usual one until ``sent``."""
        if self._memory.has_room(self._group):
            self.hold(WATCH_MESSAGE_BYTES_USUAL)
        else:
            await self._memory.wait(self, self._group)

    def send(self, message: bytes) -> None:
        """Charge a message, until ``sent``. The transport makes a copy of its own."""
        self.hold(2 * len(message))
        self._sends = True
        self._memory.messages.add()

    def hold(self, size_bytes: int) -> None:
        """Replace what is charged."""
        self._memory.charge(self._group, size_bytes - self._held_bytes)
        self._held_bytes = size_bytes
        self._since = asyncio.get_running_loop().time()

    def sent(self) -> None:
        """Charge nothing any more: the message was sent, there was none to send, or the watch has ended."""
        if not self._held_bytes:
            return
        if asyncio.get_running_loop().time() - self._since >= WATCH_STALL_S:
            self.proven_bytes = 0
        elif self._sends:
            self.proven_bytes += self._held_bytes
        self._sends = False
        self._memory.charge(self._group, -self._held_bytes)
        self._held_bytes = 0
        frees_spare, self.has_spare = self.has_spare, False
        self._memory.note_sent(self._group, frees_spare=frees_spare)
