"""P-5: delivery of an event to many watchers, and the memory of idle watches and connections."""

import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
from tests.benchmarks import workload
from tests.benchmarks.figure import Figure
from tests.benchmarks.go_loader import Plan, Seen, running, seen_by
from tests.benchmarks.process import DaemonProcess
from tests.benchmarks.server import BARE_PUBLISH, BARE_WATCH
from tests.benchmarks.transport import Transport, daemon_of, transports

from memoryd.v1 import event_pb2, event_service_pb2
from memoryd.v1 import working_memory_service_pb2 as pb

Set = Callable[[pb.SetEntryRequest], Any]

SET = f"{workload.SERVICE}/SetEntry"
WATCH = "/memoryd.v1.EventService/WatchEvents"
WATCHERS = 1_000
PACED_EVENTS = 40
PACE_S = 0.2
BURST_EVENTS = 1_000
WRITERS = 64
MANY_WATCHERS = 10_000
MANY_EVENTS = 10
MANY_PACE_S = 1.0
STREAMS_PER_CONNECTION = 100
CONNECTIONS = 4_000
STREAMS = 20_000
MB = 1_000_000

_ROOMY = (
    *("--limit-concurrent-watches", str(STREAMS + 1), "--limit-concurrent-watches-per-caller", str(STREAMS + 1)),
    *("--limit-connections", str(CONNECTIONS + 1_000)),
)


class Paced(msgspec.Struct, frozen=True):
    """The lags of single events, and the daemon's processor time for each delivery."""

    seen: Seen
    cpu_us: float

    @property
    def spread_ms(self) -> float:
        """The time from a write until the last watcher had the event, of the median event."""
        return statistics.median(self.seen.spreads_ms)


def delivery(directory: Path) -> list[Figure]:
    """Measure deliveries to 1,000 watchers of one agent: of single events, and of those of many concurrent writers.

    Over grpcio's server, single events are also sent through bare watches of the same process: the cost of gRPC itself.
    """
    figures = []
    for transport in transports():
        with daemon_of(transport, directory) as daemon:
            paced = _paced(daemon, WATCHERS, PACED_EVENTS, PACE_S)
            many = _paced(daemon, MANY_WATCHERS, MANY_EVENTS, MANY_PACE_S)
            burst, seconds = _burst(daemon)
            bare = ""
            if transport is Transport.GRPC:
                bare_ms = _paced(daemon, WATCHERS, PACED_EVENTS, PACE_S, BARE_WATCH, BARE_PUBLISH).spread_ms
                bare = f"; bare watches {bare_ms:.0f} ms"
        missed = paced.seen.incomplete + many.seen.incomplete + burst.incomplete
        figures += _figures(transport, paced, many, seconds, bare)
        name = f"Watchers that did not see each event once, over {transport.title}"
        figures.append(Figure("P-5", name, missed, "", below=1, detail="of all, in the three measurements"))
    return figures


def idle(directory: Path) -> list[Figure]:
    """Measure the memory of 10,000 watches without events."""
    figures = []
    for transport in transports():
        grown = _grown_by(_watches(MANY_WATCHERS), transport, directory)
        detail = f"{grown / MANY_WATCHERS / 1000:.1f} kB each, 100 on a connection; growth of the process"
        name = f"Memory of 10,000 idle watches, over {transport.title}"
        below = 60 if transport is Transport.FRONT else 500
        figures.append(Figure("P-5", name, grown / MB, "MB", below=below, detail=detail))
    return figures


def connections(directory: Path) -> list[Figure]:
    """Measure the memory of many connections that have made a call, and of many streams, which are watches."""
    figures = []
    for transport in transports():
        for what, count, plan in (("connections", CONNECTIONS, _held), ("streams", STREAMS, _watches(STREAMS))):
            grown = _grown_by(plan, transport, directory / what)
            detail = f"{grown / count / 1000:.1f} kB each; growth of the process"
            name = f"Memory of {count:,} {what}, over {transport.title}"
            figures.append(Figure("P-11", name, grown / MB, "MB", detail=detail))
    return figures


def _grown_by(plan: Callable[[DaemonProcess], Plan], transport: Transport, directory: Path) -> int:
    with daemon_of(transport, directory, *_ROOMY) as daemon:
        daemon.memory.SetEntry(workload.set_request("agent"))
        before = daemon.rss_bytes()
        with running(plan(daemon)):
            return daemon.rss_bytes() - before


def _held(daemon: DaemonProcess) -> Plan:
    request = workload.get_request("agent").SerializeToString()
    path = f"{workload.SERVICE}/GetEntry"
    return Plan(do="hold", address=daemon.address, path=path, bodies=[request], connections=CONNECTIONS)


def _watches(count: int) -> Callable[[DaemonProcess], Plan]:
    return lambda daemon: _plan(daemon, count, 0, WATCH)


def _plan(daemon: DaemonProcess, count: int, events: int, path: str) -> Plan:
    request = event_service_pb2.WatchEventsRequest(filters=[event_pb2.EventFilter(agent_ids=["agent"])])
    return Plan(
        do="watch",
        address=daemon.address,
        path=path,
        bodies=[request.SerializeToString()],
        connections=count // STREAMS_PER_CONNECTION,
        streams=STREAMS_PER_CONNECTION,
        events=events,
    )


def _figures(transport: Transport, paced: Paced, many: Paced, burst_s: float, bare: str) -> list[Figure]:
    over = f"over {transport.title}"
    is_front = transport is Transport.FRONT
    single = f"{paced.spread_ms:.1f} ms from the write until the last had it, median of {PACED_EVENTS}{bare}"
    lag = (
        f"p50 {paced.seen.p50_ms:.1f}, p95 {paced.seen.p95_ms:.1f} ms; {PACED_EVENTS} events, {PACE_S:.1f} s apart,"
        f" to {WATCHERS:,} watchers"
    )
    most = f"p50 {many.seen.p50_ms:.0f} ms; {many.spread_ms:.0f} ms until the last had it; {MANY_EVENTS} events"
    load = f"{BURST_EVENTS:,} events of {WRITERS} writers in {burst_s:.2f} s, until the last watcher had the last"
    least = 80_000 if is_front else None
    rate = WATCHERS / paced.spread_ms * 1000
    return [
        Figure("P-5", f"Deliveries of single events, {over}", rate, "/s", at_least=least, detail=single),
        Figure(
            "P-5", f"Deliveries of single events, {over}, processor", paced.cpu_us, "µs/delivery",
            detail="all threads of the daemon, the set and idle moments included",
        ),
        Figure(
            "P-5", f"Lag of a single event, p99, {over}", paced.seen.p99_ms, "ms", below=20 if is_front else None,
            detail=lag,
        ),
        Figure(
            "P-5", f"Lag of a single event to 10,000 watchers, p99, {over}", many.seen.p99_ms, "ms",
            below=200 if is_front else None, detail=most,
        ),
        Figure(
            "P-5", f"Deliveries under load, {over}", BURST_EVENTS * WATCHERS / burst_s, "/s", at_least=least,
            detail=load,
        ),
    ]  # fmt: skip


def _paced(
    daemon: DaemonProcess, count: int, events: int, pace_s: float, watch: str = WATCH, set_path: str = SET
) -> Paced:
    """Write one event after the other, each long enough after the one before."""
    set_entry = _set(daemon, set_path)
    with running(_plan(daemon, count, events, watch)) as watchers:
        daemon.settle()
        cpu_s = daemon.cpu_s()
        for _ in range(events):
            _write_one(set_entry)
            time.sleep(pace_s)
        cpu_s = daemon.cpu_s() - cpu_s
        _write_end(set_entry)
        seen = seen_by(watchers)
    return Paced(seen, cpu_s * 1e6 / (count * events))


def _burst(daemon: DaemonProcess) -> tuple[Seen, float]:
    """Return what the watchers saw, and the seconds from the first event until all had seen the end."""
    set_entry = _set(daemon, SET)
    with running(_plan(daemon, WATCHERS, BURST_EVENTS, WATCH)) as watchers:
        began = time.time_ns()
        with ThreadPoolExecutor(WRITERS) as writers:
            list(writers.map(lambda _: _write_one(set_entry), range(BURST_EVENTS)))
        _write_end(set_entry)
        seen = seen_by(watchers)
    return seen, (seen.end_ns - began) / 1e9


def _set(daemon: DaemonProcess, path: str) -> Set:
    return daemon.channel.unary_unary(path, request_serializer=pb.SetEntryRequest.SerializeToString)


def _write_one(set_entry: Set) -> None:
    set_entry(workload.set_request("agent", f'"written:{time.time_ns()}"'))


def _write_end(set_entry: Set) -> None:
    set_entry(workload.set_request("agent", '"the end"'))
