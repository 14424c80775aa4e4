"""P-9: repeated kills under load: the time until the daemon is ready again, and the acknowledged writes it lost."""

import asyncio
import contextlib
import random
from pathlib import Path

import grpc
from tests.benchmarks import workload
from tests.benchmarks.figure import Figure, percentile
from tests.benchmarks.process import DaemonProcess

from memoryd.v1.working_memory_service_pb2_grpc import WorkingMemoryServiceStub

ROUNDS = 12
WRITERS = 16
LOAD_S = (0.3, 1.0)
SEED = 9


def kill_under_load(directory: Path) -> list[Figure]:
    """Kill the daemon while writers write; each writer increments a counter in an entry of its own agent."""
    chance = random.Random(SEED)
    acknowledged = dict.fromkeys(workload.agent_ids(WRITERS), 0)
    ready_s, lost = [], 0
    with DaemonProcess(directory) as daemon:
        for _ in range(ROUNDS):
            asyncio.run(_write_until_killed(daemon, acknowledged, chance.uniform(*LOAD_S)))
            ready_s.append(daemon.start())
            for agent_id, count in acknowledged.items():
                kept = int(daemon.memory.GetEntry(workload.get_request(agent_id)).entry.value_json or 0)
                # A write that was in flight when the daemon died may be there or not: continue from what is stored.
                lost += max(count - kept, 0)
                acknowledged[agent_id] = kept
    writes = sum(acknowledged.values())
    detail = f"{ROUNDS} kills under {WRITERS} writers, {writes:,} writes; p50 {percentile(ready_s, 50):.2f} s"
    return [
        Figure("P-9", "Acknowledged writes lost", lost, "", below=1, detail=detail),
        Figure("P-9", "Ready again after SIGKILL, at most", max(ready_s), "s", below=1, detail=detail),
    ]


async def _write_until_killed(daemon: DaemonProcess, acknowledged: dict[str, int], seconds: float) -> None:
    async with grpc.aio.insecure_channel(daemon.address) as channel:
        memory = WorkingMemoryServiceStub(channel)

        async def write(agent_id: str) -> None:
            with contextlib.suppress(grpc.aio.AioRpcError):
                while True:
                    following = acknowledged[agent_id] + 1
                    await memory.SetEntry(workload.set_request(agent_id, str(following)))
                    acknowledged[agent_id] = following

        writers = [asyncio.create_task(write(agent_id)) for agent_id in acknowledged]
        await asyncio.sleep(seconds)
        daemon.kill()
        await asyncio.gather(*writers)
