"""Every scenario, on two daemons that share a cluster of three nodes, with a daemon killed every few seconds."""

from collections.abc import Iterator

import pytest
from tests.clients.shared import Killer, one_memory
from tests.clients.trial import FRAIL_SCENARIOS, LASTING_SCENARIOS

from conformance.player import play

pytestmark = [pytest.mark.faults, pytest.mark.timeout(900)]

KILLS_MIN = 8


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Killer]]:
    with one_memory(tmp_path_factory.mktemp("memory")) as made:
        yield made


def test_all_scenarios_pass_while_daemons_die(memory: tuple[str, Killer]) -> None:
    address, killer = memory
    failures: list[str] = []
    played = 0
    while killer.kills < KILLS_MIN or not played:
        for path in LASTING_SCENARIOS:
            why = play(address, str(path))
            if why is not None:
                failures.append(f"{path.stem}, after {killer.kills} kills: {why}")
        played += 1
    with killer.held():
        failures += [f"{path.stem}: {why}" for path in FRAIL_SCENARIOS if (why := play(address, str(path)))]
    assert not failures, "\n".join(failures)
