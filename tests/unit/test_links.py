"""Every relative link in a Markdown file leads to a file, a folder or a heading that exists."""

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[2]

_BUILT = {"build", "target", "node_modules", "dist", "__pycache__", "third_party"}
_CODE = re.compile(r"^ *(```|~~~).*?^ *\1|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} +(.*?)(?: +#+)?$", re.MULTILINE)
_ANCHOR = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)


def test_every_relative_link_resolves() -> None:
    dead = [f"{page.relative_to(ROOT)}: {link}" for page in _pages() for link in _dead_links(page)]
    assert not dead, "\n".join(dead)


@pytest.mark.parametrize(
    ("link", "is_dead"),
    [
        ("there.md", False),
        ("there.md#a-heading-of-code-1", False),
        ("#here", False),
        ("folder", False),
        ("https://example.org/gone.md", False),
        ("gone.md", True),
        ("there.md#gone", True),
        ("#gone", True),
    ],
)
def test_a_dead_link_is_found(tmp_path: Path, link: str, is_dead: bool) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "there.md").write_text("# A heading, of `code` 1\n")
    page = tmp_path / "page.md"
    page.write_text(f"# Here\n[text]({link}) `[x](quoted.md)`\n")
    assert list(_dead_links(page)) == ([link] if is_dead else [])


def _pages() -> Iterator[Path]:
    for directory, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in _BUILT and not name.startswith(".")]
        yield from (Path(directory, name) for name in names if name.endswith(".md"))


def _dead_links(page: Path) -> Iterator[str]:
    prose = _CODE.sub("", page.read_text("utf-8"))
    for found in _LINK.finditer(prose):
        link = found[1] or found[2]
        if _ELSEWHERE.match(link):
            continue
        path, _, anchor = unquote(link).partition("#")
        target = page.parent / path if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in _anchors(target)):
            yield link


@cache
def _anchors(page: Path) -> frozenset[str]:
    """Return the anchors that GitHub gives a page: its headings in lower case, without punctuation, with hyphens."""
    source = page.read_text("utf-8")
    headings = _HEADING.findall(re.sub(r"^```.*?^```", "", source, flags=re.DOTALL | re.MULTILINE))
    texts = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings)
    slugs = [re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in texts]
    # GitHub numbers the headings that have the slug of an earlier one.
    numbered = {f"{slug}-{number}" for slug in slugs for number in range(1, slugs.count(slug))}
    return frozenset({*_ANCHOR.findall(source), *slugs, *numbered})
