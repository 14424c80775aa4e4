import click
import grpc
import pytest

from memoryd import errors
from memoryd_server.ops.cli.client.failure import failed

REFUSED = (
    "no answer from memoryd at {}: failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:1: "
    "Failed to connect to remote host: Connection refused"
)


def unavailable(message: str) -> errors.Unavailable:
    return errors.Unavailable(message, code=grpc.StatusCode.UNAVAILABLE)


@pytest.mark.parametrize("address", ["127.0.0.1:1", "localhost:1", "[::1]:1", "unix:/run/memoryd.sock"])
def test_a_daemon_that_is_not_there_is_named_with_how_to_start_one(address: str) -> None:
    ended = failed(unavailable(REFUSED.format(address)))
    assert ended.exit_code == 69
    assert ended.message == (
        f"no daemon answers at {address} (Connection refused): start one with `memoryd serve --listen {address}`, "
        "or set --address"
    )


def test_nobody_starts_a_daemon_on_another_machine_from_here() -> None:
    ended = failed(unavailable(REFUSED.format("example.org:7600")))
    assert "no daemon answers at example.org:7600 (Connection refused): set --address" in ended.message


def test_the_cause_is_in_the_words_of_the_client() -> None:
    words = "no answer from memoryd at h:1: the TLS handshake failed"
    assert "no daemon answers at h:1 (the TLS handshake failed)" in failed(unavailable(words)).message


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (errors.InvalidArgument("key: must not be blank", reason="ERROR_REASON_INVALID_FIELD"), 1, "INVALID_FIELD"),
        (errors.Draining("the server is draining", reason="ERROR_REASON_DRAINING"), 69, "DRAINING"),
        (errors.Overloaded("try again later", reason="ERROR_REASON_OVERLOADED"), 75, "OVERLOADED"),
        (errors.QuotaExceeded("delete data first", reason="ERROR_REASON_QUOTA_EXCEEDED"), 1, "QUOTA_EXCEEDED"),
        (errors.Unimplemented("no such method", code=grpc.StatusCode.UNIMPLEMENTED), 1, "gRPC status UNIMPLEMENTED"),
    ],
)
def test_the_line_ends_with_the_reason(error: errors.MemorydError, code: int, line: str) -> None:
    ended = failed(error)
    assert ended.exit_code == code
    assert ended.message.endswith(f" ({line})")


def test_a_call_without_an_answer_in_time_ends_with_a_remedy() -> None:
    ended = failed(errors.DeadlineExceeded("Deadline Exceeded", code=grpc.StatusCode.DEADLINE_EXCEEDED))
    assert (ended.exit_code, ended.message) == (69, "the daemon did not respond in time; raise --timeout")


def test_a_failure_before_the_call_has_no_reason() -> None:
    assert failed(errors.UnsupportedValue("too deep")).message == "too deep"


def test_a_caller_without_a_token_learns_where_to_put_one() -> None:
    error = errors.Unauthenticated("no token", reason="ERROR_REASON_UNAUTHENTICATED")
    assert failed(error).message == (
        "no token: set MEMORYD_TOKEN, or see --token-from and --cert-file (UNAUTHENTICATED)"
    )


def test_an_address_that_is_none_is_wrong_usage() -> None:
    assert isinstance(failed(errors.InvalidTarget("the address is none")), click.UsageError)
