"""The files whose English is checked, and what is wrong in them."""

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.words.rule import Finding, findings_of, may_break_a_rule
from tests.words.text import C_LIKE, texts_of

ROOT = Path(__file__).parents[2]

_SUFFIXES = (".py", ".md", ".lua", ".toml", ".yaml", *C_LIKE)
_FOLDERS = ("clients", "daemon", "docs", "protos", "scripts", "tests")
_GENERATED = ("_pb2", ".pb.")
_BUILT = {"build", "target", "node_modules", "dist", "__pycache__", "memoryd.egg-info"}
# Written from the protos and the samples: what is wrong in them is mended there.
_WRITTEN = {"docs/api.md", "docs/clients.md"}


@cache
def sources() -> tuple[Path, ...]:
    """Return the files whose English is the project's own: none that are generated, built or of others."""
    return tuple(_sources())


def _sources() -> Iterator[Path]:
    yield from (path for path in ROOT.iterdir() if path.suffix in {".md", ".toml"} or path.name == "Dockerfile")
    for folder in _FOLDERS:
        for directory, folders, names in os.walk(ROOT / folder):
            folders[:] = sorted(name for name in set(folders) - _BUILT if not name.startswith("."))
            yield from (path for path in (Path(directory, name) for name in sorted(names)) if _is_ours(path))


def findings() -> list[str]:
    """Return the findings in all files, as ``path:line: words: advice``."""
    return [line for path in sources() for line in _lines_of(path)]


def findings_below(*places: str) -> list[str]:
    """Return the findings in files and below folders, which glob patterns name, as ``path:line: words: advice``."""
    bases = {base for place in places for base in ROOT.glob(place)}
    return [line for path in sources() if bases & {path, *path.parents} for line in _lines_of(path)]


def findings_in(path: Path) -> list[Finding]:
    """Return the findings in a file."""
    source = path.read_text("utf-8")
    # Most files are clean, and need not be parsed.
    if not may_break_a_rule(f"{path.stem}\n{source}"):
        return []
    return [finding for text in texts_of(path, source) for finding in findings_of(text)]


@cache
def _lines_of(path: Path) -> tuple[str, ...]:
    place = path.relative_to(ROOT)
    return tuple(f"{place}:{finding.line}: {finding.found!r}: {finding.advice}" for finding in findings_in(path))


def _is_ours(path: Path) -> bool:
    is_script = not path.suffix and path.parent == ROOT / "scripts"
    is_generated = any(mark in path.name for mark in _GENERATED) or str(path.relative_to(ROOT)) in _WRITTEN
    return (path.suffix in _SUFFIXES or is_script) and not is_generated
