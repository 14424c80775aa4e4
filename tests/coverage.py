"""Runs tests, and prints the share of the daemon's lines and branches that they reach, by folder.

    python -m tests.coverage [pytest's arguments]

Exits with pytest's status when tests fail, and with 1 when a floor is not reached. The report by line is in
build/coverage/html.
"""

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import click
import coverage

ROOT = Path(__file__).parents[1]
DAEMON = ROOT / "daemon" / "memoryd_server"
BUILD = ROOT / "build" / "coverage"

FLOORS = {"domain": 100.0, "transport/gate.py": 100.0, "transport/error.py": 100.0}
"""Minimum percentage of lines and branches together that tests must reach, by folder or module."""


class Reached(NamedTuple):
    """The number of lines and of branches of some code, and the number of each that tests reach."""

    lines: int = 0
    lines_reached: int = 0
    branches: int = 0
    branches_reached: int = 0

    def __add__(self, other: object) -> "Reached":
        assert isinstance(other, Reached)
        return Reached(*map(sum, zip(self, other, strict=True)))

    @property
    def percentage(self) -> float:
        """The percentage of lines and branches that are reached; 100 if there are none."""
        whole = self.lines + self.branches
        return 100.0 * (self.lines_reached + self.branches_reached) / whole if whole else 100.0


def main(arguments: list[str]) -> int:
    """Run pytest with these arguments, print the report, and return the exit code."""
    BUILD.mkdir(parents=True, exist_ok=True)
    for old in BUILD.glob("data*"):
        old.unlink()
    command = [sys.executable, "-m", "coverage", "run", "-m", "pytest", *arguments]
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    measured = coverage.Coverage()
    measured.combine([str(BUILD)])
    measured.html_report(directory=str(BUILD / "html"))
    measured.json_report(outfile=str(BUILD / "report.json"))
    modules = _modules(BUILD / "report.json")
    click.echo(_table(_by_folder(modules)))
    low = below(FLOORS, modules)
    for each in low:
        click.echo(each, err=True)
    return code or int(bool(low))


def below(floors: dict[str, float], modules: dict[str, Reached]) -> list[str]:
    """Return a sentence for each floor that the modules do not reach."""
    sentences = []
    for place, floor in floors.items():
        inside = [reached for path, reached in modules.items() if path == place or path.startswith(f"{place}/")]
        percentage = sum(inside, Reached()).percentage
        if not inside:
            sentences.append(f"{place} has a floor of {floor:g} %, but does not exist")
        elif percentage < floor:
            sentences.append(f"{place}: {percentage:.2f} % of lines and branches are reached; the floor is {floor:g} %")
    return sentences


def _modules(report: Path) -> dict[str, Reached]:
    """Return the coverage of each of the daemon's modules, by its path."""
    modules = {}
    for path, module in json.loads(report.read_text("utf-8"))["files"].items():
        summary = module["summary"]
        modules[str((ROOT / path).relative_to(DAEMON))] = Reached(
            summary["num_statements"], summary["covered_lines"], summary["num_branches"], summary["covered_branches"]
        )
    return dict(sorted(modules.items()))


def _by_folder(modules: dict[str, Reached]) -> dict[str, Reached]:
    folders: defaultdict[str, Reached] = defaultdict(Reached)
    for path, reached in modules.items():
        for folder in map(str, Path(path).parents):
            folders[folder] += reached
    return dict(sorted(folders.items()))


def _table(folders: dict[str, Reached]) -> str:
    width = max(map(len, folders))
    rows = [f"{'':{width}}  {'lines':>13}  {'branches':>13}       %"]
    for folder, (lines, lines_reached, branches, branches_reached) in folders.items():
        shares = f"{f'{lines_reached}/{lines}':>13}  {f'{branches_reached}/{branches}':>13}"
        rows.append(f"{folder:{width}}  {shares}  {folders[folder].percentage:6.2f}")
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
