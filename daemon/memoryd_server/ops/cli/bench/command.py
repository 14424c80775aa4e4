"""``memoryd bench``."""

import os
import platform
from typing import TYPE_CHECKING
from uuid import uuid4

import click

from memoryd_server.ops.cli.bench.measurement import Measured
from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.terminal.output import Column, Output
from memoryd_server.ops.config.setting_type import DURATION
from memoryd_server.ops.limit import BENCH_CALLERS_MAX

if TYPE_CHECKING:
    import memoryd

_COLUMNS: list[Column[Measured]] = [
    Column("CALL", lambda each: each.name, names=True),
    Column("CALLERS", lambda each: each.callers, right=True),
    Column("CALLS/S", lambda each: round(each.calls_per_s, 1), lambda each: f"{each.calls_per_s:,.0f}", right=True),
    Column("P50 MS", lambda each: round(each.p50_ms, 3), lambda each: f"{each.p50_ms:,.2f}", right=True),
    Column("P99 MS", lambda each: round(each.p99_ms, 3), lambda each: f"{each.p99_ms:,.2f}", right=True),
]


@click.command("bench", cls=ClientCommand)
@click.option(
    "--callers",
    type=click.IntRange(1, BENCH_CALLERS_MAX),
    default=8,
    show_default=True,
    metavar="N",
    help="Number of callers at once, besides one alone.",
)
@click.option(
    "--duration",
    type=DURATION,
    default="2s",
    show_default=True,
    metavar="DURATION",
    help="Duration of each of the seven measurements.",
)
@click.option("--agent", "agent_id", metavar="AGENT", help="Id of the agent to use, which must not exist.")
def bench(client: "memoryd.Client", output: Output, callers: int, duration: float, agent_id: str | None) -> None:
    """Measure set, get, recall and a watch against the running daemon.

    This creates an agent of its own with a few entries and memories, and erases it at the end. The callers are threads
    of one Python process, which is slower than the daemon: they show how long calls take, not its limit. Other clients
    share the daemon meanwhile.

    In a pipe, each row has these fields, separated by tabs: call, callers, calls per second, p50 and p99 in
    milliseconds.
    """
    # Imported late: help needs no threads.
    from memoryd_server.ops.cli.bench.workload import measured

    agent = client.agent(agent_id or f"bench-{uuid4().hex[:12]}")
    _check_new(agent)
    click.echo(_setting(client), err=True)
    try:
        output.listing(measured(agent, callers, duration), _COLUMNS, nothing="")
    finally:
        agent.end(erase=True)


def _check_new(agent: "memoryd.Agent") -> None:
    from memoryd.errors import AgentNotFound

    try:
        agent.info()
    except AgentNotFound:
        return
    raise click.UsageError(f"agent {agent.agent_id!r} exists, and bench erases its agent: name another one")


def _setting(client: "memoryd.Client") -> str:
    """Return the versions and the machine, on three lines."""
    from importlib.metadata import version

    from memoryd_server import __version__

    server = client.server_info()
    return "\n".join(
        (
            f"memoryd {server.version} at {client.target}, {server.backend}, {server.durability}",
            f"client: memoryd {__version__}, Python {platform.python_version()}, gRPC {version('grpcio')}",
            f"machine of the client: {platform.system()} {platform.machine()}, {os.cpu_count()} processors",
        )
    )
