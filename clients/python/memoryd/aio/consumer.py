"""A consumer of flushed fragments that goes on by itself."""

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Self

from memoryd.aio.channel import Channel
from memoryd.aio.flow import drive
from memoryd.aio.wait import is_cancelled, pause
from memoryd.errors import MemorydError
from memoryd.model.fragment import Fragment
from memoryd.protocol.call import Call
from memoryd.protocol.consumer import Consumption, Pause, consume
from memoryd.protocol.fragment import Handle


class Consumer:
    """Hands flushed fragments to a handler, each at least once, also across restarts of the daemon.

    When the handler returns, its fragments leave the buffer; when it raises, that is logged and they are handed out
    again, here after a pause. Their lease is renewed meanwhile, so that a handler may take its time.

    It ends when it is closed, or its client is. It also ends with a CallFailed after which asking again is no use, such
    as Unauthenticated: that is logged as an error, and raised by ``wait`` and ``close``.
    """

    def __init__(
        self, channel: Channel, asked: Consumption, handler: Callable[[list[Fragment]], Awaitable[Any] | Any]
    ) -> None:
        self._channel = channel
        self._handler = handler
        self._stopped = asyncio.Event()
        self._steps = consume(asked, self._is_over)
        self._task: asyncio.Task[None] | None = None

    async def wait(self) -> None:
        """Wait until it ends. Raises the CallFailed that it ended with."""
        assert self._task is not None, "a consumer runs inside of its block"
        # Unlike awaiting the task, this raises CancelledError only when the caller is cancelled.
        await asyncio.wait([self._task])
        if not self._task.cancelled():
            self._task.result()

    async def close(self) -> None:
        """End it, once a handler that runs has returned. Raises the CallFailed that it ended with.

        A call for fragments that is under way ends within a second, and what it still brings is given back. Nothing is
        tried again meanwhile: when the daemon is away, what is held is handed out again after its lease.
        Who is cancelled while waiting for the handler cancels the handler, too.
        """
        self._stopped.set()
        if self._task is None or self._task is asyncio.current_task():
            return
        try:
            await self.wait()
        except asyncio.CancelledError:
            self._task.cancel()
            await asyncio.wait([self._task])
            raise

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(drive(self._steps, self._perform), name="memoryd-consumer")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            await self.close()
        except MemorydError:
            if error is None:
                raise

    async def _perform(self, step: Call[Any] | Handle | Pause) -> Any:
        if isinstance(step, Handle):
            return await self._handle(step)
        if isinstance(step, Pause):
            return await pause(step.seconds, self._stopped)
        return await self._channel.run(step, self._stopped)

    async def _handle(self, step: Handle) -> None:
        try:
            await self._channel.make(step, lambda: self._handler(step.fragments))
        except asyncio.CancelledError as error:
            if is_cancelled():
                raise
            raise RuntimeError("what the handler waited for was cancelled") from error

    def _is_over(self) -> bool:
        return self._stopped.is_set() or self._channel.closed
