"""The report: a JSON file as the record, and a page and a plot that are generated from it."""

from collections.abc import Iterable
from pathlib import Path

import msgspec
from tests.benchmarks.figure import Figure, Verdict
from tests.benchmarks.machine import Circumstances, machine_line
from tests.benchmarks.page import write_figures
from tests.benchmarks.plot import plot

NAME = "performance"
PEER = "PEER"
"""The id of figures of other stores, which have a table of their own."""
LANGUAGE = "LANGUAGE"
"""The id of figures named "LANGUAGE: COLUMN", which have a table of all languages."""


class Measured(msgspec.Struct, frozen=True):
    """The figures of one benchmark, and when and where they were measured."""

    figures: list[Figure]
    circumstances: Circumstances
    seconds: float


Report = dict[str, Measured]
"""Results by the name of the benchmark; each has its own circumstances, since they may be run one by one."""


def load(directory: Path) -> Report:
    """Return the report in a directory; an empty one if there is none."""
    path = directory / f"{NAME}.json"
    return msgspec.json.decode(path.read_bytes(), type=Report) if path.exists() else {}


def save(directory: Path, report: Report) -> None:
    """Write the record and its plot."""
    directory.mkdir(parents=True, exist_ok=True)
    data = msgspec.json.format(msgspec.json.encode(report), indent=2)
    (directory / f"{NAME}.json").write_bytes(data + b"\n")
    (directory / f"{NAME}.svg").write_text(plot(_figures(report)), "utf-8")


def publish(page: Path, report: Report) -> None:
    """Replace the figures between the page's marks; the rest of the page stays."""
    write_figures(page, _markdown(report))


def _markdown(report: Report) -> str:
    figures = list(_figures(report))
    missed = sum(each.verdict is Verdict.MISS for each in figures)
    judged = sum(each.verdict is not Verdict.UNJUDGED for each in figures)
    lines = [f"{judged - missed} of {judged} targets are met.", "", f"![Figures against their targets]({NAME}.svg)", ""]
    lines += ["| id | figure | target | measured | | behind it |", "| --- | --- | --- | --- | --- | --- |"]
    lines += [
        f"| {each.id} | {each.name} | {each.target} | **{each.measured}** | {each.verdict} | {each.detail} |"
        for each in figures
        if each.id not in (LANGUAGE, PEER)
    ]
    lines += _languages([each for each in figures if each.id == LANGUAGE])
    lines += ["", "Beside other stores:", "", "| call | p50 | behind it |", "| --- | --- | --- |"]
    lines += [f"| {each.name} | **{each.measured}** | {each.detail} |" for each in figures if each.id == PEER]
    lines += ["", "| benchmark | measured | commit | load before | machine before | took |"]
    lines += ["| --- | --- | --- | --- | --- | --- |"]
    lines += [
        f"| `{name}` | {each.circumstances.date} | {each.circumstances.commit} | {each.circumstances.load:.1f} |"
        f" {each.circumstances.calibration or '-'} | {each.seconds:.0f} s |"
        for name, each in report.items()
    ]
    return "\n".join([*lines, "", *_machines(report), ""])


def _languages(figures: Iterable[Figure]) -> list[str]:
    """Return the table of all languages, with a gap for what a client lacks; nothing without figures."""
    rows: dict[str, dict[str, str]] = {}
    for figure in figures:
        language, _, column = figure.name.partition(": ")
        rows.setdefault(language, {})[column] = figure.measured
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    if not columns:
        return []
    lines = [
        "",
        "From each language, p50 of calls one after the other, and calls per second of 64 callers at once:",
        "",
    ]
    lines += [f"| | {' | '.join(columns)} |", "| --- |" + " --- |" * len(columns)]
    return lines + [f"| {name} | {' | '.join(row.get(each, '') for each in columns)} |" for name, row in rows.items()]


def _machines(report: Report) -> Iterable[str]:
    """Return the lines about the machines of the report, each once, in order."""
    return dict.fromkeys(machine_line(each.circumstances) for each in report.values())


def _figures(report: Report) -> Iterable[Figure]:
    return sorted((figure for each in report.values() for figure in each.figures), key=lambda figure: figure.id)
