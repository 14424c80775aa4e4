"""``memoryd migrate`` between real stores: it copies everything, and refuses whatever would lose something."""

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.daemon import Daemon, insecure_channel
from tests.valkey.server import ValkeyServer
from tests.valkey.url import with_options
from tests.wait import WAIT_S_MAX, until

from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1 import working_memory_service_pb2_grpc as pb_grpc

AGENTS = 20

Migrate = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def prefix() -> str:
    return f"migration-{os.urandom(4).hex()}"


@pytest.fixture
def migrate(prefix: str) -> Migrate:
    def run(source: str, target: str, *flags: str) -> subprocess.CompletedProcess[str]:
        places = [with_options(each, prefix=prefix) if each.startswith("redis:") else each for each in (source, target)]
        command = [str(Path(sys.executable).with_name("memoryd")), "migrate", "--from", places[0], "--to", places[1]]
        return subprocess.run(
            [*command, *flags],
            capture_output=True,
            text=True,
            timeout=WAIT_S_MAX,
            check=False,
            umask=0o022,
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
    return Daemon(directory, "--store", with_options(url, prefix=prefix), "--durability", "journaled")


@contextlib.contextmanager
def running(daemon: Daemon) -> Iterator[Daemon]:
    daemon.start()
    try:
        yield daemon
        daemon.stop()
    finally:
        daemon.close()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of a daemon that was filled and has stopped."""
    with running(Daemon(tmp_path_factory.mktemp("filled"))) as daemon:
        fill(daemon, '"one"')
    return daemon.data_dir


@pytest.fixture
def left(filled: Path, tmp_path: Path) -> Path:
    """A copy of the filled data directory for one test."""
    return Path(shutil.copytree(filled, tmp_path / "left"))


@pytest.mark.whole
def test_a_running_daemons_memory_is_migrated_to_redis_and_back(
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
        assert f"the same {AGENTS} agents with {2 * AGENTS} records" in first.stdout
        fill(embedded, '"two"', range(3))
    finally:
        embedded.stop()
    second = migrate(source, valkey.url)
    assert "copied 3" in second.stdout
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


@pytest.mark.whole
def test_a_target_that_a_daemon_uses_is_refused(
    valkey: ValkeyServer, daemon: Daemon, migrate: Migrate, tmp_path: Path
) -> None:
    assert migrate(f"sqlite:{daemon.data_dir}", valkey.url).returncode == 0
    refused = migrate(valkey.url, f"sqlite:{daemon.data_dir}")
    assert refused.returncode == 1
    assert "is in use by process" in refused.stderr


@pytest.mark.whole
def test_a_target_that_daemons_share_is_refused_until_they_have_stopped(
    valkey: ValkeyServer, migrate: Migrate, prefix: str, left: Path, tmp_path: Path
) -> None:
    source, daemons = f"sqlite:{left}", f"{{{prefix}:0}}:daemons"
    with running(shared_daemon(tmp_path / "shared", valkey.url, prefix)):
        until(lambda: valkey.command("ZCARD", daemons) == 1, "the daemon says that it is there")
        refused = migrate(source, valkey.url, "--overwrite")
        assert refused.returncode == 1
        assert "a daemon uses the target" in refused.stderr
    assert migrate(source, valkey.url).returncode == 0


@pytest.mark.whole
def test_a_killed_daemon_counts_as_using_the_target_for_a_while(
    valkey: ValkeyServer, migrate: Migrate, prefix: str, left: Path
) -> None:
    source, daemons = f"sqlite:{left}", f"{{{prefix}:0}}:daemons"
    now_ms = time.time_ns() // 1_000_000
    valkey.command("ZADD", daemons, now_ms + 60_000, "one", now_ms + 60_000, "two", now_ms - 60_000, "gone")
    refused = migrate(source, valkey.url)
    assert "2 daemons use the target" in refused.stderr
    valkey.command("ZADD", daemons, now_ms - 60_000, "one", now_ms - 60_000, "two")
    assert migrate(source, valkey.url).returncode == 0


@pytest.mark.whole
def test_a_target_with_changes_of_clients_is_replaced_only_with_overwrite(
    valkey: ValkeyServer, migrate: Migrate, prefix: str, left: Path, tmp_path: Path
) -> None:
    source = f"sqlite:{left}"
    assert migrate(source, valkey.url).returncode == 0
    shared = shared_daemon(tmp_path / "shared", valkey.url, prefix)
    with running(shared):
        fill(shared, '"two"', range(1))
    for places in ((source, valkey.url), (valkey.url, source)):
        refused = migrate(*places)
        assert refused.returncode == 1
        assert "a journal of clients' changes" in refused.stderr
        assert "--overwrite replaces it" in refused.stderr
        assert ("agent-0" in refused.stderr) == (places[0] == source)
    with running(shared):
        assert values(shared)["agent-0"] == ('"two"', 4)
    overwritten = migrate(source, valkey.url, "--overwrite")
    assert overwritten.returncode == 0, overwritten.stderr
    with running(shared):
        assert values(shared)["agent-0"] == ('"one"', 2)


def test_a_source_that_lacks_acknowledged_commits_is_refused(
    valkey: ValkeyServer, migrate: Migrate, tmp_path: Path
) -> None:
    daemon = Daemon(tmp_path)
    daemon.start()
    fill(daemon, '"one"')
    daemon.kill()
    log = daemon.data_dir / "memoryd.db-wal"
    log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])
    refused = migrate(f"sqlite:{daemon.data_dir}", valkey.url)
    assert refused.returncode == 1
    assert "lacks acknowledged commits" in refused.stderr
    assert "DATA_DAMAGED" in refused.stderr


def test_the_written_files_are_accessible_to_their_owner_only(migrate: Migrate, left: Path, tmp_path: Path) -> None:
    target = tmp_path / "new" / "data"
    assert migrate(f"sqlite:{left}", f"sqlite:{target}").returncode == 0
    written = [target.parent, target, *target.iterdir()]
    assert {path.name for path in written} >= {"memoryd.db", "memoryd.mark", "lock"}
    assert {path.name: oct(path.stat().st_mode & 0o077) for path in written} == {path.name: "0o0" for path in written}


def test_a_new_store_has_the_number_of_shards_of_its_url(
    valkey: ValkeyServer, migrate: Migrate, prefix: str, left: Path
) -> None:
    assert migrate(f"sqlite:{left}", with_options(valkey.url, shards=3)).returncode == 0
    assert valkey.command("HGET", f"{{{prefix}}}:store", "shards") == b"3"


@pytest.mark.whole
def test_a_store_cannot_be_migrated_to_itself_under_another_name(
    valkey: ValkeyServer, migrate: Migrate, left: Path
) -> None:
    assert migrate(f"sqlite:{left}", valkey.url).returncode == 0
    names = [(valkey.url, valkey.url.removesuffix("/0")), (f"sqlite:{left}", f"sqlite:{left}/.")]
    for one, other in names:
        refused = migrate(one, other, "--overwrite")
        assert refused.returncode == 1
        assert "is the same store as --from" in refused.stderr


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("sqlite:/nowhere", "URL", "is missing or empty"),
        ("URL", "sqlite:TMP", "there is no store under the prefix"),
        ("URL", "URL", "must differ from --from"),
        ("mongodb://h", "URL", "--from: must begin with the scheme of an installed store: memory, redis, "),
        ("memory", "URL", "--from: is an in-memory store"),
        ("URL", "sqlite", "--to: must name a directory: sqlite:DIRECTORY"),
        ("redis://127.0.0.1:1", "sqlite:TMP", "connecting to 127.0.0.1:1"),
    ],
)
def test_a_store_that_cannot_be_migrated_is_an_error_of_one_line(
    source: str, target: str, message: str, valkey: ValkeyServer, migrate: Migrate, tmp_path: Path
) -> None:
    places = [place.replace("URL", valkey.url).replace("TMP", str(tmp_path)) for place in (source, target)]
    refused = migrate(*places)
    assert refused.returncode == 1
    (line,) = refused.stderr.splitlines()
    assert line.startswith("memoryd: ")
    assert message in line
