"""P-1 and P-2: calls per second against an empty method, and entries per second in batches."""

import statistics
from collections.abc import Sequence
from pathlib import Path

from google.protobuf.message import Message
from tests.benchmarks import workload
from tests.benchmarks.figure import Figure
from tests.benchmarks.load import Rate, Shape, measure, require_h2load
from tests.benchmarks.process import DaemonProcess
from tests.benchmarks.server import EMPTY_GET, EMPTY_SET

PAIRS = 11
ROUNDS = 3
MANY_AGENTS = 64
BATCH_ENTRIES = 100

_EIGHT_OF_SIXTEEN = Shape(connections=8, streams=16, seconds=1)
_ONE_EACH = Shape(connections=1, streams=2, seconds=1)
"""For 64 processes at a time: 128 calls in flight, as with 8 connections of 16."""


def get_entry(directory: Path) -> list[Figure]:
    """P-1: GetEntry."""
    require_h2load()
    with DaemonProcess(directory) as daemon:
        daemon.memory.SetEntry(workload.set_request("agent"))
        before = _access_count(daemon)
        request = [workload.get_request("agent")]
        pairs = _pairs(daemon, EMPTY_GET, "GetEntry", request, _EIGHT_OF_SIXTEEN, directory)
        _verify(_access_count(daemon) - before, sum(ours.calls for _, ours in pairs))
    return _ratio("GetEntry", 90, pairs)


def set_entry(directory: Path) -> list[Figure]:
    """P-1: synced SetEntry over many agents, the case that the daemon is built for, and over one."""
    return [
        *_set_entry(directory / "many", MANY_AGENTS, _ONE_EACH),
        *_set_entry(directory / "one", 1, _EIGHT_OF_SIXTEEN),
    ]


def batches(directory: Path) -> list[Figure]:
    """P-2: batches of 100."""
    require_h2load()
    keys = workload.keys(BATCH_ENTRIES)
    writes = [workload.batch_write_request(agent_id, keys) for agent_id in workload.agent_ids(8)]
    reads = [workload.batch_get_request(writes[0].agent_id, keys)]
    with DaemonProcess(directory) as daemon:
        written = _best_of(daemon, "BatchWriteEntries", writes, Shape(1, 4, 3), directory)
        _verify(sum(daemon.revision(each.agent_id) for each in writes), sum(rate.calls for rate in written))
        read = _best_of(daemon, "BatchGetEntries", reads, Shape(8, 4, 3), directory)
        response = daemon.memory.BatchGetEntries(reads[0])
        _verify(len(response.entries), BATCH_ENTRIES)
    return [
        _entry_rate("BatchWriteEntries of 100, synced", 60_000, written),
        _entry_rate("BatchGetEntries of 100", 150_000, read),
    ]


def _set_entry(directory: Path, agents: int, shape: Shape) -> list[Figure]:
    require_h2load()
    directory.mkdir()
    agent_ids = workload.agent_ids(agents)
    requests = [workload.set_request(agent_id) for agent_id in agent_ids]
    with DaemonProcess(directory) as daemon:
        for request in requests:
            daemon.memory.SetEntry(request)
        pairs = _pairs(daemon, EMPTY_SET, "SetEntry", requests, shape, directory)
        revisions = sum(daemon.revision(agent_id) for agent_id in agent_ids)
        _verify(revisions, sum(ours.calls for _, ours in pairs))
    return _ratio(f"SetEntry synced, {agents} agent{'s' * (agents > 1)}", 75, pairs)


def _pairs(
    daemon: DaemonProcess, empty: str, method: str, requests: Sequence[Message], shape: Shape, directory: Path
) -> list[tuple[Rate, Rate]]:
    """Return pairs of rates, of the empty method and of ours.

    The pairs are many and short, in alternating order, since the speed of a shared machine varies.
    """
    paths = [empty, f"{workload.SERVICE}/{method}"]
    pairs = []
    for number in range(PAIRS):
        order = paths if number % 2 == 0 else paths[::-1]
        rates = {path: measure(daemon, path, requests, shape, directory) for path in order}
        pairs.append((rates[empty], rates[paths[1]]))
    return pairs


def _best_of(
    daemon: DaemonProcess, method: str, requests: Sequence[Message], shape: Shape, directory: Path
) -> list[Rate]:
    return [measure(daemon, f"{workload.SERVICE}/{method}", requests, shape, directory) for _ in range(ROUNDS)]


def _ratio(name: str, target: float, pairs: Sequence[tuple[Rate, Rate]]) -> list[Figure]:
    ratio = statistics.median(ours.calls_per_s / empty.calls_per_s for empty, ours in pairs)
    empty_rate = statistics.median(empty.calls_per_s for empty, _ in pairs)
    rate = statistics.median(ours.calls_per_s for _, ours in pairs)
    empty_cpu = statistics.median(empty.cpu_us for empty, _ in pairs)
    cpu = statistics.median(ours.cpu_us for _, ours in pairs)
    detail = (
        f"{rate:,.0f} calls/s against {empty_rate:,.0f}, median of {len(pairs)} pairs;"
        f" {cpu:.0f} µs of processor a call against {empty_cpu:.0f}"
    )
    return [Figure("P-1", f"{name}, of an empty method", 100 * ratio, "%", at_least=target, detail=detail)]


def _entry_rate(name: str, target: float, rates: Sequence[Rate]) -> Figure:
    calls_per_s = statistics.median(rate.calls_per_s for rate in rates)
    cpu_us = statistics.median(rate.cpu_us for rate in rates)
    detail = f"median of {len(rates)}; {cpu_us / BATCH_ENTRIES:.1f} µs of processor an entry, all threads"
    return Figure("P-2", name, calls_per_s * BATCH_ENTRIES, "entries/s", at_least=target, detail=detail)


def _access_count(daemon: DaemonProcess) -> int:
    count: int = daemon.memory.GetEntry(workload.get_request("agent")).entry.access_count
    return count


def _verify(happened: int, counted: int) -> None:
    """Raise RuntimeError if fewer calls happened than were counted.

    h2load counts gRPC errors as successes. More may have happened: it does not count the calls of its warm-up.
    """
    if happened < counted:
        raise RuntimeError(f"h2load counted {counted} calls, but only {happened} happened")
