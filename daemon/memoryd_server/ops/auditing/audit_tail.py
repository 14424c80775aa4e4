"""The end of the audit log, which several workers write: what any of them appends is sent to those who watch."""

import asyncio
import contextlib
import logging
import os
from collections.abc import AsyncIterator
from pathlib import Path

from memoryd_server.ops.auditing.audit_line import record_of
from memoryd_server.ops.limit import AUDIT_LOOK_S, AUDIT_READ_BYTES_MAX
from memoryd_server.transport.auditing.audit_trail import AuditTrail

log = logging.getLogger("memoryd.audit")


@contextlib.asynccontextmanager
async def audit_log_followed(path: Path, trail: AuditTrail) -> AsyncIterator[None]:
    """Publish what is appended to the audit log during a with block, while anybody watches."""
    tail = AuditTail(path)
    # From here on, no record is passed by that somebody watches for.
    with contextlib.suppress(OSError):
        await asyncio.to_thread(tail.read, is_wanted=False)
    following = asyncio.create_task(_follow(tail, trail), name="audit log")
    try:
        yield
    finally:
        following.cancel()


async def _follow(tail: "AuditTail", trail: AuditTrail) -> None:
    while True:
        await asyncio.sleep(AUDIT_LOOK_S)
        try:
            lines = await asyncio.to_thread(tail.read, is_wanted=trail.watch_count > 0)
        except OSError as error:
            log.debug("audit log not read", extra={"error": error.strerror})
            continue
        for line in lines:
            # A worker that could not write a line to its end may leave one that is none.
            with contextlib.suppress(ValueError):
                trail.publish(record_of(line))


class AuditTail:
    """Reads what is appended to a file, from the moment on at which it is first looked at."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None
        self._position = 0
        self._rest = b""

    def read(self, *, is_wanted: bool) -> list[bytes]:
        """Return the lines that were appended since the last call, or pass them by. Raises OSError. Blocks."""
        if self._file is None:
            self._file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
            self._position = os.fstat(self._file).st_size
        lines = self._appended(is_wanted=is_wanted)
        if not lines and not os.path.samestat(self._path.stat(), os.fstat(self._file)):
            # The file was rotated, and read to its end. The new one is read from its beginning.
            opened = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
            os.close(self._file)
            self._file, self._position, self._rest = opened, 0, b""
            return self._appended(is_wanted=is_wanted)
        return lines

    def _appended(self, *, is_wanted: bool) -> list[bytes]:
        assert self._file is not None
        size = os.fstat(self._file).st_size
        if size < self._position or not is_wanted:
            # It was emptied in place, or nobody watches.
            self._position, self._rest = size, b""
            return []
        data = os.pread(self._file, AUDIT_READ_BYTES_MAX, self._position)
        self._position += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        return lines
