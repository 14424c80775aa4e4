"""Calls of gRPC for asyncio that stream messages to the server.

gRPC for threads needs nothing of it.
"""

import asyncio
from collections.abc import AsyncIterable, Coroutine
from contextlib import suppress
from typing import Any

import grpc.aio

_Error = grpc.aio.AioRpcError
_ENDED = (_Error, asyncio.InvalidStateError, grpc.aio.InternalError)
"""Raised by a write to a call that has ended."""
_WRITE_FAILED = "Internal error from Core"
"""The details of the status that gRPC sets when a write fails."""


async def uploaded(call: Any, requests: AsyncIterable[Any]) -> Any:
    """Send messages in a call that was begun without any, and return its response. Raises AioRpcError.

    gRPC itself, given an iterator of requests, raises CancelledError as if the task was cancelled, or INTERNAL, where
    a call ends (by its deadline, say, or refused early) while a request is sent. This raises the call's own error.
    """
    errors: list[_Error] = []
    call.add_done_callback(lambda _: errors.append(_completed(_error_of(call))))
    try:
        async for request in requests:
            try:
                await call.write(request)
            except _ENDED:
                break
        else:
            await _half_close(call)
        return await call
    except _Error as error:
        # The failed write's INTERNAL replaces the call's status if it comes second.
        raise next((each for each in errors if each.details() != _WRITE_FAILED), error) from None
    finally:
        call.cancel()


async def _half_close(call: Any) -> None:
    with suppress(*_ENDED):
        await call.done_writing()


async def _error_of(call: Any) -> _Error:
    return _Error(
        await call.code(), await call.initial_metadata(), await call.trailing_metadata(), await call.details()
    )


def _completed(coroutine: Coroutine[Any, Any, _Error]) -> _Error:
    """Return the result of a coroutine that waits for nothing: the status of a call is read as soon as it is set."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    raise AssertionError("it waits")
