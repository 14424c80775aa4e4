"""The return of freed memory to the system."""

import asyncio
from typing import Any

import pytest

from memoryd_server.transport.admission import allocator
from memoryd_server.transport.admission.allocator import MemoryReturn


async def test_a_loop_that_is_ending_returns_no_memory_and_reports_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allocator, "MEMORY_RETURN_S", 0.0)
    loop, errors = asyncio.get_running_loop(), list[Any]()
    loop.set_exception_handler(lambda _, context: errors.append(context))
    await loop.shutdown_default_executor()
    MemoryReturn().soon()
    later = loop.create_future()
    # Timers run in the order of their times.
    loop.call_later(0.001, later.set_result, None)
    await later
    assert errors == []
