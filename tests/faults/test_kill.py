"""Repeated SIGKILL under concurrent writers: nothing acknowledged is lost. P-9."""

import random
from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.faults.killing import write_and_kill

ROUNDS = 3
MANY_ROUNDS = 200


@pytest.mark.whole
@pytest.mark.parametrize("durability", ["synced", "journaled"])
def test_nothing_acknowledged_is_lost_when_the_daemon_is_killed(
    tmp_path: Path, chance: random.Random, durability: str
) -> None:
    daemon = Daemon(tmp_path, "--durability", durability)
    try:
        write_and_kill(daemon, chance, ROUNDS)
    finally:
        daemon.close()


@pytest.mark.faults
@pytest.mark.parametrize("durability", ["synced", "journaled"])
def test_nothing_acknowledged_is_lost_over_hundreds_of_kills(
    tmp_path: Path, chance: random.Random, durability: str
) -> None:
    daemon = Daemon(tmp_path, "--durability", durability)
    try:
        write_and_kill(daemon, chance, MANY_ROUNDS)
    finally:
        daemon.close()
