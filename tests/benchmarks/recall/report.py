"""The report of a comparison: a JSON file as the record, and tables that are generated from it."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from tests.benchmarks.machine import Circumstances, machine_line
from tests.benchmarks.page import write_figures
from tests.benchmarks.recall.cost import Cost
from tests.benchmarks.recall.score import DEPTHS
from tests.benchmarks.recall.trial import Missing, Trial
from tests.conversation import Conversation

NAME = "recall"


class Data(msgspec.Struct, frozen=True):
    """The file of conversations, by its name and digest, and the sizes of its content."""

    file_name: str
    sha256: str
    conversations: int
    turns: int
    questions: int


class Report(msgspec.Struct, frozen=True):
    """All results of a comparison, and its circumstances."""

    data: Data
    trials: Sequence[Trial]
    missing: Sequence[Missing]
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
    """Return the tables, and the circumstances of the measurement."""
    blocks = [_scores(report.trials), _categories(report.trials), _times(report.trials), _about(report)]
    return "\n\n".join("\n".join(lines) for lines in blocks) + "\n"


def _scores(trials: Sequence[Trial]) -> Iterator[str]:
    yield from head("", *(f"R@{depth}" for depth in DEPTHS), *(f"hit@{depth}" for depth in DEPTHS), "MRR")
    for trial in trials:
        score = trial.score
        yield row(trial.name, *(f"{share:.3f}" for share in (*score.recall, *score.hit, score.mrr)))


def _categories(trials: Sequence[Trial]) -> Iterator[str]:
    questions = {category: score.questions for category, score in trials[0].by_category.items()}
    yield from head("R@10 and MRR", *(f"{category} ({count})" for category, count in questions.items()))
    for trial in trials:
        scores = (trial.by_category[category] for category in questions)
        yield row(trial.name, *(f"{score.recall_at(10):.3f}, {score.mrr:.3f}" for score in scores))


def _times(trials: Sequence[Trial]) -> Iterator[str]:
    yield from head("", "recall p50", "p95", "all stored in", "what it is")
    for trial in trials:
        p50, p95 = f"{trial.recall_ms_p50:.2f} ms", f"{trial.recall_ms_p95:.2f} ms"
        yield row(trial.name, p50, p95, f"{trial.stored_s:.1f} s", trial.about)


def _about(report: Report) -> Iterator[str]:
    cost, data, around = report.cost, report.data, report.circumstances
    for each in report.missing:
        yield f"- **Not measured: {each.name}**: {each.reason}."
    first, *others = (f"{seconds * 1000:.0f}" for seconds in cost.first_recall_s)
    yield (
        f"- Memory of the daemon: {cost.stored_bytes_each:,.0f} bytes for a stored memory, and"
        f" {cost.indexed_bytes_each:,.0f} in the index; growth of the process with {cost.memories:,} memories."
    )
    yield (
        f"- From cold, the first recall of an agent, which loads it and makes its index: {', '.join(others) or first}"
        f" ms; {first} ms for the first agent after the start, which loads the table, too."
    )
    yield data_line(data)
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
