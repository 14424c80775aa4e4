"""Fixtures that every test may use."""

import os
import signal
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import hypothesis
import pytest
from tests.daemon import Daemon
from tests.nursery.nursery import Nursery

pytest_plugins = ["tests.valkey.fixture"]
if find_spec("xdist"):
    # The environments in which the adapters of frameworks are tested do not have it.
    pytest_plugins.append("tests.schedule")
collect_ignore = ["toy_store"]
"""A separate distribution, which tests/integration/test_third_party_store.py installs and tests."""

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell without job control starts background commands with SIGINT ignored. The commands that tests start would
    # inherit that, and Ctrl+C would never reach them.
    signal.signal(signal.SIGINT, signal.default_int_handler)

hypothesis.settings.register_profile(
    "memoryd",
    # An example may take any time: a slow machine is no failure.
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    # CI runs the same examples each time. Elsewhere they differ, and the code that reproduces a failure is printed.
    derandomize="CI" in os.environ,
    print_blob=True,
)
hypothesis.settings.load_profile("memoryd")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a slow test in a file that ``scripts/test --whole`` does not find: its marker comes from elsewhere."""
    for path in {item.path for item in items if item.get_closest_marker("whole")}:
        if not path.name.startswith("test_") or "mark.whole" not in path.read_text():
            raise pytest.UsageError(f"{path}: write the marker whole in this file")


@pytest.fixture(scope="session", autouse=True)
def nursery() -> Iterator[None]:
    """The process from which daemons are forked."""
    with Nursery() as nursery, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Daemon, "launch", nursery.start)
        yield


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    """A running daemon with the default settings, for one test."""
    running = Daemon(tmp_path)
    running.start()
    yield running
    running.close()


@pytest.fixture(scope="session")
def shared_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A running daemon for tests that use agents of their own and do not restart it."""
    running = Daemon(tmp_path_factory.mktemp("shared"))
    running.start()
    yield running
    running.close()
