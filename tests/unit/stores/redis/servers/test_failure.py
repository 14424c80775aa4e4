import logging

import pytest
from redis import exceptions

from memoryd_server.domain.error import DataDamaged, Refusal, StorageFull, StoreUnavailable
from memoryd_server.stores.redis.servers.failure import is_redirection, is_transient, refusal_of

TRANSIENT = [
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
PERMANENT = [
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


@pytest.mark.parametrize("error", TRANSIENT, ids=name)
def test_a_transient_error_is_retried_and_then_unavailable(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    assert is_transient(error)
    assert isinstance(refusal_of(error), StoreUnavailable)
    (record,) = caplog.records
    assert (record.levelno, vars(record)["error"]) == (logging.WARNING, str(error) or name(error))


@pytest.mark.parametrize("error", PERMANENT, ids=name)
def test_a_permanent_error_is_not_retried(error: Exception) -> None:
    assert not is_transient(error)


@pytest.mark.parametrize("error", [each for each in PERMANENT if name(each) != "OutOfMemoryError"], ids=name)
def test_a_permanent_error_is_logged_once(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    assert {type(refusal_of(error)) for _ in range(3)} == {StoreUnavailable}
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def test_an_error_of_a_moved_server_is_a_redirection() -> None:
    moved = [each for each in TRANSIENT if is_redirection(each)]
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


def test_a_full_server_is_certain_only_without_an_earlier_attempt(caplog: pytest.LogCaptureFixture) -> None:
    full = exceptions.OutOfMemoryError("command not allowed when used memory > 'maxmemory'.")
    assert isinstance(refusal_of(full), StorageFull)
    assert not caplog.records
    assert isinstance(refusal_of(full, is_uncertain=True), StoreUnavailable)
    assert "maxmemory" in vars(caplog.records[0])["error"]


def test_a_refusal_is_returned_unchanged() -> None:
    refusal: Refusal = DataDamaged("a")
    assert refusal_of(refusal) is refusal
