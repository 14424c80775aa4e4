"""Watchers that read slowly or not at all, while others write: the memory of the daemon, and the pace of the writers.

``python -m tests.faults.slow_readers KIND`` prints the figures. KIND is ``pausing`` (one message a second) or
``stopped`` (none after the first).
"""

import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import grpc
from tests.daemon import Daemon

from memoryd.v1 import event_service_pb2, event_service_pb2_grpc
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.working_memory_service_pb2_grpc import WorkingMemoryServiceStub

PAUSES_S = {"pausing": 1.0, "stopped": 3600.0}
WATCHERS = 200
WRITES = 300
VALUE = f'"{"v" * 500_000}"'
MEBIBYTE = 1 << 20
MEMORY_BYTES_MAX = 6_000 * MEBIBYTE
"""Memory at which a run is given up, to spare the machine."""


def private_bytes(pid: int) -> int:
    """Return the private memory of a process, without the files that it maps."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no RssAnon")


class Peak:
    """The highest memory of a process, from a thread that looks at it."""

    def __init__(self, pid: int) -> None:
        self.bytes = 0
        self._pid = pid
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> "Peak":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._is_over.wait(0.05):  # time: a pace
            self.bytes = max(self.bytes, private_bytes(self._pid))


@contextlib.contextmanager
def slow_watchers(address: str, number: int, pause_s: float) -> Iterator[None]:
    """Open watches on one connection of another process, each of which pauses after each message."""
    command = [sys.executable, "-m", "tests.faults.slow_readers", "read", address, str(number), str(pause_s)]
    reader = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert reader.stdout is not None
    try:
        for _ in range(number):
            assert reader.stdout.readline(), "the watchers did not open"
        yield
    finally:
        reader.kill()
        reader.communicate()


def write(address: str, pid: int, count: int) -> list[float]:
    """Set large values, and return the seconds that each took. Stops early if the daemon takes too much memory."""
    times = []
    with grpc.insecure_channel(address) as channel:
        stub = WorkingMemoryServiceStub(channel)
        for index in range(count):
            began = time.perf_counter()
            stub.SetEntry(pb.SetEntryRequest(agent_id="w", key=f"k{index % 20}", value_json=VALUE), timeout=120)
            times.append(time.perf_counter() - began)
            if private_bytes(pid) > MEMORY_BYTES_MAX:
                break
    return sorted(times)


async def _read(address: str, number: int, pause_s: float) -> None:
    async with grpc.aio.insecure_channel(address, options=[("grpc.max_receive_message_length", -1)]) as channel:
        stub = event_service_pb2_grpc.EventServiceStub(channel)

        async def one() -> None:
            is_open = False
            async for _ in stub.WatchEvents(event_service_pb2.WatchEventsRequest()):
                if not is_open:
                    is_open = True
                    os.write(1, b"opened\n")
                await asyncio.sleep(pause_s)  # time: the reader is slow on purpose

        await asyncio.gather(*(one() for _ in range(number)))


def _figures(kind: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        daemon = Daemon(Path(directory))
        daemon.start()
        try:
            quiet = write(daemon.address, daemon.pid, 60)
            before = private_bytes(daemon.pid)
            with Peak(daemon.pid) as peak, slow_watchers(daemon.address, WATCHERS, PAUSES_S[kind]):
                times = write(daemon.address, daemon.pid, WRITES)
            time.sleep(3)  # time: what the daemon frees, it frees soon
            after = private_bytes(daemon.pid)
        finally:
            daemon.close()
    lines = (
        f"{WATCHERS} {kind} watchers, {len(times)} writes of 500 kB",
        f"memory before {before >> 20} MiB, at most {peak.bytes >> 20}, 3 s after they left {after >> 20}",
        f"writers' p95 {_p95(times) * 1e3:.0f} ms, p50 {times[len(times) // 2] * 1e3:.0f}",
        f"the same without watchers: p95 {_p95(quiet) * 1e3:.0f} ms, p50 {quiet[len(quiet) // 2] * 1e3:.0f}",
    )
    sys.stdout.write("\n  ".join(lines) + "\n")


def _p95(ordered: list[float]) -> float:
    return ordered[int(len(ordered) * 0.95)]


if __name__ == "__main__":
    if sys.argv[1] == "read":
        asyncio.run(_read(sys.argv[2], int(sys.argv[3]), float(sys.argv[4])))
    else:
        _figures(sys.argv[1])
