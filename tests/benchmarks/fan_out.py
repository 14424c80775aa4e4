"""P-5: delivery of an event to many watchers, and the memory of idle watches."""

import contextlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
from tests.benchmarks import workload
from tests.benchmarks.figure import Figure, percentile
from tests.benchmarks.process import CLIENT_CORE, ROOT, DaemonProcess
from tests.benchmarks.server import BARE_PUBLISH, BARE_WATCH
from tests.benchmarks.watcher import END, Plan, Seen

from memoryd.v1 import working_memory_service_pb2 as pb

Set = Callable[[pb.SetEntryRequest], Any]

SET = f"{workload.SERVICE}/SetEntry"
WATCH = "/memoryd.v1.EventService/WatchEvents"
WATCHERS = 1_000
PACED_EVENTS = 40
PACE_S = 0.3
BURST_EVENTS = 1_000
WRITERS = 64
IDLE_WATCHERS = 10_000
MB = 1_000_000


def delivery(directory: Path) -> list[Figure]:
    """Measure deliveries to 1,000 watchers of one agent: of single events, and of those of many concurrent writers.

    Single events are also sent through bare watches of the same process, which cost what gRPC and the clients cost.
    """
    with DaemonProcess(directory) as daemon:
        bare, _ = _delivered(daemon, PACED_EVENTS, _write_paced, BARE_WATCH, BARE_PUBLISH)
        paced, _ = _delivered(daemon, PACED_EVENTS, _write_paced)
        burst, seconds = _delivered(daemon, BURST_EVENTS, _write_burst)
    p50, p95, p99 = (percentile(_lags_ms(paced), each) for each in (50, 95, 99))
    lag = (
        f"p50 {p50:.1f}, p95 {p95:.1f} ms; {PACED_EVENTS} events, {PACE_S:.1f} s apart,"
        f" {paced.sampled} watchers sampled; p99 of bare watches {percentile(_lags_ms(bare), 99):.1f} ms"
    )
    spread_ms = _spread_ms(paced)
    single = (
        f"{spread_ms:.0f} ms from the write until the last sampled watcher had it, median of {PACED_EVENTS};"
        f" bare watches {_spread_ms(bare):.0f} ms"
    )
    many = f"{BURST_EVENTS:,} events of {WRITERS} writers in {seconds:.2f} s, until the last watcher had the last"
    missed = paced.incomplete + burst.incomplete
    return [
        Figure("P-5", "Deliveries of single events", WATCHERS / spread_ms * 1000, "/s", at_least=50_000, detail=single),
        Figure(
            "P-5", "Deliveries under load", BURST_EVENTS * WATCHERS / seconds, "/s", at_least=50_000, detail=many
        ),
        Figure("P-5", "Lag of a single event, p99", p99, "ms", below=50, detail=lag),
        Figure("P-5", "Watchers that missed an event", missed, "", below=1, detail="of those sampled"),
    ]  # fmt: skip


def idle(directory: Path) -> list[Figure]:
    """Measure the memory of 10,000 watches without events."""
    with DaemonProcess(directory) as daemon:
        daemon.memory.SetEntry(workload.set_request("agent"))
        before = daemon.rss_bytes()
        with _watchers(Plan(daemon.address, WATCH, "agent", IDLE_WATCHERS, 0)):
            grown = daemon.rss_bytes() - before
    detail = f"{grown / IDLE_WATCHERS / 1000:.0f} kB each, 100 on a connection; growth of the process"
    return [Figure("P-5", "Memory of 10,000 idle watches", grown / MB, "MB", below=500, detail=detail)]


def _delivered(
    daemon: DaemonProcess, events: int, write: Callable[[Set], None], watch: str = WATCH, set_entry: str = SET
) -> tuple[Seen, float]:
    """Return what the watchers saw, and the seconds from the first event until all had seen the end."""
    call = daemon.channel.unary_unary(set_entry, request_serializer=pb.SetEntryRequest.SerializeToString)
    with _watchers(Plan(daemon.address, watch, "agent", WATCHERS, events)) as watchers:
        began = time.monotonic_ns()
        write(call)
        call(workload.set_request("agent", f'"{END}"'))
        assert watchers.stdout is not None
        seen = msgspec.json.decode(watchers.stdout.readline(), type=Seen)
    return seen, (seen.end_ns - began) / 1e9


def _lags_ms(seen: Seen) -> list[float]:
    return [lag for watcher in seen.lags_ms for lag in watcher]


def _spread_ms(seen: Seen) -> float:
    return statistics.median(max(event) for event in zip(*seen.lags_ms, strict=True))


def _write_one(set_entry: Set) -> None:
    set_entry(workload.set_request("agent", str(time.monotonic_ns())))


def _write_paced(set_entry: Set) -> None:
    for _ in range(PACED_EVENTS):
        _write_one(set_entry)
        time.sleep(PACE_S)


def _write_burst(set_entry: Set) -> None:
    with ThreadPoolExecutor(WRITERS) as writers:
        list(writers.map(lambda _: _write_one(set_entry), range(BURST_EVENTS)))


@contextlib.contextmanager
def _watchers(plan: Plan) -> Iterator["subprocess.Popen[bytes]"]:
    """Run the watchers in a process of their own, and yield it when all watches are open."""
    command = ["taskset", "-c", str(CLIENT_CORE), sys.executable, "-m", "tests.benchmarks.watcher"]
    watchers = subprocess.Popen([*command, msgspec.json.encode(plan).decode()], stdout=subprocess.PIPE, cwd=ROOT)
    try:
        assert watchers.stdout is not None
        if watchers.stdout.readline().strip() != b"ready":
            raise RuntimeError("the watchers did not start")
        yield watchers
    finally:
        watchers.kill()
        watchers.communicate()
