"""One server, and what waits to be sent to it.

Whatever waits is sent together, without waiting for each answer: many callers cost little more than one.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, get_args

from redis.asyncio.connection import Connection
from redis.exceptions import AskError, MovedError, NoScriptError, ReadOnlyError, TryAgainError

from memoryd_server.stores.redis.durability import Durability
from memoryd_server.stores.redis.limit import BYTES_TOGETHER_MAX, REQUESTS_TOGETHER_MAX
from memoryd_server.stores.redis.link import DISCONNECTIONS, Command, Disconnected, connect, reply_of, send
from memoryd_server.stores.redis.request import LaneName, Request
from memoryd_server.stores.redis.script import SCRIPTS
from memoryd_server.stores.redis.url import ServerAddress, StoreUrl


class Lane:
    """One connection to a server, used by one batch at a time; made when it is needed, and again when it was lost.

    ``on_error`` is given what was not carried out, or may not have been. A request is answered as soon as its replies
    are there, or, when ``durability`` asks for something, when all of the batch is as durable. A server that sends no
    reply for ``timeout_s`` is given up. A replica is refused unless it ``may_be_replica``: in a cluster it redirects by
    itself. ``on_other_server`` is called when the server turns out not to be what it was when the lane met it.
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
        """Whether nothing waits and nothing is under way."""
        return self._task is None

    def send(self, request: Request) -> None:
        """Send this with whatever else waits."""
        self._waiting.append(request)
        if self._task is None:
            self._task = self._loop.create_task(self._drain())

    async def close(self) -> None:
        """Hang up. What waits is not heard of any more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self.hang_up()

    async def hang_up(self) -> None:
        """Connect anew for the next batch. One that is under way is lost."""
        with contextlib.suppress(*DISCONNECTIONS):
            await self._connection.disconnect(nowait=True)

    async def _drain(self) -> None:
        try:
            while batch := self._take():
                await self._exchange(batch)
        finally:
            self._task = None

    def _take(self) -> deque[Request]:
        """What is sent next; without what nobody waits for any more."""
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
        """Have a batch answered; what is answered leaves it."""
        self._has_sent = self._is_other_server = False
        self._last_deadline = max(request.deadline for request in batch)
        try:
            async with asyncio.timeout(None) as patience:
                self._wait_anew(patience)
                await self._converse(batch, patience)
        except TimeoutError:
            await self._fail(batch, Disconnected(f"{self._address} did not answer in time"))
        except Exception as error:  # noqa: BLE001 - whatever it was, what was sent may have been carried out
            await self._fail(batch, error)
        if self._is_other_server:
            await self._on_other_server()

    async def _fail(self, batch: deque[Request], error: Exception) -> None:
        await self.hang_up()
        for request in batch:
            request.is_uncertain |= self._has_sent
            self._on_error(request, error)
        if isinstance(error, DISCONNECTIONS):
            # What waits may be better off elsewhere; it was not sent, so that it is no less certain than before.
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
            await self._answer_each(batch, patience)
        else:
            await self._answer_together(batch, patience)

    async def _answer_each(self, batch: deque[Request], patience: asyncio.Timeout) -> None:
        while batch:
            replies = [await reply_of(self._connection) for _ in _sent(batch[0])]
            self._note_progress(patience)
            self._answer(batch.popleft(), replies)

    async def _answer_together(self, batch: deque[Request], patience: asyncio.Timeout) -> None:
        """Answer when the closing command's reply says that all of them are durable."""
        answers = []
        for request in batch:
            answers.append([await reply_of(self._connection) for _ in _sent(request)])
            self._note_progress(patience)
        self._wait_anew(patience)
        reply = await reply_of(self._connection)
        if isinstance(reply, Exception) or not self._durability.is_enough(reply):
            raise Disconnected(f"{self._address} is not as durable in time as asked for: {reply}")
        for replies in answers:
            self._answer(batch.popleft(), replies)

    def _note_progress(self, patience: asyncio.Timeout) -> None:
        # Not for each reply, which would cost half as much as the request.
        if self._loop.time() >= self._progress_time + self._timeout_s / 8:
            self._wait_anew(patience)

    def _wait_anew(self, patience: asyncio.Timeout) -> None:
        """Let the next reply take as long as the first one might, but not longer than anybody waits for it."""
        self._progress_time = self._loop.time()
        patience.reschedule(min(self._progress_time + self._timeout_s, self._last_deadline))

    def _answer(self, request: Request, replies: list[Any]) -> None:
        if request.asking:
            replies = replies[1::2]
        failure = _failure(replies)
        if failure is None:
            request.succeed(replies)
            return
        # Who has lost the scripts, or is no longer a primary, is another server than at the beginning.
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
    """The error among a request's replies."""
    failures = [reply for reply in replies if isinstance(reply, Exception)]
    if not failures:
        return None
    is_asked = [isinstance(each, AskError) and not isinstance(each, MovedError) for each in replies]
    if any(is_asked) and not all(is_asked):
        # The slot is on the move, and some of the keys have gone: where these are, the others seem not to exist.
        return TryAgainError("the keys are parted")
    return failures[0]


class Node:
    """One server. Commits, what must be answered at once, and what may be long have a lane each.

    Commits alone are made as durable as ``durability`` says. The rest is as for a lane.
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
                self.hang_up,
                durability if name == "commits" else Durability(),
                timeout_s,
                may_be_replica=url.kind == "cluster",
            )
            for name in get_args(LaneName)
        }

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits and nothing is under way."""
        return all(lane.is_idle for lane in self._lanes.values())

    def send(self, request: Request) -> None:
        """Send a request on its lane."""
        self._lanes[request.lane].send(request)

    async def close(self) -> None:
        """Hang up everywhere. What waits is not heard of any more."""
        for lane in self._lanes.values():
            await lane.close()

    async def hang_up(self) -> None:
        """Find out anew, on every lane, what the server is. What is under way is lost."""
        for lane in self._lanes.values():
            await lane.hang_up()
