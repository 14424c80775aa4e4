"""Calls per second, made by h2load on the client's core."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import msgspec
from google.protobuf.message import Message
from tests.benchmarks.process import CLIENT_CORE, DaemonProcess
from tests.benchmarks.workload import framed

_RATE = re.compile(r"finished in .*?, ([\d.]+) req/s")
_DONE = re.compile(r"(\d+) succeeded, (\d+) failed, (\d+) errored")
_TIMEOUT_S = 60.0


class MissingTool(Exception):  # noqa: N818 - its name is not shown, only its message
    """A program that the measurement needs is not installed."""


class Shape(msgspec.Struct, frozen=True):
    """A load: for ``seconds`` after ``warm_up_ms``, with ``streams`` concurrent calls on each of the connections."""

    connections: int
    streams: int
    seconds: int = 2
    warm_up_ms: int = 500


class Rate(msgspec.Struct, frozen=True):
    """The measured rate of calls. ``cpu_us`` is the daemon's processor time for each call, warm-up included.

    ``calls`` is how many calls are certain to have happened. Only the loader measures latencies.
    """

    calls_per_s: float
    calls: int
    cpu_us: float
    p50_ms: float | None = None
    p99_ms: float | None = None


def require_h2load() -> None:
    """Raise MissingTool if h2load is not installed."""
    if shutil.which("h2load") is None:
        raise MissingTool("h2load is missing: install Debian's nghttp2-client")


def measure(
    daemon: DaemonProcess,
    path: str,
    requests: Sequence[Message],
    shape: Shape,
    directory: Path,
    cores: Sequence[int] = (CLIENT_CORE,),
) -> Rate:
    """Send each of ``requests`` repeatedly, by one h2load process per request, all at the same time on ``cores``.

    Raises RuntimeError when calls fail below gRPC. h2load counts a gRPC error as a success, so the caller must verify
    the effect of the calls.
    """
    bodies = _bodies(requests, directory)
    cpu_s = daemon.cpu_s()
    outputs = _run([_command(daemon, path, body, shape, cores) for body in bodies])
    cpu_s = daemon.cpu_s() - cpu_s
    calls, rate = _total(outputs)
    seconds = shape.seconds + shape.warm_up_ms / 1000
    return Rate(rate, calls, cpu_s * 1e6 / (rate * seconds))


def measure_together(
    daemons: Sequence[DaemonProcess], path: str, requests: Sequence[Message], shape: Shape, directory: Path
) -> list[float]:
    """Put the same load on several daemons at the same time, and return the calls per second of each."""
    bodies = _bodies(requests, directory)
    outputs = _run([_command(daemon, path, body, shape) for daemon in daemons for body in bodies])
    return [_total(outputs[n * len(bodies) : (n + 1) * len(bodies)])[1] for n in range(len(daemons))]


def _bodies(requests: Sequence[Message], directory: Path) -> list[Path]:
    bodies = []
    for number, request in enumerate(requests):
        body = directory / f"body-{number}.bin"
        body.write_bytes(framed(request))
        bodies.append(body)
    return bodies


def _run(commands: Sequence[list[str]]) -> list[str]:
    running = [subprocess.Popen(command, stdout=subprocess.PIPE) for command in commands]
    return [each.communicate(timeout=_TIMEOUT_S)[0].decode() for each in running]


def _total(outputs: Sequence[str]) -> tuple[int, float]:
    """Return the number of calls that succeeded, and their number per second."""
    calls = sum(_succeeded(output) for output in outputs)
    if not calls:
        raise RuntimeError(f"no call was answered:\n{outputs[0]}")
    return calls, sum(float(_found(_RATE, output)[1]) for output in outputs)


def _command(
    daemon: DaemonProcess, path: str, body: Path, shape: Shape, cores: Sequence[int] = (CLIENT_CORE,)
) -> list[str]:
    command = ["taskset", "-c", ",".join(map(str, cores)), "h2load", "-D", str(shape.seconds)]
    command += [f"--warm-up-time={shape.warm_up_ms}ms", "-c", str(shape.connections), "-m", str(shape.streams)]
    command += ["-H", "content-type: application/grpc", "-H", "te: trailers", "-d", str(body)]
    return [*command, f"http://{daemon.address}{path}"]


def _succeeded(output: str) -> int:
    succeeded, failed, errored = (int(each) for each in _found(_DONE, output).groups())
    if failed or errored:
        raise RuntimeError(f"h2load's calls failed:\n{output}")
    return succeeded


def _found(pattern: re.Pattern[str], output: str) -> re.Match[str]:
    found = pattern.search(output)
    if found is None:
        raise RuntimeError(f"h2load's output lacks {pattern.pattern!r}:\n{output}")
    return found
