"""The release notes: the section of a version in CHANGELOG.md, with links that work outside of the repository."""

import re

from scripts.pages import link

UNRELEASED = "Unreleased"


def section(changelog: str, title: str) -> str:
    """Return the text below the heading of a version, such as ``## 1.2.3 (2026-12-31)``, or of what is unreleased.

    Raises ValueError if there is no such heading, or nothing below it.
    """
    dated = "" if title == UNRELEASED else r" \(\d{4}-\d\d-\d\d\)"
    found = re.search(rf"^## {re.escape(title)}{dated}\n(.*?)(?=^## |\Z)", changelog, re.DOTALL | re.MULTILINE)
    if not found or not found[1].strip():
        heading = title if title == UNRELEASED else f"{title} (YYYY-MM-DD)"
        raise ValueError(f'CHANGELOG.md has no section "## {heading}" with a change')
    return found[1].strip() + "\n"


def render(changelog: str, version: str, revision: str) -> str:
    """Return the notes with each link leading to the repository at a tag or a branch.

    They are those of the version or, before it has some, of what is unreleased. Raises ValueError if there is neither.
    """
    try:
        text = section(changelog, version)
    except ValueError:
        text = section(changelog, UNRELEASED)
    return link.led(text, "CHANGELOG.md", lambda path: link.at_source(path, revision))
