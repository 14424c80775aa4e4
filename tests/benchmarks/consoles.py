"""The cost of consoles: callers that set and get while six of them are open, and while none is.

People's browsers run on other machines. So the cost is measured beside a program that makes the calls of six consoles.
Callers are measured beside six consoles in browsers on this machine, too, which share its cores with them, and beside
six browsers with a page that draws as often and calls nobody.
"""

import asyncio
import contextlib
import enum
import os
import shutil
import signal
import subprocess
import sys
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
from tests.benchmarks.process import CLIENT_CORE, ROOT, DaemonProcess, cpu_s
from tests.benchmarks.timing import percentiles_ms
from tests.benchmarks.transport import Transport, in_turn, transports
from tests.wait import until

from memoryd.v1.server_service_pb2 import GetServerInfoRequest
from memoryd.v1.server_service_pb2_grpc import ServerServiceStub

ROUNDS = 4
AGENT = workload.agent_ids(1)[0]
SCREENS = ("/overview", f"/agents/{AGENT}", f"/agents/{AGENT}/timeline", *("/live",) * 3)
DRAWING = (
    "data:text/html,<ol id=list></ol><script>setInterval(() => {{ for (let i = 0; i < 40; i++) {{"
    "const row = document.createElement('li'); row.textContent = Math.random(); list.prepend(row);"
    "if (list.childElementCount > 500) list.lastChild.remove(); }} }}, {interval_ms})</script>"
)
"""A page that draws rows which nobody sends: every 100 ms, as the live screen does, or every second, as others do."""
DRAWN_EVERY_MS = (1_000, 1_000, 1_000, 100, 100, 100)
PROGRAM = "tests.benchmarks.console_calls"
TIMES_MAX = 1.5
STARTED_CPU_S = 0.85
"""Six browsers that start use all of their core, and on most machines less than this part of it once they have."""
START_S_MAX = 30.0  # time: by then they have started also where they use all of it


class Shown(enum.Enum):
    """The sorts of consoles beside which the callers call."""

    NOTHING = enum.auto()
    CALLING = enum.auto()
    CONSOLES = enum.auto()
    DRAWING = enum.auto()

    @property
    def words(self) -> str:
        """The words for them in the name of a figure."""
        return {
            Shown.NOTHING: "nothing",
            Shown.CALLING: f"the calls of {len(SCREENS)} consoles",
            Shown.CONSOLES: f"{len(SCREENS)} consoles in browsers on the same cores",
            Shown.DRAWING: f"{len(SCREENS)} browsers that only draw on the same cores",
        }[self]


class Load(NamedTuple):
    """A load of callers. Each calls ``rounds`` times, as often as ``interval_s`` says."""

    name: str
    rounds: int
    interval_s: float


LOADS = (Load("800 calls a second", 400, 0.02), Load("calls without a pause", CALLER_ROUNDS, 0.0))


def consoles(directory: Path) -> list[Figure]:
    """Measure the latency of eight callers beside each of ``Shown`` as a multiple of that alone, in turn in one run."""
    chromium = shutil.which("chromium")
    if chromium is None or Transport.FRONT not in transports():
        raise MissingTool("a web browser and the front end are needed: apt-get install chromium, and Rust")
    times: dict[tuple[Load, Shown], tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    with DaemonProcess(directory, "--console") as daemon:
        asyncio.run(call_among_others(daemon.address))
        for shown in in_turn(tuple(Shown), ROUNDS):
            with _opened(chromium, daemon, shown):
                for load in LOADS:
                    measured = asyncio.run(call_among_others(daemon.address, load.rounds, load.interval_s))
                    for all_ms, some_ms in zip(times[load, shown], measured, strict=True):
                        all_ms += some_ms
    return [
        _figure(f"{call} of eight callers, {load.name}", shown, alone_ms, beside_ms)
        for load in LOADS
        for shown in (Shown.CALLING, Shown.CONSOLES, Shown.DRAWING)
        for call, alone_ms, beside_ms in zip(
            ("Get", "Set synced"), times[load, Shown.NOTHING], times[load, shown], strict=True
        )
    ]


def _figure(what: str, shown: Shown, alone_ms: list[float], beside_ms: list[float]) -> Figure:
    ratio = percentile(beside_ms, 99) / percentile(alone_ms, 99)
    detail = f"with: {percentiles_ms(beside_ms)}; without: {percentiles_ms(alone_ms)}; {ROUNDS} rounds in turn"
    name = f"{what}, p99, beside {shown.words}, of that alone"
    return Figure("console", name, ratio, "times", below=None if shown is Shown.DRAWING else TIMES_MAX, detail=detail)


@contextlib.contextmanager
def _opened(chromium: str, daemon: DaemonProcess, shown: Shown) -> Iterator[None]:
    """Open the consoles. They leave the callers' core to the callers, whenever they want it.

    A lower priority is not enough: Linux lets any process finish its slice of some milliseconds, which callers would
    wait for, but interrupts those of its idle class at once.
    """
    if shown is Shown.NOTHING:
        yield
        return
    server = ServerServiceStub(daemon.channel)
    watches = 0 if shown is Shown.DRAWING else SCREENS.count("/live")

    def live() -> int:
        return server.GetServerInfo(GetServerInfoRequest()).usage["concurrent_watches"]

    with contextlib.ExitStack() as stack:
        if shown is Shown.CALLING:
            processes = [stack.enter_context(_process(sys.executable, "-m", PROGRAM, daemon.address, *SCREENS))]
        else:
            origin = f"http://{daemon.address}/console/#"
            pages = [origin + screen for screen in SCREENS]
            if shown is Shown.DRAWING:
                pages = [DRAWING.format(interval_ms=each) for each in DRAWN_EVERY_MS]
            processes = [stack.enter_context(_browser(chromium, page)) for page in pages]
        until(lambda: live() == watches, "the screens are shown")
        began = time.monotonic()
        while _spent_s(processes) >= STARTED_CPU_S and time.monotonic() < began + START_S_MAX:
            pass
        yield
    until(lambda: live() == 0, "the daemon has noticed that the consoles are closed")


@contextlib.contextmanager
def _browser(chromium: str, page: str) -> Iterator[int]:
    """Show a page in a browser of its own, and yield its process group.

    What the browser writes is in memory: it would delay the daemon's disk, which people's browsers elsewhere do not.
    """
    with tempfile.TemporaryDirectory(dir="/dev/shm", ignore_cleanup_errors=True) as profile:
        flags = ["--headless", "--no-sandbox", f"--user-data-dir={profile}", "--remote-debugging-port=0"]
        flags += ["--no-first-run", "--disable-background-networking", "--disable-component-update"]
        with _process(chromium, *flags, page) as group:
            yield group


@contextlib.contextmanager
def _process(*command: str) -> Iterator[int]:
    """Run a command of the idle class on the callers' core, and yield its process group."""
    process = subprocess.Popen(
        ["chrt", "--idle", "0", "taskset", "-c", str(CLIENT_CORE), *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        process_group=0,
    )
    try:
        yield process.pid
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


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
