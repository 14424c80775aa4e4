"""Composes contexts for the questions of conversations, prints the tables and writes the report."""

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import click
from tests.benchmarks.context import evidence, latency, report
from tests.benchmarks.machine import circumstances
from tests.benchmarks.page import write_figures
from tests.benchmarks.process import CLIENT_CORE, ROOT, DaemonProcess
from tests.benchmarks.recall.report import data_of
from tests.conversation import Conversation, read_conversations

FLAGS = (("--embedder", "none"), ())
"""Flags of the daemon: without the embedding of the query, which the target does not include, and with it."""


@click.command()
@click.argument("name", metavar="context", type=click.Choice([report.NAME]))
@click.argument("data", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--publish", is_flag=True, help="Write the tables into docs/context.md as well.")
@click.option("--output", type=click.Path(path_type=Path), default=ROOT / "build" / "bench", help="Where to report.")
def main(name: str, data: Path, publish: bool, output: Path) -> None:
    """Compose a context for each question of DATA, a file of conversations (see tests/conversation.py)."""
    try:
        conversations = read_conversations(data)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="DATA") from None
    # The file is named without its folder, which has no meaning on another machine.
    around = circumstances(ROOT, f"scripts/bench {name} {data.name}")
    os.sched_setaffinity(0, {CLIENT_CORE})
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="memoryd-bench-") as directory, DaemonProcess(Path(directory)) as process:
        for conversation in conversations:
            evidence.store(process, conversation)
        reached = [
            evidence.reached(process, conversations, way, budget)
            for way in evidence.WAYS
            for budget in evidence.BUDGETS
        ]
    latencies = [each for flags in FLAGS for each in _latencies(conversations[0], *flags)]
    seconds = time.monotonic() - began
    measured = report.Report(data_of(data, conversations), reached, latencies, around, seconds)
    click.echo(report.markdown(measured))
    click.echo(f"report: {report.save(ROOT / 'docs' if publish else output, measured)}")
    if publish:
        write_figures(ROOT / "docs" / f"{report.NAME}.md", report.markdown(measured))


def _latencies(conversation: Conversation, *flags: str) -> Iterator[latency.Latency]:
    questions = [each.question for each in conversation.questions]
    with (
        tempfile.TemporaryDirectory(prefix="memoryd-bench-") as directory,
        DaemonProcess(Path(directory), *flags) as process,
    ):
        latency.fill(process, conversation)
        for model in ("", evidence.MODEL):
            yield latency.measured(process, " ".join(flags), model, questions)


if __name__ == "__main__":
    main()
