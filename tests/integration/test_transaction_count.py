"""The number of transactions, each with an fsync, that many sets cost: it does not depend on the machine."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from tests.wait import WAIT_S_MAX

from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd_server.engine.agents.clock import new_id
from memoryd_server.stores.sqlite.commits import schedule
from memoryd_server.stores.sqlite.commits.group import Group
from memoryd_server.stores.sqlite.commits.schedule import Schedule
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


async def set_entries(transport: InProcessTransport, agent_ids: Sequence[str]) -> None:
    async def set_entry(agent_id: str) -> None:
        request = pb.SetEntryRequest(agent_id=agent_id, key="key", value_json="1", request_id=new_id())
        await transport.unary("/memoryd.v1.WorkingMemoryService/SetEntry", request.SerializeToString())

    await asyncio.gather(*map(set_entry, agent_ids))


async def test_a_thousand_sets_of_many_agents_take_a_transaction_for_each_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No group ends because the machine is slow: each waits for the callers of the last one.
    monkeypatch.setattr(schedule, "GATHER_S_MAX_HASTY", WAIT_S_MAX)
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()

    def noting(method: Callable[..., None]) -> Callable[..., None]:
        def noted(*arguments: object) -> None:
            loop.call_soon_threadsafe(begun.set)
            method(*arguments)

        return noted

    # The writer has the first commits of a round: it waits for more, or writes them.
    monkeypatch.setattr(Schedule, "_gather", noting(Schedule._gather))
    monkeypatch.setattr(Group, "write", noting(Group.write))
    settings = settings_of("--data-dir", str(tmp_path / "data"), "--embedder", "none")
    agent_ids = [f"agent-{number}" for number in range(AGENTS)]
    async with running(settings) as transport:
        # One by one: a group of several would wait for as many agents, which are still being loaded.
        for agent_id in agent_ids:
            await set_entries(transport, (agent_id,))
        await set_entries(transport, agent_ids)
        before = transactions(tmp_path / "data")
        for _ in range(ROUNDS):
            begun.clear()
            early = asyncio.create_task(set_entries(transport, agent_ids[: AGENTS // 2]))
            await begun.wait()
            await set_entries(transport, agent_ids[AGENTS // 2 :])
            await early
        assert before < transactions(tmp_path / "data") <= before + TRANSACTIONS_MAX
