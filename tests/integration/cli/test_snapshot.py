import json
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.integration.cli.keyboard import Typed
from tests.wait import PATIENT

import memoryd

Command = Callable[..., tuple[int, str, str]]


def test_a_snapshot_of_an_agent_brings_its_memory_back(command: Command, agent: memoryd.Agent) -> None:
    name = f"of-{agent.agent_id}"
    agent.set("k", "before")
    code, out, _ = command("snapshot", "create", name, "--agent", agent.agent_id)
    assert code == 0
    assert out.startswith(f"{name} was created: 1 record of agent '{agent.agent_id}', ")
    agent.set("k", "after")
    assert command("snapshot", "restore", name, "--yes") == (0, "restored 1 agent, deleted 0 agents\n", "")
    assert agent.get("k") == "before"


def test_a_snapshot_travels_in_a_file_and_becomes_a_clone(
    command: Command, agent: memoryd.Agent, tmp_path: Path
) -> None:
    agent.set("k", 1)
    name, copy, file = f"a-{agent.agent_id}", f"b-{agent.agent_id}", tmp_path / "file"
    command("snapshot", "create", name, "--agent", agent.agent_id)
    code, out, err = command("snapshot", "export", name, str(file))
    assert (code, err) == (0, "")
    assert out.startswith(f"{file} was written: 1 record")
    assert command("snapshot", "import", str(file), "--id", copy)[0] == 0
    assert command("snapshot", "restore", copy, "--as", f"{agent.agent_id}-clone", "--yes")[0] == 0
    assert command("get", f"{agent.agent_id}-clone", "k")[1] == "1\n"


def test_snapshots_are_shown_listed_and_deleted(
    command: Command, terminal: Callable[..., str], agent: memoryd.Agent
) -> None:
    name = f"of-{agent.agent_id}"
    agent.set("k", 1)
    command("snapshot", "create", name, "--agent", agent.agent_id)
    listed = command("snapshot", "list", "--agent", agent.agent_id)[1].splitlines()
    assert [row.split("\t")[:2] for row in listed] == [[name, agent.agent_id]]
    assert listed[0].split("\t")[4:] == ["1", "1", "no", "request", ""]
    assert json.loads(command("snapshot", "get", name, "--json")[1])["agent_id"] == agent.agent_id
    assert command("snapshot", "delete", name, "--yes") == (0, f"{name} was deleted\n", "")
    gone = (1, "", f"memoryd: snapshot {name!r} does not exist (SNAPSHOT_NOT_FOUND)\n")
    assert command("snapshot", "get", name) == gone
    assert command("snapshot", "delete", name, "--yes") == gone


def test_a_person_is_asked_before_memory_is_replaced(
    command: Command, agent: memoryd.Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"of-{agent.agent_id}"
    agent.set("k", "before")
    command("snapshot", "create", name, "--agent", agent.agent_id)
    agent.set("k", "after")
    monkeypatch.setattr(sys, "stdin", Typed("n\n"))
    code, _, err = command("snapshot", "restore", name)
    assert code == 130
    assert f"Replace the memory of agent '{agent.agent_id}' by that of " in err
    assert agent.get("k") == "after"
    monkeypatch.setattr(sys, "stdin", Typed("y\n"))
    assert command("snapshot", "restore", name)[0] == 0
    assert agent.get("k") == "before"


def test_a_file_that_is_no_snapshot_changes_nothing(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"nothing of the kind")
    code, out, err = command("snapshot", "import", str(file), "--id", "no-snapshot")
    assert (code, out) == (1, "")
    assert err.endswith("(SNAPSHOT_DAMAGED)\n")
    assert command("snapshot", "get", "no-snapshot")[0] == 1


def test_a_file_that_cannot_be_written_is_named(command: Command, agent: memoryd.Agent, tmp_path: Path) -> None:
    agent.set("k", 1)
    name = f"of-{agent.agent_id}"
    command("snapshot", "create", name, "--agent", agent.agent_id)
    code, _, err = command("snapshot", "export", name, str(tmp_path / "none" / "file"))
    assert code == 1
    assert "No such file or directory" in err


def test_a_key_is_made_that_the_daemon_encrypts_snapshots_with(
    command: Command, launch_process: Callable[..., Daemon], tmp_path: Path
) -> None:
    file = tmp_path / "snapshots.key"
    code, public, err = command("snapshot", "keygen", str(file))
    assert (code, public[:4], err) == (0, "age1", "")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    text = file.read_text()
    code, out, err = command("snapshot", "keygen", str(file))
    assert (code, out, err) == (1, "", f"memoryd: cannot create {file}: File exists\n")
    assert file.read_text() == text
    daemon = launch_process("--durability", "memory", "--snapshot-key-file", str(file))
    with memoryd.connect(daemon.address, **PATIENT) as client:
        client.agent("a").set("k", 1)
        assert client.create_snapshot().encrypted
    assert "snapshots are not encrypted" not in daemon.log


def test_plain_snapshots_are_warned_of_at_the_start(launch_process: Callable[..., Daemon]) -> None:
    daemon = launch_process("--durability", "memory")
    assert daemon.log.count("snapshots are not encrypted: see memoryd snapshot keygen") == 1


def test_the_newest_snapshot_of_all_agents_is_restored_by_its_name(command: Command, daemon: Daemon) -> None:
    with memoryd.connect(daemon.address, **PATIENT) as client:
        agent = client.agent("a")
        agent.set("k", "before")
        client.create_snapshot()
        agent.set("k", "after")
        code, out, _ = command("snapshot", "restore", "latest", "--yes", "--address", daemon.address)
        assert (code, out) == (0, "restored 1 agent, deleted 0 agents\n")
        assert agent.get("k") == "before"
    code, _, err = command("snapshot", "create", "latest", "--address", daemon.address)
    assert (code, "'latest' names the newest snapshot" in err) == (1, True)
