"""The code in docs/contributing/adding-a-transport.md is the code of the in-process transport."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "contributing" / "adding-a-transport.md"
TRANSPORT = ROOT / "daemon" / "memoryd_server" / "transport" / "in_process.py"
SUITE = ROOT / "tests" / "acceptance" / "transports" / "conftest.py"
LINES_MAX = 175

BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
LINKS = re.findall(r"\]\(([^)#]+)\)", PAGE.read_text("utf-8"))


def test_the_page_shows_the_parts_that_a_transport_needs() -> None:
    shown = "".join(BLOCKS)
    for name in ("metadata", "peer", "remaining_s", "cancelled", "send", "refuse", "cancel", "method.serve"):
        assert name in shown


@pytest.mark.parametrize("block", BLOCKS)
def test_each_block_of_the_page_is_in_the_code(block: str) -> None:
    assert any(_lines_of(block) in _lines_of(path.read_text("utf-8")) for path in (TRANSPORT, SUITE)), block


def _lines_of(code: str) -> str:
    """Return the lines without indentation, which ruff removes from a page."""
    return "\n".join(line.strip() for line in code.splitlines() if line.strip())


def test_a_whole_transport_has_no_more_lines_than_the_page_states() -> None:
    assert len(TRANSPORT.read_text("utf-8").splitlines()) <= LINES_MAX
    assert f"complete in {LINES_MAX} lines" in PAGE.read_text("utf-8")


@pytest.mark.parametrize("link", LINKS)
def test_the_target_of_each_link_exists(link: str) -> None:
    assert (PAGE.parent / link).exists()
