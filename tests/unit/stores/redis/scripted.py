"""A server whose replies a test sets, for replies that a real server cannot be made to send."""

import asyncio
import contextlib
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, Self

from tests.wait import WAIT_S_MAX

from memoryd_server.stores.redis.url import ServerAddress


class Error(str):
    """An error reply."""

    __slots__ = ()


HANG_UP = object()
"""A reply that closes the connection."""
SILENCE = object()
"""A reply that is never sent; nor is any other on this connection."""


class Late(NamedTuple):
    """A reply that is sent when ``wait`` returns."""

    wait: Callable[[], Awaitable[object]]
    answer: Any


PRIMARY = [b"master", 0, []]
REPLICA = [b"slave", b"127.0.0.1", 1, b"connected", 0]
USUAL: dict[str, Any] = {"ROLE": PRIMARY, "SCRIPT": b"", "ASKING": "OK", "PING": "PONG"}


class ScriptedServer:
    """A server that sends the next of the replies to a command; when none is left, the usual one, or the last.

    ``received`` has the commands in order. ``connections`` counts all connections.
    """

    def __init__(self) -> None:
        self.received: list[tuple[bytes, ...]] = []
        self.connections = 0
        self.port = 0
        self._answers: defaultdict[str, deque[Any]] = defaultdict(deque)
        self._last: dict[str, Any] = dict(USUAL)
        self._server: asyncio.Server | None = None
        self._came = asyncio.Condition()
        self._writers: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    @property
    def address(self) -> ServerAddress:
        """The server's host and port."""
        return ServerAddress("127.0.0.1", self.port)

    async def start(self) -> None:
        """Listen, again on the same port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Close all connections and stop listening."""
        assert self._server is not None
        self._server.close()
        writers = list(self._writers)
        for writer in writers:
            writer.close()
        await asyncio.gather(*(writer.wait_closed() for writer in writers), return_exceptions=True)
        await self._server.wait_closed()

    def answer(self, command: str, *answers: Any) -> Self:
        """Queue replies to a command, which are sent one after the other. Return the server."""
        self._answers[command].extend(answers)
        return self

    def count(self, command: str) -> int:
        """Return the number of times that a command was received."""
        return sum(1 for each in self.received if each[0] == command.encode())

    async def until_disconnected(self) -> None:
        """Wait until no client is connected."""
        async with asyncio.timeout(WAIT_S_MAX), self._came:
            await self._came.wait_for(lambda: not self._writers)

    async def until(self, command: str, count: int = 1) -> None:
        """Wait until a command was received ``count`` times."""
        async with asyncio.timeout(WAIT_S_MAX), self._came:
            await self._came.wait_for(lambda: self.count(command) >= count)

    def _next(self, command: str) -> Any:
        if self._answers[command]:
            answer = self._answers[command].popleft()
            if answer not in (HANG_UP, SILENCE) and not isinstance(answer, Late) and command not in USUAL:
                self._last[command] = answer
            return answer
        return self._last.get(command, Error(f"ERR unknown command {command}"))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        try:
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                await self._converse(reader, writer)
        finally:
            writer.close()
            async with self._came:
                self._writers.discard(writer)
                self._came.notify_all()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            count = int((await reader.readuntil())[1:])
            parts = []
            for _ in range(count):
                size = int((await reader.readuntil())[1:])
                parts.append((await reader.readexactly(size + 2))[:-2])
            async with self._came:
                self.received.append(tuple(parts))
                self._came.notify_all()
            answer = self._next(parts[0].decode())
            if answer is HANG_UP:
                return
            if answer is SILENCE:
                await reader.read()
                return
            if isinstance(answer, Late):
                await answer.wait()
                answer = answer.answer
            writer.write(encoded(answer))


def encoded(answer: Any) -> bytes:
    """Return a reply, encoded as RESP2."""
    match answer:
        case None:
            return b"$-1\r\n"
        case Error():
            return f"-{answer}\r\n".encode()
        case str():
            return f"+{answer}\r\n".encode()
        case int():
            return b":%d\r\n" % answer
        case bytes():
            return b"$%d\r\n%b\r\n" % (len(answer), answer)
        case list():
            return b"*%d\r\n%b" % (len(answer), b"".join(map(encoded, answer)))
    raise AssertionError(answer)
