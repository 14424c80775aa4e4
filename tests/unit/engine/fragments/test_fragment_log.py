import logging

import pytest

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.fragments.fragment_change import (
    ClearFragments,
    DeleteFragment,
    FlushFragments,
    FragmentCreated,
    FragmentDeleted,
    FragmentsCleared,
    FragmentsFlushed,
)
from memoryd_server.domain.fragments.lease import Lease
from memoryd_server.domain.fragments.lease_change import (
    AcknowledgeFragments,
    FragmentsLeased,
    FragmentsSettled,
    LeaseFragments,
    ReleaseFragments,
    RenewLease,
)
from memoryd_server.engine.fragments.fragment_log import log_fragment_change

LEASE = Lease("token", 1, (1, 2))
CHANGES = [
    (FlushFragments(), FragmentsFlushed(3, 1), ["fragments flushed 3"]),
    (DeleteFragment("mem_1"), FragmentDeleted(True, 1), ["fragment deleted"]),
    (LeaseFragments("token", 1, 1), FragmentsLeased(LEASE, 1), ["fragments leased 2"]),
    (RenewLease("token", 1), FragmentsLeased(LEASE, 1), ["fragment lease renewed 2"]),
    (LeaseFragments("token", 1, 1), FragmentsLeased(None, 1), []),
    (AcknowledgeFragments("token"), FragmentsSettled(2, 1), ["fragments acknowledged 2"]),
    (ReleaseFragments("token"), FragmentsSettled(2, 1), ["fragments released 2"]),
    (ClearFragments(), FragmentsCleared(4, 1), ["fragments cleared 4"]),
]


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [f"{record.getMessage()} {vars(record).get('count', '')}".strip() for record in caplog.records]


@pytest.mark.parametrize(("requested", "done", "lines"), CHANGES)
def test_each_change_is_logged_with_its_count(
    requested: Command, done: Result, lines: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "memoryd.fragments")
    log_fragment_change("a", requested, done)
    assert logged(caplog) == lines
    assert "token" not in caplog.text


def test_a_fragment_is_logged_with_its_id_and_never_its_content(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "memoryd.fragments")
    stored = FragmentCreated("mem_1", 7, 9, 0, 5, 1)
    log_fragment_change("a", FlushFragments(), stored)
    assert logged(caplog) == ["fragment created", "fragments flushed 5"]
    assert vars(caplog.records[0])["fragment_id"] == "mem_1"


def test_only_clearing_is_logged_at_level_info(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "memoryd.fragments")
    for requested, done, _ in CHANGES:
        log_fragment_change("a", requested, done)
    assert logged(caplog) == ["fragments cleared 4"]
