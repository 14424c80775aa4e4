"""Backups of a store that daemons share: from any of them, and into a store of either kind."""

from pathlib import Path
from typing import Any

import pytest
from tests.daemon import Daemon
from tests.integration.shared.pair import flags_of, new_prefix, sharing
from tests.integration.test_backup import ok, run
from tests.integration.wire import Memory, Wire
from tests.valkey.server import ValkeyServer
from tests.valkey.url import with_options

from memoryd_server.ops.error import OperatorError
from memoryd_server.ops.wiring.backups import restoration
from memoryd_server.ops.wiring.backups.moment import Moment
from memoryd_server.ops.wiring.backups.opened_backup import backup_at

AGENTS = [f"agent-{number}" for number in range(8)]


@pytest.mark.whole
def test_a_backup_of_a_shared_store_restores_into_either_kind(valkey: ValkeyServer, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    with sharing(tmp_path, valkey.url) as pair:
        first, second = pair.daemons
        for name in AGENTS:
            pair.a.agent(name).set("k", 1)
        ok(run(first, "backup", "create", "--to", backup))
        for name in AGENTS:
            pair.b.agent(name).set("k", 2)
            pair.a.agent(name).scope("task")
        pair.b.agent("agent-0").clear()
        # Another daemon of the store continues the backup.
        added = ok(run(second, "backup", "create", "--to", backup))
        assert added.startswith("added 17 commits")
        assert ok(run(second, "backup", "verify", backup, "--compare")).endswith("8 agents equal to the daemon's\n")
        in_use = run(None, "backup", "restore", backup, "--to-store", with_options(valkey.url, prefix=pair.prefix))
        assert (in_use.code, "daemons use the target" in in_use.err) == (1, True)
    prefix = new_prefix()
    for target in (("--to-store", with_options(valkey.url, prefix=prefix)), ("--data-dir", tmp_path / "restored-data")):
        assert ok(run(None, "backup", "restore", backup, *target)).startswith("restored 8 agents with ")
    shared = Daemon(tmp_path / "shared", *flags_of(valkey.url, prefix))
    embedded = Daemon(tmp_path / "embedded")
    embedded.data_dir = tmp_path / "restored-data"
    for daemon in (shared, embedded):
        daemon.directory.mkdir()
        daemon.start()
        try:
            with daemon.channel() as channel:
                wire = Wire(channel)
                assert [Memory(wire, name).values() for name in AGENTS] == [{}, *[{"k": 2}] * 7]
                assert [len(Memory(wire, name).scopes().scopes) for name in AGENTS] == [1] * 8
                Memory(wire, "agent-0").set("k", 3)
            # It is a new store: the backup of it begins with a base.
            assert "a base of 8 agents" in ok(run(daemon, "backup", "create", "--to", backup))
        finally:
            daemon.close()


@pytest.mark.whole
def test_no_daemon_serves_a_shared_store_whose_restore_was_interrupted(valkey: ValkeyServer, tmp_path: Path) -> None:
    backup, prefix = tmp_path / "backup", new_prefix()
    url = with_options(valkey.url, prefix=prefix)
    source = Daemon(tmp_path / "source")
    source.directory.mkdir()
    source.start()
    try:
        with source.channel() as channel:
            Wire(channel).agent("a").set("k", 1)
        ok(run(source, "backup", "create", "--to", backup))
    finally:
        source.close()
    ok(run(None, "backup", "restore", backup, "--to-store", url))
    full = run(None, "backup", "restore", backup, "--to-store", url)
    assert (full.code, full.err) == (1, "memoryd: the target is not empty: name a new one\n")
    valkey.command("HSET", f"{{{prefix}:0}}:shard", "restoring", 1)
    refused = run(None, "serve", "--store", url, "--data-dir", tmp_path / "data", "--listen", "127.0.0.1:0")
    assert (refused.code, "run memoryd backup restore again" in refused.err) == (1, True)
    assert ok(run(None, "backup", "restore", backup, "--to-store", url)) == "restored 1 agent with 1 record\n"


async def test_a_second_restore_into_a_shared_store_is_refused_while_one_is_under_way(
    valkey: ValkeyServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup, url = tmp_path / "backup", with_options(valkey.url, prefix=new_prefix())
    source = Daemon(tmp_path / "source")
    source.directory.mkdir()
    source.start()
    try:
        with source.channel() as channel:
            Wire(channel).agent("a").set("k", 1)
        ok(run(source, "backup", "create", "--to", backup))
    finally:
        source.close()
    arguments = backup_at(backup), Moment(), restoration.patterns_of(()), url
    fill = restoration._fill

    async def fill_beside_another(*given: Any) -> restoration.BackupRestored:
        with pytest.raises(OperatorError, match="a daemon uses the target"):
            await restoration.restore_store(*arguments)
        return await fill(*given)

    monkeypatch.setattr(restoration, "_fill", fill_beside_another)
    done = await restoration.restore_store(*arguments)
    assert (done.agents, done.records) == (1, 1)
