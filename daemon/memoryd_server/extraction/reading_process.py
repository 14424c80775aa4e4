"""The daemon's end of a process that reads files."""

import asyncio
import contextlib
import os
import socket
import subprocess
import sys

import msgspec

from memoryd_server.extraction.message import LENGTH, Answer, Task, framed

_ANSWER_BYTES_BESIDE_TEXT = 64 * 1024


class ProcessEnded(Exception):  # noqa: N818 - what a hostile file does to its reader is no error of the daemon
    """The process ended before it answered, with this code: negative for a signal."""

    def __init__(self, code: int) -> None:
        super().__init__(f"a process that reads files ended with {code}")
        self.code = code


class ReadingProcess:
    """One process, which may take so much memory and reads one file at a time. Whoever starts it must end it."""

    def __init__(self, memory_bytes: int) -> None:
        self._connection, theirs = socket.socketpair()
        with theirs:
            self._process = _spawned(theirs, memory_bytes)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def begin(self) -> None:
        """Wait until it can read files, if it never has. Raises ProcessEnded."""
        if self._streams is None:
            self._streams = await asyncio.open_unix_connection(sock=self._connection)
            await self._message(0)

    async def read(self, task: Task, data: bytes) -> Answer:
        """Have a file read, once it has begun. Raises ProcessEnded. Whoever gives up waiting must end the process."""
        assert self._streams is not None
        _, writer = self._streams
        writer.write(framed(msgspec.msgpack.encode(task)))
        writer.write(data)
        with contextlib.suppress(ConnectionError):
            await writer.drain()
        message = await self._message(task.limits.text_bytes + _ANSWER_BYTES_BESIDE_TEXT)
        return msgspec.msgpack.decode(message, type=Answer)

    def is_there(self) -> bool:
        """Whether it has not ended by itself."""
        return self._process.poll() is None

    async def end(self) -> int:
        """End it, whatever it does; answers its code, which is that of what came first."""
        self._process.kill()
        if self._streams is None:
            self._connection.close()
        else:
            self._streams[1].close()
        return await asyncio.to_thread(self._process.wait)

    async def _message(self, bytes_max: int) -> bytes:
        assert self._streams is not None
        reader, _ = self._streams
        try:
            (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
            if length > bytes_max:
                raise ProcessEnded(await self.end())
            return await reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            # It hung up, which is what ending processes do.
            raise ProcessEnded(await self.end()) from None


def _spawned(connection: socket.socket, memory_bytes: int) -> "subprocess.Popen[bytes]":
    """A process of its own session, so that what a terminal sends to the daemon's does not reach it.

    It gets nothing of the daemon's environment, in which there may be secrets. An empty path finds no programs.
    """
    environment = {
        "PATH": "",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        # Else each thread reserves 64 MiB of address space, which is limited.
        "MALLOC_ARENA_MAX": "1",
    }
    return subprocess.Popen(  # noqa: S603 - the program is this one
        [sys.executable, "-P", "-m", "memoryd_server.extraction.worker", str(memory_bytes)],
        stdin=connection.fileno(),
        stdout=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
    )
