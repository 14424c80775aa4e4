"""Watchers in another process that read slowly or not at all, and the memory of a daemon meanwhile."""

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import grpc

from memoryd.v1 import event_service_pb2, event_service_pb2_grpc


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
    command = [sys.executable, "-m", "tests.faults.slow_readers", address, str(number), str(pause_s)]
    reader = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert reader.stdout is not None
    try:
        for _ in range(number):
            assert reader.stdout.readline(), "the watchers did not open"
        yield
    finally:
        reader.kill()
        reader.communicate()


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


if __name__ == "__main__":
    asyncio.run(_read(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
