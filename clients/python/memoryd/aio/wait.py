"""How a task waits, and whether it was told to end meanwhile."""

import asyncio
from contextlib import suppress


async def pause(seconds: float, stop: asyncio.Event) -> None:
    """Wait, or until ``stop`` is set."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await stop.wait()


def is_cancelled() -> bool:
    """Whether the current task itself is cancelled, not only something that it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
