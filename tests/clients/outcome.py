"""What came of a language's client, and the table of all."""

from dataclasses import dataclass, field
from pathlib import Path

BEGIN = "<!-- table: written by scripts/test --clients --publish, not by hand -->"
END = "<!-- end of table -->"


@dataclass
class Outcome:
    """What came of one client. ``skipped`` says why nothing was run; else nothing is counted that was not run."""

    title: str
    version: str = ""
    skipped: str = ""
    scenarios: int = 0
    scenarios_passed: int = 0
    conformance: int = 0
    conformance_passed: int = 0
    tests_passed: bool = False
    samples_passed: bool = False
    failures: list[str] = field(default_factory=list)

    def row(self) -> list[str]:
        """Its row of the table."""
        if self.skipped:
            return [self.title, f"skipped: {self.skipped}", "", "", "", ""]
        return [
            self.title,
            self.version,
            f"{self.scenarios_passed} of {self.scenarios}",
            f"{self.conformance_passed} of {self.conformance}",
            "pass" if self.tests_passed else "FAIL",
            "pass" if self.samples_passed else "FAIL",
        ]


HEADS = ["client", "toolchain", "scenarios", "conformance", "own tests", "samples"]


def table(outcomes: list[Outcome]) -> str:
    """The table, as Markdown that a terminal shows well."""
    rows = [HEADS, *(outcome.row() for outcome in outcomes)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADS))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    lines.insert(1, "| " + " | ".join("-" * width for width in widths) + " |")
    return "\n".join(lines)


def publish(page: Path, outcomes: list[Outcome], about: str) -> None:
    """Put the table between the marks of a page, with a line about where it was made."""
    before, begin, rest = page.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page.name} lacks the marks {BEGIN!r} and {END!r}")
    page.write_text(f"{before}{BEGIN}\n\n{table(outcomes)}\n\n{about}\n\n{END}{after}", "utf-8")
