"""One server, and the requests that are queued for it.

All queued requests are sent as one batch (pipelining): many callers cost little more than one.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, get_args

from redis.asyncio.connection import Connection
from redis.exceptions import AskError, MovedError, NoScriptError, ReadOnlyError, TryAgainError

from memoryd_server.stores.redis.limit import BYTES_TOGETHER_MAX, REQUESTS_TOGETHER_MAX
from memoryd_server.stores.redis.script import SCRIPTS
from memoryd_server.stores.redis.servers.durability import Durability
from memoryd_server.stores.redis.servers.link import DISCONNECTIONS, Command, Disconnected, connect, reply_of, send
from memoryd_server.stores.redis.servers.request import LaneName, Request
from memoryd_server.stores.redis.url import ServerAddress, StoreUrl


class Lane:
    """One connection to a server, used by one batch at a time. It is opened when needed, and again after it was lost.

    ``on_error`` is called with each request that was not, or may not have been, carried out. A request is completed as
    soon as its replies arrive or, if ``durability`` waits, once the whole batch is durable. A server that sends no
    reply for ``timeout_s`` counts as disconnected. A replica is refused, unless ``may_be_replica`` is true: in a
    cluster, a replica redirects. ``on_other_server`` is called when the server is no longer the one to which the lane
    connected.
    """

    def __init__(
        self,
        connection: Connection,
        on_error: Callable[[Request, Exception], None],
        on_other_server: Callable[[], Awaitable[None]],
        durability: Durability,
        timeout_s: float,
        *,
        may_be_replica: bool = False,
    ) -> None:
        self._connection = connection
        self._on_error = on_error
        self._on_other_server = on_other_server
        self._durability = durability
        self._timeout_s = timeout_s
        self._may_be_replica = may_be_replica
        self._address = ServerAddress(connection.host, int(connection.port))
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[Request] = deque()
        self._task: asyncio.Task[None] | None = None
        self._has_sent = False
        self._is_other_server = False
        self._progress_time = 0.0
        self._last_deadline = 0.0

    @property
    def is_idle(self) -> bool:
        """True if no request is queued or sent."""
        return self._task is None

    def send(self, request: Request) -> None:
        """Queue a request, which is sent with the next batch."""
        self._waiting.append(request)
        if self._task is None:
            self._task = self._loop.create_task(self._drain())

    async def close(self) -> None:
        """Disconnect. Queued requests are dropped without a call of ``on_error``."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self.disconnect()

    async def disconnect(self) -> None:
        """Disconnect, so that the next batch uses a new connection. A batch that was sent fails."""
        with contextlib.suppress(*DISCONNECTIONS):
            await self._connection.disconnect(nowait=True)

    async def _drain(self) -> None:
        try:
            while batch := self._take():
                await self._exchange(batch)
        finally:
            self._task = None

    def _take(self) -> deque[Request]:
        """Return the next batch, without requests whose futures are done: their callers have stopped waiting."""
        batch: deque[Request] = deque()
        size_bytes = 0
        while self._waiting and len(batch) < REQUESTS_TOGETHER_MAX:
            request = self._waiting[0]
            if not request.future.done():
                size_bytes += request.size_bytes
                if batch and size_bytes > BYTES_TOGETHER_MAX:
                    break
                batch.append(request)
            self._waiting.popleft()
        return batch

    async def _exchange(self, batch: deque[Request]) -> None:
        """Send a batch, and complete its requests. A completed request is removed from the batch."""
        self._has_sent = self._is_other_server = False
        self._last_deadline = max(request.deadline for request in batch)
        try:
            async with asyncio.timeout(None) as patience:
                self._extend(patience)
                await self._converse(batch, patience)
        except TimeoutError:
            await self._fail(batch, Disconnected(f"{self._address} did not respond in time"))
        except Exception as error:  # noqa: BLE001 - after any failure, sent requests may have been carried out
            await self._fail(batch, error)
        if self._is_other_server:
            await self._on_other_server()

    async def _fail(self, batch: deque[Request], error: Exception) -> None:
        await self.disconnect()
        for request in batch:
            request.is_uncertain |= self._has_sent
            self._on_error(request, error)
        if isinstance(error, DISCONNECTIONS):
            # Queued requests may succeed at another server. They were not sent, so they do not become uncertain.
            waiting, self._waiting = self._waiting, deque()
            for request in waiting:
                self._on_error(request, error)

    async def _converse(self, batch: deque[Request], patience: asyncio.Timeout) -> None:
        connection = await self._connected()
        commands = [command for request in batch for command in _sent(request)]
        closing_command = self._durability.closing_command(self._timeout_s)
        if closing_command is not None:
            commands.append(closing_command)
        self._has_sent = True
        await send(connection, commands)
        if closing_command is None:
            await self._complete_each(batch, patience)
        else:
            await self._complete_together(batch, patience)

    async def _complete_each(self, batch: deque[Request], patience: asyncio.Timeout) -> None:
        while batch:
            replies = [await reply_of(self._connection) for _ in _sent(batch[0])]
            self._note_progress(patience)
            self._complete(batch.popleft(), replies)

    async def _complete_together(self, batch: deque[Request], patience: asyncio.Timeout) -> None:
        """Complete all requests once the reply to the closing command shows that they are durable."""
        replies_of_all = []
        for request in batch:
            replies_of_all.append([await reply_of(self._connection) for _ in _sent(request)])
            self._note_progress(patience)
        self._extend(patience)
        reply = await reply_of(self._connection)
        if isinstance(reply, Exception) or not self._durability.is_enough(reply):
            # The commits were carried out, but must not be acknowledged. Failing the batch makes them uncertain: they
            # are sent again, and the script recognizes them.
            raise Disconnected(f"{self._address} did not reach the required durability in time: {reply}")
        for replies in replies_of_all:
            self._complete(batch.popleft(), replies)

    def _note_progress(self, patience: asyncio.Timeout) -> None:
        # Not for each reply, which would cost half as much as the request.
        if self._loop.time() >= self._progress_time + self._timeout_s / 8:
            self._extend(patience)

    def _extend(self, patience: asyncio.Timeout) -> None:
        """Allow the next reply the full timeout, but not beyond the last deadline of the batch."""
        self._progress_time = self._loop.time()
        patience.reschedule(min(self._progress_time + self._timeout_s, self._last_deadline))

    def _complete(self, request: Request, replies: list[Any]) -> None:
        if request.asking:
            replies = replies[1::2]
        failure = _failure(replies)
        if failure is None:
            request.succeed(replies)
            return
        # A server that lost the scripts, or is no longer a primary, has been restarted or replaced.
        self._is_other_server |= isinstance(failure, (NoScriptError, ReadOnlyError))
        self._on_error(request, failure)

    async def _connected(self) -> Connection:
        connection = self._connection
        if not connection.is_connected:
            await connect(connection)
            await send(connection, [("ROLE",), *(("SCRIPT", "LOAD", script.text) for script in SCRIPTS)])
            role, *_ = [await connection.read_response() for _ in range(1 + len(SCRIPTS))]
            if role[0] != b"master" and not self._may_be_replica:
                self._is_other_server = True
                raise Disconnected(f"{self._address} is not a primary")
        return connection


def _sent(request: Request) -> Sequence[Command]:
    if not request.asking:
        return request.commands
    return [each for command in request.commands for each in (("ASKING",), command)]


def _failure(replies: Sequence[Any]) -> Exception | None:
    """Return the error among a request's replies, if any."""
    failures = [reply for reply in replies if isinstance(reply, Exception)]
    if not failures:
        return None
    is_asked = [isinstance(each, AskError) and not isinstance(each, MovedError) for each in replies]
    if any(is_asked) and not all(is_asked):
        # The slot is migrating, and the keys are on both nodes: on each of them, some would seem not to exist.
        return TryAgainError("the slot is migrating, and its keys are on two nodes")
    return failures[0]


class Node:
    """One server, with a lane each for commits, for short checks, and for reads, which may be long.

    ``durability`` applies to commits only. The other arguments are those of ``Lane``.
    """

    def __init__(
        self,
        url: StoreUrl,
        address: ServerAddress,
        on_error: Callable[[Request, Exception], None],
        durability: Durability,
        timeout_s: float,
    ) -> None:
        self._lanes: dict[LaneName, Lane] = {
            name: Lane(
                url.connection(address),
                on_error,
                self.disconnect,
                durability if name == "commits" else Durability(),
                timeout_s,
                may_be_replica=url.kind == "cluster",
            )
            for name in get_args(LaneName)
        }

    @property
    def is_idle(self) -> bool:
        """True if no request is queued or sent."""
        return all(lane.is_idle for lane in self._lanes.values())

    def send(self, request: Request) -> None:
        """Send a request on its lane."""
        self._lanes[request.lane].send(request)

    async def close(self) -> None:
        """Disconnect all lanes. Queued requests are dropped."""
        for lane in self._lanes.values():
            await lane.close()

    async def disconnect(self) -> None:
        """Disconnect all lanes: each checks the server again when it connects. Batches that were sent fail."""
        for lane in self._lanes.values():
            await lane.disconnect()
