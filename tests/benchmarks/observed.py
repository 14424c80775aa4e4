"""P-1: the cost of observing calls: a daemon with metrics, and with traces of 1 % as well, beside one without."""

import os
import statistics
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.benchmarks import workload
from tests.benchmarks.figure import Figure
from tests.benchmarks.load import Rate, Shape, measure, require_h2load
from tests.benchmarks.process import DaemonProcess
from tests.benchmarks.transport import in_turn
from tests.port import free_address

DAEMONS, ROUNDS = 3, 5
"""Daemons of each kind, since one may be faster than another for as long as it lives; and rounds with each."""
SHARE_PERCENT_MIN = 90.0
TRACED = {"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.01"}
KINDS = ("without", "metrics", "metrics and 1 % of traces")


def observed(directory: Path) -> list[Figure]:
    """Measure GetEntry while calls are observed, as a share of its rate while they are not: in turn, in one run."""
    require_h2load()
    request = workload.get_request("agent")
    rates: dict[str, list[Rate]] = {kind: [] for kind in KINDS}
    shape = Shape(connections=8, streams=16, seconds=1)
    with _collector() as collector:
        for number in range(DAEMONS):
            with ExitStack() as stack:
                daemons = {kind: stack.enter_context(_daemon(directory, number, kind, collector)) for kind in KINDS}
                for kind in in_turn(KINDS, ROUNDS):
                    rate = measure(daemons[kind], f"{workload.SERVICE}/GetEntry", [request], shape, directory)
                    rates[kind].append(rate)
    return [_compare(kind, rates[kind], rates[KINDS[0]]) for kind in KINDS[1:]]


@contextmanager
def _daemon(directory: Path, number: int, kind: str, collector: str) -> Iterator[DaemonProcess]:
    """Run a daemon that has an entry."""
    own = directory / f"{kind.replace(' ', '-').replace('%', '')}-{number}"
    own.mkdir()
    flags = () if kind == KINDS[0] else ("--metrics-listen", free_address())
    with ExitStack() as stack:
        with _environment({"OTEL_EXPORTER_OTLP_ENDPOINT": collector, **TRACED} if kind == KINDS[2] else {}):
            daemon = stack.enter_context(DaemonProcess(own, *flags))
        daemon.memory.SetEntry(workload.set_request("agent"))
        yield daemon


def _compare(kind: str, rates: list[Rate], without: list[Rate]) -> Figure:
    percent = 100 * statistics.median(
        each.calls_per_s / other.calls_per_s for each, other in zip(rates, without, strict=True)
    )
    us, plain_us = (statistics.median(each.cpu_us for each in of) for of in (rates, without))
    detail = f"{us:.1f} µs of processor a call against {plain_us:.1f}; median of {len(rates)} pairs in turn"
    return Figure("P-1", f"GetEntry with {kind}, of without", percent, "%", at_least=SHARE_PERCENT_MIN, detail=detail)


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set variables of the environment for the processes that start meanwhile."""
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables:
            del os.environ[name]


class _Sink(BaseHTTPRequestHandler):
    """Takes whatever is exported, and keeps nothing."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        return


@contextmanager
def _collector() -> Iterator[str]:
    """Serve an OTLP endpoint, and yield its URL."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Sink) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
