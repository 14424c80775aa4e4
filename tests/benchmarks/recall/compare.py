"""The contenders of a comparison, and their trials on a file of conversations."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import click
from tests.benchmarks.process import DaemonProcess
from tests.benchmarks.recall import report
from tests.benchmarks.recall.contender import Contender
from tests.benchmarks.recall.daemon import Daemon, Ingesting
from tests.benchmarks.recall.fts5 import Fts5
from tests.benchmarks.recall.library import LIBRARIES, LibraryProcess, MissingLibrary
from tests.benchmarks.recall.rank_fusion import RankFusion
from tests.benchmarks.recall.score import Outcome
from tests.benchmarks.recall.trial import Missing, Trial, tried
from tests.benchmarks.recall.vectors import Vectors
from tests.conversation import Conversation

Entry = Callable[[Path], AbstractContextManager[Contender]]
"""Makes a contender, given a directory into which it alone writes."""


def entries(*, libraries: bool) -> dict[str, Entry]:
    """Return the makers of the contenders by name, in the order of the report."""
    own: dict[str, Entry] = {
        report.OWN: lambda own: _daemon(report.OWN, "the daemon with its default settings, over gRPC", own),
        report.OWN_WORDS: lambda own: _daemon(
            report.OWN_WORDS, "the daemon with `--embedder none`, over gRPC", own, "--embedder", "none"
        ),
        report.OWN_FIRST_STAGE: lambda own: _daemon(
            report.OWN_FIRST_STAGE, "the daemon with `--no-rerank`, over gRPC", own, "--no-rerank"
        ),
        report.OWN_INGESTING: lambda own: _daemon(
            report.OWN_INGESTING, "the daemon, which also ingests the turns as messages", own, kind=Ingesting
        ),
        Fts5.name: lambda _: nullcontext(Fts5()),
        Vectors.name: lambda _: nullcontext(Vectors()),
        RankFusion.name: lambda _: nullcontext(RankFusion()),
    }
    others = LIBRARIES if libraries else ()
    return own | {each.name: lambda own, each=each: LibraryProcess(each, own) for each in others}


def compared(
    path: Path, conversations: Sequence[Conversation], contenders: Mapping[str, Entry]
) -> tuple[list[Trial], list[Missing], dict[str, Sequence[Outcome]]]:
    """Return the trials of the contenders, those that could not be tried, and what each found."""
    trials: list[Trial] = []
    missing: list[Missing] = []
    outcomes: dict[str, Sequence[Outcome]] = {}
    with tempfile.TemporaryDirectory(prefix="memoryd-bench-") as directory:
        for name, entry in contenders.items():
            click.echo(f"{path.name}: {name} …", err=True)
            own = Path(directory) / str(len(trials) + len(missing))
            own.mkdir()
            try:
                with entry(own) as contender:
                    trial, outcomes[name] = tried(contender, conversations)
            except MissingLibrary as reason:
                missing.append(Missing(name, str(reason)))
            else:
                trials.append(trial)
    return trials, missing, outcomes


@contextmanager
def _daemon(name: str, about: str, directory: Path, *flags: str, kind: type[Daemon] = Daemon) -> Iterator[Contender]:
    with DaemonProcess(directory, *flags) as process:
        yield kind(name, about, process)
