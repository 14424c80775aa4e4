"""Threads that compute, off the event loop: one for each kind of work, whatever the number of callers.

Python computes on one thread at a time. Whenever the event loop or the store's writer need the interpreter's lock
again, they wait for each thread that computes. With eight of them, a commit of 2 ms took 50 ms, and together they were
no faster than one after the other.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")


class Lane:
    """A thread that does one piece of work after the other, in the order in which they come."""

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"memoryd-{name}")

    async def run(self, work: Callable[[], T]) -> T:
        """Return the result of ``work``, which may read only immutable values: the event loop goes on meanwhile.

        Work whose caller is cancelled is not begun.
        """
        return await asyncio.get_running_loop().run_in_executor(self._thread, copy_context().run, work)


REQUESTS = Lane("requests")
"""Decodes large requests, and counts their tokens: how long it takes is bounded by the size of a message."""
TEXTS = Lane("texts")
"""Reads long texts: cuts documents, and plans compactions. It may be occupied for seconds."""
CONTEXTS = Lane("contexts")
"""Composes contexts, and counts tokens for callers."""
