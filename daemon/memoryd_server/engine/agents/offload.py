"""Running long computations over immutable values on a thread, off the event loop."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_AT_ONCE_MAX = 256
"""Maximum number of records processed on the event loop: they take a few milliseconds."""


async def offload(count: int, work: Callable[[], T]) -> T:
    """Return the result of ``work``, which processes ``count`` items. Run it on a thread if there are many.

    ``work`` may read only immutable values: the event loop goes on meanwhile.
    """
    return work() if count <= _AT_ONCE_MAX else await asyncio.to_thread(work)
