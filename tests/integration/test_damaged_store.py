"""A damaged store: others are served, the commands name what is damaged, and save what is whole."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.damage import INDEX_LEAF, erase_leaves
from tests.valkey.server import ValkeyServer
from tests.valkey.url import with_options
from tests.wait import PATIENT, WAIT_S_MAX

import memoryd
from memoryd.errors import DataLoss

AGENTS = ("ann", "bea", "bob", "cat", "cid")
WHOLE = ("ann", "bea", "cat", "cid")
KEYS = 12

Run = Callable[..., subprocess.CompletedProcess[str]]


def value_of(agent_id: str) -> str:
    return agent_id.upper() * 270


def fill(daemon: Daemon) -> None:
    with memoryd.connect(daemon.address, **PATIENT) as client:
        for agent_id in AGENTS:
            for number in range(KEYS):
                client.agent(agent_id).set(f"key-{number}", value_of(agent_id))


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    running = Daemon(tmp_path, "--no-snapshot-on-shutdown")
    running.start()
    yield running
    running.close()


@pytest.fixture
def damaged(daemon: Daemon) -> Daemon:
    """A daemon that has stopped, with five agents, of whom bob is damaged."""
    fill(daemon)
    with memoryd.connect(daemon.address, **PATIENT) as client:
        client.create_snapshot("before")
    daemon.stop()
    # A key in the middle, so that no row of another agent is on the same page.
    assert erase_leaves(daemon.data_dir, b"BOB" * 20, b"key-4")
    return daemon


@pytest.fixture
def run(daemon: Daemon) -> Run:
    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(Path(sys.executable).with_name("memoryd")), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S_MAX, check=False, umask=0o022)

    return call


def states(output: str) -> dict[str, str]:
    return {row["agent_id"]: row["state"] for row in map(json.loads, output.splitlines())}


@pytest.mark.whole
def test_one_damaged_agent_is_refused_and_the_others_are_served(damaged: Daemon, run: Run) -> None:
    damaged.start()
    with memoryd.connect(damaged.address, **PATIENT) as client:
        for agent_id in WHOLE:
            assert client.agent(agent_id).get("key-1") == value_of(agent_id)
        # Rows beside damaged ones cannot be moved, so not those of bea and cat.
        for agent_id in ("ann", "cid"):
            client.agent(agent_id).set("another", 1)
        with pytest.raises(DataLoss):
            client.agent("bob").get("key-1")
        with pytest.raises(DataLoss):
            client.agent("bob").set("key-1", 1)
    checked = run("check", "--json", "--address", damaged.address)
    assert (checked.returncode, checked.stderr) == (1, "")
    assert states(checked.stdout) == dict.fromkeys(AGENTS, "whole") | {"bob": "damaged"}


@pytest.mark.whole
def test_agents_whose_records_are_not_found_by_their_keys_are_saved(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    fill(daemon)
    daemon.stop()
    assert erase_leaves(daemon.data_dir, b"key-4", kinds=(INDEX_LEAF,))
    source, target = f"sqlite:{daemon.data_dir}", tmp_path / "saved" / "data"
    checked = run("check", "--json", "--store", source)
    assert checked.returncode == 1
    assert states(checked.stdout) == dict.fromkeys(AGENTS, "damaged")
    assert {row["damaged_records"] for row in map(json.loads, checked.stdout.splitlines())} == {0}
    assert run("salvage", "--from", source, "--to", f"sqlite:{target}").returncode == 0
    assert states(run("check", "--json", "--store", f"sqlite:{target}").stdout) == dict.fromkeys(AGENTS, "whole")


@pytest.mark.whole
def test_whole_agents_are_saved_in_a_new_store(damaged: Daemon, run: Run, tmp_path: Path) -> None:
    source, target = f"sqlite:{damaged.data_dir}", tmp_path / "saved" / "data"
    checked = run("check", "--store", source, "--json")
    assert (checked.returncode, checked.stderr) == (1, "")
    assert states(checked.stdout) == dict.fromkeys(AGENTS, "whole") | {"bob": "damaged"}
    target.parent.mkdir()
    saved = run("salvage", "--from", source, "--to", f"sqlite:{target}")
    assert saved.returncode == 1
    assert saved.stdout.startswith("saved 4 agents with ")
    assert saved.stderr.startswith("not saved: bob: ")
    assert target.stat().st_mode & 0o777 == 0o700
    shutil.copytree(damaged.data_dir / "snapshots", target / "snapshots")
    copy = Daemon(target.parent, "--no-snapshot-on-shutdown")
    copy.start()
    try:
        with memoryd.connect(copy.address, **PATIENT) as client:
            assert {agent.agent_id: agent.revision for agent in client.agents()} == dict.fromkeys(WHOLE, KEYS)
            assert {client.agent(each).get("key-7") for each in WHOLE} == set(map(value_of, WHOLE))
        assert run("check", "--address", copy.address).returncode == 0
        restored = run("snapshot", "restore", "before", "--agent", "bob", "--yes", "--address", copy.address)
        assert restored.returncode == 0, restored.stderr
        with memoryd.connect(copy.address, **PATIENT) as client:
            assert client.agent("bob").get("key-7") == value_of("bob")
        copy.stop()
    finally:
        copy.close()
    assert run("check", "--store", f"sqlite:{target}").returncode == 0


def test_a_store_that_a_daemon_uses_is_not_read(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    source = f"sqlite:{daemon.data_dir}"
    for command in (("check", "--store", source), ("salvage", "--from", source, "--to", f"sqlite:{tmp_path / 'new'}")):
        refused = run(*command)
        assert refused.returncode == 1
        assert f"is in use by process {daemon.pid}" in refused.stderr
    assert not (tmp_path / "new").exists()


def test_a_daemon_mends_a_damaged_log_and_says_so(daemon: Daemon) -> None:
    fill(daemon)
    daemon.kill()
    log = daemon.data_dir / "memoryd.db-wal"
    content = bytearray(log.read_bytes())
    content[32 + 24 + 4000] ^= 1
    log.write_bytes(content)
    daemon.start()
    with memoryd.connect(daemon.address, **PATIENT) as client:
        for agent_id in AGENTS:
            assert {client.agent(agent_id).get(f"key-{n}") for n in range(KEYS)} == {value_of(agent_id)}
    assert "damaged log mended" in daemon.log
    assert (daemon.data_dir / "memoryd.db-wal.damaged-1").read_bytes() == bytes(content)


@pytest.mark.whole
def test_a_shared_store_is_checked_by_loading_each_agent(valkey: ValkeyServer, run: Run, tmp_path: Path) -> None:
    prefix = f"damaged-{os.urandom(4).hex()}"
    url = with_options(valkey.url, prefix=prefix)
    (tmp_path / "shared").mkdir()
    shared = Daemon(tmp_path / "shared", "--store", url, "--durability", "journaled")
    shared.start()
    try:
        fill(shared)
        shared.stop()
    finally:
        shared.close()
    assert run("check", "--store", url).returncode == 0
    agent = f"{{{prefix}:0}}:agent:bob"
    fields = valkey.command("HKEYS", agent)
    assert isinstance(fields, list)
    record = next(field for field in fields if isinstance(field, bytes) and field.startswith(b"entry/"))
    valkey.command("HDEL", agent, record)
    checked = run("check", "--store", url, "--json")
    assert checked.returncode == 1
    assert states(checked.stdout) == dict.fromkeys(AGENTS, "whole") | {"bob": "damaged"}
    saved = run("salvage", "--from", url, "--to", f"sqlite:{tmp_path / 'saved'}")
    assert saved.stderr.startswith("not saved: bob: ")
    assert saved.stdout.startswith("saved 4 agents with ")
    assert run("check", "--store", f"sqlite:{tmp_path / 'saved'}").returncode == 0
