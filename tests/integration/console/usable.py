"""Rules for every screen: everybody can use it, and the pages of docs have pictures of it."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

_AXE = Path(__file__).parents[3] / "console" / "node_modules" / "axe-core" / "axe.min.js"
_SCREENSHOTS = os.environ.get("MEMORYD_TEST_SCREENSHOTS")
"""The folder that gets pictures of the screens: docs/console has those of the wide, light ones."""


def check_usable(page: "Page", name: str, size: str, scheme: str) -> None:
    """Check that axe-core finds nothing, and that nothing is cut off. Take a picture if they are asked for."""
    if not _AXE.exists():
        pytest.skip("axe-core is not installed: run scripts/console")
    # As a tool of the browser would do it: the page's policy forbids other scripts.
    page.evaluate(_AXE.read_text("utf-8"))
    found: dict[str, Any] = page.evaluate("axe.run()")
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found["violations"]] == []
    # Nothing is cut off at the right.
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if _SCREENSHOTS:
        suffix = "" if (size, scheme) == ("wide", "light") else f"-{size}-{scheme}"
        page.screenshot(path=Path(_SCREENSHOTS, f"{name}{suffix}.png"))
