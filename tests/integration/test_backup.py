"""Backups: a drill that loses the disk, and what a backup promises besides."""

import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.daemon import COMMAND, Daemon
from tests.integration.seed import seeded
from tests.integration.test_mirror import Records, change, fill, stored
from tests.integration.wire import Memory, Wire
from tests.wait import PATIENT, WAIT_S_MAX, until

import memoryd
from memoryd_server.ops.restore_mark import BACKUP
from memoryd_server.ops.wiring.backups import moment as moment_module
from memoryd_server.ops.wiring.backups import restoration
from memoryd_server.ops.wiring.backups.moment import Moment, chain_at, replayed, shares
from memoryd_server.ops.wiring.backups.opened_backup import backup_at
from memoryd_server.ops.wiring.backups.verification import verify_backup

SECRET = "hunter2-4711"


class Done(NamedTuple):
    """A command that ended."""

    code: int
    out: str
    err: str


def run(daemon: Daemon | None, *arguments: str | Path) -> Done:
    """Run ``memoryd`` as an operator does."""
    environment = {} if daemon is None else {"MEMORYD_ADDRESS": daemon.address}
    done = subprocess.run(
        [COMMAND, *arguments], capture_output=True, text=True, timeout=WAIT_S_MAX, env=environment, check=False
    )
    return Done(done.returncode, done.stdout, done.stderr)


def ok(done: Done) -> str:
    assert (done.code, done.err) == (0, "")
    return done.out


class Writer:
    """Writes ascending numbers to an agent of its own until it is stopped, and keeps what was acknowledged when."""

    def __init__(self, daemon: Daemon, agent_id: str) -> None:
        self.agent_id = agent_id
        self.acknowledged: list[tuple[int, int]] = []
        self._daemon = daemon
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._write)
        self._thread.start()

    def number_before(self, moment: int) -> int:
        """Return the last number that was acknowledged before a moment."""
        return max((number for number, acknowledged in self.acknowledged if acknowledged <= moment), default=0)

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _write(self) -> None:
        with memoryd.connect(self._daemon.address, **PATIENT) as client:
            agent, number = client.agent(self.agent_id), 0
            while not self._stopped.is_set():
                number += 1
                agent.set("number", number)
                self.acknowledged.append((number, time.time_ns()))


LATER_MOMENTS = ("00000001.snapshot", "00000001.json", "*[02-9].json")
"""The files that a run is killed at, after the first."""


@pytest.fixture
def daemon(launch_process: Callable[..., Daemon]) -> Daemon:
    return launch_process()


@pytest.fixture
def restored(tmp_path: Path) -> Iterator[Callable[[Path], Daemon]]:
    """Starts daemons on restored data directories."""
    started: list[Daemon] = []

    def start(data_dir: Path) -> Daemon:
        daemon = Daemon(tmp_path / f"restored-{len(started)}")
        daemon.directory.mkdir()
        daemon.data_dir = data_dir
        daemon.start()
        started.append(daemon)
        return daemon

    yield start
    for each in started:
        each.close()


def iso(moment: int) -> str:
    """Return a moment in nanoseconds as an operator gives it, to the microsecond before it."""
    seconds, rest = divmod(moment, 1_000_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{rest // 1_000:06}+00:00"


@pytest.mark.whole
def test_a_lost_disk_is_restored_to_any_moment(
    launch_process: Callable[..., Daemon],
    restored: Callable[[Path], Daemon],
    tmp_path: Path,
) -> None:
    chance = seeded()
    key = tmp_path / "key"
    ok(run(None, "snapshot", "keygen", key))
    lost, backup = launch_process("--snapshot-key-file", str(key)), tmp_path / "backup"
    writers = [Writer(lost, f"writer-{number}") for number in range(2)]
    ledger: list[tuple[int, dict[str, dict[str, Records]]]] = []
    with lost.channel() as channel:
        agents = [Memory(Wire(channel), name) for name in ("ada", "zoë")]
        for agent in agents:
            fill(agent)
        for flags in ((), (), ("--full",), ()):
            ok(run(lost, "backup", "create", "--to", backup, *flags))
            for agent in agents:
                for _ in range(15):
                    change(agent, chance)
            kept = {agent.id: stored(agent) for agent in agents}
            ledger.append((time.time_ns() // 1_000 * 1_000, kept))
            until(lambda: time.time_ns() > ledger[-1][0] + 1_000, "the moment has passed")
        ok(run(lost, "backup", "create", "--to", backup))
        compared = ok(run(lost, "backup", "verify", backup, "--snapshot-key-file", key, "--compare"))
        assert compared.endswith("agents equal to the daemon's\n")
    for writer in writers:
        writer.stop()
    lost.kill()
    shutil.rmtree(lost.data_dir)
    ok(run(None, "backup", "verify", backup, "--snapshot-key-file", key))
    for number, (moment, kept) in enumerate(ledger):
        data_dir = tmp_path / f"data-{number}"
        target = ("--data-dir", data_dir, "--at", iso(moment))
        # It may name agents of which a memory was purged later.
        assert run(None, "backup", "restore", backup, "--snapshot-key-file", key, *target).code == 0
        daemon = restored(data_dir)
        with daemon.channel() as channel:
            wire = Wire(channel)
            for agent_id, records in kept.items():
                found = stored(Memory(wire, agent_id))
                for field in records:
                    assert found[field] == records[field], field
            for writer in writers:
                assert Memory(wire, writer.agent_id).value("number") >= writer.number_before(moment)
        daemon.close()


@pytest.mark.whole
def test_what_was_acknowledged_before_a_run_is_in_the_backup(daemon: Daemon, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    with memoryd.connect(daemon.address, **PATIENT) as client:
        for number in range(3):
            client.agent("a").set("k", number)
            ok(run(daemon, "backup", "create", "--to", backup))
            found = backup_at(backup)
            (agent,) = replayed(found, chain_at(found, Moment())).agents()
            assert agent.head.revision == number + 1
        client.agent("a").end()
        ok(run(daemon, "backup", "create", "--to", backup))
        assert not list(replayed(found, chain_at(found, Moment())).agents())


@pytest.mark.whole
def test_a_run_without_changes_moves_the_last_moment_on_and_leaves_one_manifest(daemon: Daemon, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    for _ in range(4):
        ok(run(daemon, "backup", "create", "--to", backup))
    (chain,) = backup_at(backup).chains()
    assert len(chain.segments) == 1
    assert chain.end_time > chain.base.end_time


@pytest.mark.whole
def test_what_is_too_large_for_the_journal_begins_a_new_base(
    daemon: Daemon, restored: Callable[[Path], Daemon], tmp_path: Path
) -> None:
    backup, data_dir = tmp_path / "backup", tmp_path / "data"
    text = "".join(f"Paragraph {number} is about tea number {number * 7}.\n\n" for number in range(12_000))
    with memoryd.connect(daemon.address, **PATIENT) as client:
        agent = client.agent("a")
        ok(run(daemon, "backup", "create", "--to", backup))
        agent.set("before", 1)
        agent.documents.create(text, document_id="large")
        agent.set("after", 2)
        ok(run(daemon, "backup", "create", "--to", backup))
        agent.set("last", 3)
        ok(run(daemon, "backup", "create", "--to", backup))
        assert len(backup_at(backup).chains()) == 2
        assert sum(each.commit_count for each in backup_at(backup).chains()[0].segments) == 1
    ok(run(None, "backup", "verify", backup))
    ok(run(None, "backup", "restore", backup, "--data-dir", data_dir))
    with memoryd.connect(restored(data_dir).address, **PATIENT) as client:
        agent = client.agent("a")
        assert [agent.get(key) for key in ("before", "after", "last")] == [1, 2, 3]
        assert agent.documents.text("large").strip() == text.strip()


@pytest.mark.whole
def test_one_agent_of_a_revision_comes_back_under_another_name(daemon: Daemon, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    with memoryd.connect(daemon.address, **PATIENT) as client:
        agent = client.agent("a")
        ok(run(daemon, "backup", "create", "--to", backup))
        for number in (1, 2, 3):
            agent.set("k", number)
        ok(run(daemon, "backup", "create", "--to", backup))
        ok(run(daemon, "backup", "restore", backup, "--agent", "a", "--revision", "2", "--as", "b", "--yes"))
        assert (client.agent("b").get("k"), agent.get("k")) == (2, 3)
        assert not list(client.snapshots())
        refused = run(daemon, "backup", "restore", backup, "--agent", "a", "--as", "b")
        assert (refused.code, "add --yes, or --dry-run" in refused.err) == (2, True)
        tried = run(daemon, "backup", "restore", backup, "--to-store", "redis://:hidden@nowhere", "--dry-run")
        assert (tried.code, "hidden" in tried.out + tried.err) == (0, False)
        missing = run(daemon, "backup", "restore", backup, "--agent", "c", "--as", "b", "--yes")
        assert (missing.code, missing.err) == (1, f"memoryd: {backup}: there is no agent 'c' at that moment\n")


@pytest.mark.whole
def test_a_revision_is_found_before_the_last_base_and_behind_revisions_of_others(
    daemon: Daemon, tmp_path: Path
) -> None:
    backup = tmp_path / "backup"
    restore = ("backup", "restore", backup, "--agent", "a", "--as", "b", "--yes", "--revision")
    with memoryd.connect(daemon.address, **PATIENT) as client:
        agent, other = client.agent("a"), client.agent("other")
        ok(run(daemon, "backup", "create", "--to", backup))
        for number in range(5):
            other.set("k", number)
        for number in (1, 2, 3):
            agent.set("k", number)
        ok(run(daemon, "backup", "create", "--to", backup, "--full"))
        agent.set("k", 4)
        ok(run(daemon, "backup", "create", "--to", backup))
        for revision in (2, 4, 1, 3):
            ok(run(daemon, *restore, str(revision)))
            assert client.agent("b").get("k") == revision
        missing = run(daemon, *restore, "5")
        has = "the backup does not have revision 5 of 'a'; it has 1 to 3, 3 to 4"
        assert (missing.code, missing.err) == (1, f"memoryd: {backup}: {has}\n")
    found = ok(run(None, "diff", "a", "--from", "1", "--to", "2", "--backup", backup))
    assert found.count("\n") == 1
    assert found.startswith("changed\tentry\t")


@pytest.mark.whole
def test_a_backup_is_restored_only_into_what_is_empty(
    daemon: Daemon, restored: Callable[[Path], Daemon], tmp_path: Path
) -> None:
    backup, data_dir = tmp_path / "backup", tmp_path / "data"
    with memoryd.connect(daemon.address, **PATIENT) as client:
        for name in ("team-a", "team-b", "other"):
            client.agent(name).set("k", name)
    ok(run(daemon, "backup", "create", "--to", backup))
    in_use = run(None, "backup", "restore", backup, "--data-dir", daemon.data_dir)
    assert in_use.code == 1
    assert "is in use by process" in in_use.err
    target = ("backup", "restore", backup, "--agent", "team-*", "--data-dir", data_dir)
    assert ok(run(None, *target)) == "restored 2 agents with 2 records\n"
    again = run(None, *target)
    assert (again.code, again.err) == (1, "memoryd: the target is not empty: name a new one\n")
    too_late = run(None, *target, "--at", "2999-01-01")
    assert "the backup does not have 2998-12-31" in too_late.err or "does not have 2999-01-01" in too_late.err
    # What a restore that was interrupted leaves: nothing serves it, and another run begins again.
    (data_dir / "restoring").write_text(f"{BACKUP}\n")
    refused = run(None, "serve", "--listen", "127.0.0.1:0", "--data-dir", data_dir)
    assert refused.code == 1
    assert refused.err.endswith("the restore of a backup did not end: run memoryd backup restore again\n")
    assert ok(run(None, *target)) == "restored 2 agents with 2 records\n"
    with memoryd.connect(restored(data_dir).address, **PATIENT) as client:
        assert [each.agent_id for each in client.agents()] == ["team-a", "team-b"]
        assert client.agent("team-a").get("k") == "team-a"


@pytest.mark.whole
def test_what_an_interrupted_restore_left_does_not_stay(
    daemon: Daemon, restored: Callable[[Path], Daemon], tmp_path: Path
) -> None:
    backup, data_dir = tmp_path / "backup", tmp_path / "data"
    with memoryd.connect(daemon.address, **PATIENT) as client:
        for name in ("team-a", "team-b", "other"):
            client.agent(name).set("k", name)
    ok(run(daemon, "backup", "create", "--to", backup))
    target = ("backup", "restore", backup, "--data-dir", data_dir)
    ok(run(None, *target))
    (data_dir / "restoring").write_text(f"{BACKUP}\n")
    assert ok(run(None, *target, "--agent", "team-*")) == "restored 2 agents with 2 records\n"
    with memoryd.connect(restored(data_dir).address, **PATIENT) as client:
        assert [each.agent_id for each in client.agents()] == ["team-a", "team-b"]
        assert client.agent("other").get("k") is None
        assert client.agent("team-a").get("k") == "team-a"


@pytest.mark.whole
def test_a_killed_restore_is_served_by_nobody_and_begins_again(
    daemon: Daemon, restored: Callable[[Path], Daemon], tmp_path: Path
) -> None:
    backup, data_dir = tmp_path / "backup", tmp_path / "data"
    with memoryd.connect(daemon.address, **PATIENT) as client:
        for number in range(50):
            client.agent(f"agent-{number}").set("k", "v" * 100_000)
    ok(run(daemon, "backup", "create", "--to", backup))
    target = ("backup", "restore", backup, "--data-dir", data_dir)
    process = subprocess.Popen([COMMAND, *target], stdout=subprocess.DEVNULL, env={})
    try:
        until((data_dir / "restoring").exists, "the restore has begun")
    finally:
        process.kill()
        process.wait()
    if (data_dir / "restoring").exists():
        refused = run(None, "serve", "--listen", "127.0.0.1:0", "--data-dir", data_dir)
        assert (refused.code, "run memoryd backup restore again" in refused.err) == (1, True)
        ok(run(None, *target))
    with memoryd.connect(restored(data_dir).address, **PATIENT) as client:
        assert [client.agent(f"agent-{number}").get("k") for number in range(50)] == ["v" * 100_000] * 50


@pytest.mark.whole
async def test_agents_are_restored_in_shares_that_fit_into_memory(
    daemon: Daemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup, data_dir = tmp_path / "backup", tmp_path / "data"
    with memoryd.connect(daemon.address, **PATIENT) as client:
        for number in range(20):
            client.agent(f"agent-{number}").set("k", number)
        run(daemon, "backup", "create", "--to", backup)
    monkeypatch.setattr(moment_module, "RESTORED_BYTES_TOGETHER", 500)
    monkeypatch.setattr(restoration, "RESTORED_COMMITS_TOGETHER", 2)
    found = backup_at(backup)
    assert len(list(shares(found.chains()[0]))) > 1
    verified = verify_backup(found)
    assert (verified.problems, verified.agents, verified.records) == ((), 20, 20)
    done = await restoration.restore_store(found, Moment(), restoration.patterns_of(()), f"sqlite:{data_dir}")
    assert (done.agents, done.records) == (20, 20)


# The last one is a segment, of which each run replaces the one before, as nothing has changed.
@pytest.mark.parametrize(
    "moment",
    [".incoming-*", *(pytest.param(name, marks=pytest.mark.whole) for name in LATER_MOMENTS)],
)
def test_a_killed_run_leaves_a_valid_backup(daemon: Daemon, tmp_path: Path, moment: str) -> None:
    backup = tmp_path / "backup"
    with memoryd.connect(daemon.address, **PATIENT) as client:
        for number in range(20):
            client.agent(f"agent-{number}").set("k", "v" * 10_000)
        arguments: tuple[str | Path, ...] = (COMMAND, "backup", "create", "--to", backup, "--every", "1ms")
        process = subprocess.Popen(arguments, env={"MEMORYD_ADDRESS": daemon.address}, stdout=subprocess.DEVNULL)
        try:
            until(lambda: next(backup.glob(moment), None), "the file is there")
        finally:
            process.kill()
            process.wait()
        if backup_at(backup).chains():
            ok(run(None, "backup", "verify", backup))
        client.agent("agent-0").set("k", 1)
        ok(run(daemon, "backup", "create", "--to", backup))
        ok(run(daemon, "backup", "verify", backup, "--compare"))
        assert not list(backup.glob(".incoming-*"))


@pytest.mark.whole
def test_damage_is_found(daemon: Daemon, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    with memoryd.connect(daemon.address, **PATIENT) as client:
        for number in range(3):
            client.agent("a").set("k", number)
            ok(run(daemon, "backup", "create", "--to", backup))
    segment = min(backup.glob("*.journal"))
    whole = segment.read_bytes()
    segment.write_bytes(whole[:-40] + b"\0" + whole[-39:])
    assert f"{segment.name} was truncated or changed" in run(None, "backup", "verify", backup).err
    segment.with_suffix(".json").unlink()
    assert "the file before it is missing" in run(None, "backup", "verify", backup).err
    # The next run does not continue what has a gap.
    ok(run(daemon, "backup", "create", "--to", backup))
    assert len(backup_at(backup).chains()) == 2


@pytest.mark.whole
def test_a_pruned_journal_begins_a_new_base(launch_process: Callable[..., Daemon], tmp_path: Path) -> None:
    daemon, backup = launch_process("--journal-rows-max", "5"), tmp_path / "backup"
    with memoryd.connect(daemon.address, **PATIENT) as client:
        client.agent("a").set("k", 0)
        ok(run(daemon, "backup", "create", "--to", backup))
        until(lambda: _is_pruned(client.agent("a")), "the journal is pruned")
        ok(run(daemon, "backup", "create", "--to", backup))
        ok(run(daemon, "backup", "verify", backup, "--compare"))
    assert len(backup_at(backup).chains()) == 2


def _is_pruned(agent: memoryd.Agent) -> bool:
    for number in range(10):
        agent.set("k", number)
    return next(iter(agent.events())).revision > 2


@pytest.mark.whole
def test_old_chains_are_removed_by_age_and_by_count(daemon: Daemon, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    create = ("backup", "create", "--to", backup, "--full")
    for _ in range(3):
        ok(run(daemon, *create, "--keep", "1h"))
    assert len(backup_at(backup).chains()) == 3
    ok(run(daemon, *create, "--keep-bases", "2"))
    assert len(backup_at(backup).chains()) == 2
    # The one before the new base has the moment at which the run began.
    ok(run(daemon, *create, "--keep", "0s"))
    chains = backup_at(backup).chains()
    assert len(chains) == 2
    stems = {each.stem for chain in chains for each in chain.files}
    assert {path.name.partition(".")[0] for path in backup.iterdir() if path.name != ".lock"} == stems


@pytest.mark.whole
def test_each_file_is_passed_to_a_command_until_it_succeeds(daemon: Daemon, tmp_path: Path) -> None:
    backup, away = tmp_path / "backup", tmp_path / "away"
    away.mkdir()
    create = ("backup", "create", "--to", backup, "--command")
    failed = run(daemon, *create, "exit 3")
    assert (failed.code, "exit status 3" in failed.err) == (1, True)
    ok(run(daemon, *create, f'cat > {away}/"$MEMORYD_BACKUP_FILE"'))
    with memoryd.connect(daemon.address, **PATIENT) as client:
        client.agent("a").set("k", 1)
    ok(run(daemon, *create, f'cat > {away}/"$MEMORYD_BACKUP_FILE"'))
    ok(run(daemon, "backup", "verify", away, "--compare"))


@pytest.mark.whole
def test_what_was_erased_is_in_no_later_file(
    daemon: Daemon, restored: Callable[[Path], Daemon], tmp_path: Path
) -> None:
    early, late = tmp_path / "early", tmp_path / "late"
    with memoryd.connect(daemon.address, **PATIENT) as client:
        agent = client.agent("a")
        agent.set("other", 1)
        for backup in (early, late):
            ok(run(daemon, "backup", "create", "--to", backup))
        agent.set("card", SECRET)
        agent.notes.create("T", SECRET, user_id="zoe")
        agent.memories.create(memoryd.MemoryDraft(content=SECRET, user_id="zoe"))
        scope = agent.create_scope(SECRET)
        scope.set("k", SECRET)
        scope.dispose()
        ok(run(daemon, "backup", "create", "--to", early))
        agent.remove("card", erase=True)
        agent.forget_user("zoe")
        scope.dispose(erase=True)
        for backup in (early, late):
            ok(run(daemon, "backup", "create", "--to", backup))
            ok(run(daemon, "backup", "verify", backup, "--compare"))
        # The one that was made between still has it, and a restore of a later moment does not bring it back.
        assert (_has(early, SECRET), _has(late, SECRET)) == (True, False)
        for backup in (early, late):
            ok(run(None, "backup", "restore", backup, "--data-dir", tmp_path / f"{backup.name}-data"))
            files = (tmp_path / f"{backup.name}-data").iterdir()
            assert not any(SECRET.encode() in file.read_bytes() for file in files if file.is_file())
        # A restore of an earlier moment says that it does.
        found = backup_at(early)
        (chain,) = found.chains()
        target = ("--data-dir", tmp_path / "earlier", "--at", iso(chain.segments[0].end_time))
        earlier = run(None, "backup", "restore", early, *target)
        assert earlier.err == "erased after that moment, and to be erased again: records of a\n"
        ok(run(daemon, "backup", "create", "--to", early, "--full", "--keep-bases", "1"))
        assert not _has(early, SECRET)


def _has(backup: Path, text: str) -> bool:
    found = backup_at(backup)
    return any(
        text.encode() in data
        for chain in found.chains()
        for data in (
            *(record.data for agent in found.agents(chain.base) for record in agent.records),
            *(row.data for segment in chain.segments for row in found.rows(segment)),
        )
    )
