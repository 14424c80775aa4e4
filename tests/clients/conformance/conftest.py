"""Fixtures of the tests that every language's client must pass. MEMORYD_TEST_LANGUAGES names the languages."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.clients.language import LANGUAGES, Language
from tests.clients.program import Program
from tests.daemon import Daemon, insecure_channel
from tests.integration.wire import Wire

CHOSEN = [LANGUAGES[name] for name in os.environ.get("MEMORYD_TEST_LANGUAGES", "python").split(",")]


@pytest.fixture(params=CHOSEN, ids=lambda language: language.name)
def language(request: pytest.FixtureRequest) -> Language:
    """Return each of the languages in turn."""
    chosen: Language = request.param
    return chosen


@pytest.fixture(scope="session")
def languages() -> list[Language]:
    """Return all languages; a single one twice, so that there are at least two programs."""
    return CHOSEN if len(CHOSEN) > 1 else CHOSEN * 2


@pytest.fixture
def start() -> Iterator[Callable[..., Program]]:
    """Yield a function that starts programs, which end with the test."""
    with ExitStack() as programs:

        def started(language: Language, target: str, **connection: Any) -> Program:
            return programs.enter_context(Program(language, target, **connection))

        yield started


@pytest.fixture
def wire(shared_daemon: Daemon) -> Iterator[Wire]:
    """Yield the stubs of the daemon that most tests share."""
    with insecure_channel(shared_daemon.address) as channel:
        yield Wire(channel)


@pytest.fixture
def launch(tmp_path: Path) -> Iterator[Callable[..., Daemon]]:
    """Yield a function that starts daemons with given flags, which end with the test."""
    with ExitStack() as daemons:

        def launched(*flags: str, name: str = "daemon") -> Daemon:
            directory = tmp_path / name
            directory.mkdir()
            daemon = Daemon(directory, *flags)
            daemons.callback(daemon.close)
            daemon.start()
            return daemon

        yield launched
