"""The files whose English is checked, and what is wrong in them."""

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.words.rule import findings_of
from tests.words.text import C_LIKE, texts_of

ROOT = Path(__file__).parents[2]

_SUFFIXES = (".py", ".md", ".lua", ".toml", ".yaml", *C_LIKE)
_FOLDERS = ("clients", "daemon", "docs", "protos", "scripts", "tests")
_GENERATED = ("_pb2", ".pb.")
_BUILT = {"build", "target", "node_modules", "dist", "__pycache__", "memoryd.egg-info"}
# Written from the protos and the samples: what is wrong in them is mended there.
_WRITTEN = {"docs/api.md", "docs/clients.md"}


def sources() -> Iterator[Path]:
    """Yield the files whose English is the project's own: none that are generated, built or of others."""
    yield from (path for path in ROOT.iterdir() if path.suffix in {".md", ".toml"} or path.name == "Dockerfile")
    for folder in _FOLDERS:
        for directory, folders, names in os.walk(ROOT / folder):
            folders[:] = sorted(name for name in set(folders) - _BUILT if not name.startswith("."))
            yield from (path for path in (Path(directory, name) for name in sorted(names)) if _is_ours(path))


def findings_below(*places: str) -> list[str]:
    """Return the findings in files and below folders, which glob patterns name, as ``path:line: words: advice``."""
    bases = {base for place in places for base in ROOT.glob(place)}
    return [line for path in sources() if bases & {path, *path.parents} for line in _findings_in(path)]


def findings_elsewhere(*places: str) -> list[str]:
    """Return the findings in all other files."""
    below = set(findings_below(*places))
    return [line for path in sources() for line in _findings_in(path) if line not in below]


@cache
def _findings_in(path: Path) -> tuple[str, ...]:
    return tuple(
        f"{path.relative_to(ROOT)}:{finding.line}: {finding.found!r}: {finding.advice}"
        for text in texts_of(path)
        for finding in findings_of(text)
    )


def _is_ours(path: Path) -> bool:
    is_script = not path.suffix and path.parent == ROOT / "scripts"
    is_generated = any(mark in path.name for mark in _GENERATED) or str(path.relative_to(ROOT)) in _WRITTEN
    return (path.suffix in _SUFFIXES or is_script) and not is_generated
