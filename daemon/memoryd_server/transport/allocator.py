"""The allocator of the process. glibc keeps what is freed in small pieces, as gRPC frees a large message."""

import asyncio
import contextlib
import ctypes


def return_memory() -> None:
    """Return freed memory to the system, on a thread. Where the C library has no such function, do nothing."""
    with contextlib.suppress(OSError, AttributeError):
        trim = ctypes.CDLL(None).malloc_trim
        asyncio.get_running_loop().run_in_executor(None, trim, 0)
