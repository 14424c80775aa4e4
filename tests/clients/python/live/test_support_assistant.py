"""The support assistant of docs/support-assistant.md, in two processes, over a daemon that is killed in the middle."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.wait import PATIENT, WAIT_S_MAX, until

import memoryd

ROOT = Path(__file__).parents[4]
SAMPLES = ROOT / "clients/python/samples/support"


@pytest.mark.whole
def test_each_customer_is_known_after_kills_and_nothing_is_consolidated_twice(daemon: Daemon) -> None:
    with memoryd.connect(daemon.address, **PATIENT) as client:
        desk = client.agent("support")
        _say(daemon, "--setup")
        with _consolidator(daemon):
            assert _say(daemon, "ada", "My kettle leaks.") == "A kettle that leaks is replaced within two years."
            _say(daemon, "ada", "I live on the fourth floor.")
            until(lambda: _contents(desk, "ada") == ["ada: I live on the fourth floor."], "the first is a memory")
            daemon.kill()
        daemon.start()
        _say(daemon, "zoe", "I live on the ninth floor.")
        assert _contents(desk, "zoe") == []
        daemon.kill()
        daemon.start()
        with _consolidator(daemon):
            until(lambda: desk.fragments.count().fragment_count == 0, "nothing waits")
        assert _contents(desk, "ada") == ["ada: I live on the fourth floor."]
        assert _contents(desk, "zoe") == ["zoe: I live on the ninth floor."]
        question = "What floor do I live on?"
        assert _say(daemon, "ada", question) == "You said: ada: I live on the fourth floor."
        assert _say(daemon, "zoe", question) == "You said: zoe: I live on the ninth floor."
        assert _say(daemon, "bob", question) == "You have not said."


def test_the_page_shows_the_programs_as_they_are() -> None:
    page = (ROOT / "docs/support-assistant.md").read_text("utf-8")
    for path in SAMPLES.glob("*.py"):
        assert f"```python\n{path.read_text('utf-8')}```\n" in page


def _contents(desk: memoryd.Agent, customer: str) -> list[str]:
    return [memory.content for memory in desk.memories.list(user_id=customer)]


def _say(daemon: Daemon, *arguments: str) -> str:
    """Return the reply of the front desk."""
    done = subprocess.run(
        [sys.executable, "-W", "error", SAMPLES / "front_desk.py", *arguments],
        env={**os.environ, "MEMORYD_ADDRESS": daemon.address},
        capture_output=True,
        text=True,
        timeout=WAIT_S_MAX,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@contextmanager
def _consolidator(daemon: Daemon) -> Iterator[None]:
    """A running consolidator, which is killed at the end."""
    command = [sys.executable, "-W", "error", SAMPLES / "consolidator.py"]
    with subprocess.Popen(
        command, env={**os.environ, "MEMORYD_ADDRESS": daemon.address}, stdout=subprocess.DEVNULL
    ) as process:
        try:
            yield
            assert process.poll() is None, "the consolidator has ended"
        finally:
            process.kill()
