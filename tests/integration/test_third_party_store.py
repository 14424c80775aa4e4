"""A store of another distribution: installed with the daemon, found by its scheme, and tested by the suite."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.daemon import Daemon, insecure_channel
from tests.wait import WAIT_S_MAX

from memoryd.v1 import server_service_pb2 as server_pb
from memoryd.v1 import server_service_pb2_grpc as server_grpc
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1 import working_memory_service_pb2_grpc as pb_grpc

TOY = Path(__file__).parents[1] / "toy_store"
MEMORYD = Path(sys.executable).with_name("memoryd")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the distribution's sources, since building leaves files among them."""
    return Path(shutil.copytree(TOY, tmp_path_factory.mktemp("toy") / "project"))


@pytest.fixture(scope="module")
def environment(project: Path) -> dict[str, str]:
    """The environment of a process that finds the installed distribution."""
    site = project.parent / "site"
    options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, "--target", site, project], check=True)
    return {"PYTHONPATH": str(site)}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The path of the store's data."""
    return tmp_path / "shelf"


@pytest.fixture
def daemon(tmp_path: Path, place: Path, environment: dict[str, str]) -> Iterator[Daemon]:
    running = Daemon(tmp_path, "--store", f"toy:{place}", environment=environment)
    running.start()
    yield running
    running.close()


def write(daemon: Daemon, value: int) -> int:
    """Set the key of an agent, and return the revision."""
    with insecure_channel(daemon.address) as channel:
        request = pb.SetEntryRequest(agent_id="ann", key="k", value_json=f"{value}")
        return pb_grpc.WorkingMemoryServiceStub(channel).SetEntry(request).revision


def read(daemon: Daemon) -> tuple[str, int]:
    with insecure_channel(daemon.address) as channel:
        answer = pb_grpc.WorkingMemoryServiceStub(channel).GetEntry(pb.GetEntryRequest(agent_id="ann", key="k"))
        return answer.entry.value_json, answer.revision


def run(*arguments: str, environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [MEMORYD, *arguments],
        capture_output=True,
        text=True,
        timeout=WAIT_S_MAX,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.whole
def test_acknowledged_writes_survive_a_kill(daemon: Daemon) -> None:
    for value in range(1, 51):
        assert write(daemon, value) == value
    daemon.kill()
    daemon.start()
    assert read(daemon) == ("50", 50)
    assert write(daemon, 51) == 51


def test_the_server_info_has_the_store_and_its_durability(daemon: Daemon) -> None:
    with insecure_channel(daemon.address) as channel:
        info = server_grpc.ServerServiceStub(channel).GetServerInfo(server_pb.GetServerInfoRequest())
    assert (info.backend, info.durability) == ("toy", server_pb.DURABILITY_JOURNALED)


@pytest.mark.whole
def test_a_second_daemon_cannot_use_the_stores_directory(daemon: Daemon, place: Path, tmp_path: Path) -> None:
    refused = run(
        *("serve", "--listen", "127.0.0.1:0", "--data-dir", str(tmp_path / "other"), "--store", f"toy:{place}"),
        environment=daemon.environment,
    )
    assert refused.returncode == 1
    assert f"{place} is in use by process {daemon.pid}" in refused.stderr


@pytest.mark.whole
def test_agents_can_be_migrated_from_and_to_the_store(
    daemon: Daemon, place: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    write(daemon, 7)
    for source, target in (
        (f"toy:{place}", f"sqlite:{tmp_path / 'b'}"),
        (f"sqlite:{tmp_path / 'b'}", f"toy:{tmp_path / 'c'}"),
    ):
        moved = run("migrate", "--from", source, "--to", target, environment=environment)
        assert (moved.returncode, moved.stderr) == (0, "")
        assert moved.stdout.startswith("source and target have the same 1 agent with 1 record, ")
    missing = run("migrate", "--from", f"toy:{tmp_path}", "--to", f"toy:{tmp_path / 'd'}", environment=environment)
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "toy.log" in missing.stderr


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--durability", "synced"], "durability: must be one that the store offers: journaled"),
        (["--workers", "2"], "workers: more than 1 requires a store that processes can share"),
    ],
)
def test_a_setting_that_the_store_does_not_support_is_refused(
    flags: list[str], message: str, environment: dict[str, str]
) -> None:
    refused = run("config", "--store", "toy", *flags, environment=environment)
    assert refused.returncode == 1
    assert message in refused.stderr


def test_the_scheme_of_a_store_that_is_not_installed_is_unknown() -> None:
    refused = run("config", "--store", "toy", environment={})
    assert refused.returncode == 1
    assert "store: must begin with the scheme of an installed store: memory, redis, " in refused.stderr


@pytest.mark.whole
def test_the_store_passes_the_suite_in_its_own_project(project: Path, environment: dict[str, str]) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert ran.returncode == 0, ran.stdout
    assert " passed" in ran.stdout.splitlines()[-1]


BREAKS = {
    "a commit is not written": ("            self._write(Committed(commit, future.result()))\n", "            pass\n"),
    "what was pruned comes back": ("            self._write(Pruned(rows_max, since_time))\n", "            pass\n"),
    "what was replaced stays in the file": (
        "        self._changes = _without_what_is_gone(",
        "        _without_what_is_gone(",
    ),
    "the store forgets who it is": (
        "                self.store_id = store_id\n",
        "                self.store_id = secrets.token_hex(16)\n",
    ),
}


@pytest.mark.whole
@pytest.mark.parametrize("broken", BREAKS)
def test_the_suite_fails_for_a_broken_store(project: Path, tmp_path: Path, broken: str) -> None:
    copy = Path(shutil.copytree(project, tmp_path / "project"))
    source = copy / "toy_store.py"
    before, after = BREAKS[broken]
    text = source.read_text("utf-8")
    assert text.count(before) == 1
    source.write_text(text.replace(before, after), "utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", "not random"],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(copy)},
    )
    assert ran.returncode == 1, ran.stdout
    assert "1 failed" in ran.stdout
