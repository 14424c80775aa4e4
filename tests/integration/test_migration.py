"""``memoryd migrate`` between real stores, with a daemon that goes on."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.daemon import Daemon, insecure_channel
from tests.valkey.server import ValkeyServer

from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1 import working_memory_service_pb2_grpc as pb_grpc

AGENTS = 20

Migrate = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def prefix() -> str:
    return f"migration-{os.urandom(4).hex()}"


@pytest.fixture
def migrate(prefix: str) -> Migrate:
    def run(source: str, target: str) -> subprocess.CompletedProcess[str]:
        command = [str(Path(sys.executable).with_name("memoryd")), "migrate", "--from", source, "--to", target]
        return subprocess.run(
            [*command, "--redis-prefix", prefix], capture_output=True, text=True, timeout=60, check=False
        )

    return run


def fill(daemon: Daemon, value: str, agents: range = range(AGENTS)) -> None:
    with insecure_channel(daemon.address) as channel:
        stub = pb_grpc.WorkingMemoryServiceStub(channel)
        for number in agents:
            for key in ("a", "ключ"):
                stub.SetEntry(pb.SetEntryRequest(agent_id=f"agent-{number}", key=key, value_json=value))


def values(daemon: Daemon) -> dict[str, tuple[str, int]]:
    with insecure_channel(daemon.address) as channel:
        stub = pb_grpc.WorkingMemoryServiceStub(channel)
        answers = {
            f"agent-{n}": stub.GetEntry(pb.GetEntryRequest(agent_id=f"agent-{n}", key="ключ")) for n in range(AGENTS)
        }
    return {agent_id: (answer.entry.value_json, answer.revision) for agent_id, answer in answers.items()}


def shared_daemon(directory: Path, url: str, prefix: str) -> Daemon:
    directory.mkdir()
    return Daemon(directory, "--store", url, "--redis-prefix", prefix, "--durability", "journaled")


def test_memory_moves_to_redis_and_back_while_its_daemon_goes_on(
    tmp_path: Path, valkey: ValkeyServer, migrate: Migrate, prefix: str
) -> None:
    (tmp_path / "first").mkdir()
    embedded = Daemon(tmp_path / "first")
    embedded.start()
    try:
        fill(embedded, '"one"')
        source = f"sqlite:{embedded.data_dir}"
        first = migrate(source, valkey.url)
        assert first.returncode == 0, first.stderr
        assert f"{AGENTS} agents with {2 * AGENTS} records are the same on both sides" in first.stdout
        fill(embedded, '"two"', range(3))
    finally:
        embedded.stop()
    second = migrate(source, valkey.url)
    assert "3 were copied" in second.stdout
    shared = shared_daemon(tmp_path / "second", valkey.url, prefix)
    shared.start()
    try:
        expected = {f"agent-{n}": ('"two"', 4) if n < 3 else ('"one"', 2) for n in range(AGENTS)}
        assert values(shared) == expected
        fill(shared, '"three"', range(1))
        back = migrate(valkey.url, f"sqlite:{tmp_path / 'third' / 'data'}")
        assert back.returncode == 0, back.stderr
    finally:
        shared.stop()
    (tmp_path / "third").mkdir(exist_ok=True)
    again = Daemon(tmp_path / "third")
    again.start()
    try:
        assert values(again) == {**expected, "agent-0": ('"three"', 6)}
    finally:
        again.stop()


def test_a_target_that_a_daemon_uses_is_refused(
    valkey: ValkeyServer, daemon: Daemon, migrate: Migrate, tmp_path: Path
) -> None:
    assert migrate(f"sqlite:{daemon.data_dir}", valkey.url).returncode == 0
    refused = migrate(valkey.url, f"sqlite:{daemon.data_dir}")
    assert refused.returncode == 1
    assert "DATA_DIRECTORY_LOCKED" in refused.stderr


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("sqlite:/nowhere", "URL", "is not there"),
        ("URL", "sqlite:TMP", "there is no store under the prefix"),
        ("URL", "URL", "is the same as --from"),
        ("mongodb://h", "URL", "a store is sqlite:DIRECTORY or an URL"),
        ("redis://127.0.0.1:1", "sqlite:TMP", "connecting to 127.0.0.1:1"),
    ],
)
def test_what_cannot_be_moved_is_told_in_one_line(
    source: str, target: str, message: str, valkey: ValkeyServer, migrate: Migrate, tmp_path: Path
) -> None:
    places = [place.replace("URL", valkey.url).replace("TMP", str(tmp_path)) for place in (source, target)]
    refused = migrate(*places)
    assert refused.returncode == 1
    assert message in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1
