"""The synchronous Python client is generated. That it is current is checked by scripts/generate --check."""

import pytest
from scripts.unasync import synchronous

ASYNCHRONOUS = '''"""Entries, for asyncio."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar, overload

from memoryd.aio.channel import Channel

T = TypeVar("T")


class Entries:
    """``async with memoryd.aio.connect()``: an async context manager, for one event loop."""

    @overload  # memoryd.aio only
    async def get(self, key: str, make: Callable[[], Awaitable[T]]) -> T: ...
    @overload  # memoryd.aio only
    async def get(
        self, key: str, make: Callable[[], T]
    ) -> T: ...
    async def get(self, key, make):
        return (await self._get(key)) or [each async for each in make(key)]  # await the rest

    def steps(self) -> Callable[[], Awaitable[list[dict[str, int]]]]:
        return self._steps[0]

    @asynccontextmanager
    async def __aenter__(self) -> AsyncIterator["Entries"]:
        """Close it from any task. If the caller is cancelled, so is
        the call."""
        async with self.steps() as step:
            yield await anext(step)
'''
SYNCHRONOUS = '''"""Entries, for threads."""

from collections.abc import Iterator, Awaitable, Callable
from contextlib import contextmanager
from typing import TypeVar, overload

from memoryd.sync.channel import Channel

T = TypeVar("T")


class Entries:
    """``with memoryd.connect()``: a context manager, safe to share among threads."""

    def get(self, key, make):
        return (self._get(key)) or [each for each in make(key)]  # the rest

    def steps(self) -> Callable[[], list[dict[str, int]]]:
        return self._steps[0]

    @contextmanager
    def __enter__(self) -> Iterator["Entries"]:
        """Close it from any thread."""
        with self.steps() as step:
            yield next(step)
'''


def test_a_synchronous_module_follows_from_an_asynchronous_one() -> None:
    assert synchronous(ASYNCHRONOUS) == SYNCHRONOUS


@pytest.mark.parametrize(
    ("source", "left"),
    [
        ("import asyncio\n", "asyncio"),
        ("closing = contextlib.AsyncExitStack()\n", "AsyncExitStack"),
        ("try:\n    next(steps)\nexcept StopAsyncIteration:\n    raise\n", "StopAsyncIteration"),
        ("def __anext__(self): ...\n", "__anext__"),
        ('"""To be called where the event loop runs."""\n', "event loop"),
    ],
)
def test_what_nothing_replaces_is_refused(source: str, left: str) -> None:
    with pytest.raises(ValueError, match=f"nothing in scripts/unasync.py replaces '{left}'"):
        synchronous(source)
