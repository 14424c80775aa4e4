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
@click.argument("data", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--publish", is_flag=True, help="Write the tables into docs/recall.md as well.")
@click.option("--output", type=click.Path(path_type=Path), default=ROOT / "build" / "bench", help="Where to report.")
def main(name: str, data: Path, publish: bool, output: Path) -> None:
    """Ask the daemon and others the questions of DATA, a file of conversations (see tests/conversation.py)."""
    try:
        conversations = read_conversations(data)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="DATA") from None
    # The file is named without its folder, which has no meaning on another machine.
    around = circumstances(ROOT, f"scripts/bench {name} {data.name}")
    os.sched_setaffinity(0, {CLIENT_CORE})
    began = time.monotonic()
    trials: list[Trial] = []
    missing: list[Missing] = []
    outcomes: dict[str, Sequence[Outcome]] = {}
    with tempfile.TemporaryDirectory(prefix="memoryd-bench-") as directory:
        for contender_name, entry in _entries().items():
            click.echo(f"{contender_name} …", err=True)
            own = Path(directory) / str(len(trials) + len(missing))
            own.mkdir()
            try:
                trial, outcomes[contender_name] = _tried(entry, own, conversations)
            except MissingLibrary as reason:
                missing.append(Missing(contender_name, str(reason)))
            else:
                trials.append(trial)
        cost = cost_of(conversations, Path(directory))
    seconds = time.monotonic() - began
    measured = report.Report(report.data_of(data, conversations), trials, missing, cost, around, seconds)
    click.echo(report.markdown(measured))
    output.mkdir(parents=True, exist_ok=True)
    (output / f"{report.NAME}-outcomes.json").write_bytes(msgspec.json.encode(outcomes))
    click.echo(f"report: {report.save(ROOT / 'docs' if publish else output, measured)}")
    if publish:
        report.publish(ROOT / "docs" / f"{report.NAME}.md", measured)


def _entries() -> dict[str, Entry]:
    """Return the makers of the contenders by name, in the order of the report."""
    entries: dict[str, Entry] = {
        "memoryd": lambda own: _daemon("memoryd", "the daemon with its default settings, over gRPC", own),
        "memoryd, words only": lambda own: _daemon(
            "memoryd, words only", "the daemon with `--embedder none`, over gRPC", own, "--embedder", "none"
        ),
        Fts5.name: lambda _: nullcontext(Fts5()),
        Vectors.name: lambda _: nullcontext(Vectors()),
        RankFusion.name: lambda _: nullcontext(RankFusion()),
    }
    return entries | {each.name: lambda own, each=each: LibraryProcess(each, own) for each in LIBRARIES}


@contextmanager
def _daemon(name: str, about: str, directory: Path, *flags: str) -> Iterator[Contender]:
    with DaemonProcess(directory, *flags) as process:
        yield Daemon(name, about, process)


def _tried(entry: Entry, own: Path, conversations: Sequence[Conversation]) -> tuple[Trial, Sequence[Outcome]]:
    with entry(own) as contender:
        return tried(contender, conversations)


if __name__ == "__main__":
    main()
