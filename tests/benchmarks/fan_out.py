"""P-5: one event to many watchers, and watchers who wait."""

import contextlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
from tests.benchmarks import workload
from tests.benchmarks.figure import Figure, percentile
from tests.benchmarks.process import CLIENT_CORE, ROOT, DaemonProcess
from tests.benchmarks.watcher import END, Plan, Seen

WATCHERS = 1_000
PACED_EVENTS = 40
PACE_S = 0.3
BURST_EVENTS = 1_000
WRITERS = 64
IDLE_WATCHERS = 10_000
MB = 1_000_000


def delivery(directory: Path) -> list[Figure]:
    """Events of one agent to 1,000 watchers: single ones, and what many writers write at a time."""
    with DaemonProcess(directory) as daemon:
        paced, _ = _delivered(daemon, PACED_EVENTS, _write_paced)
        burst, seconds = _delivered(daemon, BURST_EVENTS, _write_burst)
    lags_ms = [lag for watcher in paced.lags_ms for lag in watcher]
    p50, p95, p99 = (percentile(lags_ms, each) for each in (50, 95, 99))
    lag = (
        f"p50 {p50:.1f}, p95 {p95:.1f} ms; {PACED_EVENTS} events, {PACE_S:.1f} s apart,"
        f" {paced.sampled} watchers sampled"
    )
    spread_ms = statistics.median(max(event) for event in zip(*paced.lags_ms, strict=True))
    single = f"{spread_ms:.0f} ms from the write until the last sampled watcher had it, median of {PACED_EVENTS}"
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
    """10,000 watchers for whom nothing happens."""
    with DaemonProcess(directory) as daemon:
        daemon.memory.SetEntry(workload.set_request("agent"))
        before = daemon.rss_bytes()
        with _watchers(Plan(daemon.address, "agent", IDLE_WATCHERS, 0)):
            grown = daemon.rss_bytes() - before
    detail = f"{grown / IDLE_WATCHERS / 1000:.0f} kB each, 100 on a connection; growth of the process"
    return [Figure("P-5", "Memory of 10,000 idle watches", grown / MB, "MB", below=500, detail=detail)]


def _delivered(daemon: DaemonProcess, events: int, write: Callable[[DaemonProcess], None]) -> tuple[Seen, float]:
    """What the watchers saw, and how long it took from the first event until all had seen the end."""
    with _watchers(Plan(daemon.address, "agent", WATCHERS, events)) as watchers:
        began = time.monotonic_ns()
        write(daemon)
        daemon.memory.SetEntry(workload.set_request("agent", f'"{END}"'))
        assert watchers.stdout is not None
        seen = msgspec.json.decode(watchers.stdout.readline(), type=Seen)
    return seen, (seen.end_ns - began) / 1e9


def _write_one(daemon: DaemonProcess) -> None:
    daemon.memory.SetEntry(workload.set_request("agent", str(time.monotonic_ns())))


def _write_paced(daemon: DaemonProcess) -> None:
    for _ in range(PACED_EVENTS):
        _write_one(daemon)
        time.sleep(PACE_S)


def _write_burst(daemon: DaemonProcess) -> None:
    with ThreadPoolExecutor(WRITERS) as writers:
        list(writers.map(lambda _: _write_one(daemon), range(BURST_EVENTS)))


@contextlib.contextmanager
def _watchers(plan: Plan) -> Iterator["subprocess.Popen[bytes]"]:
    """A process of watchers who all stand."""
    command = ["taskset", "-c", str(CLIENT_CORE), sys.executable, "-m", "tests.benchmarks.watcher"]
    watchers = subprocess.Popen([*command, msgspec.json.encode(plan).decode()], stdout=subprocess.PIPE, cwd=ROOT)
    try:
        assert watchers.stdout is not None
        if watchers.stdout.readline().strip() != b"ready":
            raise RuntimeError("the watchers did not come up")
        yield watchers
    finally:
        watchers.kill()
        watchers.communicate()
