"""The report of the ingestion benchmark: a JSON file as the record, and tables that are generated from it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from tests.benchmarks.ingestion.evidence import BUDGETS, RECALLED_MAX, WAYS, Held
from tests.benchmarks.ingestion.sample import Judgement
from tests.benchmarks.machine import Circumstances, machine_line
from tests.benchmarks.recall.report import Data, data_line, head, row

NAME = "ingestion"


class Evidence(msgspec.Struct, frozen=True):
    """The shares in one file: of ``questions`` that have evidence, ``stated`` have a statement among it."""

    data: Data
    held: Sequence[Held]
    questions: int
    stated: int


class Report(msgspec.Struct, frozen=True):
    """All measurements of one run, and its circumstances. ``messages`` is the number of messages by people."""

    messages: int
    judgements: Sequence[Judgement]
    evidence: Sequence[Evidence]
    circumstances: Circumstances
    seconds: float


def save(directory: Path, report: Report) -> Path:
    """Write the record, and return its path."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{NAME}.json"
    path.write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n")
    return path


def markdown(report: Report) -> str:
    """Return the tables, and the circumstances of the measurement."""
    blocks = [_sample(report), *(_evidence(each) for each in report.evidence), _about(report)]
    return "\n\n".join("\n".join(lines) for lines in blocks) + "\n"


def wrong(report: Report) -> Iterator[str]:
    """Yield a line for each memory that no statement agrees with, each lost negation, and each statement left out."""
    for each in report.judgements:
        if each.memory is not None and each.statement is None:
            yield f"WRONG   {each.kind}: {each.memory!r}, of {each.message!r}"
        elif each.loses_negation:
            yield f"NEGATED {each.kind}: {each.memory!r} instead of {each.statement!r}"
        elif each.memory is None:
            yield f"MISSED  {each.kind}: {each.statement!r}"


def _sample(report: Report) -> Iterator[str]:
    yield from head("the sample", "marked", "memories", "right", "precision", "found", "negations lost")
    yield _counted("all", report.judgements)
    yield _counted("those by which rules were mended", [each for each in report.judgements if each.talk % 2 == 0])
    yield _counted("the others", [each for each in report.judgements if each.talk % 2 == 1])
    for kind in sorted({each.kind for each in report.judgements}):
        yield _counted(kind, [each for each in report.judgements if each.kind == kind])


def _counted(name: str, judgements: Sequence[Judgement]) -> str:
    marked = sum(each.statement is not None for each in judgements)
    made = sum(each.memory is not None for each in judgements)
    right = sum(each.is_right for each in judgements)
    lost = sum(each.loses_negation for each in judgements)
    return row(name, str(marked), str(made), str(right), _share(right, made), _share(right, marked), str(lost))


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else ""


def _evidence(evidence: Evidence) -> Iterator[str]:
    yield from head(f"{evidence.data.file_name}: evidence in", *(f"{budget:,} tokens" for budget in BUDGETS))
    for way in WAYS:
        yield row(way, *(f"{each.share:.3f}" for each in evidence.held if each.way == way))


def _about(report: Report) -> Iterator[str]:
    around = report.circumstances
    yield f"- The sample: {report.messages} messages of people, in which what is worth remembering is marked."
    for each in report.evidence:
        questions = f"{each.stated} of {each.questions} questions have a statement among their evidence"
        yield f"- {each.data.file_name}: {questions}, and the shares are of these."
        yield f"  Tokens are those of gpt-5, in the best {RECALLED_MAX} that are recalled."
        yield data_line(each.data)
    yield f"- {around.date}, commit {around.commit}, load before {around.load:.1f}, took {report.seconds:.0f} s."
    yield f"- {machine_line(around)}"
