"""The number of Python calls that the daemon makes for one call, over each transport: a cost apart from the load.

sys.setprofile counts a coroutine again each time it is resumed. Only calls into the daemon's packages on the thread of
the event loop are counted, not those of the store's thread.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import FrameType
from typing import Any
from uuid import uuid4

import grpc
import pytest

import memoryd_server
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.working_memory_service_pb2_grpc import WorkingMemoryServiceStub
from memoryd_server.ops.composition import new_contract, new_engine
from memoryd_server.ops.data_directory import DataDirectory
from memoryd_server.ops.wiring.stores import store_of
from memoryd_server.ops.wiring.transports import server_of
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry
from memoryd_server.testing.daemon import settings_of

DAEMON = str(Path(memoryd_server.__file__).parent)
GET_ENTRY_CALLS_MAX = {"front": 24, "grpc": 17}
SET_ENTRY_CALLS_MAX = {"front": 100, "grpc": 88}
CALLS = 20


@pytest.fixture(params=["front", "grpc"])
def transport(request: pytest.FixtureRequest) -> str:
    """The transport under test."""
    if request.param == "front":
        pytest.importorskip("memoryd_front")
    return str(request.param)


@pytest.fixture
async def stub(transport: str, tmp_path: Path) -> AsyncIterator[WorkingMemoryServiceStub]:
    """The stub of a daemon in this event loop, to be called on another thread."""
    settings = settings_of("--data-dir", str(tmp_path / "data"), "--embedder", "none", "--transport", transport)
    with DataDirectory(settings.storage.data_dir) as directory, store_of(settings, directory) as store:
        engine = new_engine(settings, directory, store, WorkingMemoryTelemetry())
        await engine.open()
        contract = new_contract(settings, engine)
        server = server_of(settings, contract.methods, shares_ports=False)
        address = f"unix:{tmp_path}/socket"
        server.listen(address, None)
        await server.start()
        with grpc.insecure_channel(address) as channel:
            yield WorkingMemoryServiceStub(channel)
        await contract.serving.drain(10.0)
        await server.stop()
        await engine.close(take_snapshot=False)


async def fewest_calls(call: Callable[[Any], object], request: Any) -> int:
    """Return the minimum over several calls: the others include work that happened to run meanwhile."""
    counts = []

    def profile(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        if event == "call" and frame.f_code.co_filename.startswith(DAEMON):
            count += 1

    # The first calls load the agent and fill caches.
    for _ in range(3):
        await asyncio.to_thread(call, request)
    for _ in range(CALLS):
        count = 0
        sys.setprofile(profile)
        try:
            await asyncio.to_thread(call, request)
        finally:
            sys.setprofile(None)
        counts.append(count)
    return min(counts)


async def test_reading_an_entry_takes_few_calls(stub: WorkingMemoryServiceStub, transport: str) -> None:
    await asyncio.to_thread(stub.SetEntry, pb.SetEntryRequest(agent_id="a", key="key", value_json="1"))
    count = await fewest_calls(stub.GetEntry, pb.GetEntryRequest(agent_id="a", key="key"))
    assert 0 < count <= GET_ENTRY_CALLS_MAX[transport]


async def test_writing_an_entry_takes_a_bounded_number_of_calls(stub: WorkingMemoryServiceStub, transport: str) -> None:
    def set_entry(request: pb.SetEntryRequest) -> object:
        # As clients do: a repeated request would be answered from the window of request ids.
        request.request_id = uuid4().hex
        return stub.SetEntry(request)

    count = await fewest_calls(set_entry, pb.SetEntryRequest(agent_id="a", key="key", value_json="1"))
    assert 0 < count <= SET_ENTRY_CALLS_MAX[transport]
