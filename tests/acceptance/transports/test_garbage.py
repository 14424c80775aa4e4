"""Calls that are cancelled, over the front end: they leave nothing behind that only the garbage collector would find.

Their frames hold messages, and the collector looks at what it has kept twice only after millions of allocations.
"""

import asyncio
import gc
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.transports.conftest import TRANSPORTS
from tests.unit.transport.gated import STREAM, open_gate, request_of

from memoryd.v1 import agent_service_pb2 as pb
from memoryd_server.transport.call import Call
from memoryd_server.transport.routes import Method, MethodKind

PATH = "/test.Service/Method"


@pytest.fixture
def garbage() -> Iterator[list[Any]]:
    """The objects that only the collector finds, once ``gc.collect`` was called."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    yield gc.garbage
    gc.set_debug(0)
    gc.garbage.clear()
    gc.enable()


@pytest.mark.whole
async def test_a_stream_that_its_client_cancels_leaves_no_cycle(tmp_path: Path, garbage: list[Any]) -> None:
    ended = asyncio.Event()

    async def responses(_request: Any, _call: Call) -> AsyncGenerator[bytes, None]:
        try:
            # More than the client's window: its sending is cancelled.
            while True:
                yield b"x" * 1024 * 1024
        finally:
            ended.set()

    begin = open_gate().server_stream(STREAM, pb.GetAgentRequest, responses)
    methods = {PATH: Method(MethodKind.SERVER_STREAM, begin)}
    async with TRANSPORTS["front"](methods, tmp_path) as client:
        for _ in range(3):
            call = client.call(PATH, request_of("a"))
            await anext(call)
            call.cancel()
            await ended.wait()
            ended.clear()
    gc.collect()
    assert [each for each in garbage if type(each).__name__ in ("FrontExchange", "CancelledError", "frame")] == []
