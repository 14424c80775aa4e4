"""Kills under writers, with a ledger outside of the daemon: what was acknowledged and is not there, or is there twice.

Each writer knows what was acknowledged. After each kill its ledger is compared with the daemon, and its watch resumes
at its last token: every commit must arrive once and in order, and build a mirror with the daemon's state.
"""

import random
import time
from collections.abc import Callable
from pathlib import Path

from tests.attack.kill_result import KillResult, TimedDaemon
from tests.attack.machine import MACHINE
from tests.faults.commit_writer import commit_and_kill
from tests.faults.killing import write_and_kill
from tests.faults.shared_load import load_of
from tests.integration.shared.health import NOT_SERVING, SERVING, until_health
from tests.integration.shared.pair import sharing
from tests.valkey.server import ValkeyServer


def _synced(directory: Path, rounds: int, chance: random.Random) -> KillResult:
    return _killed("kills", "synced", directory, rounds, chance)


def _journaled(directory: Path, rounds: int, chance: random.Random) -> KillResult:
    return _killed("kills-journaled", "journaled", directory, rounds, chance)


def _killed(name: str, durability: str, directory: Path, rounds: int, chance: random.Random) -> KillResult:
    daemon = TimedDaemon(directory, "--durability", durability)
    acknowledged = events = 0
    broken = ""
    try:
        ledgers = write_and_kill(daemon, chance, rounds)
        acknowledged = sum(ledger.acknowledged for ledger in ledgers)
        events = sum(len(ledger.events) for ledger in ledgers)
    except AssertionError as error:
        broken = str(error)[:300]
    finally:
        daemon.close()
    what = f"SIGKILL under 8 writers of entries and batches, each with a watch that resumes; {durability}"
    return KillResult(name, what, rounds, acknowledged, events, daemon.start_s_max, broken)


def _commits(directory: Path, rounds: int, chance: random.Random) -> KillResult:
    daemon = TimedDaemon(directory)
    acknowledged, broken = 0, ""
    try:
        acknowledged = sum(writer.acknowledged for writer in commit_and_kill(daemon, chance, rounds))
    except AssertionError as error:
        broken = str(error)[:300]
    finally:
        daemon.close()
    what = "SIGKILL under 4 writers, each of whose commits has an entry, a note, a memory and a message; synced"
    return KillResult("kills-commits", what, rounds, acknowledged, 0, daemon.start_s_max, broken)


def _shared(directory: Path, rounds: int, chance: random.Random) -> KillResult:
    """Kill one of two daemons or their server in turn, while writers write at both."""
    acknowledged = events = 0
    broken = ""
    began, slowest = 0.0, 0.0
    try:
        with (
            ValkeyServer(directory / "server", options={"appendfsync": "always"}) as server,
            sharing(directory, server.url, "--durability", "synced") as pair,
        ):
            load = load_of(pair, chance)
            for turn in range(rounds):
                with load.running():
                    load.until_acknowledged(chance.randrange(1, 40))
                    if turn % 3 == 2:
                        server.kill()
                        for wire in pair.wires:
                            until_health(wire, NOT_SERVING)
                        server.start()
                        for wire in pair.wires:
                            until_health(wire, SERVING)
                        continue
                    daemon = pair.daemons[turn % 2]
                    daemon.kill()
                    load.until_acknowledged()
                    began = time.monotonic()
                    daemon.start()
                    slowest = max(slowest, time.monotonic() - began)
            acknowledged = load.acknowledged
            events = sum(len(ledger.events) for ledger in load.ledgers)
    except AssertionError as error:
        broken = str(error)[:300]
    what = "SIGKILL of one of two daemons or of the Valkey server they share, in turn, under 8 writers at both; synced"
    return KillResult("kills-shared", what, rounds, acknowledged, events, slowest, broken)


KILLS: dict[str, Callable[[Path, int, random.Random], KillResult]] = {
    "kills": _synced,
    "kills-journaled": _journaled,
    "kills-commits": _commits,
    "kills-shared": _shared,
    **MACHINE,
}
"""Kills, and faults of the machine, by name."""
