"""``memoryd top``."""

import sys
import time
from typing import TYPE_CHECKING

import click

from memoryd_server.ops.cli.client.connection import ClientCommand
from memoryd_server.ops.cli.terminal.output import Output
from memoryd_server.ops.config.setting_type import DURATION

if TYPE_CHECKING:
    import memoryd
    from memoryd_server.ops.cli.top.sample import Sampler


@click.command("top", cls=ClientCommand)
@click.option(
    "--interval", type=DURATION, default="2s", show_default=True, metavar="DURATION", help="Time between two samples."
)
@click.option("--once", is_flag=True, help="Print one sample, after one interval, and exit.")
@click.option(
    "--order",
    type=click.Choice(("updated", "changes", "records", "storage", "agent")),
    default="updated",
    show_default=True,
    help="Order of the agents.",
)
@click.option(
    "--metrics",
    default="",
    envvar="MEMORYD_METRICS_LISTEN",
    metavar="HOST:PORT",
    help="Address of the daemon's metrics, for calls, lag and memory. Variable: MEMORYD_METRICS_LISTEN.",
)
def top(client: "memoryd.Client", output: Output, interval: float, once: bool, order: str, metrics: str) -> None:
    """Show a live table of the daemon: its load, and the agents that changed last.

    Keys: q leaves; u, c, r, s and a order the agents by time of update, changes, records, storage and name. With --once
    -o json, this prints one object for a script. What only the daemon's metrics have is - without --metrics.
    """
    # Imported late: help needs no termios.
    from memoryd_server.ops.cli.top.sample import Sampler
    from memoryd_server.ops.cli.top.screen import render

    sampler = Sampler(client, metrics)
    if not once:
        if not (sys.stdin.isatty() and output.is_terminal):
            raise click.UsageError("top needs a terminal: add --once, or --once -o json for a script.")
        _follow(sampler, output, interval, order)
        return
    sampler.take()
    time.sleep(interval)
    sample = sampler.take()
    if output.as_json:
        output.record(sample)
    else:
        output.console.print(render(sample, order))


def _follow(sampler: "Sampler", output: Output, interval: float, order: str) -> None:
    from rich.live import Live

    from memoryd_server.ops.cli.top.screen import ORDERS, keys, render

    orders = {name[0]: name for name in ORDERS}
    with keys() as read, Live(console=output.console, screen=True, auto_refresh=False) as live:
        sample, deadline = sampler.take(), time.monotonic() + interval
        while True:
            live.update(render(sample, order, output.console.height), refresh=True)
            key = read(max(0.0, deadline - time.monotonic()))
            if key == "q":
                return
            order = orders.get(key, order)
            if time.monotonic() >= deadline:
                sample, deadline = sampler.take(), time.monotonic() + interval
