"""P-3 and WM-25: the latency of a caller, alone and among others."""

import asyncio
import os
import time
from itertools import repeat
from pathlib import Path

import grpc
from tests.benchmarks import workload
from tests.benchmarks.figure import Figure, percentile
from tests.benchmarks.process import DaemonProcess
from tests.benchmarks.timing import percentiles_ms, times_ms

from memoryd.v1.working_memory_service_pb2_grpc import WorkingMemoryServiceStub

ALONE_GETS = 5_000
ALONE_SETS = 1_500
DISK_SYNCS = 500
CALLERS = 8
CALLER_ROUNDS = 800


def alone(directory: Path) -> list[Figure]:
    """P-3: one caller, one call at a time."""
    with DaemonProcess(directory) as daemon:
        memory = daemon.memory
        get, put = workload.get_request("agent"), workload.set_request("agent")
        times_ms(repeat(lambda: memory.SetEntry(put), 100))
        syncs_ms = _disk_syncs_ms(directory, DISK_SYNCS)
        sets_ms = times_ms(repeat(lambda: memory.SetEntry(put), ALONE_SETS))
        syncs_ms += _disk_syncs_ms(directory, DISK_SYNCS)
        gets_ms = times_ms(repeat(lambda: memory.GetEntry(get), ALONE_GETS))
    disk_ms = percentile(syncs_ms, 95)
    beyond_ms = percentile(sets_ms, 95) - disk_ms
    detail = f"{percentiles_ms(sets_ms)}; the disk's fdatasync of 4 KiB: {percentiles_ms(syncs_ms)}"
    return [
        Figure("P-3", "GetEntry alone, p95", percentile(gets_ms, 95), "ms", below=1, detail=percentiles_ms(gets_ms)),
        Figure("P-3", "SetEntry synced alone, p95 beyond the disk's", beyond_ms, "ms", below=2.5, detail=detail),
    ]


def among_others(directory: Path) -> list[Figure]:
    """WM-25: callers that set and get at the same time, each without a pause."""
    with DaemonProcess(directory) as daemon:
        gets_ms, sets_ms = asyncio.run(_callers(daemon.address))
    about = f"{CALLERS} callers without a pause, the client's own queue included"
    return [
        Figure("WM-25", "Get under load, p95", percentile(gets_ms, 95), "ms", below=5, detail=percentiles_ms(gets_ms)),
        Figure(
            "WM-25", "Set synced under load, p95", percentile(sets_ms, 95), "ms", below=10,
            detail=f"{percentiles_ms(sets_ms)}; {about}",
        ),
    ]  # fmt: skip


async def _callers(address: str) -> tuple[list[float], list[float]]:
    async with grpc.aio.insecure_channel(address) as channel:
        memory = WorkingMemoryServiceStub(channel)
        gets_ms: list[float] = []
        sets_ms: list[float] = []

        async def call(agent_id: str) -> None:
            get, put = workload.get_request(agent_id), workload.set_request(agent_id)
            for _ in range(CALLER_ROUNDS):
                began = time.perf_counter()
                await memory.SetEntry(put)
                between = time.perf_counter()
                await memory.GetEntry(get)
                sets_ms.append((between - began) * 1000)
                gets_ms.append((time.perf_counter() - between) * 1000)

        await asyncio.gather(*(call(agent_id) for agent_id in workload.agent_ids(CALLERS)))
        return gets_ms, sets_ms


def _disk_syncs_ms(directory: Path, count: int) -> list[float]:
    descriptor = os.open(directory / "syncs", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    page = b"\1" * 4096

    def sync() -> None:
        os.write(descriptor, page)
        os.fdatasync(descriptor)

    try:
        return times_ms(repeat(sync, count))
    finally:
        os.close(descriptor)
