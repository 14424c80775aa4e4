"""Compares contenders that find turns of conversations, prints the tables and writes the report."""

import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec
from tests.benchmarks.machine import circumstances
from tests.benchmarks.process import CLIENT_CORE, ROOT
from tests.benchmarks.recall import report
from tests.benchmarks.recall.answerable import answerable_of
from tests.benchmarks.recall.compare import compared, entries
from tests.benchmarks.recall.cost import cost_of
from tests.benchmarks.recall.score import Outcome
from tests.conversation import Conversation, read_conversations


@click.command()
@click.argument("name", metavar="recall", type=click.Choice([report.NAME]))
@click.argument("data", type=click.Path(path_type=Path, exists=True, dir_okay=False), nargs=-1, required=True)
@click.option("--publish", is_flag=True, help="Write the tables into docs/recall.md as well.")
@click.option("--libraries/--no-libraries", default=True, help="Measure third-party libraries as well.")
@click.option("--output", type=click.Path(path_type=Path), default=ROOT / "build" / "bench", help="Where to report.")
def main(name: str, data: tuple[Path, ...], publish: bool, libraries: bool, output: Path) -> None:
    """Ask the daemon and others the questions of each file of conversations (see tests/conversation.py)."""
    try:
        files = {path: read_conversations(path) for path in data}
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="DATA") from None
    # The files are named without their folders, which have no meaning on another machine.
    around = circumstances(ROOT, f"scripts/bench {name} {' '.join(path.name for path in data)}")
    os.sched_setaffinity(0, {CLIENT_CORE})
    began = time.monotonic()
    outcomes: dict[str, dict[str, Sequence[Outcome]]] = {}
    measured = [_measured(path, files[path], outcomes, libraries=libraries) for path in data]
    with tempfile.TemporaryDirectory(prefix="memoryd-bench-") as directory:
        cost = cost_of(files[data[0]], Path(directory))
    result = report.Report(measured, cost, around, time.monotonic() - began)
    click.echo(report.markdown(result))
    output.mkdir(parents=True, exist_ok=True)
    (output / f"{report.NAME}-outcomes.json").write_bytes(msgspec.json.encode(outcomes))
    click.echo(f"report: {report.save(ROOT / 'docs' if publish else output, result)}")
    if publish:
        report.publish(ROOT / "docs" / f"{report.NAME}.md", result)


def _measured(
    path: Path,
    conversations: Sequence[Conversation],
    outcomes: dict[str, dict[str, Sequence[Outcome]]],
    *,
    libraries: bool,
) -> report.Measured:
    trials, missing, outcomes[path.name] = compared(path, conversations, entries(libraries=libraries))
    return report.Measured(report.data_of(path, conversations), trials, missing, answerable_of(conversations))


if __name__ == "__main__":
    main()
