"""The memory of the process: what is freed is returned to the system.

glibc keeps freed memory. It learns from each large block that is freed to keep the next ones of that size, and what is
freed between blocks in use stays until it is asked for.
"""

import asyncio
import contextlib
import ctypes
import os
import resource

from memoryd_server.transport.limit import FREE_BYTES_MAX, LARGE_BLOCK_BYTES_MIN, MEMORY_RETURN_S

_LIBC = ctypes.CDLL(None)
_M_MMAP_THRESHOLD, _M_TRIM_THRESHOLD = -3, -1


def map_large_blocks() -> None:
    """Give large blocks pages of their own, which the system gets back as soon as they are freed.

    To be called before much is allocated. Where the C library has no such function, do nothing.
    """
    with contextlib.suppress(AttributeError):
        _LIBC.mallopt(_M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES_MIN)
        _LIBC.mallopt(_M_TRIM_THRESHOLD, FREE_BYTES_MAX)


def memory_bytes_max() -> int:
    """Return how much memory the process may have: its limit, or else all of the machine."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return machine if limit == resource.RLIM_INFINITY else min(limit, machine)


class MemoryReturn:
    """Returns freed memory to the system, once for all that is freed within MEMORY_RETURN_S.

    For tens of thousands of pieces it takes tens of milliseconds, in which no other thread can allocate.
    """

    def __init__(self) -> None:
        self._is_due = False

    def soon(self) -> None:
        """Return memory a while from now."""
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_later(MEMORY_RETURN_S, self._return)

    def _return(self) -> None:
        self._is_due = False
        # RuntimeError when the loop is ending and has no threads any more: the system gets all of the memory then.
        with contextlib.suppress(AttributeError, RuntimeError):
            asyncio.get_running_loop().run_in_executor(None, _LIBC.malloc_trim, 0)
