"""The latency of a call by each language's wrapper: one call at a time, with the daemon on the same machine."""

import subprocess
from pathlib import Path

import click
from tests.benchmarks.figure import Figure, percentile
from tests.benchmarks.transport import Transport, daemon_of_each, in_turn
from tests.clients.language import LANGUAGES, Language
from tests.clients.program import Program

CALLS = 1_000
RUNS = 3
GET_MS = {"python": 0.25, "go": 0.12}
"""The targets of a GetEntry over the front end, p50."""

_Times = dict[tuple[Language, Transport], list[list[float]]]


def one_at_a_time(directory: Path) -> list[Figure]:
    """Measure all clients in turn, RUNS times, so that a slow moment of the machine affects them alike."""
    built = languages()
    with daemon_of_each(directory) as daemons:
        subjects = [(language, transport) for transport in daemons for language in built]
        gets_ms: _Times = {subject: [] for subject in subjects}
        sets_ms: _Times = {subject: [] for subject in subjects}
        for subject in in_turn(subjects, RUNS):
            language, transport = subject
            with Program(language, daemons[transport].address) as program:
                for call, times in (("set", sets_ms), ("get", gets_ms)):
                    took = program.ask("measure", agent=language.name, call=call, calls=CALLS)
                    times[subject].append([seconds * 1000 for seconds in took["each_s"]])
    return [*_figures("GetEntry", gets_ms), *_figures("SetEntry synced", sets_ms)]


def languages() -> list[Language]:
    """Return the languages whose clients are built, with optimized programs; a message names the others.

    The client in Go is built if it is not.
    """
    if not LANGUAGES["go"].is_built() and not LANGUAGES["go"].missing():
        for command in LANGUAGES["go"].builds:
            subprocess.run(command, cwd=LANGUAGES["go"].folder, check=True)
    built = [language.build_optimized() for language in LANGUAGES.values() if language.is_built()]
    if missing := {each.title for each in LANGUAGES.values()} - {each.title for each in built}:
        click.echo(
            f"not built, so not measured: {', '.join(sorted(missing))}; to build: scripts/test --clients", err=True
        )
    return built


def _figures(method: str, times: _Times) -> list[Figure]:
    figures = []
    for (language, transport), runs in times.items():
        # The run that has the median of the runs' medians.
        middle = sorted(runs, key=lambda run: percentile(run, 50))[len(runs) // 2]
        p50, p95, p99 = (percentile(middle, each) for each in (50, 95, 99))
        rate = len(middle) / (sum(middle) / 1000)
        detail = (
            f"p95 {p95:.2f}, p99 {p99:.2f} ms; {rate:,.0f} calls/s; the middle of {len(runs)} runs of {len(middle):,}"
        )
        target = GET_MS.get(language.name) if method == "GetEntry" and transport is Transport.FRONT else None
        name = f"{method} from {language.title}, p50, over {transport.title}"
        figures.append(Figure("DC-04" if target is None else "P-3", name, p50, "ms", below=target, detail=detail))
    return figures
