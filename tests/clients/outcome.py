"""The results of each language's client, and the table of all."""

from dataclasses import dataclass, field
from pathlib import Path

BEGIN = "<!-- table: written by scripts/test --clients --publish, not by hand -->"
END = "<!-- end of table -->"


@dataclass
class Outcome:
    """The results of one client. ``skipped`` is the reason why nothing was run; empty otherwise.

    ``tests_passed`` and ``samples_passed`` are None if the client's own tests and samples were not to be run.
    """

    title: str
    version: str = ""
    skipped: str = ""
    scenarios: int = 0
    scenarios_passed: int = 0
    conformance: int = 0
    conformance_passed: int = 0
    tests_passed: bool | None = False
    samples_passed: bool | None = False
    failures: list[str] = field(default_factory=list)

    def row(self) -> list[str]:
        """Return the row of the client in the table."""
        if self.skipped:
            return [self.title, f"skipped: {self.skipped}", "", "", "", ""]
        return [
            self.title,
            self.version,
            f"{self.scenarios_passed} of {self.scenarios}",
            f"{self.conformance_passed} of {self.conformance}",
            _WORDS[self.tests_passed],
            _WORDS[self.samples_passed],
        ]


_WORDS = {True: "pass", False: "FAIL", None: "not run"}
HEADS = ["client", "toolchain", "scenarios", "conformance", "own tests", "samples"]


def table(outcomes: list[Outcome]) -> str:
    """Return the table as Markdown with aligned columns."""
    rows = [HEADS, *(outcome.row() for outcome in outcomes)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADS))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    lines.insert(1, "| " + " | ".join("-" * width for width in widths) + " |")
    return "\n".join(lines)


def publish(page: Path, outcomes: list[Outcome], about: str) -> None:
    """Replace the text between the marks of a page by the table and the line ``about``."""
    before, begin, rest = page.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page.name} lacks the marks: add {BEGIN!r} and {END!r}")
    page.write_text(f"{before}{BEGIN}\n\n{table(outcomes)}\n\n{about}\n\n{END}{after}", "utf-8")
