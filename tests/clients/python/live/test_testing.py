"""memoryd.testing, used as by the tests of another program."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.daemon import COMMAND, Daemon
from tests.wait import PATIENT

import memoryd
from memoryd.testing import DaemonFailed, running_daemon
from memoryd.testing.process import address_of

ROOT = Path(__file__).parents[4]
TESTS = """
import sys

import memoryd

seen = set()

def test_an_agent_remembers(memoryd_agent):
    memoryd_agent.set("k", 1)
    assert memoryd_agent.get("k") == 1
    seen.add(memoryd_agent.agent_id)

def test_each_test_has_another_agent(memoryd_agent, memoryd_client):
    assert memoryd_agent.get("k") is None
    assert memoryd_agent.agent_id not in seen
    assert memoryd_client.server_info().version

async def test_the_same_for_asyncio(memoryd_aio_agent, memoryd_aio_client):
    await memoryd_aio_agent.set("k", 2)
    assert await memoryd_aio_agent.get("k") == 2
    assert (await memoryd_aio_client.server_info()).version
"""
LAZY = """
import sys

def test_nothing_is_imported():
    assert not {"grpc", "memoryd.sync", "memoryd_server", "memoryd.testing.process"} & set(sys.modules)
"""


def run_pytest(directory: Path, tests: str, *options: str, **environment: str) -> str:
    """Run tests in a new process with the plugin, which their conftest.py names. Return what pytest printed."""
    (directory / "conftest.py").write_text('pytest_plugins = ["memoryd.testing.plugin"]')
    (directory / "test_it.py").write_text(tests)
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", str(directory), str(directory)]
    command += options
    variables = {name: value for name, value in os.environ.items() if not name.startswith("MEMORYD_")}
    variables |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **environment}
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.whole
@pytest.mark.parametrize("kind", ["within the process", "process", "shared"])
def test_tests_get_a_client_and_an_agent_of_their_own(kind: str, tmp_path: Path, shared_daemon: Daemon) -> None:
    with memoryd.connect(shared_daemon.address, **PATIENT) as client:
        before = {agent.agent_id for agent in client.agents()}
        environment = {
            "within the process": {},
            "process": {"MEMORYD_TEST_COMMAND": str(COMMAND)},
            "shared": {"MEMORYD_TEST_ADDRESS": shared_daemon.address},
        }[kind]
        printed = run_pytest(tmp_path, TESTS, "-p", "pytest_asyncio.plugin", "-o", "asyncio_mode=auto", **environment)
        assert "3 passed" in printed
        # What tests left in a daemon of others is erased.
        assert {agent.agent_id for agent in client.agents()} == before


def test_the_plugin_imports_no_client_before_it_is_used(tmp_path: Path) -> None:
    assert "1 passed" in run_pytest(tmp_path, LAZY)


def test_a_daemon_lasts_as_long_as_its_block(monkeypatch: pytest.MonkeyPatch) -> None:
    # A setting of the environment, which the daemon of a test does not take.
    monkeypatch.setenv("MEMORYD_LIMIT_ENTRY_BYTES", "1")
    with running_daemon("--embedder", "none") as daemon:
        assert os.environ["MEMORYD_LIMIT_ENTRY_BYTES"] == "1"
        with daemon.connect() as client:
            client.agent(daemon.new_agent_id()).set("k", "longer than a byte")
    with (
        daemon.connect(connect_timeout=0.1) as late,  # time: nobody answers
        pytest.raises(memoryd.errors.Unavailable),
    ):
        late.server_info()


def test_a_process_is_given_further_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYD_TEST_COMMAND", str(COMMAND))
    with running_daemon("--embedder", "none", "--limit-entry-bytes", "100") as daemon, daemon.connect() as client:
        agent = client.agent(daemon.new_agent_id())
        with pytest.raises(memoryd.errors.TooLarge):
            agent.set("k", "x" * 200)


@pytest.mark.parametrize(
    ("command", "flags", "problem"),
    [("/nowhere/memoryd", (), "set MEMORYD_TEST_COMMAND"), (str(COMMAND), ("--no-such-flag",), "no-such-flag")],
)
def test_a_daemon_that_does_not_start_is_explained(
    command: str, flags: tuple[str, ...], problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYD_TEST_COMMAND", command)
    with pytest.raises(DaemonFailed, match=problem), running_daemon(*flags):
        pass


def test_the_address_is_that_of_the_line_about_serving() -> None:
    assert address_of('{"message": "serving", "listen": "127.0.0.1:1"}') == "127.0.0.1:1"
    for line in ("", "serving", "[]", '{"message": "draining", "listen": "127.0.0.1:1"}'):
        assert address_of(line) is None
