"""The load that h2load cannot make: sets with a request id of their own, watches, and connections that stay open.

The program is in Go, in the folder ``loader``, and is built at its first use.
"""

import contextlib
import functools
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from google.protobuf.message import Message
from tests.benchmarks import workload
from tests.benchmarks.load import MissingTool, Rate, Shape, measure, require_h2load
from tests.benchmarks.process import CLIENT_CORE, ROOT, DaemonProcess

SOURCE = Path(__file__).with_name("loader")
PROGRAM = ROOT / "build" / "loader"
_BUILD_S_MAX = 300.0
_END_S_MAX = 120.0


class Plan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A plan of the program: see ``plan`` in its main.go. A connection has ``streams`` calls or watches at a time."""

    do: str
    address: str
    path: str
    bodies: Sequence[bytes]
    connections: int
    streams: int = 1
    seconds: float = 0.0
    warm_up_s: float = 0.0
    varies_requests: bool = False
    events: int = 0


class Calls(msgspec.Struct, frozen=True):
    """The calls that the program measured; ``all_calls`` are those with the warm-up. All of them succeeded."""

    calls: int
    all_calls: int
    calls_per_s: float
    p50_ms: float
    p95_ms: float
    p99_ms: float


class Seen(msgspec.Struct, frozen=True):
    """The deliveries to all watchers: percentiles of their lags.

    ``spreads_ms`` has, for each event, the time from its writing until the last watcher had it; ``end_ns`` is the time
    since the Unix epoch at which the last watcher had the end. ``incomplete`` is the number of watchers that did not
    see each event exactly once.
    """

    p50_ms: float
    p95_ms: float
    p99_ms: float
    spreads_ms: list[float]
    end_ns: int
    incomplete: int


def has_go() -> bool:
    """Return True if the loader can be built."""
    return shutil.which("go") is not None


def request_id() -> str:
    """Return what stands in a request for an id of its own, or nothing if the loader cannot be built."""
    return workload.REQUEST_ID if has_go() else ""


def without_ids() -> str:
    """Return a remark for figures of writes that were made without request ids; nothing if they have them."""
    return "" if has_go() else "; without request ids, for there is no Go to build the loader"


def measure_writes(
    daemon: DaemonProcess, path: str, requests: Sequence[Message], shape: Shape, directory: Path
) -> Rate:
    """Measure requests with ``request_id``, sent with an id of their own; without Go by h2load, which repeats them."""
    if has_go():
        return measure_calls(daemon, path, requests, shape)
    require_h2load()
    return measure(daemon, path, requests, shape, directory)


def measure_calls(daemon: DaemonProcess, path: str, requests: Sequence[Message], shape: Shape) -> Rate:
    """Send each of ``requests`` repeatedly, each on connections of its own, all at the same time.

    Where a request has the id that stands for others, each time with an id of its own.
    """
    bodies = [request.SerializeToString() for request in requests]
    plan = Plan(
        do="call",
        address=daemon.address,
        path=path,
        bodies=bodies,
        connections=shape.connections * len(requests),
        streams=shape.streams,
        seconds=shape.seconds,
        warm_up_s=shape.warm_up_ms / 1000,
        varies_requests=bool(getattr(requests[0], "request_id", "")),
    )
    cpu_s = daemon.cpu_s()
    done = subprocess.run(_command(plan), capture_output=True, check=False, timeout=_END_S_MAX)
    cpu_s = daemon.cpu_s() - cpu_s
    if done.returncode:
        raise RuntimeError(done.stderr.decode().strip())
    calls = msgspec.json.decode(done.stdout, type=Calls)
    if not calls.calls:
        raise RuntimeError(f"no call of {path} was answered")
    return Rate(calls.calls_per_s, calls.all_calls, cpu_s * 1e6 / calls.all_calls, calls.p50_ms, calls.p99_ms)


@contextlib.contextmanager
def running(plan: Plan) -> Iterator["subprocess.Popen[bytes]"]:
    """Run watches or connections, and yield the program when all are open."""
    process = subprocess.Popen(_command(plan), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        if process.stdout.readline().strip() != b"ready":
            raise RuntimeError("the loader did not start")
        yield process
    finally:
        process.kill()
        process.communicate()


def seen_by(process: "subprocess.Popen[bytes]") -> Seen:
    """Return what the watchers of a program saw, once all of them had the end."""
    assert process.stdout is not None
    return msgspec.json.decode(process.stdout.readline(), type=Seen)


def _command(plan: Plan) -> list[str]:
    return ["taskset", "-c", str(CLIENT_CORE), str(_program()), msgspec.json.encode(plan).decode()]


@functools.cache
def _program() -> Path:
    """Return the built program. Raises MissingTool."""
    if not has_go():
        raise MissingTool("go is missing: the loader of tests/benchmarks cannot be built")
    command = ["go", "build", "-p", "2", "-o", str(PROGRAM), "."]
    done = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, timeout=_BUILD_S_MAX, check=False)
    if done.returncode:
        raise MissingTool(f"the loader cannot be built: {done.stderr.strip()}")
    return PROGRAM
