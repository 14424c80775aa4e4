"""A disk that fails, a clock that jumps, and little memory: nothing acknowledged is lost, and the daemon goes on."""

import random
from pathlib import Path

import pytest
from tests.attack.machine import MACHINE

ROUNDS = 3


@pytest.mark.whole
@pytest.mark.parametrize("name", MACHINE)
def test_what_was_acknowledged_is_there_after_a_fault_of_the_machine(
    name: str, tmp_path: Path, chance: random.Random
) -> None:
    result = MACHINE[name](tmp_path, ROUNDS, chance)
    assert result.broken == ""
    assert result.acknowledged
    assert result.events
