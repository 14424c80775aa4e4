"""The report: a JSON file that is the record, and a page and a plot made of it."""

from collections.abc import Iterable
from pathlib import Path

import msgspec
from tests.benchmarks.figure import Figure, Verdict
from tests.benchmarks.machine import Circumstances, machine_line
from tests.benchmarks.page import write_figures
from tests.benchmarks.plot import plot

NAME = "performance"


class Measured(msgspec.Struct, frozen=True):
    """What one benchmark gave."""

    figures: list[Figure]
    circumstances: Circumstances
    seconds: float


Report = dict[str, Measured]
"""By the name of the benchmark; each keeps its own circumstances, since they may be run one by one."""


def load(directory: Path) -> Report:
    """The report in a directory, empty when there is none."""
    path = directory / f"{NAME}.json"
    return msgspec.json.decode(path.read_bytes(), type=Report) if path.exists() else {}


def save(directory: Path, report: Report) -> None:
    """Write the record and its plot."""
    directory.mkdir(parents=True, exist_ok=True)
    data = msgspec.json.format(msgspec.json.encode(report), indent=2)
    (directory / f"{NAME}.json").write_bytes(data + b"\n")
    (directory / f"{NAME}.svg").write_text(plot(_figures(report)), "utf-8")


def publish(page: Path, report: Report) -> None:
    """Put the figures between the page's marks; what people wrote around them stays."""
    write_figures(page, _markdown(report))


def _markdown(report: Report) -> str:
    figures = list(_figures(report))
    missed = sum(each.verdict is Verdict.MISS for each in figures)
    judged = sum(each.verdict is not Verdict.TOLD for each in figures)
    lines = [f"{judged - missed} of {judged} targets are met.", "", f"![Figures against their targets]({NAME}.svg)", ""]
    lines += ["| id | figure | target | measured | | behind it |", "| --- | --- | --- | --- | --- | --- |"]
    lines += [
        f"| {each.id} | {each.name} | {each.target} | **{each.told}** | {each.verdict} | {each.detail} |"
        for each in figures
    ]
    lines += ["", "| benchmark | measured | commit | load before | took |", "| --- | --- | --- | --- | --- |"]
    lines += [
        f"| `{name}` | {each.circumstances.date} | {each.circumstances.commit} | {each.circumstances.load:.1f} |"
        f" {each.seconds:.0f} s |"
        for name, each in report.items()
    ]
    return "\n".join([*lines, "", *_machines(report), ""])


def _machines(report: Report) -> Iterable[str]:
    """Each once, in order."""
    return dict.fromkeys(machine_line(each.circumstances) for each in report.values())


def _figures(report: Report) -> Iterable[Figure]:
    return sorted((figure for each in report.values() for figure in each.figures), key=lambda figure: figure.id)
