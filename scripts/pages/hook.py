"""A hook of mkdocs that makes a site of the pages, without a change of them: they are also read in the repository.

Pages outside of docs are added. A link to a page leads to it within the site, and one to any other file to its source.
What the theme would load from elsewhere is a part of the site: a library that draws diagrams, for pages that have some,
and one by which the search works from the disk.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from scripts.pages import link

ROOT = link.ROOT
OUTSIDE = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "clients/README.md": "clients/index.md",
    **{
        f"clients/{each}/README.md": f"clients/{each}.md"
        for each in ("cpp", "go", "java", "python", "rust", "typescript")
    },
}
"""The pages outside of docs by their paths in the repository, and their paths in the site."""

LIBRARIES = {
    "assets/mermaid.js": "@mermaid-js/tiny/dist/mermaid.tiny.js",
    "assets/iframe-worker.js": "iframe-worker/shim/index.js",
}
"""Paths of libraries in the site, and where npm installs them."""

_ATTRIBUTE = re.compile(r"^(```\w+),\w+$", re.MULTILINE)
"""An attribute behind the language of a block, by which a test reads it."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Replace the patterns of the navigation by the pages that nothing else in it names."""
    named = set(_pages(config.nav))
    config.nav = _expanded(config.nav, named)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages outside of docs, and the libraries."""
    added = {page: ROOT / source for source, page in OUTSIDE.items()}
    added.update({uri: Path(__file__).parent / "node_modules" / path for uri, path in LIBRARIES.items()})
    for uri, path in added.items():
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead each relative link of a page to its target in the site, or to its source."""
    here = page.file.src_uri
    source = next((path for path, uri in OUTSIDE.items() if uri == here), f"docs/{here}")

    def address(target: str) -> str:
        uri = OUTSIDE.get(target, target.removeprefix("docs/"))
        if files.get_file_from_path(uri) and (target in OUTSIDE or target.startswith("docs/")):
            return posixpath.relpath(uri, posixpath.dirname(here) or ".")
        return link.at_source(target)

    return link.led(_ATTRIBUTE.sub(r"\1", markdown), source, address)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Load the library of the diagrams on a page that has some, before the theme looks for it."""
    if 'class="mermaid"' not in output:
        return output
    library = posixpath.relpath("assets/mermaid.js", posixpath.dirname(page.file.dest_uri) or ".")
    script = f'<script src="{library}"></script>'
    before, end, after = output.rpartition('<script src="')
    return f"{before}{script}{end}{after}"


def _pages(nav: Any) -> list[str]:
    """Return the pages that a part of the navigation names."""
    if isinstance(nav, str):
        return [nav]
    parts = nav.values() if isinstance(nav, dict) else nav
    return [page for part in parts for page in _pages(part)]


def _expanded(nav: Any, named: set[str]) -> Any:
    """Return a part of the navigation without patterns."""
    if isinstance(nav, dict):
        return {title: _expanded(part, named) for title, part in nav.items()}
    if isinstance(nav, str):
        if "*" not in nav:
            return nav
        found = sorted(str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").glob(nav))
        return [page for page in found if page not in named]
    expanded = [_expanded(part, named) for part in nav]
    return [each for part in expanded for each in (part if isinstance(part, list) else [part])]
