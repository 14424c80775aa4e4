import logging

import pytest

from memoryd_server.domain.agent import command, result
from memoryd_server.domain.fragments.lease import Lease
from memoryd_server.engine.fragments.fragment_log import log_fragment_change

LEASE = Lease("token", 1, (1, 2))
CHANGES = [
    (command.FlushFragments(), result.FragmentsFlushed(3, 1), ["fragments flushed 3"]),
    (command.DeleteFragment("mem_1"), result.FragmentDeleted(True, 1), ["fragment deleted"]),
    (command.LeaseFragments("token", 1, 1), result.FragmentsLeased(LEASE, 1), ["fragments leased 2"]),
    (command.RenewLease("token", 1), result.FragmentsLeased(LEASE, 1), ["fragments held for longer 2"]),
    (command.LeaseFragments("token", 1, 1), result.FragmentsLeased(None, 1), []),
    (command.AcknowledgeFragments("token"), result.FragmentsSettled(2, 1), ["fragments acknowledged 2"]),
    (command.ReleaseFragments("token"), result.FragmentsSettled(2, 1), ["fragments released 2"]),
    (command.ClearFragments(), result.FragmentsCleared(4, 1), ["fragments cleared 4"]),
]


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [f"{record.getMessage()} {vars(record).get('count', '')}".strip() for record in caplog.records]


@pytest.mark.parametrize(("requested", "done", "lines"), CHANGES)
def test_each_change_is_told_with_its_count(
    requested: command.Command, done: result.Result, lines: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "memoryd.fragments")
    log_fragment_change("a", requested, done)
    assert logged(caplog) == lines
    assert "token" not in caplog.text


def test_a_fragment_is_told_by_its_id_and_never_by_its_content(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "memoryd.fragments")
    stored = result.FragmentStored("mem_1", 9, 0, 5, 1)
    log_fragment_change("a", command.FlushFragments(), stored)
    assert logged(caplog) == ["fragment stored", "fragments flushed 5"]
    assert vars(caplog.records[0])["fragment_id"] == "mem_1"


def test_only_clearing_is_told_where_details_are_not_wanted(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "memoryd.fragments")
    for requested, done, _ in CHANGES:
        log_fragment_change("a", requested, done)
    assert logged(caplog) == ["fragments cleared 4"]
