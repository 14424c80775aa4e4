"""Files that are read again while the daemon runs: at SIGHUP, and when they have changed."""

import asyncio
import contextlib
import logging
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from memoryd_server.ops.limit import FILES_LOOK_S
from memoryd_server.ops.service_manager import reported_reload

log = logging.getLogger("memoryd.files")

Mark = tuple[int, int, int]
"""By which a changed file is known: its inode, size, and the time of its last change, also of its mode."""
Marks = Mapping[Path, Mark | None]


class FollowedFiles(msgspec.Struct, frozen=True):
    """Files that belong together, and what reads them again. Without files, it is only called at SIGHUP."""

    files: tuple[Path, ...]
    renew: Callable[[], Awaitable[None]]


@contextlib.asynccontextmanager
async def files_followed(followed: Sequence[FollowedFiles], read: Marks) -> AsyncIterator[None]:
    """Follow files during a with block. Changed ones are read once they have stayed the same for FILES_LOOK_S.

    ``read`` has the marks of all of them, from before they were read at the start.
    """
    if not followed:
        yield
        return
    asked = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, asked.set)
    following = asyncio.create_task(_follow(followed, read, asked), name="followed files")
    try:
        yield
    finally:
        following.cancel()


async def _follow(followed: Sequence[FollowedFiles], read: Marks, asked: asyncio.Event) -> None:
    files = list(read)
    before = marks_of(files)
    while True:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FILES_LOOK_S):
                await asked.wait()
        is_asked = asked.is_set()
        asked.clear()
        marks = await asyncio.to_thread(marks_of, files)
        stable = {file for file in files if marks[file] == before[file]}
        before = marks
        due = [
            each
            for each in followed
            if is_asked or (stable.issuperset(each.files) and any(marks[file] != read[file] for file in each.files))
        ]
        if due:
            read = {**read, **{file: marks[file] for each in due for file in each.files}}
            with reported_reload():
                for each in due:
                    await _renew(each)


async def _renew(followed: FollowedFiles) -> None:
    try:
        await followed.renew()
    except Exception:  # a defect in one reader must not end the following of all files
        log.exception("files not read again", extra={"files": ", ".join(map(str, followed.files))})


def marks_of(files: Iterable[Path]) -> dict[Path, Mark | None]:
    """Return the marks of files, None for one that cannot be found."""
    return {file: _mark(file) for file in files}


def _mark(file: Path) -> Mark | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_ctime_ns
