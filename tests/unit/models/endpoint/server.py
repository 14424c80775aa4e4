"""An endpoint on loopback, which returns the responses that a test sets, and correct ones otherwise."""

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, Self


class Request(NamedTuple):
    """A received request."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


Answer = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


class EndpointServer:
    """A server that sends the next of ``answers`` to each request, and ``right`` when there are none left.

    ``requests`` are those received, in order. Each of them sets ``asked``.
    """

    def __init__(self, *answers: Answer, right: Answer) -> None:
        self._right = right
        self.answers = deque(answers)
        self.requests: list[Request] = []
        self.asked = asyncio.Event()
        self._writers: set[asyncio.StreamWriter] = set()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for writer in self._writers.copy():
            writer.transport.abort()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
                while True:
                    request = await _read(reader)
                    self.requests.append(request)
                    self.asked.set()
                    answer = self.answers.popleft() if self.answers else self._right
                    await answer(request, writer)
                    await writer.drain()
        finally:
            self._writers.discard(writer)
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii")
    first, *lines = head.split("\r\n")[:-2]
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    body = await reader.readexactly(int(headers["content-length"]))
    return Request(first.split()[1], headers, json.loads(body))


def body(content: bytes) -> Answer:
    """Return a response with this body to any request."""

    async def answer(_: Request, writer: asyncio.StreamWriter) -> None:
        send(writer, 200, content)

    return answer


def status(code: int, **headers: str) -> Answer:
    """Return a response with this status and headers, with ``_`` for ``-``. Its body quotes the request."""

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        quoted = json.dumps({"error": [request.body, request.headers.get("authorization")]}).encode()
        send(writer, code, quoted, {name.replace("_", "-"): value for name, value in headers.items()})

    return answer


async def drop(_: Request, writer: asyncio.StreamWriter) -> None:
    """Close the connection without a response."""
    writer.transport.abort()


async def drop_halfway(_: Request, writer: asyncio.StreamWriter) -> None:
    """Send half of a response and close the connection."""
    writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"data": [')
    writer.close()


async def silence(_: Request, writer: asyncio.StreamWriter) -> None:
    """Never send a response."""


async def unfinished(_: Request, writer: asyncio.StreamWriter) -> None:
    """Send the start of a response, and never the rest."""
    writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"data": [')


async def endless(_: Request, writer: asyncio.StreamWriter) -> None:
    """Send a response that does not end until the connection is closed."""
    writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    while True:
        writer.write(b" " * 65_536)
        await writer.drain()


def send(writer: asyncio.StreamWriter, code: int, content: bytes, headers: dict[str, str] | None = None) -> None:
    """Write a response."""
    lines = [f"HTTP/1.1 {code} Whatever", f"Content-Length: {len(content)}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    writer.write("\r\n".join([*lines, "", ""]).encode("ascii") + content)
