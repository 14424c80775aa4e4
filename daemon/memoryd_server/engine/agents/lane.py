"""Threads that compute, off the event loop: one for each kind of work, whatever the number of callers.

Python computes on one thread at a time. Each thread that computes holds the interpreter's lock for a moment whenever
the event loop or the store's writer need it again, which they do a dozen times for a commit: with eight of them, a
commit of 2 ms takes 50 ms. Together they would not compute faster than one after the other.
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
"""Decodes large requests, and searches and lists many records: at most tenths of a second each."""
TEXTS = Lane("texts")
"""Reads long texts: cuts documents, and plans compactions. It may be occupied for seconds."""
CONTEXTS = Lane("contexts")
"""Composes contexts, and counts tokens."""
