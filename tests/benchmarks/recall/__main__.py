"""Compares contenders that find turns of conversations, prints the tables and writes the report."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import click
import msgspec
from tests.benchmarks.machine import circumstances
from tests.benchmarks.process import CLIENT_CORE, ROOT, DaemonProcess
from tests.benchmarks.recall import report
from tests.benchmarks.recall.answerable import answerable_of
from tests.benchmarks.recall.contender import Contender
from tests.benchmarks.recall.cost import cost_of
from tests.benchmarks.recall.daemon import Daemon
from tests.benchmarks.recall.fts5 import Fts5
from tests.benchmarks.recall.library import LIBRARIES, LibraryProcess, MissingLibrary
from tests.benchmarks.recall.rank_fusion import RankFusion
from tests.benchmarks.recall.score import Outcome
from tests.benchmarks.recall.trial import Missing, Trial, tried
from tests.benchmarks.recall.vectors import Vectors
from tests.conversation import Conversation, read_conversations

Entry = Callable[[Path], AbstractContextManager[Contender]]
"""Makes a contender, given a directory into which it alone writes."""


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
    trials: list[Trial] = []
    missing: list[Missing] = []
    found = outcomes[path.name] = {}
    with tempfile.TemporaryDirectory(prefix="memoryd-bench-") as directory:
        for contender_name, entry in _entries(libraries=libraries).items():
            click.echo(f"{path.name}: {contender_name} …", err=True)
            own = Path(directory) / str(len(trials) + len(missing))
            own.mkdir()
            try:
                trial, found[contender_name] = _tried(entry, own, conversations)
            except MissingLibrary as reason:
                missing.append(Missing(contender_name, str(reason)))
            else:
                trials.append(trial)
    return report.Measured(report.data_of(path, conversations), trials, missing, answerable_of(conversations))


def _entries(*, libraries: bool) -> dict[str, Entry]:
    """Return the makers of the contenders by name, in the order of the report."""
    entries: dict[str, Entry] = {
        report.OWN: lambda own: _daemon(report.OWN, "the daemon with its default settings, over gRPC", own),
        report.OWN_WORDS: lambda own: _daemon(
            report.OWN_WORDS, "the daemon with `--embedder none`, over gRPC", own, "--embedder", "none"
        ),
        report.OWN_FIRST_STAGE: lambda own: _daemon(
            report.OWN_FIRST_STAGE, "the daemon with `--no-rerank`, over gRPC", own, "--no-rerank"
        ),
        Fts5.name: lambda _: nullcontext(Fts5()),
        Vectors.name: lambda _: nullcontext(Vectors()),
        RankFusion.name: lambda _: nullcontext(RankFusion()),
    }
    others = LIBRARIES if libraries else ()
    return entries | {each.name: lambda own, each=each: LibraryProcess(each, own) for each in others}


@contextmanager
def _daemon(name: str, about: str, directory: Path, *flags: str) -> Iterator[Contender]:
    with DaemonProcess(directory, *flags) as process:
        yield Daemon(name, about, process)


def _tried(entry: Entry, own: Path, conversations: Sequence[Conversation]) -> tuple[Trial, Sequence[Outcome]]:
    with entry(own) as contender:
        return tried(contender, conversations)


if __name__ == "__main__":
    main()
