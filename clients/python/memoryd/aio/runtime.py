"""Waiting, background work and blocking calls, for tasks of asyncio.

This module and ``connection`` are where the two clients differ, and are written by hand for each of them, with the same
names. The other modules of ``memoryd.sync`` are generated from those of ``memoryd.aio``.
"""

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Literal, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")

# A flag that is set once and can be waited for.
Flag = asyncio.Event
# A function that makes a value. Type checkers infer T from overloads only, one for each kind of function.
Factory = Callable[[], Awaitable[T]] | Callable[[], T]


async def pause(seconds: float, stop: Flag) -> bool:
    """Wait for a number of seconds or until ``stop`` is set. Returns whether it is set."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await stop.wait()
    return stop.is_set()


def is_cancelled() -> bool:
    """Return whether the current task itself is cancelled, and not only something that it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def unless_cancelled(
    work: Callable[[], Coroutine[Any, Any, T]], undo: Callable[[T], Coroutine[Any, Any, None]]
) -> T:
    """Return the result of work. If the caller is cancelled and the work still ends soon, ``undo`` its result."""
    task = asyncio.create_task(work())
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if is_cancelled():
            undoing = asyncio.create_task(_undo(task, undo))
            _undone.add(undoing)
            undoing.add_done_callback(_undone.discard)
        raise


# Tasks that nobody awaits: the event loop itself keeps no reference to them.
_undone: set[asyncio.Task[None]] = set()
# How long a result may be on its way to a caller that was cancelled, in seconds.
_LATE = 1.0


async def _undo(task: asyncio.Task[T], undo: Callable[[T], Coroutine[Any, Any, None]]) -> None:
    with suppress(Exception):
        async with asyncio.timeout(_LATE):
            result = await task
        await undo(result)


async def resolved(made: Any) -> Any:
    """Return what a function of the user returned; when that is awaitable, its result."""
    return await made if inspect.isawaitable(made) else made


async def handle(handler: Callable[[T], Any], item: T) -> None:
    """Call a handler, async or not. Raises what it raises, and RuntimeError when what it awaits is cancelled."""
    try:
        await resolved(handler(item))
    except asyncio.CancelledError as error:
        if is_cancelled():
            raise
        # CancelledError would end the task as if the task had been cancelled.
        raise RuntimeError("an awaitable of the handler was cancelled") from error


async def blocking(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that blocks, in a thread of its own."""
    return await asyncio.to_thread(function, *args, **kwargs)


@asynccontextmanager
async def opened(path: Path, mode: Literal["rb", "wb"]) -> AsyncIterator[BinaryIO]:
    """Open a file for the block. Its methods block."""
    file = await blocking(path.open, mode)
    try:
        yield file
    finally:
        await blocking(file.close)


@asynccontextmanager
async def in_background(work: Callable[[], Coroutine[Any, Any, None]], stop: Flag, name: str) -> AsyncIterator[None]:
    """Run work in a task while the block runs. At the end of the block, set ``stop`` and cancel the task."""
    task = asyncio.create_task(work(), name=name)
    try:
        yield
    finally:
        stop.set()
        task.cancel()
        await asyncio.wait([task])


class Monitor:
    """State that tasks change and wait for. A change is made in a block, which ``changed`` ends."""

    def __init__(self) -> None:
        self._waiters: set[asyncio.Future[None]] = set()

    def __enter__(self) -> None:
        # Tasks of one event loop do not interrupt each other.
        pass

    def __exit__(self, *error: object) -> None:
        pass

    def changed(self) -> None:
        """Let those that wait check again."""
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def wait(self, holds: Callable[[], bool], seconds: float | None) -> bool:
        """Wait until a condition holds, for a number of seconds or without limit. Returns whether it holds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not holds():
                    waiter = asyncio.get_running_loop().create_future()
                    self._waiters.add(waiter)
                    try:
                        await waiter
                    finally:
                        self._waiters.discard(waiter)
        return holds()


class Worker:
    """Runs work in a task of its own until the work ends."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, None]], name: str) -> None:
        self._task = asyncio.create_task(work(), name=name)

    async def wait(self) -> None:
        """Wait until the work ends. Raises what it raised."""
        # Unlike awaiting the task, this raises CancelledError only when the caller is cancelled.
        await asyncio.wait([self._task])
        if not self._task.cancelled():
            self._task.result()

    async def join(self) -> None:
        """Wait as ``wait`` does, but return at once inside the work. A caller that is cancelled cancels the work."""
        if self._task is asyncio.current_task():
            return
        try:
            await self.wait()
        except asyncio.CancelledError:
            self._task.cancel()
            await asyncio.wait([self._task])
            raise
