"""Tests the adapters of the TypeScript client with their frameworks, in an environment of their own.

``python -m tests.clients.typescript.frameworks [--end lowest|newest]``; by default both ends of the versions that
package.json allows.
"""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import click
from tests.daemon import COMMAND

ROOT = Path(__file__).parents[3]
CLIENT = Path("clients/typescript")
LOWEST = ROOT / CLIENT / "frameworks" / "lowest.json"
"""The lowest versions that package.json allows, with the frameworks of that time."""
ENDS = ("lowest", "newest")
QUIET = ("--silent", "--no-audit", "--no-fund")


@click.command()
@click.option("--end", "ends", type=click.Choice(ENDS), multiple=True, help="An end of the bounds. [default: both]")
def main(*, ends: tuple[str, ...]) -> None:
    """Test the adapters at both ends of the versions that are allowed."""
    with tempfile.TemporaryDirectory() as folder:
        package = packed(Path(folder))
        for end in ends or ENDS:
            click.echo(f"== {end}\n{report_of(package, Path(folder) / end, end)}")


def packed(folder: Path) -> Path:
    """Build the client in a folder, and return the package that its users install."""
    ignored = shutil.ignore_patterns("node_modules", "build", "*.tgz")
    shutil.copy(ROOT / "buf.yaml", folder)
    for name in (Path("protos"), Path("third_party"), CLIENT):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    at = folder / CLIENT
    run("npm", "ci", *QUIET, at=at)
    run("npm", "run", "build", "--silent", at=at)
    return at / run("npm", "pack", "--silent", at=at).strip()


def report_of(package: Path, folder: Path, end: str | None = None) -> str:
    """Test a package in a folder, with the locked versions of the frameworks or those at an end, and return the report.

    The types of the adapters are checked against those of the frameworks, too.
    """
    shutil.copytree(package.parent / "frameworks", folder)
    run("npm", "ci", *QUIET, at=folder)
    at_end = {"lowest": lowest(), "newest": dict.fromkeys(lowest(), "latest")}.get(end or "", {})
    others = [f"{name}@{version}" for name, version in at_end.items()]
    run("npm", "install", "--no-save", *QUIET, package, *others, at=folder)
    return run("npm", "test", "--silent", at=folder)


def lowest() -> dict[str, str]:
    """Return the lowest versions of what is tested, by the names of the packages."""
    versions: dict[str, str] = json.loads(LOWEST.read_text("utf-8"))
    return versions


def run(*command: str | Path, at: Path, **variables: str) -> str:
    """Run a command, and return what it printed. Raises AssertionError with that if it failed."""
    environment = {**os.environ, "MEMORYD_TEST_COMMAND": str(COMMAND), "NO_COLOR": "1", **variables}
    done = subprocess.run(command, cwd=at, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout[-6000:]}{done.stderr[-6000:]}"
    return done.stdout


if __name__ == "__main__":
    main()
