"""P-8: a daemon on Valkey compared with one on the embedded store, and two daemons that share Valkey with one."""

import os
import statistics
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from tests.benchmarks import workload
from tests.benchmarks.figure import Figure
from tests.benchmarks.go_loader import measure_writes, request_id
from tests.benchmarks.load import Rate, Shape, measure, measure_together, require_h2load
from tests.benchmarks.process import CLIENT_CORE, SERVER_CORE, DaemonProcess, cpu_s
from tests.valkey.server import ValkeyServer

PAIRS = 7
AGENTS = 64
TARGET_PERCENT = 60

_ONE_EACH = Shape(connections=1, streams=2, seconds=1)
_HALF_EACH = Shape(connections=1, streams=1, seconds=1)


class Kind(NamedTuple):
    """One comparison: the same calls on both stores, at the same durability."""

    name: str
    method: str
    durability: str
    appendfsync: str
    max_staleness_s: int = 0


KINDS = (
    Kind("GetEntry", "GetEntry", "journaled", "everysec"),
    Kind("GetEntry at most 10 s old", "GetEntry", "journaled", "everysec", max_staleness_s=10),
    Kind("SetEntry journaled", "SetEntry", "journaled", "everysec"),
    Kind("SetEntry synced", "SetEntry", "synced", "always"),
)


def of_embedded(directory: Path) -> list[Figure]:
    """Measure each kind of call on Valkey, as a share of its rate on the embedded store: pairs in turn, in one run."""
    require_h2load()
    return [_compare(kind, directory / f"{number}") for number, kind in enumerate(KINDS)]


def two_daemons(directory: Path) -> list[Figure]:
    """Measure the rate of two daemons as a share of one's, and what a call costs the daemon and the server."""
    require_h2load()
    figures: list[Figure] = []
    for number, kind in enumerate((KINDS[0], KINDS[2])):
        figures += _scale(kind, directory / f"{number}")
    return figures


def _compare(kind: Kind, directory: Path) -> Figure:
    requests = _requests(kind, request_id())
    with _valkey(directory, kind) as server, ExitStack() as stack:
        flags = ("--durability", kind.durability)
        embedded = stack.enter_context(DaemonProcess(_created(directory / "embedded"), *flags))
        shared = stack.enter_context(DaemonProcess(_created(directory / "shared"), *flags, "--store", server.url))
        for daemon in (embedded, shared):
            _fill(daemon)
        path = f"{workload.SERVICE}/{kind.method}"
        measured = measure_writes if kind.method == "SetEntry" else measure
        pairs: list[tuple[Rate, Rate]] = []
        for number in range(PAIRS):
            order = (embedded, shared) if number % 2 == 0 else (shared, embedded)
            rates = {each: measured(each, path, requests, _ONE_EACH, directory) for each in order}
            pairs.append((rates[embedded], rates[shared]))
        _verify(kind, shared, sum(ours.calls for _, ours in pairs))
    percent = 100 * statistics.median(ours.calls_per_s / theirs.calls_per_s for theirs, ours in pairs)
    detail = (
        f"{_median(ours.calls_per_s for _, ours in pairs):,.0f} calls/s against"
        f" {_median(theirs.calls_per_s for theirs, _ in pairs):,.0f}, median of {PAIRS} pairs;"
        f" {_median(ours.cpu_us for _, ours in pairs):.0f} µs of the daemon's processor a call against"
        f" {_median(theirs.cpu_us for theirs, _ in pairs):.0f}; {AGENTS} agents; the server on the load's core"
    )
    return Figure("P-8", f"{kind.name} on Valkey, of embedded", percent, "%", at_least=TARGET_PERCENT, detail=detail)


def _scale(kind: Kind, directory: Path) -> list[Figure]:
    requests = _requests(kind)
    path = f"{workload.SERVICE}/{kind.method}"
    with _valkey(directory, kind) as server, ExitStack() as stack:
        flags = ("--durability", kind.durability, "--store", server.url)
        cores = (SERVER_CORE, CLIENT_CORE)
        daemons = [
            stack.enter_context(DaemonProcess(_created(directory / f"{core}-{number}"), *flags, cores=(core,)))
            for number, core in enumerate(cores)
        ]
        _fill(daemons[0])
        one, two, server_us = [], [], []
        for _ in range(PAIRS):
            before = cpu_s(server.pid)
            alone = measure(daemons[0], path, requests, _ONE_EACH, directory)
            seconds = _ONE_EACH.seconds + _ONE_EACH.warm_up_ms / 1000
            server_us.append((cpu_s(server.pid) - before) * 1e6 / (alone.calls_per_s * seconds))
            one.append(alone)
            two.append(sum(measure_together(daemons, path, requests, _HALF_EACH, directory)))
        _verify(kind, daemons[0], sum(each.calls for each in one))
    daemon_us = _median(each.cpu_us for each in one)
    alone_rate, both_rate = _median(each.calls_per_s for each in one), _median(two)
    detail = f"{both_rate:,.0f} calls/s against {alone_rate:,.0f}; two daemons, the server and the load on two cores"
    return [
        Figure("P-8", f"{kind.name}, two daemons of one", 100 * both_rate / alone_rate, "%", detail=detail),
        Figure("P-8", f"{kind.name}, the daemon's processor", daemon_us, "µs/call", detail="all threads"),
        Figure(
            "P-8", f"{kind.name}, the server's processor", _median(server_us), "µs/call", detail="Valkey, all threads"
        ),
    ]


@contextmanager
def _valkey(directory: Path, kind: Kind) -> Iterator[ValkeyServer]:
    """Yield a server on the core of the load, so that the daemon's core is the daemon's alone."""
    with ValkeyServer(directory / "valkey", options={"appendfsync": kind.appendfsync}) as server:
        os.sched_setaffinity(server.pid, {CLIENT_CORE})
        yield server


def _created(directory: Path) -> Path:
    directory.mkdir(parents=True)
    return directory


def _requests(kind: Kind, written_id: str = "") -> list[Message]:
    if kind.method == "SetEntry":
        return [workload.set_request(agent_id, request_id=written_id) for agent_id in workload.agent_ids(AGENTS)]
    gets = [workload.get_request(agent_id) for agent_id in workload.agent_ids(AGENTS)]
    for request in gets:
        if kind.max_staleness_s:
            request.consistency.max_staleness.CopyFrom(Duration(seconds=kind.max_staleness_s))
    return list(gets)


def _fill(daemon: DaemonProcess) -> None:
    for agent_id in workload.agent_ids(AGENTS):
        daemon.memory.SetEntry(workload.set_request(agent_id))


def _verify(kind: Kind, daemon: DaemonProcess, counted: int) -> None:
    """Raise RuntimeError if fewer calls happened than were counted: h2load counts gRPC errors as successes."""
    if kind.method == "GetEntry":
        happened = sum(
            daemon.memory.GetEntry(workload.get_request(each)).entry.access_count for each in workload.agent_ids(AGENTS)
        )
    else:
        happened = sum(daemon.revision(each) for each in workload.agent_ids(AGENTS))
    if happened < counted:
        raise RuntimeError(f"h2load counted {counted} calls, but only {happened} happened")


def _median(values: Sequence[float] | Iterator[float]) -> float:
    return statistics.median(values)
