"""The calls that users of each client make most, in a table of all languages: over the front end, on one machine."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.client import languages
from tests.benchmarks.figure import Figure, percentile
from tests.benchmarks.report import LANGUAGE
from tests.benchmarks.transport import daemon_of, in_turn, transports
from tests.clients import measured
from tests.clients.language import Language
from tests.clients.program import Program
from tests.wait import PATIENT

import memoryd

RUNS = 3
MEMORIES, MESSAGES = 1_000, 40


@dataclass(frozen=True, slots=True)
class Column:
    """One measurement: ``calls`` by ``callers`` at once. ``title`` is the head of its column."""

    title: str
    call: str
    calls: int
    callers: int = 1
    batching: bool = False

    def asked(self) -> dict[str, Any]:
        """Return the fields of the command."""
        return {"call": self.call, "calls": self.calls, "callers": self.callers, "batching": self.batching}

    def figure(self, language: Language, runs: Sequence[dict[str, Any]]) -> Figure:
        """Return the figure of the run that has the median of the runs' times."""
        middle = sorted(runs, key=lambda run: float(run["total_s"]))[len(runs) // 2]
        value, unit = self._value(middle)
        return Figure(LANGUAGE, f"{language.title}: {self.title}", value, unit, detail=f"{RUNS} runs of {self.calls:,}")

    def _value(self, run: dict[str, Any]) -> tuple[float, str]:
        if self.callers > 1:
            return self.calls / run["total_s"], "/s"
        if run["each_s"]:
            return percentile(run["each_s"], 50) * 1e3, "ms"
        return run["total_s"] / self.calls * 1e6, "µs"


COLUMNS = (
    Column("get", "get", 1_000),
    Column("set", "set", 1_000),
    Column("recall", "recall", 300),
    Column("compose", "compose", 300),
    Column("near-cache read", "near_get", 300_000),
    Column("gets of 64 callers", "get", 6_400, 64),
    Column("gets with batching", "get", 6_400, 64, batching=True),
    Column("sets of 64 callers", "set", 6_400, 64),
    Column("sets with batching", "set", 6_400, 64, batching=True),
)


def of_each_language(directory: Path) -> list[Figure]:
    """Measure all clients in turn, RUNS times. What a client lacks has no figure."""
    built = languages()
    subjects = [(language, column) for column in COLUMNS for language in built]
    results: dict[tuple[Language, Column], list[dict[str, Any]]] = {subject: [] for subject in subjects}
    with daemon_of(transports()[0], directory) as daemon:
        with memoryd.connect(daemon.address, **PATIENT) as client:
            for language in built:
                measured.write(client.agent(language.name), MEMORIES, MESSAGES)
        for language, column in in_turn(subjects, RUNS):
            with Program(language, daemon.address) as program:
                took = program.ask("measure", agent=language.name, **column.asked())
            if "lacks" not in took:
                results[language, column].append(took)
    return [column.figure(language, runs) for (language, column), runs in results.items() if runs]
