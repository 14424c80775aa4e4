"""The stores, and what their programs print."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import click
import msgspec
from tests.benchmarks.environment import MissingLibrary, interpreter_with, last_line
from tests.benchmarks.figure import Figure
from tests.benchmarks.process import CLIENT_CORE, ROOT, SERVER_CORE
from tests.benchmarks.report import PEER
from tests.benchmarks.transport import Transport, daemon_of, transports
from tests.valkey.server import ValkeyServer

WHATS = ("set", "get", "recall")
PROGRAM_S_MAX = 120.0


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


class Server(msgspec.Struct, frozen=True):
    """A kind of server: a daemon over a transport, or Valkey, which has none."""

    transport: Transport | None

    def started(self, directory: Path) -> AbstractContextManager[str]:
        """Start it, and yield what a program needs to connect."""
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
            output, ended = _run(peer, own)
        except MissingLibrary as missing:
            output, ended = b"", str(missing)
        if ended:
            click.echo(f"{peer.title}: {ended}", err=True)
        # A program that was ended may have left a part of a line.
        lines = [line for line in output.splitlines(keepends=True) if line.endswith(b"\n")]
        measured += [(peer, msgspec.json.decode(line, type=Measured)) for line in lines]
    # Python's sort keeps the order of the stores.
    measured.sort(key=lambda each: (WHATS.index(each[1].what), each[1].callers))
    return [_figure(peer, each) for peer, each in measured]


def _run(peer: Peer, directory: Path) -> tuple[bytes, str]:
    """Return the output of a program, and why it ended before its end, if it did. Raises MissingLibrary."""
    interpreter = interpreter_with(peer.program, peer.packages) if peer.packages else Path(sys.executable)
    cores: Sequence[int] = (SERVER_CORE, CLIENT_CORE) if peer.server is None else (CLIENT_CORE,)
    command = ["taskset", "-c", ",".join(map(str, cores)), str(interpreter)]
    command += ["-m", f"tests.benchmarks.peers.programs.{peer.program}"]
    # It downloads nothing.
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    started = contextlib.nullcontext("") if peer.server is None else peer.server.started(directory)
    log_path = directory / "program.log"
    with started as argument, log_path.open("w") as log:
        command += [argument] if argument else []
        running = subprocess.Popen(command, cwd=directory, env=environment, stdout=subprocess.PIPE, stderr=log)
        try:
            output = running.communicate(timeout=PROGRAM_S_MAX)[0]
        except subprocess.TimeoutExpired:
            running.kill()
            return running.communicate()[0], f"it took longer than {PROGRAM_S_MAX:.0f} s"
    return output, last_line(log_path.read_text("utf-8", "replace")) if running.returncode else ""


@contextlib.contextmanager
def _daemon(transport: Transport, directory: Path) -> Iterator[str]:
    with daemon_of(transport, directory) as daemon:
        yield daemon.address


@contextlib.contextmanager
def _valkey(directory: Path) -> Iterator[str]:
    with ValkeyServer(directory / "valkey", options={"appendfsync": "always"}) as server:
        os.sched_setaffinity(server.pid, {SERVER_CORE})
        yield str(server.port)


def _figure(peer: Peer, measured: Measured) -> Figure:
    callers = "1 caller" if measured.callers == 1 else f"{measured.callers} callers"
    detail = (
        f"{measured.calls_per_s:,.0f} calls/s; p95 {measured.p95_ms:.2f}, p99 {measured.p99_ms:.2f} ms of"
        f" {measured.calls:,}"
    )
    return Figure(PEER, f"{measured.what}, {callers}: {peer.title}", measured.p50_ms, "ms", detail=detail)
