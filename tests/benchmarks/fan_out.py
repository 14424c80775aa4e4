"""P-5: one event to many watchers, and watchers who wait."""

import contextlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
from tests.benchmarks import workload
from tests.benchmarks.figure import Figure, percentile
from tests.benchmarks.process import CLIENT_CORE, ROOT, DaemonProcess
from tests.benchmarks.watcher import END, Plan, Seen

WATCHERS = 1_000
PACED_EVENTS = 100
PACE_S = 0.1
BURST_EVENTS = 300
IDLE_WATCHERS = 10_000
MB = 1_000_000


def delivery(directory: Path) -> list[Figure]:
    """Events of one agent to 1,000 watchers: single ones for the lag, a burst for the rate."""
    with DaemonProcess(directory) as daemon:
        paced, _ = _delivered(daemon, PACED_EVENTS, lambda: time.sleep(PACE_S))
        burst, seconds = _delivered(daemon, BURST_EVENTS, lambda: None)
    p50, p95, p99 = (percentile(paced.lags_ms, each) for each in (50, 95, 99))
    lag = (
        f"p50 {p50:.1f}, p95 {p95:.1f} ms; {PACED_EVENTS} events, {PACE_S:.1f} s apart,"
        f" {paced.sampled} watchers sampled"
    )
    rate = (
        f"{BURST_EVENTS} events one after another in {seconds:.2f} s until the last watcher had the last;"
        " the watchers are Python on one core"
    )
    deliveries = BURST_EVENTS * WATCHERS / seconds
    return [
        Figure("P-5", "Deliveries to 1,000 watchers", deliveries, "/s", at_least=50_000, detail=rate),
        Figure("P-5", "Lag of an event to 1,000 watchers, p99", p99, "ms", below=50, detail=lag),
        Figure("P-5", "Sampled watchers that missed an event", paced.incomplete + burst.incomplete, "", below=1),
    ]


def idle(directory: Path) -> list[Figure]:
    """10,000 watchers for whom nothing happens."""
    with DaemonProcess(directory) as daemon:
        daemon.memory.SetEntry(workload.set_request("agent"))
        before = daemon.rss_bytes()
        with _watchers(Plan(daemon.address, "agent", IDLE_WATCHERS, 0)):
            grown = daemon.rss_bytes() - before
    detail = f"{grown / IDLE_WATCHERS / 1000:.0f} kB each, 100 on a connection; growth of the process"
    return [Figure("P-5", "Memory of 10,000 idle watches", grown / MB, "MB", below=500, detail=detail)]


def _delivered(daemon: DaemonProcess, events: int, pause: Callable[[], None]) -> tuple[Seen, float]:
    """What the watchers saw, and how long it took from the first event until all had seen the end."""
    with _watchers(Plan(daemon.address, "agent", WATCHERS, events)) as watchers:
        began = time.monotonic_ns()
        for _ in range(events):
            daemon.memory.SetEntry(workload.set_request("agent", str(time.monotonic_ns())))
            pause()
        daemon.memory.SetEntry(workload.set_request("agent", f'"{END}"'))
        assert watchers.stdout is not None
        seen = msgspec.json.decode(watchers.stdout.readline(), type=Seen)
    return seen, (seen.end_ns - began) / 1e9


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
