"""A consumer of flushed fragments that recovers by itself."""

from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from memoryd.aio.channel import Channel
from memoryd.aio.flow import drive
from memoryd.aio.runtime import Flag, Worker, handle, pause
from memoryd.errors import MemorydError
from memoryd.model.fragment import Fragment
from memoryd.protocol.call import Call
from memoryd.protocol.consumer import Consumption, Pause, consume
from memoryd.protocol.fragment import Handle


class Consumer:
    """Hands flushed fragments to a handler, each at least once, also across restarts of the daemon.

    When the handler returns, its fragments leave the buffer. When it raises, the error is logged, the fragments are
    delivered again, and this consumer pauses. The lease is renewed while the handler runs, however long that takes.

    A consumer ends when it is closed or its client is. It also ends with a CallFailed that no retry can resolve, such
    as Unauthenticated, which is logged as an error and raised by ``wait`` and ``close``.
    """

    def __init__(self, channel: Channel, consumption: Consumption, handler: Callable[[list[Fragment]], Any]) -> None:
        self._channel = channel
        self._handler = handler
        self._stopped = Flag()
        self._steps = consume(consumption, self._is_over)
        self._worker: Worker | None = None

    async def wait(self) -> None:
        """Wait until the consumer ends. Raises the CallFailed that it ended with."""
        assert self._worker is not None, "a consumer runs inside its block"
        await self._worker.wait()

    async def close(self) -> None:
        """End the consumer once a running handler has returned. Raises the CallFailed that the consumer ended with.

        A pending call for fragments ends within a second, and the fragments it still receives are released. No call is
        retried meanwhile: if the daemon is unavailable, leased fragments are delivered again when their lease expires.
        If the caller is cancelled, so is the handler.
        """
        self._stopped.set()
        if self._worker is not None:
            await self._worker.join()

    async def __aenter__(self) -> Self:
        self._worker = Worker(lambda: drive(self._steps, self._perform), "memoryd-consumer")
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
            return await self._channel.make(step, lambda: handle(self._handler, step.fragments))
        if isinstance(step, Pause):
            return await pause(step.seconds, self._stopped)
        return await self._channel.run(step, self._stopped)

    def _is_over(self) -> bool:
        return self._stopped.is_set() or self._channel.closed
