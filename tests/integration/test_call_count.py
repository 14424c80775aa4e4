"""The number of Python calls that the daemon makes for one call over each transport: a cost apart from the load.

sys.setprofile counts a coroutine again each time it is resumed. Only calls into the daemon's packages on the thread of
the event loop are counted, not those of the store's thread.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from types import FrameType

import grpc
import pytest

import memoryd_server
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.working_memory_service_pb2_grpc import WorkingMemoryServiceStub
from memoryd_server.engine.agents.clock import new_id
from memoryd_server.ops.composition import new_contract, new_engine
from memoryd_server.ops.data_directory import DataDirectory
from memoryd_server.ops.wiring.stores import store_of
from memoryd_server.ops.wiring.transports import server_of
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry
from memoryd_server.testing.daemon import settings_of

DAEMON = str(Path(memoryd_server.__file__).parent)
GET_ENTRY_CALLS_MAX = {"front": 20, "grpc": 22}
SET_ENTRY_CALLS_MAX = {"front": 86, "grpc": 80}
"""Over the front end, with those of a turn of the event loop, which takes many calls under load."""
REQUEST_ID_CALLS_MAX = 11
BATCH_WRITE_CALLS_PER_ENTRY_MAX = 22
CALLS = 20


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


async def fewest_calls(call: Callable[[], object]) -> int:
    """Return the minimum over several calls: the others include work that happened to run meanwhile."""
    counts = []

    def profile(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        if event == "call" and frame.f_code.co_filename.startswith(DAEMON):
            count += 1

    # The first calls load the agent and fill caches.
    for _ in range(3):
        await asyncio.to_thread(call)
    for _ in range(CALLS):
        count = 0
        sys.setprofile(profile)
        try:
            await asyncio.to_thread(call)
        finally:
            sys.setprofile(None)
        counts.append(count)
    return min(counts)


async def test_reading_an_entry_takes_few_calls(stub: WorkingMemoryServiceStub, transport: str) -> None:
    await asyncio.to_thread(stub.SetEntry, pb.SetEntryRequest(agent_id="a", key="key", value_json="1"))
    count = await fewest_calls(lambda: stub.GetEntry(pb.GetEntryRequest(agent_id="a", key="key")))
    assert 0 < count <= GET_ENTRY_CALLS_MAX[transport]


async def test_writing_an_entry_takes_a_bounded_number_of_calls(stub: WorkingMemoryServiceStub, transport: str) -> None:
    def request(request_id: str = "") -> pb.SetEntryRequest:
        return pb.SetEntryRequest(agent_id="a", key="key", value_json="1", request_id=request_id)

    count = await fewest_calls(lambda: stub.SetEntry(request()))
    assert 0 < count <= SET_ENTRY_CALLS_MAX[transport]
    with_id = await fewest_calls(lambda: stub.SetEntry(request(new_id())))
    assert count < with_id <= SET_ENTRY_CALLS_MAX[transport] + REQUEST_ID_CALLS_MAX


async def test_reading_many_entries_takes_no_calls_for_each(stub: WorkingMemoryServiceStub) -> None:
    keys = [f"k{number}" for number in range(100)]
    sets = [pb.EntryOperation(set=pb.SetEntryOperation(key=key, value_json="1")) for key in keys]
    await asyncio.to_thread(stub.BatchWriteEntries, pb.BatchWriteEntriesRequest(agent_id="a", operations=sets))

    async def count_of(keys: Sequence[str]) -> int:
        return await fewest_calls(lambda: stub.BatchGetEntries(pb.BatchGetEntriesRequest(agent_id="a", keys=keys)))

    assert 0 < await count_of(keys) == await count_of(keys[:50])


async def test_writing_many_entries_takes_a_bounded_number_of_calls_for_each(stub: WorkingMemoryServiceStub) -> None:
    async def count_of(entries: int) -> int:
        keys = [f"k{number}" for number in range(entries)]
        sets = [pb.EntryOperation(set=pb.SetEntryOperation(key=key, value_json="1")) for key in keys]
        return await fewest_calls(
            lambda: stub.BatchWriteEntries(pb.BatchWriteEntriesRequest(agent_id="a", operations=sets))
        )

    # Ten entries more may be one read of the connection more.
    assert 0 < (await count_of(60) - await count_of(50)) // 10 <= BATCH_WRITE_CALLS_PER_ENTRY_MAX
