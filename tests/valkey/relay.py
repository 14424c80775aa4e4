"""TLS in front of a server, because the server that the tests run may be built without it."""

import asyncio
import contextlib
import ssl
import threading
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Any, Self

from tests.integration.certificate import Authority
from tests.valkey.server import ValkeyServer
from tests.wait import WAIT_S_MAX

CHUNK_BYTES = 1 << 16


class TlsRelay:
    """A relay that terminates TLS on a port of its own. The server may be killed and restarted meanwhile."""

    def __init__(self, server: ValkeyServer, directory: Path, *, asks_for_certificate: bool = False) -> None:
        """Create the certificates in the directory. If ``asks_for_certificate`` is true, clients must present one."""
        self.server = server
        self._authority = Authority(directory)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(*self._authority.issue("server", "DNS:localhost,IP:127.0.0.1"))
        if asks_for_certificate:
            self._context.verify_mode = ssl.CERT_REQUIRED
            self._context.load_verify_locations(self._authority.certificate)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopped = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="tls-relay")
        self.port = 0
        self._listens = threading.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._listens.wait(WAIT_S_MAX)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join(WAIT_S_MAX)

    @property
    def authority(self) -> Path:
        """The certificate that clients trust."""
        return self._authority.certificate

    @property
    def url(self) -> str:
        """The URL for clients, with user and password, and without the trusted certificate."""
        return f"rediss://{self.server.userinfo}localhost:{self.port}/0"

    def issue(self, name: str) -> tuple[Path, Path]:
        """Issue a certificate for a client. Return its file and that of its key."""
        return self._authority.issue(name)

    def _run(self) -> None:
        with asyncio.Runner() as runner:
            self._loop = runner.get_loop()
            runner.run(self._serve())

    async def _serve(self) -> None:
        listener = await asyncio.start_server(self._accept, "127.0.0.1", 0, ssl=self._context)
        self.port = listener.sockets[0].getsockname()[1]
        self._listens.set()
        await self._stopped.wait()
        listener.close()
        # These include unfinished handshakes. A closed transport needs one more turn of the loop to be released.
        others = asyncio.all_tasks() - {asyncio.current_task()}  # shared: the loop is its own
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await asyncio.sleep(0)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._forward(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            async with _closed(writer):
                server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self.server.port)
                async with _closed(server_writer):
                    await _both(_copy(reader, server_writer), _copy(server_reader, writer))


@contextlib.asynccontextmanager
async def _closed(writer: asyncio.StreamWriter) -> AsyncIterator[None]:
    """Close the connection when its buffer has been sent, or at once when the relay stops."""
    try:
        try:
            yield
        finally:
            writer.close()
        await writer.wait_closed()
    except asyncio.CancelledError:
        writer.transport.abort()
        raise


async def _both(*copies: Coroutine[Any, Any, None]) -> None:
    """Run both copies, and cancel the other one when either ends."""
    tasks = [asyncio.ensure_future(each) for each in copies]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(CHUNK_BYTES):
        writer.write(data)
        await writer.drain()
