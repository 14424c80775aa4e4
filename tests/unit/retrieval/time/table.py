"""Tables of texts and the times that they name: a line has the text, the phrase in brackets, the start and the end."""

import re
from datetime import UTC, datetime
from pathlib import Path

NOW = int(datetime(2026, 11, 23, 12, tzinfo=UTC).timestamp()) * 10**9
"""A Monday."""


def lines_of(name: str) -> list[str]:
    """Return the lines of a table without its comments."""
    lines = (Path(__file__).parent / name).read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def rows_of(name: str) -> list[tuple[str, str, str, str]]:
    """Return the text, the phrase, the start and the end of each line of a table."""
    return [_row(line) for line in lines_of(name)]


def _row(line: str) -> tuple[str, str, str, str]:
    marked, start, end = (part.strip() for part in line.split("|"))
    phrase = re.search(r"\[(.*)\]", marked)
    assert phrase, line
    return re.sub(r"[\[\]]", "", marked), phrase[1], start, end


def day(moment: int | None) -> str:
    """Return a moment as it stands in a table: the day, with the time if that is not midnight."""
    if moment is None:
        return "…"
    return datetime.fromtimestamp(moment / 10**9, UTC).isoformat()[:16].removesuffix("T00:00")
