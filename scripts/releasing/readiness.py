"""The obstacles to a release of a tree."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from scripts import version
from scripts.releasing import notes

UNRELEASED = "There is no release yet"
"""Words of README.md and SECURITY.md before the first release."""


def obstacles(root: Path, wanted: str) -> Iterator[str]:
    """Yield each reason why the tree at ``root`` cannot be released as the wanted version."""
    changed = git(root, "status", "--porcelain").splitlines()
    if changed:
        yield f"the tree has changes that are not committed: {', '.join(line[3:] for line in changed[:5])}"
    for tag in tags(wanted):
        if git(root, "tag", "--list", tag):
            yield f"the tag {tag} exists: a version is released once"
    yield from different_versions(root, wanted)
    try:
        notes.section((root / "CHANGELOG.md").read_text("utf-8"), wanted)
    except ValueError as error:
        yield str(error)
    for page in ("README.md", "SECURITY.md"):
        if UNRELEASED in (root / page).read_text("utf-8"):
            yield f'{page} says "{UNRELEASED}"'


def different_versions(root: Path, wanted: str) -> Iterator[str]:
    """Yield each file whose version is not the wanted one."""
    try:
        found = version.versions(root)
    except (OSError, ValueError) as error:
        yield str(error)
        return
    for path, each in found.items():
        if each != {wanted}:
            yield f"{path} has the version {' '.join(sorted(each))}: run python scripts/version.py {wanted}"


def tags(wanted: str) -> tuple[str, str]:
    """Return the tags of a version: that of all, and that by which Go finds the module in its folder."""
    return f"v{wanted}", f"clients/go/v{wanted}"


def git(root: Path, *arguments: str) -> str:
    """Return what git prints."""
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.rstrip("\n")
