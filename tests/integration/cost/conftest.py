from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memoryd_server.ops.composition import new_contract, new_engine
from memoryd_server.ops.data_directory import DataDirectory
from memoryd_server.ops.wiring.stores import store_of
from memoryd_server.ports.telemetry import WorkingMemoryTelemetry
from memoryd_server.testing.daemon import settings_of
from memoryd_server.transport.in_process import InProcessTransport


@pytest.fixture
async def transport(tmp_path: Path) -> AsyncIterator[InProcessTransport]:
    """A daemon in this event loop."""
    settings = settings_of("--data-dir", str(tmp_path / "data"), "--embedder", "none", "--durability", "memory")
    with DataDirectory(settings.storage.data_dir) as directory, store_of(settings, directory) as store:
        engine = new_engine(settings, directory, store, WorkingMemoryTelemetry())
        await engine.open()
        contract = new_contract(settings, engine)
        transport = InProcessTransport(contract.methods)
        yield transport
        await contract.serving.drain(10.0)
        await transport.stop()
        await engine.close(take_snapshot=False)
