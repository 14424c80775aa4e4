"""The cost of consoles: callers that set and get while six of them are open in web browsers, and while none is."""

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks import workload
from tests.benchmarks.figure import Figure, percentile
from tests.benchmarks.latency import CALLER_ROUNDS, call_among_others
from tests.benchmarks.load import MissingTool
from tests.benchmarks.process import CLIENT_CORE, DaemonProcess, cpu_s
from tests.benchmarks.timing import percentiles_ms
from tests.benchmarks.transport import Transport, in_turn, transports
from tests.wait import until

from memoryd.v1.server_service_pb2 import GetServerInfoRequest
from memoryd.v1.server_service_pb2_grpc import ServerServiceStub

ROUNDS = 4
AGENT = workload.agent_ids(1)[0]
SCREENS = ("/overview", f"/agents/{AGENT}", f"/agents/{AGENT}/timeline", *("/live",) * 3)
TIMES_MAX = 1.5
STARTED_CPU_S = 0.85
"""Six browsers that start use all of their core, and less than this part of it once they have."""


class Load(NamedTuple):
    """A load of callers. Each calls ``rounds`` times, as often as ``interval_s`` says."""

    name: str
    rounds: int
    interval_s: float


LOADS = (Load("800 calls a second", 400, 0.02), Load("calls without a pause", CALLER_ROUNDS, 0.0))


def consoles(directory: Path) -> list[Figure]:
    """Measure the latency of eight callers with consoles open as a multiple of that without, in turn in one run."""
    chromium = shutil.which("chromium")
    if chromium is None or Transport.FRONT not in transports():
        raise MissingTool("a web browser and the front end are needed: apt-get install chromium, and Rust")
    times: dict[tuple[Load, bool], tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    with DaemonProcess(directory, "--console") as daemon:
        asyncio.run(call_among_others(daemon.address))
        for are_open in in_turn((False, True), ROUNDS):
            with _opened(chromium, daemon) if are_open else contextlib.nullcontext():
                for load in LOADS:
                    measured = asyncio.run(call_among_others(daemon.address, load.rounds, load.interval_s))
                    for all_ms, some_ms in zip(times[load, are_open], measured, strict=True):
                        all_ms += some_ms
    return [
        _figure(f"{call} of eight callers, {load.name}", *each)
        for load in LOADS
        for call, *each in zip(("Get", "Set synced"), times[load, False], times[load, True], strict=True)
    ]


def _figure(what: str, without_ms: list[float], with_ms: list[float]) -> Figure:
    ratio = percentile(with_ms, 99) / percentile(without_ms, 99)
    detail = f"with: {percentiles_ms(with_ms)}; without: {percentiles_ms(without_ms)}; {ROUNDS} rounds in turn"
    name = f"{what}, p99, with {len(SCREENS)} consoles open, of without"
    return Figure("console", name, ratio, "times", below=TIMES_MAX, detail=detail)


@contextlib.contextmanager
def _opened(chromium: str, daemon: DaemonProcess) -> Iterator[None]:
    """Show each screen in a browser of its own. These leave the callers' core to the callers, whenever they want it.

    A lower priority is not enough: Linux lets any process finish its slice of some milliseconds, which callers would
    wait for, but interrupts those of its idle class at once. What they write is in memory: it would delay the daemon's
    disk, which people's browsers elsewhere do not.
    """
    server = ServerServiceStub(daemon.channel)

    def live() -> int:
        return server.GetServerInfo(GetServerInfoRequest()).usage["concurrent_watches"]

    with contextlib.ExitStack() as stack:
        profiles = Path(stack.enter_context(tempfile.TemporaryDirectory(dir="/dev/shm", ignore_cleanup_errors=True)))
        browsers = []
        for number, screen in enumerate(SCREENS):
            command = ["chrt", "--idle", "0", "taskset", "-c", str(CLIENT_CORE), chromium, "--headless", "--no-sandbox"]
            command += [f"--user-data-dir={profiles / str(number)}", "--remote-debugging-port=0"]
            command += [f"http://{daemon.address}/console/#{screen}"]
            browser = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, process_group=0)
            browsers.append(browser.pid)
            stack.callback(browser.wait)
            stack.callback(os.killpg, browser.pid, signal.SIGKILL)
        until(lambda: live() == SCREENS.count("/live"), "the screens are shown")
        until(lambda: _spent_s(browsers) < STARTED_CPU_S, "the browsers have started")
        yield
    until(lambda: live() == 0, "the daemon has noticed that the consoles are closed")


def _spent_s(groups: Sequence[int]) -> float:
    """Return the processor time that the processes of some groups use in a second."""

    def total() -> float:
        spent = 0.0
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if os.getpgid(int(process.name)) in groups:
                    spent += cpu_s(int(process.name))
        return spent

    before = total()
    time.sleep(1)
    return total() - before
