"""Blocking work in worker threads, in short steps, between which it can be cancelled."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import islice
from typing import ParamSpec, Protocol, TypeVar

from memoryd_server.ports.store import Record
from memoryd_server.stores.limit import BATCH_BYTES, BATCH_ITEMS_MAX

P = ParamSpec("P")
T = TypeVar("T")


class Holder(Protocol):
    """An object with records: an agent, or a part of one."""

    @property
    def records(self) -> tuple[Record, ...]:
        """The records."""


H = TypeVar("H", bound=Holder)


async def run_in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a blocking function in a worker thread.

    If the caller is cancelled, CancelledError is raised once the function has returned: the caller may then safely
    close the files that it used.
    """
    step = asyncio.ensure_future(asyncio.to_thread(function, *args, **kwargs))
    try:
        return await asyncio.shield(step)
    except asyncio.CancelledError:
        while not step.done():
            try:
                await asyncio.wait([step])
            except asyncio.CancelledError:  # cancelled again: raised below, after the function has returned
                continue
        if not step.cancelled():
            step.exception()
        raise


async def iterate_in_thread(items: Iterator[H]) -> AsyncIterator[H]:
    """Yield the items of a blocking iterator, which is advanced by a batch in each step."""
    while batch := await run_in_thread(_take, items):
        for item in batch:
            yield item


async def batches(items: AsyncIterator[H]) -> AsyncIterator[list[H]]:
    """Yield the items in lists of at most BATCH_ITEMS_MAX. A list ends once it has BATCH_BYTES of data."""
    batch: list[H] = []
    size = 0
    async for item in items:
        batch.append(item)
        size += _data_bytes(item)
        if size >= BATCH_BYTES or len(batch) == BATCH_ITEMS_MAX:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _take(items: Iterator[H]) -> list[H]:
    batch: list[H] = []
    size = 0
    for item in islice(items, BATCH_ITEMS_MAX):
        batch.append(item)
        size += _data_bytes(item)
        if size >= BATCH_BYTES:
            break
    return batch


def _data_bytes(item: Holder) -> int:
    return sum(len(record.data) for record in item.records)
