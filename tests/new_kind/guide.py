"""Update docs/adding-a-kind.md: what stands between its marks is generated from the toy kind.

    <!-- diff: protos/memoryd/v1/event.proto daemon/memoryd_server/domain/agent/event.py -->
    ...
    <!-- end of diff -->

has the diffs of these files, and new files in full. ``<!-- figures -->`` to ``<!-- end of figures -->`` has the size of
the whole change.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path

from tests.new_kind.change import ROOT, Change, changes
from tests.new_kind.edit import AnchorError

_DIFF = re.compile(r"(<!-- diff:\s+([^>]+?)\s-->\n).*?(<!-- end of diff -->)", re.DOTALL)
_FIGURES = re.compile(r"(<!-- (figures) -->\n).*?(<!-- end of figures -->)", re.DOTALL)
_DAEMON = "daemon/memoryd_server"


def main(page: str) -> None:
    try:
        sys.stdout.write(updated(Path(page).read_text("utf-8"), changes()))
    except (AnchorError, ValueError) as error:
        raise SystemExit(f"{page}: {error}") from None


def updated(text: str, by_path: dict[str, Change]) -> str:
    """The page with these changes. Raises ValueError when it does not show each of them once, and nothing else."""
    shown = [path for mark in _DIFF.finditer(text) for path in mark[2].split()]
    if lacking := sorted(by_path.keys() - shown):
        raise ValueError(f"does not show {', '.join(lacking)} of the toy kind")
    if len(shown) > len(by_path):
        raise ValueError("shows what the toy kind does not have, or something twice")

    def diffs(paths: str) -> str:
        return "\n".join(_block(by_path[path]) for path in paths.split())

    return _between(_FIGURES, _between(_DIFF, text, diffs), lambda _: _figures(list(by_path.values())))


def _between(marks: re.Pattern[str], text: str, content: Callable[[str], str]) -> str:
    return marks.sub(lambda mark: f"{mark[1]}\n{content(mark[2])}\n{mark[3]}", text)


def _block(change: Change) -> str:
    """A new file in its language, of another one what changes."""
    if change.before is None:
        language = {".py": "python", ".proto": "proto"}[Path(change.path).suffix]
        return f"`{change.path}`, new:\n\n```{language}\n{change.after}```\n"
    diff = "\n".join(change.diff)
    return f"[{change.path}](../{change.path}):\n\n```diff\n{diff}\n```\n"


def _figures(all_changes: list[Change]) -> str:
    rows = ["| | new files | their lines | other files | lines there |", "| --- | --- | --- | --- | --- |"]
    for name, folder in (("protos", "protos/"), ("daemon", "daemon/"), ("tests", "tests/"), ("all", "")):
        here = [each for each in all_changes if each.path.startswith(folder)]
        counts = []
        for is_new in (True, False):
            some = [each for each in here if (each.before is None) == is_new]
            counts += [len(some), sum(each.added for each in some)]
        rows.append(f"| {name} | {' | '.join(map(str, counts))} |")
    rooms = {path.parent.name for path in (ROOT / _DAEMON).glob("*/__init__.py")}
    touched = {each.path.split("/")[2] for each in all_changes if each.path.startswith(_DAEMON)}
    untouched = " and ".join(", ".join(sorted(rooms - touched)).rsplit(", ", 1))
    return "\n".join(rows) + f"\n\nNothing changes in {untouched}.\n"


if __name__ == "__main__":
    main(sys.argv[1])
