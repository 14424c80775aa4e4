"""The gain of a second thread of the front end, when the daemon has two cores and shares them with the load."""

import statistics
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from google.protobuf.message import Message
from tests.benchmarks import workload
from tests.benchmarks.figure import Figure
from tests.benchmarks.load import MissingTool, Rate, Shape, measure, require_h2load
from tests.benchmarks.process import CLIENT_CORE, SERVER_CORE, DaemonProcess
from tests.benchmarks.transport import Transport, in_turn, transports

ROUNDS = 5
BATCH_ENTRIES = 100
BOTH = (SERVER_CORE, CLIENT_CORE)


def second_thread(directory: Path) -> list[Figure]:
    """Measure reads with two threads, as a share of their rate with one: pairs in turn, in one run."""
    require_h2load()
    if Transport.FRONT not in transports():
        raise MissingTool("the front end is not installed: there are no threads of it to compare")
    keys = workload.keys(BATCH_ENTRIES)
    get, batch_get = workload.get_request("agent"), workload.batch_get_request("agent", keys)
    with ExitStack() as stack:
        daemons = []
        for threads in (1, 2):
            own = directory / str(threads)
            own.mkdir()
            flags = ("--transport", "front", "--front-threads", str(threads))
            daemons.append(stack.enter_context(DaemonProcess(own, *flags, cores=BOTH)))
            daemons[-1].memory.BatchWriteEntries(workload.batch_write_request("agent", keys))
        return [
            _compare("GetEntry", daemons, get, Shape(8, 16, seconds=1), directory),
            _compare("BatchGetEntries of 100", daemons, batch_get, Shape(8, 4, seconds=1), directory),
        ]


def _compare(name: str, daemons: Sequence[DaemonProcess], request: Message, shape: Shape, directory: Path) -> Figure:
    path = f"{workload.SERVICE}/{name.split()[0]}"
    rates: list[list[Rate]] = [[], []]
    for number in in_turn((0, 1), ROUNDS):
        rates[number].append(measure(daemons[number], path, [request], shape, directory, BOTH))
    percent = 100 * statistics.median(two.calls_per_s / one.calls_per_s for one, two in zip(*rates, strict=True))
    one, two = (statistics.median(each.calls_per_s for each in of) for of in rates)
    one_us, two_us = (statistics.median(each.cpu_us for each in of) for of in rates)
    detail = (
        f"{two:,.0f} calls/s against {one:,.0f}, {two_us:.1f} µs of processor a call against {one_us:.1f};"
        f" median of {ROUNDS} pairs; the daemon and the load share two cores"
    )
    return Figure("P-1", f"{name}, two threads of the front end, of one", percent, "%", detail=detail)
