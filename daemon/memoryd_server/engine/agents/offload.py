"""Running long computations over immutable values on a thread, off the event loop."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from memoryd_server.engine.limit import LOOP_ITEMS_MAX

T = TypeVar("T")


async def offload(count: int, work: Callable[[], T]) -> T:
    """Return the result of ``work``, which processes ``count`` items. Run it on a thread if there are many.

    ``work`` may read only immutable values: the event loop goes on meanwhile.
    """
    return work() if count <= LOOP_ITEMS_MAX else await asyncio.to_thread(work)
