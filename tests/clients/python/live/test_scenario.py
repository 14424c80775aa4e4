"""Every scenario, over the Python stubs."""

import re
from pathlib import Path

import pytest
from tests.daemon import Daemon

from conformance.document import read
from conformance.player import play

SCENARIOS = sorted((Path(__file__).parents[3] / "scenarios").glob("*.yaml"))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_it_passes(shared_daemon: Daemon, path: Path) -> None:
    assert play(shared_daemon.address, str(path)) is None


@pytest.mark.whole
def test_each_is_a_sentence_of_its_own_and_names_its_requirements() -> None:
    scenarios = [read(str(path)) for path in SCENARIOS]
    assert len({each["scenario"] for each in scenarios}) == len(scenarios)
    rows = {row for each in scenarios for row in each["rows"]}
    assert all(each["rows"] for each in scenarios)
    assert [row for row in rows if not re.fullmatch(r"[A-Z]{2}-\d\d", row)] == []
