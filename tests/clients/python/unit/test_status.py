from datetime import UTC, datetime, timedelta

import grpc
import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from memoryd import errors
from memoryd.protocol.status import DETAILS_KEY, ERROR_BY_CODE, ERROR_BY_REASON, error_from
from memoryd.v1.error_reason_pb2 import ErrorReason

TARGET = "127.0.0.1:7600"


def metadata_with(*details: Message) -> list[tuple[str, str | bytes]]:
    status = status_pb2.Status(code=0, message="")
    for detail in details:
        packed = AnyMessage()
        packed.Pack(detail)
        status.details.append(packed)
    return [("other", "text"), (DETAILS_KEY, status.SerializeToString())]


def info(reason: str, domain: str = "memoryd", **metadata: str) -> error_details_pb2.ErrorInfo:
    return error_details_pb2.ErrorInfo(reason=reason, domain=domain, metadata=metadata)


def test_every_reason_of_the_contract_has_an_error() -> None:
    assert set(ERROR_BY_REASON) == set(ErrorReason.keys()) - {"ERROR_REASON_UNSPECIFIED"}


def test_every_status_but_ok_has_an_error() -> None:
    assert set(ERROR_BY_CODE) == set(grpc.StatusCode) - {grpc.StatusCode.OK}


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    printed = [line.strip(" │├└─").split(" ")[0] for line in (errors.__doc__ or "").splitlines() if "─" in line]
    defined = [
        name
        for name, found in vars(errors).items()
        if isinstance(found, type) and found is not errors.MemorydError and not name.startswith("_")
    ]
    assert sorted(printed) == sorted(name for name in defined if issubclass(getattr(errors, name), errors.MemorydError))


@pytest.mark.parametrize("reason", sorted(ERROR_BY_REASON))
def test_the_reason_determines_the_error_and_is_kept_in_it(reason: str) -> None:
    error = error_from(grpc.StatusCode.UNKNOWN, "why", metadata_with(info(reason, key="k")), TARGET)
    assert type(error) is ERROR_BY_REASON[reason]
    assert (error.reason, error.metadata, error.message) == (reason, {"key": "k"}, "why")


@pytest.mark.parametrize("code", sorted(ERROR_BY_CODE, key=str))
def test_without_a_reason_the_status_chooses_the_error(code: grpc.StatusCode) -> None:
    error = error_from(code, "why", None, TARGET)
    assert type(error) is ERROR_BY_CODE[code]
    assert (error.code, error.reason, error.metadata) == (code, "", {})


def test_a_reason_of_a_newer_server_falls_back_to_the_status() -> None:
    details = metadata_with(info("ERROR_REASON_OF_TOMORROW", cause="new"))
    error = error_from(grpc.StatusCode.ABORTED, "why", details, TARGET)
    assert type(error) is errors.Aborted
    assert (error.reason, error.metadata) == ("ERROR_REASON_OF_TOMORROW", {"cause": "new"})


def test_a_reason_of_another_domain_is_ignored() -> None:
    details = metadata_with(info("ERROR_REASON_SCOPE_DISPOSED", domain="example.com"))
    assert type(error_from(grpc.StatusCode.NOT_FOUND, "why", details, TARGET)) is errors.NotFound


def test_invalid_fields_are_named() -> None:
    bad = error_details_pb2.BadRequest()
    bad.field_violations.add(field="key", description="is blank")
    details = metadata_with(info("ERROR_REASON_INVALID_FIELD", field="key"), bad)
    error = error_from(grpc.StatusCode.INVALID_ARGUMENT, "key: is blank", details, TARGET)
    assert isinstance(error, errors.InvalidArgument)
    assert error.fields == {"key": "is blank"}


def test_the_servers_retry_delay_is_read_in_seconds() -> None:
    retry = error_details_pb2.RetryInfo(retry_delay=Duration(seconds=1, nanos=500_000_000))
    details = metadata_with(info("ERROR_REASON_DRAINING"), retry)
    assert error_from(grpc.StatusCode.UNAVAILABLE, "", details, TARGET).retry_delay == 1.5


def test_damaged_details_leave_the_status() -> None:
    error = error_from(grpc.StatusCode.NOT_FOUND, "why", [(DETAILS_KEY, b"\xff\xff")], TARGET)
    assert type(error) is errors.NotFound


def test_an_unreachable_server_is_named() -> None:
    text = "failed to connect to all addresses; last error: UNKNOWN: ipv4:127.0.0.1:1: Connection refused (111)"
    message = error_from(grpc.StatusCode.UNAVAILABLE, text, None, TARGET).message
    assert message == f"no answer from memoryd at {TARGET}: nothing listens there"


def test_an_unusual_cause_is_named_as_it_is() -> None:
    assert error_from(grpc.StatusCode.UNAVAILABLE, "odd", None, TARGET).message.endswith(": odd")


def test_numbers_in_the_metadata_are_read() -> None:
    details = metadata_with(info("ERROR_REASON_REVISION_MISMATCH", expected_revision="3", actual_revision="7"))
    error = error_from(grpc.StatusCode.ABORTED, "", details, TARGET)
    assert isinstance(error, errors.RevisionMismatch)
    assert (error.expected_revision, error.actual_revision) == (3, 7)


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("QUOTA_EXCEEDED", grpc.StatusCode.RESOURCE_EXHAUSTED),
        ("OVERLOADED", grpc.StatusCode.RESOURCE_EXHAUSTED),
        ("TOO_LARGE", grpc.StatusCode.RESOURCE_EXHAUSTED),
    ],
)
def test_a_limit_is_named_with_its_value(reason: str, code: grpc.StatusCode) -> None:
    details = metadata_with(info(f"ERROR_REASON_{reason}", limit="entries_per_agent", value="10000"))
    error = error_from(code, "", details, TARGET)
    assert isinstance(error, ERROR_BY_CODE[code])
    assert isinstance(error, errors.QuotaExceeded | errors.Overloaded | errors.TooLarge)
    assert (error.limit, error.value) == ("entries_per_agent", 10_000)


def test_a_record_is_named_by_its_kind_and_id() -> None:
    named = {"agent_id": "a", "kind": "entry", "record_id": "plan", "scope_id": "s"}
    missing = error_from(
        grpc.StatusCode.NOT_FOUND, "", metadata_with(info("ERROR_REASON_RECORD_NOT_FOUND", **named)), ""
    )
    assert isinstance(missing, errors.RecordNotFound)
    assert (missing.kind, missing.record_id, missing.metadata) == ("entry", "plan", named)
    details = metadata_with(info("ERROR_REASON_RECORD_EXISTS", revision="7", **named))
    there = error_from(grpc.StatusCode.ALREADY_EXISTS, "", details, TARGET)
    assert isinstance(there, errors.RecordExists)
    assert (there.kind, there.record_id, there.revision) == ("entry", "plan", 7)


def test_the_problem_of_an_unreadable_document_is_read() -> None:
    details = metadata_with(info("ERROR_REASON_DOCUMENT_UNREADABLE", problem="is encrypted"))
    error = error_from(grpc.StatusCode.INVALID_ARGUMENT, "", details, TARGET)
    assert isinstance(error, errors.DocumentUnreadable)
    assert error.problem == "is encrypted"
    assert errors.DocumentUnreadable("unreadable").problem == ""


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("DOCUMENT_UNREADABLE", grpc.StatusCode.INVALID_ARGUMENT),
        ("PLAN_ENDED", grpc.StatusCode.FAILED_PRECONDITION),
        ("URL_NOT_ALLOWED", grpc.StatusCode.FAILED_PRECONDITION),
        ("SUMMARIZER_MISSING", grpc.StatusCode.FAILED_PRECONDITION),
        ("AUDIT_OFF", grpc.StatusCode.FAILED_PRECONDITION),
        ("SUMMARIZER_UNAVAILABLE", grpc.StatusCode.UNAVAILABLE),
        ("URL_UNREACHABLE", grpc.StatusCode.UNAVAILABLE),
        ("PROPOSER_UNAVAILABLE", grpc.StatusCode.UNAVAILABLE),
    ],
)
def test_a_reason_is_also_what_its_status_alone_would_be(reason: str, code: grpc.StatusCode) -> None:
    error = error_from(code, "why", metadata_with(info(f"ERROR_REASON_{reason}")), TARGET)
    assert isinstance(error, ERROR_BY_CODE[code])
    assert type(error) is not ERROR_BY_CODE[code]


def test_a_missing_number_is_none() -> None:
    error = errors.RevisionCompacted("gone", code=grpc.StatusCode.OUT_OF_RANGE)
    assert error.oldest_revision is None


def test_the_time_since_when_history_is_known_is_a_time_in_utc() -> None:
    details = metadata_with(info("ERROR_REASON_HISTORY_COMPACTED", oldest_time="2023-11-14T22:13:20.000001Z"))
    error = error_from(grpc.StatusCode.OUT_OF_RANGE, "", details, TARGET)
    assert isinstance(error, errors.HistoryCompacted)
    assert error.oldest_time == datetime.fromtimestamp(1_700_000_000, UTC) + timedelta(microseconds=1)
    assert errors.HistoryCompacted("gone").oldest_time is None
