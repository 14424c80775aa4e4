"""A forked daemon is to its tests what an executed one is."""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.daemon import COMMAND, Daemon
from tests.nursery.nursery import Nursery, Process, start
from tests.wait import WAIT_S_MAX, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="daemons are forked on Linux only")

STARTS = ["forked", "executed"]


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    """A nursery that forks in any case."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("MEMORYD_TEST_EXECUTED", "COVERAGE_PROCESS_CONFIG"):
            patch.delenv(name, raising=False)
        with Nursery() as nursery:
            yield nursery


def starter(nursery: Nursery, way: str) -> Callable[..., Process]:
    return nursery.start if way == "forked" else start


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def descriptors_of(daemon: Daemon) -> list[str]:
    """Return what the descriptors of a daemon are, without the numbers of sockets and pipes and its own folder."""
    places = [each.readlink() for each in Path(f"/proc/{daemon.pid}/fd").iterdir()]
    return sorted(str(place).partition(":[")[0].replace(str(daemon.directory), "") for place in places)


def run_to_its_end(
    nursery: Nursery, folder: Path, way: str, arguments: Sequence[str], variables: Mapping[str, str]
) -> tuple[int, str]:
    """Run a command, and return its exit code and what it printed."""
    output = folder / "output"
    with output.open("wb") as file:
        process = starter(nursery, way)([COMMAND, *arguments], file, {**os.environ, **variables})
    return process.wait(WAIT_S_MAX), output.read_text()


@pytest.fixture(params=STARTS)
def daemon(request: pytest.FixtureRequest, nursery: Nursery, tmp_path: Path) -> Iterator[Daemon]:
    """A daemon of either sort that runs."""
    daemon = Daemon(tmp_path, "--durability", "memory")
    daemon.launch = starter(nursery, request.param)
    daemon.start()
    yield daemon
    daemon.close()


def test_a_daemon_of_the_tests_is_forked(nursery: Nursery, tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, "--durability", "memory")
    daemon.launch = nursery.start
    daemon.start()
    try:
        assert parent_of(daemon.pid) != os.getpid()
    finally:
        daemon.close()


def test_it_has_the_limits_of_the_test(nursery: Nursery, tmp_path: Path) -> None:
    limit = resource.RLIMIT_FSIZE
    soft, hard = resource.getrlimit(limit)
    resource.setrlimit(limit, (1 << 30, hard))
    daemon = Daemon(tmp_path, "--durability", "memory")
    daemon.launch = nursery.start
    try:
        daemon.start()
        assert resource.prlimit(daemon.pid, limit) == resource.getrlimit(limit)
    finally:
        resource.setrlimit(limit, (soft, hard))
        daemon.close()


def test_a_signal_ends_it_and_its_exit_code_is_known(daemon: Daemon) -> None:
    assert daemon.stop() == 0
    assert daemon.log.splitlines()[-1].endswith("stopped")
    daemon.start()
    daemon.kill()
    assert daemon.wait() == -signal.SIGKILL
    daemon.start()
    daemon.signal(signal.SIGINT)
    assert daemon.wait() == 0


def test_it_runs_until_it_is_ended(daemon: Daemon) -> None:
    assert daemon._process is not None
    assert daemon._process.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        daemon.wait(0)


def test_it_has_no_descriptor_that_an_executed_one_lacks(nursery: Nursery, tmp_path: Path) -> None:
    daemons = []
    with ExitStack() as stack:
        for way in STARTS:
            (tmp_path / way).mkdir()
            daemon = Daemon(tmp_path / way, "--durability", "memory")
            daemon.launch = starter(nursery, way)
            stack.callback(daemon.close)
            daemon.start()
            daemons.append(daemon)
        # Daemons open files for a moment, too.
        until(lambda: descriptors_of(daemons[0]) == descriptors_of(daemons[1]), "the same descriptors")


@pytest.mark.parametrize("way", STARTS)
def test_it_fails_as_the_command_does(nursery: Nursery, tmp_path: Path, way: str) -> None:
    code, output = run_to_its_end(nursery, tmp_path, way, ["serve", "--frobnicate"], {})
    assert code == 2
    assert output == "memoryd: No such option '--frobnicate'. See `memoryd serve --help`.\n"


@pytest.mark.parametrize("way", STARTS)
def test_it_has_the_directory_and_the_variables_of_the_test(
    nursery: Nursery, tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "memoryd.toml").write_text('durability = "journaled"\n')
    monkeypatch.chdir(tmp_path)
    variables = {"MEMORYD_LIMIT_ENTRY_BYTES": "77"}
    code, output = run_to_its_end(nursery, tmp_path, way, ["config", "--config", "memoryd.toml"], variables)
    assert code == 0, output
    assert "77" in output
    assert "journaled" in output
