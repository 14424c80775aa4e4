"""The error tree, the contract's reasons, their numbers and the table of status codes agree."""

import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2

from memoryd.v1.error_reason_pb2 import ErrorReason
from memoryd_server.domain import error
from memoryd_server.domain.agent.collection_part import CollectionPart
from memoryd_server.domain.fragments.fragment_part import FRAGMENTS
from memoryd_server.domain.kinds import PARTS
from memoryd_server.domain.limit import METHOD_CHARS_MAX
from memoryd_server.domain.memories.memory_link import LinkType, link_name
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.plans.plan_record import STEP_RECORD
from memoryd_server.domain.record_kind import RecordKind
from memoryd_server.transport.error import STATUS_CODES, internal_status, status_of
from memoryd_server.transport.limit import ERROR_TEXT_BYTES_MAX, RETRY_DELAY_MS
from memoryd_server.transport.status import StatusCode

ARGUMENTS = {
    "field": "f",
    "description": "d",
    "found": 2,
    "supported": 1,
    "limit": "l",
    "value": 3,
    "expected": 4,
    "actual": 5,
    "revision": 6,
    "oldest_revision": 7,
    "oldest_time": 8,
    "delay_ms": 9,
}
REFUSALS = [each for _, each in inspect.getmembers(error, inspect.isclass) if issubclass(each, error.Refusal)]
LEAVES = [each for each in REFUSALS if each is not error.Refusal]
PROTO = Path(__file__).parents[3] / "protos/memoryd/v1/error_reason.proto"


def made(refusal: type[error.Refusal]) -> error.Refusal:
    parameters = inspect.signature(refusal.__init__).parameters
    given = [each for each in list(parameters.values())[1:] if each.kind is not each.VAR_KEYWORD]
    return refusal(*(ARGUMENTS.get(each.name, each.name) for each in given))


def documented(reason: str) -> tuple[str, set[str]]:
    """Return the status code and the metadata keys that the contract's comment on a reason names."""
    lines = PROTO.read_text("utf-8").splitlines()
    end = next(index for index, line in enumerate(lines) if line.strip().startswith(f"ERROR_REASON_{reason} ="))
    start = next(index for index in range(end, 0, -1) if f"// ERROR_REASON_{reason}:" in lines[index])
    text = " ".join(line.strip().removeprefix("//").strip() for line in lines[start:end])
    keys = re.search(r"Metadata: ([^.]*)\.", text)
    code = re.search(r"[.)] ((?:[A-Z]+_?)+)[.,]", text)
    assert keys is not None
    assert code is not None
    named = keys[1].partition(", when")[0]
    return code[1], set() if named == "none" else {each.strip() for each in named.split(",")}


def unpacked(status: status_pb2.Status, kind: Any) -> list[Any]:
    found = []
    for detail in status.details:
        message = kind()
        if any_pb2.Any.Is(detail, kind.DESCRIPTOR) and detail.Unpack(message):
            found.append(message)
    return found


def details_of(refusal: error.Refusal) -> status_pb2.Status:
    return status_pb2.Status.FromString(status_of(refusal).details)


def test_every_reason_of_the_contract_has_one_refusal_or_is_internal() -> None:
    reasons = [each.reason for each in LEAVES]
    assert len(set(reasons)) == len(reasons)
    named = {name.removeprefix("ERROR_REASON_") for name in ErrorReason.keys()}  # noqa: SIM118 - an enum of protobuf
    assert named - set(reasons) == {"UNSPECIFIED", "INTERNAL"}
    assert set(reasons) <= named


def test_the_tables_of_refusals_are_complete() -> None:
    assert set(STATUS_CODES) == set(LEAVES)
    assert set(re.findall(r"[├└]── (.*)", error.__doc__ or "")) != set()
    listed = re.findall(r"\b[A-Z][a-z]+[A-Za-z]*\b", (error.__doc__ or "").partition("Refusal\n")[2])
    assert set(listed) == {each.__name__ for each in LEAVES}


@pytest.mark.parametrize("refusal", LEAVES, ids=lambda each: each.__name__)
def test_a_refusal_has_the_status_and_the_details_of_the_contract(refusal: type[error.Refusal]) -> None:
    raised = made(refusal)
    status, details = status_of(raised), details_of(raised)
    documented_code, documented_keys = documented(refusal.reason)
    assert status.code.name == documented_code
    assert set(raised.metadata) == documented_keys
    assert details.code == status.code
    assert status.message == details.message == str(raised) != ""
    (info,) = unpacked(details, error_details_pb2.ErrorInfo)
    assert (info.reason, info.domain) == (f"ERROR_REASON_{refusal.reason}", "memoryd")
    assert dict(info.metadata) == raised.metadata
    is_transient = status.code is StatusCode.UNAVAILABLE or refusal is error.Overloaded
    assert bool(unpacked(details, error_details_pb2.RetryInfo)) == is_transient
    assert bool(unpacked(details, error_details_pb2.BadRequest)) == (refusal is error.InvalidField)


@pytest.mark.parametrize("refusal", LEAVES, ids=lambda each: each.__name__)
def test_each_refusal_names_the_agent_of_the_request(refusal: type[error.Refusal]) -> None:
    raised = made(refusal)
    (info,) = unpacked(status_pb2.Status.FromString(status_of(raised, "a").details), error_details_pb2.ErrorInfo)
    assert dict(info.metadata) == {"agent_id": "a"} | raised.metadata


def test_the_number_of_a_reason_begins_with_that_of_its_status() -> None:
    codes = {each.reason: STATUS_CODES[each] for each in LEAVES} | {"INTERNAL": StatusCode.INTERNAL}
    numbers = {name.removeprefix("ERROR_REASON_"): number for name, number in ErrorReason.items() if number}
    assert {name: StatusCode(number // 100) for name, number in numbers.items()} == codes


def test_a_kind_of_record_in_an_error_is_a_word_of_the_contract() -> None:
    words = {kind.name.lower() for kind in RecordKind}
    assert {part.name for part in PARTS if isinstance(part, CollectionPart)} <= words
    assert {STEP_RECORD, MEMORIES.name, FRAGMENTS.name} <= words
    assert link_name("m1", "m2", LinkType.RELATED)["kind"] in words


@pytest.mark.parametrize(
    ("refusal", "message"),
    [
        (error.QuotaExceeded("notes_per_agent", 1_000), "limit notes_per_agent of 1,000 would be exceeded"),
        (
            error.QuotaExceeded("storage_bytes_per_agent", 1 << 30),
            "storage_bytes_per_agent of 1,073,741,824 bytes would",
        ),
        (
            error.TooLarge("note_bytes", 65_536),
            "larger than limit note_bytes allows, 65,536 bytes: send or ask",
        ),
        (error.Overloaded("concurrent_calls", 4_096), "limit concurrent_calls of 4,096 is reached: try again later"),
        (error.HistoryCompacted(1_700_000_000_000_000_001), "only since 2023-11-14T22:13:20.000001Z"),
        (error.HistoryCompacted(-1), "only since 1970-01-01T00:00:00.000000Z"),
        (error.RecordNotFound("a", "plan_step", "3", plan_id="p"), "agent 'a' has no plan step '3'"),
    ],
)
def test_a_message_has_the_units_of_the_contract(refusal: error.Refusal, message: str) -> None:
    assert message in refusal.message


def test_the_path_of_an_unknown_method_is_cut() -> None:
    assert len(error.MethodUnknown("/" + "x" * 9_999).metadata["method"]) == METHOD_CHARS_MAX


def test_an_invalid_field_is_named_with_a_description() -> None:
    (bad,) = unpacked(details_of(error.InvalidField("key", "must not be blank")), error_details_pb2.BadRequest)
    assert [(each.field, each.description) for each in bad.field_violations] == [("key", "must not be blank")]


def test_a_status_of_unavailable_has_a_retry_delay() -> None:
    (retry,) = unpacked(details_of(error.Draining()), error_details_pb2.RetryInfo)
    assert retry.retry_delay.ToMilliseconds() == RETRY_DELAY_MS


def test_the_status_of_a_defect_reveals_no_internals() -> None:
    status = internal_status()
    details = status_pb2.Status.FromString(status.details)
    assert (status.code, status.message) == (StatusCode.INTERNAL, "internal error")
    assert (details.code, details.message) == (StatusCode.INTERNAL, "internal error")
    (info,) = unpacked(details, error_details_pb2.ErrorInfo)
    assert (info.reason, info.domain, dict(info.metadata)) == ("ERROR_REASON_INTERNAL", "memoryd", {})
    (info,) = unpacked(status_pb2.Status.FromString(internal_status("a").details), error_details_pb2.ErrorInfo)
    assert dict(info.metadata) == {"agent_id": "a"}


def test_unknown_values_are_omitted_from_the_metadata() -> None:
    assert error.RevisionCompacted().metadata == {}
    assert error.AgentForbidden("").metadata == {}
    assert error.HistoryLost().metadata == {}


@pytest.mark.parametrize("value", ["x" * 10**6, "ü" * ERROR_TEXT_BYTES_MAX])
def test_the_text_of_an_error_fits_into_trailers_whatever_it_quotes(value: str) -> None:
    status = status_of(error.InvalidField("f", f"must not have {value!r}"))
    assert status.message.startswith("f: must not have '" + value[:9])
    assert status.message.endswith("…")
    assert len(status.message.encode()) <= ERROR_TEXT_BYTES_MAX + len("…".encode())
    assert len(status.details) <= 3 * ERROR_TEXT_BYTES_MAX
    assert status_of(error.InvalidField("f", "ü" * 600)).message == "f: " + "ü" * 600
