"""Runs benchmarks, prints their figures and writes the report."""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import click
import grpc
from tests.benchmarks import (
    call_rate,
    client,
    consoles,
    crash,
    fan_out,
    languages,
    latency,
    list_size,
    near_cache,
    observed,
    recall_size,
    report,
    shared,
    size,
    start,
    threads,
    transaction,
)
from tests.benchmarks.figure import Figure
from tests.benchmarks.load import MissingTool
from tests.benchmarks.machine import circumstances
from tests.benchmarks.peers.peer import peers
from tests.benchmarks.process import CLIENT_CORE, ROOT

BENCHMARKS: dict[str, Callable[[Path], list[Figure]]] = {
    "get": call_rate.get_entry,
    "set": call_rate.set_entry,
    "batch": call_rate.batches,
    "alone": latency.alone,
    "among-others": latency.among_others,
    "memory": size.memory,
    "flat-one-agent": size.one_agent,
    "flat-many-agents": size.many_agents,
    "delivery": fan_out.delivery,
    "idle-watches": fan_out.idle,
    "connections": fan_out.connections,
    "start": start.many_agents,
    "crash": crash.kill_under_load,
    "threads": threads.second_thread,
    "observed": observed.observed,
    "peers": peers,
    "consoles": consoles.consoles,
    "clients": client.one_at_a_time,
    "languages": languages.of_each_language,
    "near-cache": near_cache.near_cache,
    "recall-size": recall_size.recall_size,
    "index-size": recall_size.index_size,
    "list-size": list_size.list_size,
    "shared": shared.of_embedded,
    "two-daemons": shared.two_daemons,
    "commit": transaction.commits,
}

GROUPS = {
    "transports": (
        *("get", "set", "batch", "alone", "among-others", "delivery", "idle-watches", "connections", "threads"),
        *("clients", "peers"),
    )
}
"""The benchmarks of one name: ``transports`` are all figures that depend on the server of the connections."""


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...", type=click.Choice([*BENCHMARKS, *GROUPS]))
@click.option("--publish", is_flag=True, help="Write the figures into docs/performance.md as well.")
@click.option("--output", type=click.Path(path_type=Path), default=ROOT / "build" / "bench", help="Where to report.")
def main(names: tuple[str, ...], publish: bool, output: Path) -> None:
    """Run the named benchmarks or groups, or all. Data is in the directory for temporary files (TMPDIR)."""
    directory = ROOT / "docs" if publish else output
    results = report.load(directory)
    failed: list[str] = []
    cores = os.sched_getaffinity(0)
    asked = [each for name in names for each in GROUPS.get(name, (name,))]
    for name in asked or BENCHMARKS:
        around = circumstances(ROOT, " ".join(["scripts/bench", *sys.argv[1:]]))
        click.echo(f"== {name}: {around.calibration}; load {around.load:.1f}")
        began = time.monotonic()
        os.sched_setaffinity(0, {CLIENT_CORE})
        try:
            with tempfile.TemporaryDirectory(prefix="memoryd-bench-") as data:
                figures = BENCHMARKS[name](Path(data))
        except (MissingTool, RuntimeError, grpc.RpcError) as failure:
            failed.append(name)
            click.echo(f"FAIL {name}: {failure}", err=True)
            continue
        finally:
            os.sched_setaffinity(0, cores)
        results[name] = report.Measured(figures, around, time.monotonic() - began)
        for figure in figures:
            compared = f"{figure.measured} (target {figure.target or 'none'})"
            line = f"{figure.verdict:4} {figure.id:5} {figure.name}: {compared}"
            click.echo(f"{line}\n           {figure.detail}" if figure.detail else line)
        report.save(directory, {each: results[each] for each in BENCHMARKS if each in results})
        if publish:
            report.publish(directory / f"{report.NAME}.md", report.load(directory))
    click.echo(f"report: {directory / report.NAME}.json")
    if failed:
        raise click.ClickException(f"not measured: {', '.join(failed)}")


if __name__ == "__main__":
    main()
