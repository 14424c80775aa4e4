"""A relay to a real server that loses replies: a command is executed, and its sender is disconnected."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Self

CHUNK_BYTES = 1 << 16


class LosingRelay:
    """A relay that forwards bytes. While ``losses`` is above 0, it loses the reply to EVALSHA and the connection.

    With ``loses_nth`` above 0, it does so with that EVALSHA of each connection. ``on_loss`` is awaited between the loss
    and the end of the connection. ``lost`` counts the lost replies.
    """

    def __init__(self, port: int) -> None:
        self.losses = 0
        self.loses_nth = 0
        self.lost = 0
        self.on_loss: Callable[[], Awaitable[object]] | None = None
        self.port = 0
        self._server_port = port
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()
        await asyncio.sleep(0)

    @property
    def url(self) -> str:
        """The URL for a store."""
        return f"redis://127.0.0.1:{self.port}"

    def _loses(self, number: int) -> bool:
        """Return True if the reply to a connection's command of this number, from 1, is to be lost."""
        is_due = self.losses > 0 or number == self.loses_nth
        self.losses = max(0, self.losses - 1)
        return is_due

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._forward(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self._server_port)
        replies = asyncio.create_task(_copy(server_reader, writer))
        commands = 0
        try:
            while data := await reader.read(CHUNK_BYTES):
                commands += b"EVALSHA" in data
                if b"EVALSHA" in data and self._loses(commands):
                    self.lost += 1
                    await _lose_reply(replies, server_reader, server_writer, data)
                    if self.on_loss is not None:
                        await self.on_loss()
                    return
                server_writer.write(data)
        finally:
            replies.cancel()
            writer.close()
            server_writer.close()


async def _lose_reply(
    replies: asyncio.Task[None], reader: asyncio.StreamReader, writer: asyncio.StreamWriter, data: bytes
) -> None:
    replies.cancel()
    await asyncio.gather(replies, return_exceptions=True)
    writer.write(data)
    # The first byte of the reply shows that the server has executed the command.
    await reader.read(1)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(CHUNK_BYTES):
            writer.write(data)
