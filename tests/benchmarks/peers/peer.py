"""The stores, and what their programs print."""

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import click
import msgspec
from tests.benchmarks.environment import MissingLibrary, interpreter_with, last_line
from tests.benchmarks.figure import Figure
from tests.benchmarks.process import CLIENT_CORE, ROOT, SERVER_CORE, rss_bytes
from tests.benchmarks.report import PEER
from tests.benchmarks.transport import Transport, daemon_of, transports
from tests.valkey.server import ValkeyServer

WHATS = ("set", "get", "recall")
PROGRAM_S_MAX = 300.0


class Measured(msgspec.Struct, frozen=True):
    """One line of a program: a kind of call, by one caller or many at a time."""

    what: str
    callers: int
    calls: int
    calls_per_s: float
    p50_ms: float
    p95_ms: float
    p99_ms: float


class Peer(msgspec.Struct, frozen=True):
    """A store. ``packages`` are the requirements of its program's environment; without, it is the one of the tests.

    ``server`` starts what the program connects to on a core of its own, and yields its only argument. A store without
    one is in the program's process, which has both cores.
    """

    title: str
    program: str
    packages: tuple[str, ...] = ()
    server: "Server | None" = None


class Running(msgspec.Struct, frozen=True):
    """A server that runs. ``address`` is what a program needs to connect."""

    address: str
    kill: Callable[[], None]
    start: Callable[[], object]
    rss_bytes: Callable[[], int]


class Server(msgspec.Struct, frozen=True):
    """A kind of server: a daemon over a transport, or Valkey, which has none."""

    transport: Transport | None

    def started(self, directory: Path) -> AbstractContextManager[Running]:
        """Start it, and yield it."""
        return _valkey(directory) if self.transport is None else _daemon(self.transport, directory)


PEERS = (
    *(
        Peer(f"memoryd over {each.title}, synced, its Python client", "of_memoryd", server=Server(each))
        for each in transports()
    ),
    Peer("Valkey, appendfsync always, redis-py", "of_valkey", server=Server(None)),
    Peer("LangGraph SqliteStore", "of_langgraph", ("langgraph-checkpoint-sqlite==3.1.2",)),
    Peer("mem0, infer=False, local Qdrant", "of_mem0", ("mem0ai==2.2.1",)),
    Peer("Chroma, in process", "of_chroma", ("chromadb==1.5.9",)),
)


def peers(directory: Path) -> list[Figure]:
    """Measure all stores, one after the other; what cannot be installed or fails is left out, with a message."""
    measured: list[tuple[Peer, Measured]] = []
    for number, peer in enumerate(PEERS):
        own = directory / str(number)
        own.mkdir()
        try:
            measured += [(peer, each) for each in speed_of(peer, own)]
        except MissingLibrary as missing:
            click.echo(f"{peer.title}: {missing}", err=True)
    # Python's sort keeps the order of the stores.
    measured.sort(key=lambda each: (WHATS.index(each[1].what), each[1].callers))
    return [_figure(peer, each) for peer, each in measured]


def speed_of(peer: Peer, directory: Path) -> list[Measured]:
    """Measure a store, and return what was measured until it failed, if it does. Raises MissingLibrary."""
    output, ended = _run(peer, directory)
    if ended:
        click.echo(f"{peer.title}: {ended}", err=True)
    # A program that was ended may have left a part of a line.
    lines = [line for line in output.splitlines(keepends=True) if line.endswith(b"\n")]
    return [msgspec.json.decode(line, type=Measured) for line in lines]


@contextlib.contextmanager
def program(peer: Peer, directory: Path, work: str, address: str, *numbers: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run the program of a store with its log in the directory, and kill it at the end, or after PROGRAM_S_MAX.

    Raises MissingLibrary if its packages cannot be installed.
    """
    interpreter = interpreter_with(peer.program, peer.packages) if peer.packages else Path(sys.executable)
    cores: Sequence[int] = (SERVER_CORE, CLIENT_CORE) if peer.server is None else (CLIENT_CORE,)
    command = ["taskset", "-c", ",".join(map(str, cores)), str(interpreter)]
    command += ["-m", f"tests.benchmarks.peers.programs.{peer.program}", work, address, *map(str, numbers)]
    # It downloads nothing.
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    with (
        log_of(directory).open("a") as log,
        subprocess.Popen(
            command, cwd=directory, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
        ) as running,
    ):
        overdue = threading.Timer(PROGRAM_S_MAX, running.kill)
        overdue.start()
        try:
            yield running
        finally:
            overdue.cancel()
            running.kill()


def log_of(directory: Path) -> Path:
    """Return the file with what the programs print apart from their results."""
    return directory / "program.log"


def _run(peer: Peer, directory: Path) -> tuple[bytes, str]:
    """Return the output of a program, and why it ended before its end, if it did. Raises MissingLibrary."""
    started = contextlib.nullcontext() if peer.server is None else peer.server.started(directory)
    with started as server, program(peer, directory, "speed", server.address if server else "") as running:
        output = running.communicate()[0]
    return output, last_line(log_of(directory).read_text("utf-8", "replace")) if running.returncode else ""


@contextlib.contextmanager
def _daemon(transport: Transport, directory: Path) -> Iterator[Running]:
    with daemon_of(transport, directory) as daemon:
        yield Running(daemon.address, daemon.kill, daemon.start, daemon.rss_bytes)


@contextlib.contextmanager
def _valkey(directory: Path) -> Iterator[Running]:
    with ValkeyServer(directory / "valkey", options={"appendfsync": "always"}) as server:

        def start() -> None:
            server.start()
            os.sched_setaffinity(server.pid, {SERVER_CORE})

        os.sched_setaffinity(server.pid, {SERVER_CORE})
        yield Running(str(server.port), server.kill, start, lambda: rss_bytes(server.pid))


def _figure(peer: Peer, measured: Measured) -> Figure:
    callers = "1 caller" if measured.callers == 1 else f"{measured.callers} callers"
    detail = (
        f"{measured.calls_per_s:,.0f} calls/s; p95 {measured.p95_ms:.2f}, p99 {measured.p99_ms:.2f} ms of"
        f" {measured.calls:,}"
    )
    return Figure(PEER, f"{measured.what}, {callers}: {peer.title}", measured.p50_ms, "ms", detail=detail)
