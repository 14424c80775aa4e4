"""The tables of a contest, and their place in docs/comparison.md."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from tests.benchmarks.contest.trial import KILLS, RECORDS, Trial
from tests.benchmarks.machine import Circumstances, machine_line
from tests.benchmarks.peers.programs.calling import CALLERS
from tests.benchmarks.peers.programs.store import UPDATES_OF_EACH, WRITERS
from tests.benchmarks.recall.trial import Missing
from tests.benchmarks.recall.trial import Trial as RecallTrial

NAME = "contest"
BEGIN = "<!-- figures: written by scripts/bench --publish contest, not by hand -->"
END = "<!-- end of figures -->"


class Recalled(msgspec.Struct, frozen=True):
    """The recall of each store on a file."""

    file: str
    trials: list[RecallTrial]
    missing: list[Missing]


class Report(msgspec.Struct, frozen=True):
    """A contest. ``packages`` are the requirements of the stores, with their versions."""

    trials: list[Trial]
    recalled: list[Recalled]
    about: Circumstances
    seconds: float
    packages: list[str] = []


def markdown(report: Report) -> str:
    """Return the tables as Markdown."""
    heads = ["", "write, read: p50 ms", f"writes, reads a second by {CALLERS} callers"]
    heads += [f"{WRITERS} writers, {UPDATES_OF_EACH} updates each: lost, refused", f"{KILLS} kills: stored, lost"]
    heads += [f"ready again with {RECORDS:,} records", "memory"]
    lines = [*_table([heads, *(_row(trial) for trial in report.trials)]), ""]
    lines += [f"- {trial.name}: {failure}" for trial in report.trials for failure in trial.failures]
    for recalled in report.recalled:
        rows = [[f"{recalled.file}: R@10, MRR, p50 ms", "", ""], *(_recall_row(trial) for trial in recalled.trials)]
        lines += ["", *_table(rows), ""]
        lines += [f"- {missing.name}: {missing.reason}" for missing in recalled.missing]
    lines += ["", f"`{report.about.command}`, {report.about.date}, commit {report.about.commit},"]
    lines += [f"load before {report.about.load:.1f}, {report.about.calibration}, took {report.seconds:.0f} s."]
    lines += [machine_line(report.about), f"Stores: {', '.join(report.packages)}."]
    return "\n".join(lines).replace("\n\n\n", "\n\n")


def save(directory: Path, report: Report) -> Path:
    """Write the report as JSON, and return the file."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{NAME}.json"
    path.write_bytes(msgspec.json.format(msgspec.json.encode(report)) + b"\n")
    return path


def publish(page: Path, report: Report) -> None:
    """Replace the text between the marks of a page by the tables."""
    before, begin, rest = page.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page.name} lacks the marks: add {BEGIN!r} and {END!r}")
    page.write_text(f"{before}{BEGIN}\n\n{markdown(report)}\n\n{END}{after}", "utf-8")


def _row(trial: Trial) -> list[str]:
    def figures(callers: int, of: str) -> str:
        found = {each.what: getattr(each, of) for each in trial.speed if each.callers == callers}
        return ", ".join(f"{found[what]:,.{2 if of == 'p50_ms' else 0}f}" for what in ("set", "get") if what in found)

    updates = trial.updates and f"{trial.updates.returned - trial.updates.counted}, {trial.updates.refused}"
    kills = "" if trial.stored is None or trial.left is None else f"{trial.stored:,}, {trial.stored - trial.left:,}"
    ready = "" if trial.ready_s is None else f"{trial.ready_s:.2f} s"
    memory = "" if trial.bytes is None else f"{trial.bytes / 1e6:.0f} MB"
    return [trial.name, figures(1, "p50_ms"), figures(CALLERS, "calls_per_s"), updates or "", kills, ready, memory]


def _recall_row(trial: RecallTrial) -> list[str]:
    figures = f"{trial.score.recall_at(10):.3f}, {trial.score.mrr:.3f}, {trial.recall_ms_p50:.2f}"
    return [trial.name, figures, trial.about]


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    head, *others = rows
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *others)]
