"""Files that are read again while the daemon runs: at SIGHUP, and when they have changed."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

import msgspec

from memoryd_server.ops.limit import FILES_LOOK_S
from memoryd_server.ops.service_manager import reported_reload

Mark = tuple[int, int, int]
"""By which a changed file is known: its inode, time and size."""


class FollowedFiles(msgspec.Struct, frozen=True):
    """Files that belong together, and what reads them again. Without files, it is only called at SIGHUP."""

    files: tuple[Path, ...]
    renew: Callable[[], Awaitable[None]]


@contextlib.asynccontextmanager
async def files_followed(followed: Sequence[FollowedFiles]) -> AsyncIterator[None]:
    """Follow files during a with block. Changed ones are read once they have stayed the same for FILES_LOOK_S."""
    if not followed:
        yield
        return
    asked = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, asked.set)
    following = asyncio.create_task(_follow(followed, asked), name="followed files")
    try:
        yield
    finally:
        following.cancel()


async def _follow(followed: Sequence[FollowedFiles], asked: asyncio.Event) -> None:
    read = before = [_marks(each.files) for each in followed]
    while True:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FILES_LOOK_S):
                await asked.wait()
        is_asked = asked.is_set()
        asked.clear()
        marks = await asyncio.to_thread(lambda: [_marks(each.files) for each in followed])
        stable = [now != last and now == earlier for now, last, earlier in zip(marks, read, before, strict=True)]
        before = marks
        due = [is_asked or each for each in stable]
        if any(due):
            read = [now if each else last for now, last, each in zip(marks, read, due, strict=True)]
            with reported_reload():
                for each, is_due in zip(followed, due, strict=True):
                    if is_due:
                        await each.renew()


def _marks(files: Sequence[Path]) -> list[Mark | None]:
    return [_mark(file) for file in files]


def _mark(file: Path) -> Mark | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
