"""A read of gRPC ends, whatever becomes of the task that waits for it: its last step frees the message."""

import asyncio
import contextlib
from collections.abc import Coroutine, Generator
from typing import Any

import pytest

from memoryd_server.transport.grpc.exchange import GrpcExchange


class Begun:
    """A coroutine that can be awaited after its first step, as those of gRPC can."""

    def __init__(self, coroutine: Coroutine[Any, Any, object]) -> None:
        self._coroutine = coroutine
        self.send, self.throw, self.close = coroutine.send, coroutine.throw, coroutine.close

    def __await__(self) -> Generator[Any, Any, object]:
        try:
            while True:
                yield self._coroutine.send(None)
        except StopIteration as end:
            return end.value


class Reads:
    """gRPC's reads: each waits for a future, and frees its message in its last step."""

    def __init__(self) -> None:
        self.future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.freed = 0
        self.cancelled = 0
        self.has_ended = False
        self.fails_with: BaseException | None = None

    def read(self) -> Any:
        return Begun(self._read())

    async def _read(self) -> bytes:
        if self.has_ended:
            raise ValueError("ended")
        try:
            await self.future
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        self.freed += 1
        if self.fails_with is not None:
            raise self.fails_with
        return b"message"


async def begun(reads: Reads) -> "asyncio.Task[object]":
    async def receive() -> object:
        return await GrpcExchange(reads).receive()

    task = asyncio.create_task(receive())
    await asyncio.sleep(0)
    return task


async def test_a_message_is_returned() -> None:
    reads = Reads()
    task = await begun(reads)
    reads.future.set_result(None)
    assert (await task, reads.freed) == (b"message", 1)


@pytest.mark.parametrize("error", [ValueError("ended"), asyncio.CancelledError()])
async def test_an_error_of_the_read_is_raised(error: BaseException) -> None:
    reads = Reads()
    reads.fails_with = error
    task = await begun(reads)
    reads.future.set_result(None)
    with pytest.raises(type(error)):
        await task


async def test_an_error_before_the_read_waits_is_raised() -> None:
    reads = Reads()
    reads.has_ended = True
    with pytest.raises(ValueError, match="ended"):
        await GrpcExchange(reads).receive()


@pytest.mark.parametrize("error", [None, ValueError("ended"), asyncio.CancelledError()])
async def test_a_cancelled_task_ends_at_once_and_its_read_frees_the_message_later(
    error: BaseException | None, caplog: pytest.LogCaptureFixture
) -> None:
    reads = Reads()
    reads.fails_with = error
    task = await begun(reads)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (reads.freed, reads.cancelled) == (0, 0)
    reads.future.set_result(None)
    await asyncio.sleep(0)
    assert (reads.freed, reads.cancelled) == (1, 0)
    assert caplog.records == []


async def test_a_task_that_is_cancelled_once_its_message_is_there_frees_it() -> None:
    reads = Reads()
    task = await begun(reads)
    reads.future.set_result(None)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0)
    assert (reads.freed, reads.cancelled) == (1, 0)


async def test_a_timeout_ends_a_task_and_not_its_read() -> None:
    reads = Reads()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(0):  # time: it expires at once
            await GrpcExchange(reads).receive()
    assert (reads.freed, reads.cancelled) == (0, 0)
    reads.future.set_result(None)
    await asyncio.sleep(0)
    assert reads.freed == 1
