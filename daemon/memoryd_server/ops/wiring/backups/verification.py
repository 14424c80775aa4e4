"""The check of a backup: offline, and against a running daemon."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec

from memoryd_server.domain.error import Refusal, SnapshotLocked
from memoryd_server.engine.images.content import content_of
from memoryd_server.engine.images.replay import Replay
from memoryd_server.ops.wiring.backups.creation import BackupPlan, continue_chain, create_backup
from memoryd_server.ops.wiring.backups.moment import Moment, replayed, shares, utc_text
from memoryd_server.stores.backups.directory import BackupDirectory
from memoryd_server.stores.backups.manifest import Chain

if TYPE_CHECKING:
    from memoryd import Client


class Verified(msgspec.Struct, frozen=True):
    """The result of a check. ``problems`` has a line for each; ``files`` and ``commits`` are those that were read.

    ``agents`` and ``records`` are those at the end of the newest chain. ``compared`` is the number of agents that were
    compared with those of a running daemon; None if none was asked.
    """

    problems: tuple[str, ...]
    files: int = 0
    commits: int = 0
    agents: int = 0
    records: int = 0
    compared: int | None = None


def verify_backup(backup: BackupDirectory, client: "Client | None" = None) -> Verified:
    """Read every file of a backup, replay each chain to its end, and build the agents of the newest one.

    With a client, compare each agent with what the daemon has. Raises SnapshotLocked without a key that fits, and what
    the client raises.
    """
    problems = backup.problems()
    chains = backup.chains()
    if not chains:
        return Verified((*problems, "there is no base"))
    agents = records = 0
    for chain in chains:
        problems += _file_problems(backup, chain)
        try:
            agents, records = _counted(backup, chain)
        except SnapshotLocked:
            raise
        except Refusal as refusal:
            problems.append(f"the chain that begins at {utc_text(chain.begin_time)}: {refusal.message}")
    compared = None
    if client is not None and not problems:
        compared, differing = _compare(backup, chains[-1], client)
        problems += differing
    files = [each for chain in chains for each in chain.files]
    return Verified(tuple(problems), len(files), sum(each.commit_count for each in files), agents, records, compared)


def _counted(backup: BackupDirectory, chain: Chain) -> tuple[int, int]:
    """Return the numbers of agents and records at the end of a chain. Raises what the replay raises."""
    agents = records = 0
    for selects in shares(chain):
        for agent in replayed(backup, chain, selects=selects).agents():
            agents += 1
            records += len(agent.records)
    return agents, records


def _file_problems(backup: BackupDirectory, chain: Chain) -> list[str]:
    problems = []
    for each in chain.files:
        try:
            backup.check(each)
        except Refusal as refusal:
            problems.append(refusal.message)
    return problems


def _compare(backup: BackupDirectory, chain: Chain, client: "Client") -> tuple[int, list[str]]:
    """Compare the agents of a chain with those of a daemon, which may change them meanwhile.

    A new backup is made into a temporary directory, and the chain is continued there, past its end: both have each
    agent as of one point.
    """
    with TemporaryDirectory(prefix="memoryd-verify-") as directory:
        fresh = BackupDirectory(Path(directory) / "fresh", backup.key)
        with fresh.locked():
            create_backup(client, fresh, BackupPlan(full=True))
        more = BackupDirectory(Path(directory) / "more", backup.key)
        with more.locked():
            continued = continue_chain(client, more, chain)
        (there,) = fresh.chains()
        end, count, problems = Moment(token=there.end_token), 0, []
        for selects in shares(chain):
            here = replayed(backup, chain, end, selects, [(more, each) for each in continued])
            compared, differing = _difference(here, replayed(fresh, there, selects=selects))
            count += compared
            problems += differing
        return count, problems


def _difference(here: Replay, there: Replay) -> tuple[int, list[str]]:
    kept = {each.head.agent_id: content_of(each) for each in here.agents()}
    served = {each.head.agent_id: content_of(each) for each in there.agents()}
    problems = [
        f"agent {agent_id!r} differs from the daemon's"
        for agent_id in sorted(kept.keys() | served.keys())
        if kept.get(agent_id) != served.get(agent_id)
    ]
    return len(served), problems
