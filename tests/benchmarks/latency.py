"""P-3 and WM-25: the latency of a caller, alone and among others."""

import asyncio
import time
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path
from uuid import uuid4

import grpc
from tests.benchmarks import workload
from tests.benchmarks.disk import synced_page
from tests.benchmarks.figure import Figure, percentile
from tests.benchmarks.timing import percentiles_ms, times_ms
from tests.benchmarks.transport import Transport, daemon_of, transports

from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.working_memory_service_pb2_grpc import WorkingMemoryServiceStub

ALONE_GETS = 5_000
ALONE_SETS = 1_500
DISK_SYNCS = 500
CALLERS = 8
CALLER_ROUNDS = 800


def alone(directory: Path) -> list[Figure]:
    """P-3: one caller, one call at a time."""
    return [figure for transport in transports() for figure in _alone(transport, directory)]


def _alone(transport: Transport, directory: Path) -> list[Figure]:
    with daemon_of(transport, directory) as daemon:
        memory = daemon.memory
        get, put = workload.get_request("agent"), _puts("agent")
        times_ms(repeat(lambda: memory.SetEntry(next(put)), 100))
        syncs_ms = _disk_syncs_ms(directory, DISK_SYNCS)
        sets_ms = times_ms(repeat(lambda: memory.SetEntry(next(put)), ALONE_SETS))
        syncs_ms += _disk_syncs_ms(directory, DISK_SYNCS)
        gets_ms = times_ms(repeat(lambda: memory.GetEntry(get), ALONE_GETS))
    # At its best: a loop of nothing but syncs is delayed by the machine more than the daemon, whose own are not seen.
    disk_ms = percentile(syncs_ms, 10)
    beyond_ms = percentile(sets_ms, 95) - disk_ms
    detail = f"{percentiles_ms(sets_ms)}; the disk's fdatasync of 4 KiB: p10 {disk_ms:.2f}, {percentiles_ms(syncs_ms)}"
    return [
        Figure(
            "P-3", f"GetEntry alone, p95, over {transport.title}", percentile(gets_ms, 95), "ms", below=1,
            detail=percentiles_ms(gets_ms),
        ),
        Figure(
            "P-3", f"SetEntry synced alone, p95 beyond the disk's p10, over {transport.title}", beyond_ms, "ms",
            below=1.5 if transport is Transport.FRONT else None, detail=detail,
        ),
    ]  # fmt: skip


def among_others(directory: Path) -> list[Figure]:
    """WM-25: callers that set and get at the same time, each without a pause."""
    return [figure for transport in transports() for figure in _among_others(transport, directory)]


def _among_others(transport: Transport, directory: Path) -> list[Figure]:
    with daemon_of(transport, directory) as daemon:
        gets_ms, sets_ms = asyncio.run(call_among_others(daemon.address))
    about = f"{CALLERS} callers without a pause, the client's own queue included"
    return [
        Figure(
            "WM-25", f"Get under load, p95, over {transport.title}", percentile(gets_ms, 95), "ms", below=5,
            detail=percentiles_ms(gets_ms),
        ),
        Figure(
            "WM-25", f"Set synced under load, p95, over {transport.title}", percentile(sets_ms, 95), "ms", below=10,
            detail=f"{percentiles_ms(sets_ms)}; {about}",
        ),
    ]  # fmt: skip


async def call_among_others(
    address: str, rounds: int = CALLER_ROUNDS, interval_s: float = 0.0
) -> tuple[list[float], list[float]]:
    """Return the times that callers at the same time had for their gets, and for their sets, in milliseconds.

    Each caller begins one set and one get per ``interval_s``, in turn with the others, or the next ones at once if they
    take longer.
    """
    async with grpc.aio.insecure_channel(address) as channel:
        memory = WorkingMemoryServiceStub(channel)
        gets_ms: list[float] = []
        sets_ms: list[float] = []

        async def call(agent_id: str, place: float) -> None:
            get, put = workload.get_request(agent_id), _puts(agent_id)
            due = time.perf_counter() + place * interval_s
            for _ in range(rounds):
                due += interval_s
                await asyncio.sleep(due - time.perf_counter())
                began = time.perf_counter()
                await memory.SetEntry(next(put))
                between = time.perf_counter()
                await memory.GetEntry(get)
                sets_ms.append((between - began) * 1000)
                gets_ms.append((time.perf_counter() - between) * 1000)

        agent_ids = workload.agent_ids(CALLERS)
        await asyncio.gather(*(call(each, index / CALLERS) for index, each in enumerate(agent_ids)))
        return gets_ms, sets_ms


def _puts(agent_id: str) -> Iterator[pb.SetEntryRequest]:
    """Yield requests with an id of their own, as clients send them."""
    while True:
        yield workload.set_request(agent_id, request_id=uuid4().hex)


def _disk_syncs_ms(directory: Path, count: int) -> list[float]:
    with synced_page(directory / "syncs") as sync:
        return times_ms(repeat(sync, count))
