"""The worked examples of the guides, and the files that each adds or edits, before and after."""

import difflib
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tests.new_kind.bookmark_edit import EDITS
from tests.new_kind.edit import Edit
from tests.new_kind.field_edit import FIELD_EDITS

ROOT = Path(__file__).parents[2]
RUFF_CONFIG = Path(__file__).with_name("bookmark") / "ruff.toml"


class Example(NamedTuple):
    """A change of the project: the new files below a folder, and edits of existing files."""

    folder: Path
    edits: tuple[Edit, ...]


KIND = Example(Path(__file__).with_name("bookmark"), EDITS)
FIELD = Example(Path(__file__).with_name("field"), FIELD_EDITS)


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
def changes(example: Example) -> dict[str, Change]:
    """Return the example's changes by the path of the file. Raises AnchorError."""
    return {each.path: each for each in (*_new(example.folder), *_edited(example.edits))}


def _new(folder: Path) -> Iterator[Change]:
    for path in sorted(folder.rglob("*.*")):
        if path.suffix in {".py", ".proto"}:
            yield Change(str(path.relative_to(folder)), None, path.read_text("utf-8"))


def _edited(edits: tuple[Edit, ...]) -> Iterator[Change]:
    for path in dict.fromkeys(edit.path for edit in edits):
        before = after = (ROOT / path).read_text("utf-8")
        for edit in edits:
            if edit.path == path:
                after = edit.apply(after)
        yield Change(path, before, _fixed(path, after) if path.endswith(".py") else after)


def _fixed(path: str, content: str) -> str:
    """As scripts/fix leaves it: imports in order, lines of their length."""
    for command in (["check", "--quiet", "--select=I", "--fix"], ["format", "--quiet"]):
        ruff = [
            Path(sys.executable).with_name("ruff"),
            *command,
            "--config",
            RUFF_CONFIG,
            f"--stdin-filename={path}",
            "-",
        ]
        content = subprocess.run(ruff, input=content, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT).stdout
    return content
