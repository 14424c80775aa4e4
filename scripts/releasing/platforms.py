"""The command of scripts/platforms: where each pinned package can be installed without a compiler."""

import itertools
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import click

ROOT = Path(__file__).parents[2]
PINS = ROOT / "requirements.txt"
PAGE = ROOT / "docs" / "versions.md"
BEGIN, END = "<!-- platforms -->\n", "<!-- end of platforms -->"

PYTHONS = ("3.11.2", "3.12", "3.13", "3.14")
"""The versions of Python, of which the lowest is that of Debian 12."""

PLATFORMS = {
    "Linux, x86-64": "x86_64-manylinux_2_28",
    "Linux, ARM": "aarch64-manylinux_2_28",
    "macOS, ARM": "aarch64-apple-darwin",
    "macOS, x86-64": "x86_64-apple-darwin",
}
"""The platforms, and what uv calls each; 2.28 is the version of the C library of Debian 10 and RHEL 8."""

_REFUSED = re.compile(r"([\w.-]+?)==\S+ (?:has no (?:usable )?wheels|depends on Python)")


def without_wheel(pins: str, python: str, platform: str) -> list[str]:
    """Return the pinned packages that have no wheel for a version of Python on a platform, or refuse that version.

    Raises ValueError with what uv prints if that is not understood.
    """
    found: list[str] = []
    while said := refusal(pins, python, platform):
        match = _REFUSED.search(" ".join(said.split()))
        if match is None or match[1] in found:
            raise ValueError(said)
        found.append(match[1])
        pins = re.sub(rf"^{re.escape(match[1])}==.*\n", "", pins, flags=re.IGNORECASE | re.MULTILINE)
    return found


def refusal(pins: str, python: str, platform: str) -> str:
    """Return why uv cannot install the pins there without building one; empty if it can."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "requirements.in")
        path.write_text(pins, "utf-8")
        uv = str(Path(sys.executable).with_name("uv"))
        wanted = ("--python-version", python, "--python-platform", platform)
        command = [uv, "pip", "compile", "--quiet", "--no-deps", "--no-build", *wanted, str(path)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stderr


def table(results: dict[tuple[str, str], list[str]]) -> str:
    """Return the packages without a wheel as a table of Markdown, with a row for each platform."""
    lines = [f"| Python | {' | '.join(PYTHONS)} |", "| --- |" + " --- |" * len(PYTHONS)]
    for platform in PLATFORMS:
        cells = (", ".join(f"`{name}`" for name in results[platform, python]) or "all" for python in PYTHONS)
        lines.append(f"| {platform} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def publish(page: Path, lines: str) -> None:
    """Replace what is between the marks of a page."""
    before, begin, rest = page.read_text("utf-8").partition(BEGIN)
    page.write_text(before + begin + "\n" + lines + "\n" + END + rest.partition(END)[2], "utf-8")


def measure(pins: str, combinations: Iterable[tuple[str, str]]) -> dict[tuple[str, str], list[str]]:
    """Return the packages without a wheel for each platform and version of Python. Raises ValueError."""
    return {(platform, python): without_wheel(pins, python, PLATFORMS[platform]) for platform, python in combinations}


@click.command()
@click.option("--publish", "is_published", is_flag=True, help="Write the table into docs/versions.md as well.")
def main(is_published: bool) -> None:
    """Print which pinned packages have no wheel for a platform; fail if there are some."""
    results = measure(PINS.read_text("utf-8"), itertools.product(PLATFORMS, PYTHONS))
    click.echo(table(results), nl=False)
    if is_published:
        publish(PAGE, table(results))
    if any(results.values()):
        sys.exit("scripts/platforms: not all pinned packages have a wheel everywhere")


if __name__ == "__main__":
    main(prog_name="scripts/platforms")
