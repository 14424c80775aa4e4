"""Update a guide: what stands between its marks is generated from its worked example, or from the project.

    <!-- diff: protos/memoryd/v1/event.proto daemon/memoryd_server/domain/agent/event.py -->
    ...
    <!-- end of diff -->

has the diffs of these files, and new files in full. ``<!-- figures -->`` to ``<!-- end of figures -->`` has the size of
the whole change. ``<!-- files: ListNotes -->`` to ``<!-- end of files -->`` has the files that name a method.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path

from tests.new_kind.change import FIELD, KIND, ROOT, Change, changes
from tests.new_kind.edit import AnchorError

_DIFF = re.compile(r"(<!-- diff:\s+([^>]+?)\s-->\n).*?(<!-- end of diff -->)", re.DOTALL)
_FIGURES = re.compile(r"(<!-- (figures) -->\n).*?(<!-- end of figures -->)", re.DOTALL)
_FILES = re.compile(r"(<!-- files: (\w+) -->\n).*?(<!-- end of files -->)", re.DOTALL)
_DAEMON = "daemon/memoryd_server"
_CLIENT = "clients/python/memoryd"

EXAMPLES = {"docs/adding-a-kind.md": KIND, "docs/contributing/adding-a-field.md": FIELD}


def main(page: str) -> None:
    try:
        example = EXAMPLES.get(page)
        by_path = changes(example) if example else {}
        sys.stdout.write(updated(Path(page).read_text("utf-8"), by_path, "../" * page.count("/")))
    except (AnchorError, ValueError) as error:
        raise SystemExit(f"{page}: {error}") from None


def files_of(method: str) -> list[str]:
    """Return the files of the protos, the daemon and the Python client that name a method.

    Generated files, the command line and the tools for models are left out: a method needs none of them by hand.
    """
    words = re.sub(r"(?<!^)(?=[A-Z])", "_", method).lower()
    named = re.compile(rf"\b({method}(Request|Response)?|{words}|{words.upper()})\b")
    left_out = [*(ROOT / _CLIENT / each for each in ("v1", "sync", "transaction")), ROOT / _DAEMON / "ops/cli"]
    return sorted(
        str(path.relative_to(ROOT))
        for folder in ("protos", _DAEMON, _CLIENT)
        for path in (ROOT / folder).rglob("*.*")
        if path.suffix in {".proto", ".py"}
        and not path.stem.endswith("_tool")
        and not any(path.is_relative_to(each) for each in left_out)
        and named.search(path.read_text("utf-8"))
    )


def updated(text: str, by_path: dict[str, Change], root: str = "../") -> str:
    """Return the page with these changes; ``root`` leads from it to the project.

    Raises ValueError when the page does not show each change once, and nothing else.
    """
    shown = [path for mark in _DIFF.finditer(text) for path in mark[2].split()]
    if lacking := sorted(by_path.keys() - shown):
        raise ValueError(f"does not show {', '.join(lacking)} of the example")
    if len(shown) > len(by_path):
        raise ValueError("shows what the example does not have, or something twice")

    def diffs(paths: str) -> str:
        return "\n".join(_block(by_path[path], root) for path in paths.split())

    def listed(method: str) -> str:
        return "".join(f"- [{path}]({root}{path})\n" for path in files_of(method))

    text = _between(_FILES, _between(_DIFF, text, diffs), listed)
    return _between(_FIGURES, text, lambda _: _figures(list(by_path.values())))


def _between(marks: re.Pattern[str], text: str, content: Callable[[str], str]) -> str:
    return marks.sub(lambda mark: f"{mark[1]}\n{content(mark[2])}\n{mark[3]}", text)


def _block(change: Change, root: str) -> str:
    """A new file in its language, of another one what changes."""
    if change.before is None:
        language = {".py": "python", ".proto": "proto"}[Path(change.path).suffix]
        return f"`{change.path}`, new:\n\n```{language}\n{change.after}```\n"
    diff = "\n".join(change.diff)
    return f"[{change.path}]({root}{change.path}):\n\n```diff\n{diff}\n```\n"


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
