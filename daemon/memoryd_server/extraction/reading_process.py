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


class ProcessEnded(Exception):  # noqa: N818 - a hostile file can end its reader: that is no error of the daemon
    """The process ended before it returned a result. ``code`` is its exit status, negative for a signal."""

    def __init__(self, code: int) -> None:
        super().__init__(f"a process that reads files exited with status {code}")
        self.code = code


class ReadingProcess:
    """One process, which reads one file at a time in at most ``memory_bytes``. Its creator must call ``end``."""

    def __init__(self, memory_bytes: int) -> None:
        self._connection, theirs = socket.socketpair()
        with theirs:
            self._process = _spawned(theirs, memory_bytes)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def begin(self) -> None:
        """Wait until the process can read files. Returns at once if it has done so before. Raises ProcessEnded."""
        if self._streams is None:
            self._streams = await asyncio.open_unix_connection(sock=self._connection)
            await self._message(0)

    async def read(self, task: Task, data: bytes) -> Answer:
        """Return the result of reading a file, after ``begin``. Raises ProcessEnded.

        If this call is cancelled, ``end`` must be called: the process would send its result to the next call.
        """
        assert self._streams is not None
        _, writer = self._streams
        writer.write(framed(msgspec.msgpack.encode(task)))
        writer.write(data)
        with contextlib.suppress(ConnectionError):
            await writer.drain()
        message = await self._message(task.limits.text_bytes + _ANSWER_BYTES_BESIDE_TEXT)
        return msgspec.msgpack.decode(message, type=Answer)

    def is_there(self) -> bool:
        """Return True if the process has not ended by itself."""
        return self._process.poll() is None

    async def end(self) -> int:
        """Kill the process, and return its exit status: its own if it has already ended."""
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
            # The connection is closed: the process is ending.
            raise ProcessEnded(await self.end()) from None


def _spawned(connection: socket.socket, memory_bytes: int) -> "subprocess.Popen[bytes]":
    """Start a process in its own session, so that a terminal's signals to the daemon's group do not reach it.

    It inherits nothing of the daemon's environment, which may contain secrets. With an empty PATH it finds no programs.
    """
    environment = {
        "PATH": "",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        # By default each thread reserves 64 MiB of address space, which is limited.
        "MALLOC_ARENA_MAX": "1",
    }
    return subprocess.Popen(  # noqa: S603 - the program is this one
        [sys.executable, "-P", "-m", "memoryd_server.extraction.worker", str(memory_bytes)],
        stdin=connection.fileno(),
        stdout=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
    )
