"""The tutorial and the pages with examples, run against a live daemon."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.daemon import COMMAND, Daemon
from tests.wait import WAIT_S_MAX

DOCS = Path(__file__).parents[4] / "docs"
BLOCK = re.compile(r"^```(python|sh|text)\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.fixture
def stopped(tmp_path: Path) -> Iterator[Daemon]:
    """A daemon that the tutorial starts."""
    daemon = Daemon(tmp_path)
    yield daemon
    daemon.close()


@pytest.mark.whole
def test_the_tutorial_is_true(stopped: Daemon, tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(_blocks("tutorial.md", "python")[0], "utf-8")
    page = (DOCS / "tutorial.md").read_text("utf-8").partition("<!-- not run")[0]
    printed = ""
    for language, block in BLOCK.findall(page):
        if language == "text":
            assert printed == block
        for line in block.splitlines() if language == "sh" else ():
            printed = _run(line, stopped, tmp_path)
    assert printed == ""  # bob has no memories
    assert "nuts" in _run("memoryd memory list assistant --user ada", stopped, tmp_path)


def _run(line: str, daemon: Daemon, folder: Path) -> str:
    """Do what a line of the tutorial says, and return what it prints."""
    program, *arguments = shlex.split(line)
    match program:
        case "source":
            return ""
        case "scripts/run":
            daemon.start()
            return ""
        case "pkill":
            daemon.kill()
            return ""
    command = [{"python": sys.executable, "memoryd": str(COMMAND)}[program], *arguments]
    environment = {**os.environ, "MEMORYD_ADDRESS": daemon.address}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=WAIT_S_MAX, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["modelling.md", "cookbook.md", "ingestion.md"])
def test_the_examples_of_a_page_are_true(
    name: str, shared_daemon: Daemon, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MEMORYD_ADDRESS", shared_daemon.address)
    monkeypatch.chdir(tmp_path)
    page: dict[str, object] = {}
    for number, block in enumerate(_blocks(name, "python")):
        exec(compile(block, f"{name} block {number}", "exec"), page)
    assert page


def _blocks(name: str, language: str) -> list[str]:
    return [block for found, block in BLOCK.findall((DOCS / name).read_text("utf-8")) if found == language]
