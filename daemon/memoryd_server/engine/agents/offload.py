"""Work on immutable values that would keep everybody else waiting where there is much of it."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_AT_ONCE_MAX = 256
"""How many records or memories are gone through within a few milliseconds."""


async def offload(count: int, work: Callable[[], T]) -> T:
    """What ``work`` answers that goes through so many things: on a thread when they are many."""
    return work() if count <= _AT_ONCE_MAX else await asyncio.to_thread(work)
