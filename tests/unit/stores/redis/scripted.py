"""A server that answers what a test has written down, for what a real one does not do when it is asked to."""

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
"""Instead of an answer: the connection ends."""
SILENCE = object()
"""Instead of an answer: nothing more comes on this connection."""


class Late(NamedTuple):
    """An answer that comes when something else has."""

    wait: Callable[[], Awaitable[object]]
    answer: Any


PRIMARY = [b"master", 0, []]
REPLICA = [b"slave", b"127.0.0.1", 1, b"connected", 0]
USUAL: dict[str, Any] = {"ROLE": PRIMARY, "SCRIPT": b"", "ASKING": "OK", "PING": "PONG"}


class ScriptedServer:
    """Answers a command with the next of its answers; when there are no more, with the usual one, or the last.

    ``heard`` are the commands, ``connections`` is how many there were.
    """

    def __init__(self) -> None:
        self.heard: list[tuple[bytes, ...]] = []
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
        """Where it is."""
        return ServerAddress("127.0.0.1", self.port)

    async def start(self) -> None:
        """Listen, on the same port as before."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Hang up and listen no more."""
        assert self._server is not None
        self._server.close()
        writers = list(self._writers)
        for writer in writers:
            writer.close()
        await asyncio.gather(*(writer.wait_closed() for writer in writers), return_exceptions=True)
        await self._server.wait_closed()

    def answer(self, command: str, *answers: Any) -> Self:
        """Answer a command with these, one after the other."""
        self._answers[command].extend(answers)
        return self

    def count(self, command: str) -> int:
        """How often a command was heard."""
        return sum(1 for each in self.heard if each[0] == command.encode())

    async def until_left(self) -> None:
        """Wait until nobody is connected."""
        async with asyncio.timeout(WAIT_S_MAX), self._came:
            await self._came.wait_for(lambda: not self._writers)

    async def until(self, command: str, count: int = 1) -> None:
        """Wait until a command was heard so often."""
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
                self.heard.append(tuple(parts))
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
    """An answer as RESP2."""
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
