"""Ingests the sample and files of conversations, prints the tables and writes the report."""

import asyncio
import contextlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import click
from tests.benchmarks.context.evidence import MODEL
from tests.benchmarks.ingestion import evidence, report, sample
from tests.benchmarks.machine import circumstances
from tests.benchmarks.page import write_figures
from tests.benchmarks.process import ROOT, DaemonProcess
from tests.benchmarks.recall.report import data_of
from tests.conversation import read_conversations

from memoryd_server.models.tokenization.counter import OfflineTokenCounter

SAMPLE = Path(__file__).with_name("sample.json")


@click.command()
@click.argument("name", metavar="ingestion", type=click.Choice([report.NAME]))
@click.argument("data", type=click.Path(path_type=Path, exists=True, dir_okay=False), nargs=-1)
@click.option("--sample", "sample_path", type=click.Path(path_type=Path, exists=True), default=SAMPLE)
@click.option("--show", is_flag=True, help="Print what is wrong and what is missing in the sample's memories.")
@click.option("--publish", is_flag=True, help="Write the tables into docs/ingestion.md as well.")
@click.option("--output", type=click.Path(path_type=Path), default=ROOT / "build" / "bench", help="Where to report.")
def main(name: str, data: tuple[Path, ...], sample_path: Path, show: bool, publish: bool, output: Path) -> None:
    """Ingest the sample and each file of conversations (see tests/conversation.py)."""
    talks = sample.read_sample(sample_path)
    around = circumstances(ROOT, f"scripts/bench {name} {' '.join(path.name for path in data)}".rstrip())
    began = time.monotonic()
    with _daemon() as process:
        judgements = sample.judged(process, talks)
    counter = OfflineTokenCounter()
    tokenizer = asyncio.run(counter.tokenizer_of(MODEL))
    found = []
    for path in data:
        conversations = read_conversations(path)
        with _daemon() as process:
            held, questions, stated = evidence.held(process, conversations, lambda text: counter.count(text, tokenizer))
        found.append(report.Evidence(data_of(path, conversations), held, questions, stated))
    people = sum(message.role == "user" for talk in talks for message in talk.messages)
    measured = report.Report(people, judgements, found, around, time.monotonic() - began)
    if show:
        for line in report.wrong(measured):
            click.echo(line)
    click.echo(report.markdown(measured))
    click.echo(f"report: {report.save(ROOT / 'docs' if publish else output, measured)}")
    if publish:
        write_figures(ROOT / "docs" / f"{report.NAME}.md", report.markdown(measured))


@contextlib.contextmanager
def _daemon() -> Iterator[DaemonProcess]:
    with tempfile.TemporaryDirectory(prefix="memoryd-bench-") as directory, DaemonProcess(Path(directory)) as process:
        yield process


if __name__ == "__main__":
    main()
