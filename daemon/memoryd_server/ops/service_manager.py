"""Notifications to the service manager that started the daemon, such as systemd, by the protocol of sd_notify.

Without a service manager, all of them do nothing.
"""

import asyncio
import contextlib
import os
import socket
import time
from collections.abc import AsyncIterator, Iterator

_SOCKET = "NOTIFY_SOCKET"
MICROSECOND_S = 1e-6
READY = "READY=1"
STOPPING = "STOPPING=1"
WATCHDOG = "WATCHDOG=1"


def notify(*states: str) -> None:
    """Send states to the service manager. One that cannot be reached does not stop the daemon."""
    address = os.environ.get(_SOCKET, "")
    if not address:
        return
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        # A first @ stands for the null byte of a socket without a file.
        sender.sendto("\n".join(states).encode(), f"\0{address[1:]}" if address[0] == "@" else address)


def leave_to_parent() -> None:
    """Make the notifications of this process do nothing: the service manager hears the process that it started."""
    os.environ.pop(_SOCKET, None)


def watchdog_interval_s() -> float | None:
    """Return the interval at which the service manager wants WATCHDOG, half of its maximum; None if it does not."""
    microseconds = os.environ.get("WATCHDOG_USEC", "")
    if not os.environ.get(_SOCKET) or os.environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return None
    return int(microseconds) * MICROSECOND_S / 2 if microseconds.isdecimal() else None


@contextlib.asynccontextmanager
async def reported_ready() -> AsyncIterator[None]:
    """Report READY now and STOPPING after a with block, and meanwhile WATCHDOG for as long as the event loop runs."""
    notify(READY)
    interval_s = watchdog_interval_s()
    feeding = None if interval_s is None else asyncio.create_task(_feed(interval_s))
    try:
        yield
    finally:
        if feeding is not None:
            feeding.cancel()
        notify(STOPPING)


@contextlib.contextmanager
def reported_reload() -> Iterator[None]:
    """Report that settings are read again during a with block, and READY after it."""
    notify("RELOADING=1", f"MONOTONIC_USEC={time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1_000}")
    try:
        yield
    finally:
        notify(READY)


async def _feed(interval_s: float) -> None:
    while True:
        notify(WATCHDOG)
        await asyncio.sleep(interval_s)
