"""A consumer of flushed fragments that goes on by itself."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from types import TracebackType
from typing import Any, Self

from memoryd.aio.channel import Channel
from memoryd.errors import MemorydError
from memoryd.model.fragment import Fragment
from memoryd.protocol.consumer import Consumption, Pause, consume
from memoryd.protocol.fragment import Handle
from memoryd.protocol.method import LEASE_FRAGMENTS


class Consumer:
    """Hands flushed fragments to a handler, each at least once, also across restarts of the daemon.

    When the handler returns, its fragments leave the buffer; when it raises, that is logged and they are handed out
    again, here after a pause. Their lease is renewed meanwhile, so that a handler may take its time.
    """

    def __init__(
        self, channel: Channel, asked: Consumption, handler: Callable[[list[Fragment]], Awaitable[Any] | Any]
    ) -> None:
        self._channel = channel
        self._handler = handler
        self._stopped = asyncio.Event()
        self._steps = consume(asked, self._stopped.is_set)
        self._task: asyncio.Task[None] | None = None

    async def wait(self) -> None:
        """Wait until it ends: when it is closed, or with the CallFailed that it cannot go on after."""
        assert self._task is not None, "a consumer runs inside of its block"
        await asyncio.shield(self._task)

    async def close(self) -> None:
        """End it, once a handler that runs has returned. Raises the CallFailed that it ended with before."""
        self._stopped.set()
        if self._task is not None and self._task is not asyncio.current_task():
            await self._task

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run(), name="memoryd-consumer")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            await self.close()
        except MemorydError:
            if error is None:
                raise

    async def _run(self) -> None:
        try:
            step = next(self._steps)
            while True:
                try:
                    answer = await self._perform(step)
                except BaseException as error:  # noqa: BLE001 - the flow cleans up and raises it
                    step = self._steps.throw(error)
                else:
                    step = self._steps.send(answer)
        except StopIteration:
            return

    async def _perform(self, step: Any) -> Any:
        if isinstance(step, Handle):
            return await self._channel.make(step, lambda: self._handler(step.fragments))
        if isinstance(step, Pause):
            return await self._unless_stopped(asyncio.sleep(step.seconds))
        if step.method is LEASE_FRAGMENTS:
            return await self._unless_stopped(self._channel.run(step))
        return await self._channel.run(step)

    async def _unless_stopped(self, doing: Coroutine[Any, Any, Any]) -> Any:
        task, stop = asyncio.create_task(doing), asyncio.create_task(self._stopped.wait())
        try:
            await asyncio.wait((task, stop), return_when=asyncio.FIRST_COMPLETED)
            return task.result() if task.done() else None
        finally:
            task.cancel()
            stop.cancel()
            await asyncio.wait((task, stop))
