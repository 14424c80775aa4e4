"""The division of the slow tests among pytest's workers: those of one file go to one worker.

They share what takes minutes to build. The groups of pytest-xdist 3.8 are not used for this: pytest 9.2 ignores them.
"""

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

SHARE_NOTHING = ("tests/attack/", "tests/clients/python/", "tests/faults/", "tests/fuzz/", "tests/integration/cost/")
"""The folders whose tests any worker runs, since each takes long and they have no costly fixture in common."""


def scope_of(test: str) -> str:
    """Return what the tests have in common that one worker must run: their file, or nothing but themselves."""
    return test if test.startswith(SHARE_NOTHING) else test.partition("::")[0]


class ByFile(LoadFileScheduling):  # type: ignore[misc]
    """pytest-xdist's distribution by file, but for the folders whose tests share nothing."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByFile | None:
    """Divide the tests by file with ``--dist loadfile``."""
    return ByFile(config, log) if config.getvalue("dist") == "loadfile" else None
