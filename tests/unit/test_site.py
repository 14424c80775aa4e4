"""The documentation as a site: it is built without a warning, and loads nothing from elsewhere."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import html
from scripts.pages.hook import OUTSIDE
from tests.wait import WAIT_S_MAX

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build" / "site"


@pytest.mark.whole
@pytest.mark.skipif(shutil.which("npm") is None and "CI" not in os.environ, reason="npm is not installed")
def test_the_site_has_every_page_and_loads_nothing_from_elsewhere() -> None:
    command = [ROOT / "scripts" / "site"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S_MAX, check=False)
    assert done.returncode == 0, done.stdout + done.stderr

    pages = {path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")}
    pages |= {Path(uri).with_suffix(".html") for uri in OUTSIDE.values()}
    assert {str(page) for page in pages if not (SITE / page).exists() and page.name != "README.html"} == set()

    loaded = {link for page in SITE.rglob("*.html") for link in _loaded(page)}
    assert "assets/mermaid.js" in loaded
    assert {link for link in loaded if re.match(r"[a-z]+:|//", link) and not link.startswith("data:")} == set()
    styles = "".join(path.read_text("utf-8") for path in SITE.rglob("*.css"))
    assert re.findall(r"url\([\"']?(?:https?:)?//[^)]*", styles) == []

    links = {*_links(SITE / "contributing.html"), *_links(SITE / "architecture.html")}
    assert {"architecture.html", "adding-a-kind.html", "clients/index.html#the-python-client"} <= links
    assert any(link.endswith("/blob/main/tests/wait.py") for link in links)
    assert any(link.endswith("/tree/main/daemon/memoryd_server/ops/wiring") for link in links)


def _links(page: Path) -> list[str]:
    return [*map(str, html.parse(str(page)).xpath("//article//a/@href"))]


def _loaded(page: Path) -> Iterator[str]:
    """Yield what a browser loads with a page: scripts, styles, pictures and icons."""
    tree = html.parse(str(page))
    yield from map(str, tree.xpath("//script/@src | //img/@src | //iframe/@src | //source/@src | //object/@data"))
    yield from map(str, tree.xpath("//link[not(contains('canonical prev next', @rel))]/@href"))
