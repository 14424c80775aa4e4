"""The number of transactions, each with an fsync, that many sets cost: it does not depend on the machine."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.wait import WAIT_S_MAX

from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd_server.engine.agents.clock import new_id
from memoryd_server.stores.sqlite import writer
from memoryd_server.stores.sqlite.row import read_tail
from memoryd_server.testing.daemon import running, settings_of
from memoryd_server.transport.in_process import InProcessTransport

AGENTS = 64
ROUNDS = 16
TRANSACTIONS_MAX = ROUNDS + 2
"""Two more than rounds, for what else the daemon may write meanwhile."""


def transactions(data_dir: Path) -> int:
    with closing(sqlite3.connect(data_dir / "memoryd.db", isolation_level=None)) as connection:
        return read_tail(connection.execute("SELECT * FROM store").fetchone()).generation


async def set_entries(transport: InProcessTransport, agent_id: str, count: int) -> None:
    for _ in range(count):
        request = pb.SetEntryRequest(agent_id=agent_id, key="key", value_json="1", request_id=new_id())
        await transport.unary("/memoryd.v1.WorkingMemoryService/SetEntry", request.SerializeToString())


async def test_a_thousand_sets_of_many_agents_take_a_transaction_for_each_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No group ends because the machine is slow: each waits for the callers of the last one.
    monkeypatch.setattr(writer, "GATHER_S_MAX_HASTY", WAIT_S_MAX)
    settings = settings_of("--data-dir", str(tmp_path / "data"), "--embedder", "none")
    agent_ids = [f"agent-{number}" for number in range(AGENTS)]
    async with running(settings) as transport:
        # One by one: a group of several would wait for as many agents, which are still being loaded.
        for agent_id in agent_ids:
            await set_entries(transport, agent_id, 1)
        before = transactions(tmp_path / "data")
        await asyncio.gather(*(set_entries(transport, agent_id, ROUNDS) for agent_id in agent_ids))
        assert before < transactions(tmp_path / "data") <= before + TRANSACTIONS_MAX
