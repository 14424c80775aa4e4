"""One server, and what waits to be sent to it.

Whatever waits is sent together, without waiting for each answer: many callers cost little more than one.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Literal

from redis.asyncio.connection import Connection
from redis.exceptions import AskError, MovedError, NoScriptError, ReadOnlyError, RedisError, TryAgainError

from memoryd_server.stores.redis.link import DISCONNECTIONS, Command, Disconnected, connect, reply_of, send
from memoryd_server.stores.redis.script import SCRIPTS

LaneName = Literal["commits", "checks", "reads"]

REQUESTS_TOGETHER_MAX = 256
BYTES_TOGETHER_MAX = 4 * 1024 * 1024
"""What travels together must arrive within the time that an exchange may take; more waits for the next one."""


class Request:
    """Commands that belong together, and where their replies go.

    ``future`` gets what ``convert`` makes of the replies; a single command's reply comes as it is, without a list.
    ``attempts`` counts how often it was sent, ``is_uncertain`` is whether it may have been carried out already.
    ``size_bytes`` is about what it sends, where that may be much.
    """

    __slots__ = (
        "asking",
        "attempts",
        "commands",
        "convert",
        "deadline",
        "future",
        "is_uncertain",
        "lane",
        "shard",
        "size_bytes",
    )

    def __init__(
        self,
        lane: LaneName,
        shard: int,
        commands: tuple[Command, ...],
        convert: Callable[[Any, bool], Any],
        future: "asyncio.Future[Any]",
        deadline: float,
        size_bytes: int = 0,
    ) -> None:
        self.size_bytes = size_bytes
        self.lane = lane
        self.shard = shard
        self.commands = commands
        self.convert = convert
        self.future = future
        self.deadline = deadline
        self.attempts = 0
        self.is_uncertain = False
        self.asking = False

    def succeed(self, replies: list[Any]) -> None:
        """Give the replies to who waits for them."""
        if self.future.done():
            return
        try:
            self.future.set_result(self.convert(replies[0] if len(replies) == 1 else replies, self.is_uncertain))
        except Exception as error:  # noqa: BLE001 - what the replies mean may be a refusal
            self.future.set_exception(error)


class Lane:
    """One connection to a server, used by one batch at a time; made when it is needed, and again when it was lost.

    ``on_error`` is given what was not carried out, or may not have been. ``closing_command`` ends each batch; its
    requests succeed only when ``is_enough`` says so of the reply. A server that is a replica is refused, unless it may
    be one: in a cluster it redirects by itself.
    """

    def __init__(
        self,
        connect: Callable[[], Connection],
        on_error: Callable[[Request, Exception], None],
        timeout_s: float,
        *,
        may_be_replica: bool = False,
        closing_command: Command | None = None,
        is_enough: Callable[[Any], bool] | None = None,
    ) -> None:
        self._connect = connect
        self._on_error = on_error
        self._timeout_s = timeout_s
        self._may_be_replica = may_be_replica
        self._closing_command = closing_command
        self._is_enough = is_enough
        self._connection: Connection | None = None
        self._waiting: deque[Request] = deque()
        self._task: asyncio.Task[None] | None = None
        self._has_sent = False

    def send(self, request: Request) -> None:
        """Send this with whatever else waits."""
        self._waiting.append(request)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._drain())

    async def close(self) -> None:
        """Hang up. What waits fails."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._connection is not None:
            await self._connection.disconnect(nowait=True)

    async def _drain(self) -> None:
        batch: list[Request] = []
        try:
            while self._waiting:
                batch = self._take()
                await self._exchange(batch)
                batch = []
        finally:
            self._task = None
            for request in (*batch, *self._waiting):
                self._on_error(request, Disconnected("closed"))
            self._waiting.clear()

    def _take(self) -> list[Request]:
        batch = [self._waiting.popleft()]
        size_bytes = batch[0].size_bytes
        while self._waiting and len(batch) < REQUESTS_TOGETHER_MAX:
            size_bytes += self._waiting[0].size_bytes
            if size_bytes > BYTES_TOGETHER_MAX:
                break
            batch.append(self._waiting.popleft())
        return batch

    async def _exchange(self, batch: list[Request]) -> None:
        self._has_sent = False
        try:
            async with asyncio.timeout(self._timeout_s):
                replies = await self._replies(batch)
        except (RedisError, OSError) as error:
            await self.hang_up()
            for request in batch:
                request.is_uncertain |= self._has_sent
                self._on_error(request, error)
            return
        for request, each in zip(batch, replies, strict=True):
            failure = _failure(each)
            if failure is None:
                request.succeed(each)
            else:
                self._on_error(request, failure)

    async def _replies(self, batch: list[Request]) -> list[list[Any]]:
        connection = await self._connected()
        commands = [command for request in batch for command in _sent(request)]
        if self._closing_command is not None:
            commands.append(self._closing_command)
        self._has_sent = True
        await send(connection, commands)
        replies = []
        for request in batch:
            each = [await reply_of(connection) for _ in _sent(request)]
            replies.append(each[1::2] if request.asking else each)
        if self._closing_command is not None:
            self._check_closing(await reply_of(connection))
        if any(isinstance(reply, (NoScriptError, ReadOnlyError)) for each in replies for reply in each):
            # Who has lost the scripts, or is no longer a primary, is another server than at the beginning.
            await self.hang_up()
        return replies

    def _check_closing(self, reply: Any) -> None:
        assert self._is_enough is not None
        if isinstance(reply, Exception) or not self._is_enough(reply):
            raise Disconnected(f"not as durable in time as asked for: {reply}")

    async def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self._connect()
        connection = self._connection
        if not connection.is_connected:
            await connect(connection)
            await send(connection, [("ROLE",), *(("SCRIPT", "LOAD", script.text) for script in SCRIPTS)])
            role, *_ = [await connection.read_response() for _ in range(1 + len(SCRIPTS))]
            if role[0] != b"master" and not self._may_be_replica:
                raise Disconnected("the server is not a primary")
        return connection

    async def hang_up(self) -> None:
        """Connect anew for the next batch."""
        if self._connection is not None:
            with contextlib.suppress(*DISCONNECTIONS):
                await self._connection.disconnect(nowait=True)


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
    """One server. Commits, what must be answered at once, and what may be long have a lane each."""

    def __init__(self, lanes: dict[LaneName, Lane]) -> None:
        self._lanes = lanes

    def send(self, request: Request) -> None:
        """Send a request on its lane."""
        self._lanes[request.lane].send(request)

    async def close(self) -> None:
        """Hang up everywhere."""
        for lane in self._lanes.values():
            await lane.close()
