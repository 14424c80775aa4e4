"""Repeated SIGKILL under concurrent commits of several kinds: each is there as a whole, or not at all."""

import random
from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.faults.commit_writer import commit_and_kill

ROUNDS = 3
MANY_ROUNDS = 50


@pytest.mark.whole
@pytest.mark.parametrize("durability", ["synced", "journaled"])
def test_a_commit_is_never_half_there_when_the_daemon_is_killed(
    tmp_path: Path, chance: random.Random, durability: str
) -> None:
    daemon = Daemon(tmp_path, "--durability", durability)
    try:
        commit_and_kill(daemon, chance, ROUNDS)
    finally:
        daemon.close()


@pytest.mark.faults
def test_a_commit_is_never_half_there_over_many_kills(tmp_path: Path, chance: random.Random) -> None:
    daemon = Daemon(tmp_path)
    try:
        commit_and_kill(daemon, chance, MANY_ROUNDS)
    finally:
        daemon.close()
