"""A web server on loopback whose responses a test sets."""

import asyncio
import contextlib
from typing import Self


class PageServer:
    """A server of ``pages``, which are raw responses by path.

    The connection is closed after each response, unless ``hangs`` is true. ``asked`` has the heads of the requests.
    """

    def __init__(self) -> None:
        self.pages: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.hangs = False
        self._writers: set[asyncio.StreamWriter] = set()

    @property
    def port(self) -> int:
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

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
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii")
            self.asked.append(head)
            writer.write(self.pages.get(head.split()[1], b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"))
            await writer.drain()
            if not self.hangs:
                writer.close()


def page(content: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """Return a response with this content and these headers."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}", "Connection: close", *headers, "", ""]
    return "\r\n".join(lines).encode("ascii") + content
