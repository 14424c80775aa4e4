"""Reading a message of a call to the end, whatever becomes of the task that waits for it.

gRPC frees a message in the last step of its read. If the task of the read is cancelled, gRPC leaves that step out, and
a message that still completes stays in its core for good.
"""

import asyncio
import contextlib
from collections.abc import Coroutine, Generator
from typing import Any


async def read_to_end(exchange: Any) -> object:
    """Return the next message of a call. ``exchange.context`` is gRPC's, whose ``read`` waits for one future.

    If the task is cancelled, it ends at once, and the read goes on by itself until its future is done.

    ``asyncio.shield`` would do the same, but cost each call several microseconds. So would a constructor.
    """
    reading = exchange.context.read()
    wait = _Wait()
    wait.future = future = reading.send(None)
    # How a task and a future agree that one waits for the other: the task expects it of what it is to wait for.
    future._asyncio_future_blocking = False
    wait._asyncio_future_blocking = True
    wait.add_done_callback = future.add_done_callback
    try:
        await wait
    except asyncio.CancelledError:
        future.add_done_callback(lambda _: _end(reading))
        raise
    # gRPC's coroutines can be awaited after their first step, which saves a StopIteration.
    return await reading


class _Wait:
    """A future for the task that waits for another one. Cancelled, it wakes the task, and the other one goes on."""

    __slots__ = ("_asyncio_future_blocking", "add_done_callback", "future")

    _asyncio_future_blocking: bool
    add_done_callback: Any
    future: Any
    get_loop = staticmethod(asyncio.get_running_loop)

    def __await__(self) -> Generator[Any, None, None]:
        yield self

    def cancel(self, msg: object = None) -> bool:
        """Wake the task with a cancelled future. Return False if the future is done, which wakes the task anyway."""
        if self.future.done():
            return False
        cancelled: Any = self.get_loop().create_future()
        cancelled.cancel(msg)
        for wake, context in self.future._callbacks:
            self.future.remove_done_callback(wake)
            cancelled.add_done_callback(wake, context=context)
        return True


def _end(reading: Coroutine[Any, Any, object]) -> None:
    """Carry out the last step of a read. Its outcome concerns nobody any more, such as that the call has ended."""
    with contextlib.suppress(asyncio.CancelledError, Exception):
        reading.send(None)
