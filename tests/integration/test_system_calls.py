"""The number of system calls that the daemon makes for a call: most of what a server that is not careful costs.

h2load keeps 128 calls in flight on 8 connections, so that calls are read and answered many at a time.
"""

import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.daemon import Daemon

from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.working_memory_service_pb2_grpc import WorkingMemoryServiceStub

CALLS = 4_000
SYSTEM_CALLS_A_CALL_MAX = {"front": 1.5, "grpc": 45.0}
"""Measured were 0.4, on a busy machine 0.6, and 24 to 36: under the tracer, grpcio's threads wait for each other more
often than without. Two more for each call are too many over the front end."""
TIMEOUT_S = 120.0


@pytest.fixture
def daemon(transport: str, tmp_path: Path) -> Iterator[Daemon]:
    """A daemon with one entry."""
    running = Daemon(tmp_path, "--transport", transport, "--embedder", "none")
    running.start()
    with running.channel() as channel:
        WorkingMemoryServiceStub(channel).SetEntry(pb.SetEntryRequest(agent_id="a", key="key", value_json="1"))
    yield running
    running.close()


@pytest.mark.whole
def test_reading_entries_takes_few_system_calls(daemon: Daemon, transport: str, tmp_path: Path) -> None:
    for tool, package in (("h2load", "nghttp2-client"), ("strace", "strace")):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is missing: install {package}")
    load = _load(daemon, tmp_path)
    # The first calls open files and start threads.
    _run(load)
    with _Tracer(daemon.pid, tmp_path / "counts") as tracer:
        _run(load)
    assert 0 < tracer.count / CALLS <= SYSTEM_CALLS_A_CALL_MAX[transport]


def _load(daemon: Daemon, directory: Path) -> Sequence[str]:
    request = pb.GetEntryRequest(agent_id="a", key="key").SerializeToString()
    body = directory / "body"
    body.write_bytes(b"\0" + len(request).to_bytes(4, "big") + request)
    command = ["h2load", "-n", str(CALLS), "-c", "8", "-m", "16", "-d", str(body)]
    command += ["-H", "content-type: application/grpc", "-H", "te: trailers"]
    return [*command, f"http://{daemon.address}/memoryd.v1.WorkingMemoryService/GetEntry"]


def _run(load: Sequence[str]) -> None:
    done = subprocess.run(load, capture_output=True, text=True, timeout=TIMEOUT_S, check=True)
    assert f"{CALLS} succeeded, 0 failed, 0 errored" in done.stdout


class _Tracer:
    """Counts the system calls of a process and its threads; skips the test where a process must not be traced."""

    count = 0

    def __init__(self, pid: int, output: Path) -> None:
        self._command = ["strace", "-c", "-f", "-o", str(output), "-p", str(pid)]
        self._output = output

    def __enter__(self) -> "_Tracer":
        self._process = subprocess.Popen(self._command, stderr=subprocess.PIPE, text=True)
        assert self._process.stderr is not None
        # One line for the process with all of its threads, or why there is none.
        line = self._process.stderr.readline()
        if "attached" not in line:
            self._process.kill()
            self._process.communicate()
            pytest.skip(f"processes cannot be traced here: {line.strip()}")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGINT)
        self._process.communicate(timeout=TIMEOUT_S)
        rows = [line.split() for line in self._output.read_text().splitlines()]
        # Share of the time, seconds, microseconds a call, calls, errors if any, and the name.
        self.count = sum(int(row[3]) for row in rows if len(row) >= 5 and row[3].isdecimal() and row[-1] != "total")
