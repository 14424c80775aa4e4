"""An embeddings endpoint on loopback that answers what a test has written down, and else as it should."""

import asyncio
import contextlib
import json
import struct
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, Self

DIMENSIONS = 3


class Request(NamedTuple):
    """What was asked."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


Answer = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


class EndpointServer:
    """Gives each request the next of ``answers``, and ``right`` when there are none left.

    ``requests`` are those that came, in order; ``asked`` is set by each.
    """

    def __init__(self, *answers: Answer) -> None:
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
                    answer = self.answers.popleft() if self.answers else right
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


def vector_of(text: str) -> list[float]:
    """What a text's vector is here: numbers that float32 holds exactly."""
    return [float(len(text)), float(ord(text[0])), float(ord(text[-1]))]


def packed(texts: Sequence[str]) -> list[bytes]:
    """The vectors of texts as the embedder is to answer them."""
    return [struct.pack("<3f", *vector_of(text)) for text in texts]


def embeddings(vectors: Sequence[Any]) -> bytes:
    """The body of an answer."""
    return json.dumps(
        {"object": "list", "data": [{"index": i, "embedding": v} for i, v in enumerate(vectors)]}
    ).encode()


async def right(request: Request, writer: asyncio.StreamWriter) -> None:
    """The right answer, with the vectors in another order than that of the texts."""
    data = [{"index": i, "embedding": vector_of(text)} for i, text in enumerate(request.body["input"])]
    _send(writer, 200, json.dumps({"object": "list", "data": data[::-1]}).encode())


def body(content: bytes) -> Answer:
    """An answer with this body, whatever was asked."""

    async def answer(_: Request, writer: asyncio.StreamWriter) -> None:
        _send(writer, 200, content)

    return answer


def vectors(*of_texts: Any) -> Answer:
    """An answer with these vectors, whatever was asked."""
    return body(embeddings(of_texts))


def status(code: int, **headers: str) -> Answer:
    """An answer with this status, and headers whose names have ``_`` for ``-``. Its body quotes what was sent."""

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        quoted = json.dumps({"error": [request.body["input"], request.headers.get("authorization")]}).encode()
        _send(writer, code, quoted, {name.replace("_", "-"): value for name, value in headers.items()})

    return answer


async def drop(_: Request, writer: asyncio.StreamWriter) -> None:
    """No answer: the connection ends."""
    writer.transport.abort()


async def drop_halfway(_: Request, writer: asyncio.StreamWriter) -> None:
    """Half of an answer, and then the connection ends."""
    writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"data": [')
    writer.close()


async def silence(_: Request, writer: asyncio.StreamWriter) -> None:
    """No answer ever."""


async def unfinished(_: Request, writer: asyncio.StreamWriter) -> None:
    """An answer that begins, and never ends."""
    writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"data": [')


async def endless(_: Request, writer: asyncio.StreamWriter) -> None:
    """An answer that goes on until the connection is closed."""
    writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    while True:
        writer.write(b" " * 65_536)
        await writer.drain()


def _send(writer: asyncio.StreamWriter, code: int, content: bytes, headers: dict[str, str] | None = None) -> None:
    lines = [f"HTTP/1.1 {code} Whatever", f"Content-Length: {len(content)}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    writer.write("\r\n".join([*lines, "", ""]).encode("ascii") + content)
