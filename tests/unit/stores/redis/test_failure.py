import logging

import pytest
from redis import exceptions

from memoryd_server.domain.error import DataDamaged, Refusal, StorageFull, StoreUnavailable
from memoryd_server.stores.redis.failure import is_redirection, is_transient, refusal_of

PASSING = [
    exceptions.AskError("1 a:1"),
    exceptions.MovedError("1 a:1"),
    exceptions.TryAgainError("Multiple keys request during rehashing of slot"),
    exceptions.ClusterDownError("The cluster is down"),
    exceptions.MasterDownError("Link with MASTER is down"),
    exceptions.ReadOnlyError("You can't write against a read only replica."),
    exceptions.BusyLoadingError("Redis is loading the dataset in memory"),
    exceptions.NoScriptError("No matching script."),
    exceptions.ConnectionError("Connection closed by server."),
    exceptions.TimeoutError("Timeout"),
    exceptions.ResponseError("NOREPLICAS Not enough good replicas to write."),
    exceptions.ResponseError("BUSY Redis is busy running a script."),
    exceptions.ResponseError("UNBLOCKED force unblock from blocking operation"),
    ConnectionRefusedError(),
    TimeoutError(),
]
LASTING = [
    exceptions.AuthenticationError("invalid username-password pair"),
    exceptions.AuthorizationError(""),
    exceptions.NoPermissionError("this user has no permissions to run the 'xadd' command"),
    exceptions.OutOfMemoryError("command not allowed when used memory > 'maxmemory'."),
    exceptions.ResponseError("WRONGTYPE Operation against a key holding the wrong kind of value"),
    exceptions.InvalidResponse("Protocol error"),
    ValueError(),
]


def name(error: Exception) -> str:
    return type(error).__name__


@pytest.mark.parametrize("error", PASSING, ids=name)
def test_what_may_pass_is_tried_again_and_then_unavailable(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    assert is_transient(error)
    assert isinstance(refusal_of(error), StoreUnavailable)
    (record,) = caplog.records
    assert (record.levelno, vars(record)["error"]) == (logging.WARNING, str(error) or name(error))


@pytest.mark.parametrize("error", LASTING, ids=name)
def test_what_lasts_is_not_tried_again(error: Exception) -> None:
    assert not is_transient(error)


@pytest.mark.parametrize("error", [each for each in LASTING if name(each) != "OutOfMemoryError"], ids=name)
def test_what_an_operator_must_mend_is_logged(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    assert {type(refusal_of(error)) for _ in range(3)} == {StoreUnavailable}
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def test_who_may_have_moved_is_asked_for() -> None:
    moved = [each for each in PASSING if is_redirection(each)]
    assert [name(each) for each in moved] == [
        "MovedError",
        "ClusterDownError",
        "MasterDownError",
        "ReadOnlyError",
        "BusyLoadingError",
        "ConnectionError",
        "TimeoutError",
        "ConnectionRefusedError",
        "TimeoutError",
    ]


def test_no_memory_is_no_room_unless_an_earlier_attempt_may_have_found_some(caplog: pytest.LogCaptureFixture) -> None:
    full = exceptions.OutOfMemoryError("command not allowed when used memory > 'maxmemory'.")
    assert isinstance(refusal_of(full), StorageFull)
    assert not caplog.records
    assert isinstance(refusal_of(full, is_uncertain=True), StoreUnavailable)
    assert "maxmemory" in vars(caplog.records[0])["error"]


def test_a_refusal_stays_what_it_is() -> None:
    refusal: Refusal = DataDamaged("a")
    assert refusal_of(refusal) is refusal
