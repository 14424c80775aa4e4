"""The files that the toy kind adds or edits, before and after."""

import difflib
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tests.new_kind.bookmark_edit import EDITS

ROOT = Path(__file__).parents[2]
NEW_FILES = Path(__file__).with_name("bookmark")


class Change(NamedTuple):
    """One file before and after; ``before`` is None for a new one."""

    path: str
    before: str | None
    after: str

    @property
    def diff(self) -> list[str]:
        """The lines of its diff, each piece with the line before it, which changes less than what follows.

        Without line numbers, which change with everything above them.
        """
        before = [] if self.before is None else self.before.splitlines()
        lines = list(difflib.unified_diff(before, self.after.splitlines(), n=1, lineterm=""))[2:]
        pieces = ["@@" if line.startswith("@@ ") else line for line in lines]
        return [line for line, following in pairwise([*pieces, "@@"]) if line[0] != " " or following != "@@"]

    @property
    def added(self) -> int:
        """The number of lines that it adds."""
        return sum(line.startswith("+") for line in self.diff)


@cache
def changes() -> dict[str, Change]:
    """All of them by the file's path. Raises AnchorError."""
    return {each.path: each for each in (*_new(), *_edited())}


def _new() -> Iterator[Change]:
    for path in sorted(NEW_FILES.rglob("*.*")):
        if path.suffix in {".py", ".proto"}:
            yield Change(str(path.relative_to(NEW_FILES)), None, path.read_text("utf-8"))


def _edited() -> Iterator[Change]:
    for path in dict.fromkeys(edit.path for edit in EDITS):
        before = after = (ROOT / path).read_text("utf-8")
        for edit in EDITS:
            if edit.path == path:
                after = edit.apply(after)
        yield Change(path, before, _fixed(path, after) if path.endswith(".py") else after)


def _fixed(path: str, content: str) -> str:
    """As scripts/fix leaves it: imports in order, lines of their length."""
    config = NEW_FILES / "ruff.toml"
    for command in (["check", "--quiet", "--select=I", "--fix"], ["format", "--quiet"]):
        ruff = [Path(sys.executable).with_name("ruff"), *command, "--config", config, f"--stdin-filename={path}", "-"]
        content = subprocess.run(ruff, input=content, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT).stdout
    return content
