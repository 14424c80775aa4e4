"""The texts that the memory tool answers, as Anthropic documents them, and the edits of a file's text."""

from collections.abc import Iterable, Mapping, Sequence

from anthropic.lib.tools import ToolError

from memoryd.anthropic.path import is_below

LINES_MAX = 999_999
DEPTH_MAX = 2
# The lines before and after a replacement that are shown.
LINES_AROUND = 2


def listing(path: str, sizes: Mapping[str, int]) -> str:
    """Return the listing of a directory. ``sizes`` has the bytes of all files, by path."""
    below = {each: size for each, size in sizes.items() if is_below(each, path)}
    shown: dict[tuple[str, ...], tuple[str, int]] = {}
    for file, size in below.items():
        parts = file.removeprefix(f"{path}/").split("/")
        for depth in range(1, min(len(parts), DEPTH_MAX) + 1):
            if _is_hidden(parts[depth - 1]):
                break
            name = tuple(parts[:depth])
            is_directory = depth < len(parts)
            total = shown[name][1] + size if name in shown else size
            shown[name] = (f"{path}/{'/'.join(name)}{'/' if is_directory else ''}", total)
    header = (
        f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:"
    )
    lines = [f"{_human(sum(below.values()))}\t{path}"]
    lines += [f"{_human(size)}\t{each}" for _, (each, size) in sorted(shown.items())]
    return "\n".join([header, *lines])


def content(path: str, text: str, view_range: Sequence[int] | None) -> str:
    """Return a file's lines with their numbers. ``view_range`` has the first and the last, which is -1 for the end."""
    lines = text.split("\n")
    if len(lines) > LINES_MAX:
        raise ToolError(f"File {path} exceeds maximum line limit of 999,999 lines.")
    first, last = 1, len(lines)
    if view_range and len(view_range) == 2:
        first = max(1, view_range[0])
        last = len(lines) if view_range[1] == -1 else view_range[1]
    return "\n".join([f"Here's the content of {path} with line numbers:", *_numbered(lines, first, last)])


def replaced(path: str, text: str, old: str, new: str) -> tuple[str, str]:
    """Return the text with its one occurrence of ``old`` replaced, and the answer. Raises ToolError."""
    if not old:
        raise ToolError("Error: `old_str` must not be empty")
    found = list(_occurrences(text, old))
    if not found:
        raise ToolError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
    if text.count(old) > 1:
        lines = ", ".join(str(_line_of(text, position)) for position in found)
        raise ToolError(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. "
            "Please ensure it is unique"
        )
    changed = text.replace(old, new)
    line = _line_of(text, found[0])
    shown = _numbered(changed.split("\n"), max(1, line - LINES_AROUND), line + LINES_AROUND)
    head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
    return changed, "\n".join([head, *shown])


def inserted(text: str, after: int, new: str) -> str:
    """Return the text with further lines after the line of this number; 0 is the beginning. Raises ToolError."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not 0 <= after <= len(lines):
        raise ToolError(
            f"Error: Invalid `insert_line` parameter: {after}. It should be within the range of lines of the file: "
            f"[0, {len(lines)}]"
        )
    lines.insert(after, new.rstrip("\n"))
    changed = "\n".join(lines)
    return changed if changed.endswith("\n") else f"{changed}\n"


def _occurrences(text: str, wanted: str) -> Iterable[int]:
    position = text.find(wanted)
    while position >= 0:
        yield position
        position = text.find(wanted, position + 1)


def _line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _numbered(lines: Sequence[str], first: int, last: int) -> list[str]:
    return [f"{number:>6}\t{line}" for number, line in enumerate(lines[first - 1 : max(last, 0)], first)]


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name == "node_modules"


def _human(size: float) -> str:
    if size < 1024:
        return f"{size:.0f}B"
    for unit in "KM":
        size /= 1024
        if size < 1024:
            return f"{size:.1f}{unit}"
    return f"{size / 1024:.1f}G"
