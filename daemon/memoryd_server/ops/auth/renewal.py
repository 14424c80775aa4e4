"""The renewal of the TLS credentials while the daemon runs, from files that change."""

import asyncio
import contextlib
import logging
import signal
from collections.abc import AsyncIterator
from pathlib import Path

from memoryd_server.ops.auth.tls import server_credentials
from memoryd_server.ops.config.settings import Tls
from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.limit import CERTIFICATES_LOOK_S
from memoryd_server.ops.service_manager import reported_reload
from memoryd_server.transport.server import Server

log = logging.getLogger("memoryd.tls")

Mark = tuple[int, int, int]
"""By which a changed file is known: its inode, time and size."""


@contextlib.asynccontextmanager
async def certificates_renewed(tls: Tls, server: Server) -> AsyncIterator[None]:
    """Follow the files of the certificates during a with block, if the settings name any.

    They are read again at SIGHUP, and when they have changed.
    """
    if tls.cert_file is None:
        yield
        return
    asked = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, asked.set)
    following = asyncio.create_task(_follow(tls, server, asked))
    try:
        yield
    finally:
        following.cancel()


async def _follow(tls: Tls, server: Server, asked: asyncio.Event) -> None:
    files = [file for file in (tls.cert_file, tls.key_file, tls.client_ca_file) if file is not None]
    before = read = _marks(files)
    while True:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CERTIFICATES_LOOK_S):
                await asked.wait()
        marks = await asyncio.to_thread(_marks, files)
        if asked.is_set() or (marks == before and marks != read):
            asked.clear()
            read = marks
            with reported_reload():
                await _renew(tls, server)
        before = marks


async def _renew(tls: Tls, server: Server) -> None:
    try:
        credentials = await asyncio.to_thread(server_credentials, tls)
        if credentials is not None:
            server.renew(credentials)
    except (OperatorError, ValueError) as error:
        log.error("certificates not renewed, keeping the old ones", extra={"error": str(error)})
    else:
        log.info("certificates renewed")


def _marks(files: list[Path]) -> list[Mark | None]:
    return [_mark(file) for file in files]


def _mark(file: Path) -> Mark | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
