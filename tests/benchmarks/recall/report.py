"""The report of a comparison: a JSON file as the record, and tables that are generated from it."""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec
from tests.benchmarks.machine import Circumstances, machine_line
from tests.benchmarks.page import write_figures
from tests.benchmarks.recall.answerable import BOUNDS, Answerable
from tests.benchmarks.recall.cost import Cost
from tests.benchmarks.recall.score import Score
from tests.benchmarks.recall.trial import Missing, Trial
from tests.conversation import Conversation

NAME = "recall"

OWN = "memoryd"
OWN_WORDS = "memoryd, words only"
OWN_FIRST_STAGE = "memoryd, first stage"
OWN_INGESTING = "memoryd, and what people state"
"""The names of the daemon as a contender; those of the others do not begin with OWN."""


class Data(msgspec.Struct, frozen=True):
    """The file of conversations, by its name and digest, and the sizes of its content."""

    file_name: str
    sha256: str
    conversations: int
    turns: int
    questions: int


class Measured(msgspec.Struct, frozen=True):
    """The results on one file."""

    data: Data
    trials: Sequence[Trial]
    missing: Sequence[Missing]
    answerable: Answerable

    def trial(self, name: str) -> Trial:
        """Return the result of a contender."""
        return next(trial for trial in self.trials if trial.name == name)

    @property
    def best_plain(self) -> Trial:
        """The result of the best contender that is not the daemon, by recall at 10, then by MRR."""
        plain = (trial for trial in self.trials if not trial.name.startswith(OWN))
        return max(plain, key=lambda each: (each.score.recall_at(10), each.score.mrr))

    @property
    def ratio(self) -> float:
        """The recall at 10 of the daemon, divided by that of the best other contender."""
        return self.trial(OWN).score.recall_at(10) / max(self.best_plain.score.recall_at(10), 1e-9)


class Report(msgspec.Struct, frozen=True):
    """All results of a comparison, and its circumstances. ``cost`` is that of the first file."""

    measured: Sequence[Measured]
    cost: Cost
    circumstances: Circumstances
    seconds: float


def data_of(path: Path, conversations: Sequence[Conversation]) -> Data:
    """Return the description of a file and its conversations for the report."""
    return Data(
        path.name,
        hashlib.sha256(path.read_bytes()).hexdigest(),
        len(conversations),
        sum(len(each.turns) for each in conversations),
        sum(bool(question.evidence) for each in conversations for question in each.questions),
    )


def save(directory: Path, report: Report) -> Path:
    """Write the record, and return its path."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{NAME}.json"
    path.write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n")
    return path


def publish(page: Path, report: Report) -> None:
    """Replace the tables between the page's marks."""
    write_figures(page, markdown(report))


def markdown(report: Report) -> str:
    """Return the tables, the file with the smallest lead first, and the circumstances of the measurement."""
    worst_first = sorted(report.measured, key=lambda each: each.ratio)
    blocks = [
        _leads(worst_first),
        _scores(worst_first),
        *(_categories(each) for each in worst_first if len(each.trials[0].by_category) > 1),
        _probabilities(worst_first),
        _curves(worst_first),
        _times(report.measured[0]),
        _about(report),
    ]
    return "\n\n".join("\n".join(lines) for lines in blocks) + "\n"


def _leads(measured: Sequence[Measured]) -> Iterator[str]:
    yield from head("R@10, MRR", OWN, "words only", "best of the others", "which", "ratio of R@10", "of MRR")
    for each in measured:
        own, words, best = each.trial(OWN).score, each.trial(OWN_WORDS).score, each.best_plain
        ratio = own.mrr / max(best.score.mrr, 1e-9)
        cells = (_of(own), _of(words), _of(best.score), best.name, f"{each.ratio:.2f}", f"{ratio:.2f}")
        yield row(each.data.file_name, *cells)


def _scores(measured: Sequence[Measured]) -> Iterator[str]:
    yield from head("R@1, R@5, R@10, MRR", *(each.data.file_name for each in measured))
    for name in (trial.name for trial in measured[0].trials):
        trials = [next((trial for trial in each.trials if trial.name == name), None) for each in measured]
        yield row(name, *("" if trial is None else _all_of(trial.score) for trial in trials))


def _of(score: Score) -> str:
    return f"{score.recall_at(10):.3f}, {score.mrr:.3f}"


def _all_of(score: Score) -> str:
    return ", ".join(f"{share:.3f}" for share in (*(score.recall_at(depth) for depth in (1, 5, 10)), score.mrr))


def _categories(measured: Measured) -> Iterator[str]:
    trials = measured.trials
    questions = {category: score.questions for category, score in trials[0].by_category.items()}
    title = f"{measured.data.file_name}: R@10, MRR"
    yield from head(title, *(f"{category} ({count})" for category, count in questions.items()))
    for trial in trials:
        yield row(trial.name, *(_of(trial.by_category[category]) for category in questions))


def _probabilities(measured: Sequence[Measured]) -> Iterator[str]:
    names = ("AUROC", "evidence removed", "asked elsewhere", "Brier score", "of a constant")
    yield from head("with an answer or without", *names)
    for each in measured:
        own = each.answerable
        elsewhere = "" if own.auroc_elsewhere is None else f"{own.auroc_elsewhere:.3f}"
        aurocs = (f"{own.auroc:.3f}", f"{own.auroc_removed:.3f}", elsewhere)
        yield row(each.data.file_name, *aurocs, f"{own.brier:.4f}", f"{own.brier_constant:.4f}")


def _curves(measured: Sequence[Measured]) -> Iterator[str]:
    bins = (f"{lower:.2f} to {upper:.2f}" for lower, upper in pairwise(BOUNDS))
    yield from head("share of answers (matches) by score", *bins)
    for each in measured:
        cells = (f"{share:.2f} ({count:,})" if count else "" for _, share, count in each.answerable.bins)
        yield row(each.data.file_name, *cells)


def _times(measured: Measured) -> Iterator[str]:
    yield from head(measured.data.file_name, "recall p50", "p95", "all stored in", "what it is")
    for trial in measured.trials:
        p50, p95 = f"{trial.recall_ms_p50:.2f} ms", f"{trial.recall_ms_p95:.2f} ms"
        yield row(trial.name, p50, p95, f"{trial.stored_s:.1f} s", trial.about)


def _about(report: Report) -> Iterator[str]:
    cost, around = report.cost, report.circumstances
    for missing in {each.name: each for measured in report.measured for each in measured.missing}.values():
        yield f"- **Not measured: {missing.name}**: {missing.reason}."
    first, *others = (f"{seconds * 1000:.0f}" for seconds in cost.first_recall_s)
    yield (
        f"- Memory of the daemon: {cost.stored_bytes_each:,.0f} bytes for a stored memory, and"
        f" {cost.indexed_bytes_each:,.0f} in the index; growth of the process with {cost.memories:,} memories."
    )
    yield (
        f"- From cold, the first recall of an agent, which loads it and makes its index: {', '.join(others) or first}"
        f" ms; {first} ms for the first agent after the start, which loads the table, too."
    )
    yield from (data_line(each.data) for each in report.measured)
    yield f"- {around.date}, commit {around.commit}, load before {around.load:.1f}, took {report.seconds:.0f} s."
    yield f"- {machine_line(around)}"


def data_line(data: Data) -> str:
    """Return the description of the data as a line of a list."""
    return (
        f"- Data: `{data.file_name}` (SHA-256 {data.sha256[:12]}…): {data.conversations} conversations,"
        f" {data.turns:,} turns, {data.questions:,} questions with evidence."
    )


def head(*names: str) -> Iterator[str]:
    """Yield the first lines of a table."""
    yield row(*names)
    yield row(*("---" for _ in names))


def row(*cells: str) -> str:
    """Return a line of a table."""
    return f"| {' | '.join(cells)} |"
