"""P-6: many agents on disk: the time to start, and the memory while all agents are read, against the cache's limit."""

import asyncio
from pathlib import Path

import grpc
from tests.benchmarks import workload
from tests.benchmarks.figure import Figure, percentile
from tests.benchmarks.fill import fill
from tests.benchmarks.process import DaemonProcess

from memoryd.v1.working_memory_service_pb2_grpc import WorkingMemoryServiceStub

AGENTS = 10_000
ENTRIES_EACH = 100
CACHE_MB = 128
STARTS = 3
TOUCHERS = 8
MB = 1_000_000


def many_agents(directory: Path) -> list[Figure]:
    """Measure 10,000 agents with 100 entries each."""
    agent_ids = workload.agent_ids(AGENTS)
    with DaemonProcess(directory, "--cache-bytes-max", str(CACHE_MB * MB)) as daemon:
        fill(daemon.address, agent_ids, workload.keys(ENTRIES_EACH), workload.VALUE_JSON, ENTRIES_EACH)
        daemon.kill()
        starts_s = []
        for _ in range(STARTS):
            starts_s.append(daemon.start())
            before = daemon.rss_bytes()
            daemon.stop()
        daemon.start()
        found, peak = asyncio.run(_touch_all(daemon, agent_ids))
    if found != AGENTS:
        raise RuntimeError(f"only {found} of {AGENTS} agents were found")
    grown = (peak - before) / MB
    ready = f"median of {STARTS}, the first after SIGKILL; to the first answered call, the interpreter's start included"
    detail = f"beyond the {before / MB:.0f} MB of the started daemon, while all agents are read"
    return [
        Figure("P-6", "Ready with 10,000 agents of 100 entries", percentile(starts_s, 50), "s", below=1, detail=ready),
        Figure("P-6", f"Memory with a cache of {CACHE_MB} MB", grown, "MB", below=CACHE_MB, detail=detail),
    ]


async def _touch_all(daemon: DaemonProcess, agent_ids: list[str]) -> tuple[int, int]:
    """Read an entry of each agent; return the number that were found, and the peak of resident bytes meanwhile."""
    found = peak = 0
    waiting = iter(agent_ids)
    async with grpc.aio.insecure_channel(daemon.address) as channel:
        memory = WorkingMemoryServiceStub(channel)

        async def touch() -> None:
            nonlocal found, peak
            for agent_id in waiting:
                response = await memory.GetEntry(workload.get_request(agent_id))
                found += response.found
                peak = max(peak, daemon.rss_bytes())

        await asyncio.gather(*(touch() for _ in range(TOUCHERS)))
    return found, peak
