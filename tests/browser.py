"""A web browser for tests."""

import importlib.util
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM = shutil.which("chromium")

needs_browser = pytest.mark.skipif(
    CHROMIUM is None or importlib.util.find_spec("playwright") is None,
    reason="chromium or the package playwright is not installed",
)


# By module: Playwright runs an event loop in this thread, where others' tests run their own.
@pytest.fixture(name="browser", scope="module")
def opened_browser() -> Iterator["Browser"]:
    """Chromium, without a window."""
    # Imported late: it may not be installed.
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()
