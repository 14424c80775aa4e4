import asyncio
import threading
from contextlib import aclosing
from pathlib import Path

import pytest
from tests.wait import until

from memoryd_server.ports.store import AgentHead, Commit
from memoryd_server.stores.sqlite import reader
from memoryd_server.stores.sqlite.store import SqliteStore


async def test_a_scan_that_was_abandoned_just_before_closing_is_closed_with_the_pool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An open scan would keep the log from being truncated, also for a daemon that opens the files next."""
    monkeypatch.setattr(reader, "READERS_MAX", 1)
    store = SqliteStore(tmp_path)
    await store.open()
    await store.commit(Commit(AgentHead("a", 1, 1, 1), 0, journal=b"row"))
    busy = threading.Event()
    async with aclosing(store.scan()) as scanning:  # type: ignore[type-var]
        async for _ in scanning:
            (scan,) = store._readers._scans
            store._readers._executor.submit(busy.wait)
            break
    closing = asyncio.ensure_future(store.close())
    await asyncio.to_thread(until, lambda: store._readers._executor._shutdown, "the pool is being closed")
    busy.set()
    await closing
    assert scan._closed
