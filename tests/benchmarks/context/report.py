"""The report of the context benchmark: a JSON file as the record, and tables that are generated from it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from tests.benchmarks.context.evidence import BUDGETS, MODEL, WAYS, Reached
from tests.benchmarks.context.latency import CHUNKS, ENTITIES, MESSAGES, NOTES, STEPS, TARGET_MS_P95, Latency
from tests.benchmarks.machine import Circumstances, machine_line
from tests.benchmarks.recall.report import Data, data_line, head, row

NAME = "context"


class Report(msgspec.Struct, frozen=True):
    """All measurements of one run, and its circumstances."""

    data: Data
    reached: Sequence[Reached]
    latencies: Sequence[Latency]
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
    blocks = [_evidence(report.reached), _latency(report.latencies), _about(report)]
    return "\n\n".join("\n".join(lines) for lines in blocks) + "\n"


def _evidence(reached: Sequence[Reached]) -> Iterator[str]:
    yield from head("evidence in the context", *(f"{budget:,} tokens" for budget in BUDGETS), "compose p50", "p95")
    for name in WAYS:
        own = [each for each in reached if each.name == name]
        shares = (f"{each.share:.3f} ({each.complete:.3f} whole)" for each in own)
        slowest = max(own, key=lambda each: each.ms_p95)
        yield row(name, *shares, f"{slowest.ms_p50:.1f} ms", f"{slowest.ms_p95:.1f} ms")


def _latency(latencies: Sequence[Latency]) -> Iterator[str]:
    yield from head("ComposeContext of everything, tokens by", "p50", "p95", f"p95 < {TARGET_MS_P95:g} ms", "tokens")
    for each in latencies:
        verdict = "PASS" if each.ms_p95 < TARGET_MS_P95 else "MISS"
        about = f"{each.tokenizer}, `{each.flags}`" if each.flags else each.tokenizer
        yield row(about, f"{each.ms_p50:.2f} ms", f"{each.ms_p95:.2f} ms", verdict, f"{each.tokens:,}")


def _about(report: Report) -> Iterator[str]:
    around = report.circumstances
    yield (
        f"- Everything: {NOTES} notes, {CHUNKS} chunks of documents, of which the best 20 are asked for, a plan of"
        f" {STEPS} steps, {ENTITIES} entities, {MESSAGES} messages; one call after the other, over gRPC."
    )
    yield f"- Tokens of the evidence's contexts are those of {MODEL}. The times beside it are of the slowest budget."
    yield data_line(report.data)
    yield f"- {around.date}, commit {around.commit}, load before {around.load:.1f}, took {report.seconds:.0f} s."
    yield f"- {machine_line(around)}"
