"""The speed of the machine at the moment: fixed work that has nothing to do with the daemon.

It stands beside each benchmark, so that the figures of two machines, or of two hours of one machine, can be compared.
"""

import socket
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
from tests.benchmarks.disk import synced_page
from tests.benchmarks.figure import percentile

_RUNS = 9
_LOOPS = 300_000
_COPIED_BYTES = 32 * 1024 * 1024
_ROUND_TRIPS = 2_000
_SYNCS = 100


class Calibration(msgspec.Struct, frozen=True):
    """Medians: a loop of Python, a copy in memory, a round trip over TCP within a process, and fdatasync of 4 KiB."""

    loop_ns: float
    copy_gb_per_s: float
    round_trip_us: float
    sync_ms: float

    def __str__(self) -> str:
        return (
            f"loop {self.loop_ns:.0f} ns, copy {self.copy_gb_per_s:.1f} GB/s,"
            f" round trip {self.round_trip_us:.1f} µs, fdatasync {self.sync_ms:.2f} ms"
        )


def calibrate(directory: Path) -> Calibration:
    """Measure for about a second, on the core of the caller; ``directory`` is where the daemon's data will be."""
    source = bytearray(_COPIED_BYTES)
    target = bytearray(_COPIED_BYTES)

    def copy() -> None:
        target[:] = source

    with synced_page(directory / "calibration") as sync:
        sync_s = _median_s(sync, _SYNCS)
    return Calibration(
        loop_ns=_median_s(_loop, _RUNS) / _LOOPS * 1e9,
        copy_gb_per_s=_COPIED_BYTES / _median_s(copy, _RUNS) / 1e9,
        round_trip_us=_round_trip_s() * 1e6,
        sync_ms=sync_s * 1e3,
    )


def _loop() -> int:
    total = 0
    for number in range(_LOOPS):
        total = (total + number) & 0xFFFF
    return total


def _round_trip_s() -> float:
    """Return the seconds of four system calls: a byte is sent and received, there and back."""
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.socket() as here:
        here.connect(listening.getsockname())
        there, _ = listening.accept()
        with there:
            for each in (here, there):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

            def round_trips() -> None:
                for _ in range(_ROUND_TRIPS // _RUNS):
                    here.send(b"x")
                    there.send(there.recv(1))
                    here.recv(1)

            return _median_s(round_trips, _RUNS) / (_ROUND_TRIPS // _RUNS)


def _median_s(work: Callable[[], object], runs: int) -> float:
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return percentile(times, 50)
