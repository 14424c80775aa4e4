"""The error tree, the contract's reasons and the wire's table name the same things."""

import inspect
import re
from pathlib import Path

import grpc
import pytest
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2

from memoryd.v1.error_reason_pb2 import ErrorReason
from memoryd_server.domain import error
from memoryd_server.transport.error import STATUS_CODES, abort, abort_internal

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
}
REFUSALS = [each for _, each in inspect.getmembers(error, inspect.isclass) if issubclass(each, error.Refusal)]
LEAVES = [each for each in REFUSALS if each is not error.Refusal]
PROTO = Path(__file__).parents[3] / "protos/memoryd/v1/error_reason.proto"


class EndedError(Exception):
    """What a fake context ends a call with."""


class Context:
    async def abort(self, code: grpc.StatusCode, message: str, trailers: tuple[tuple[str, bytes], ...]) -> None:
        ((_, data),) = trailers
        raise EndedError(code, message, status_pb2.Status.FromString(data))


def made(refusal: type[error.Refusal]) -> error.Refusal:
    parameters = inspect.signature(refusal.__init__).parameters
    return refusal(*(ARGUMENTS.get(name, name) for name in list(parameters)[1:]))


def documented(reason: str) -> tuple[str, set[str]]:
    """The status code and the metadata keys that the contract's comment on a reason names."""
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


def unpacked(status: status_pb2.Status, kind: type) -> list[object]:
    found = []
    for detail in status.details:
        message = kind()
        if any_pb2.Any.Is(detail, kind.DESCRIPTOR) and detail.Unpack(message):
            found.append(message)
    return found


async def ending_of(refusal: error.Refusal) -> tuple[grpc.StatusCode, str, status_pb2.Status]:
    with pytest.raises(EndedError) as ended:
        await abort(Context(), refusal)  # type: ignore[arg-type]
    code, message, status = ended.value.args
    return code, message, status


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
async def test_a_refusal_is_told_as_the_contract_says(refusal: type[error.Refusal]) -> None:
    raised = made(refusal)
    code, message, status = await ending_of(raised)
    documented_code, documented_keys = documented(refusal.reason)
    assert code.name == documented_code
    assert set(raised.metadata) == documented_keys
    assert status.code == code.value[0]
    assert message == status.message == str(raised) != ""
    (info,) = unpacked(status, error_details_pb2.ErrorInfo)
    assert (info.reason, info.domain) == (f"ERROR_REASON_{refusal.reason}", "memoryd")
    assert dict(info.metadata) == raised.metadata
    assert bool(unpacked(status, error_details_pb2.RetryInfo)) == (code is grpc.StatusCode.UNAVAILABLE)
    assert bool(unpacked(status, error_details_pb2.BadRequest)) == (refusal is error.InvalidField)


async def test_a_bad_field_is_named_with_what_is_wrong() -> None:
    _, _, status = await ending_of(error.InvalidField("key", "must not be blank"))
    (bad,) = unpacked(status, error_details_pb2.BadRequest)
    assert [(each.field, each.description) for each in bad.field_violations] == [("key", "must not be blank")]


async def test_a_defect_tells_nothing_from_inside() -> None:
    with pytest.raises(EndedError) as ended:
        await abort_internal(Context())  # type: ignore[arg-type]
    code, message, status = ended.value.args
    assert (code, message) == (grpc.StatusCode.INTERNAL, "internal error")
    (info,) = unpacked(status, error_details_pb2.ErrorInfo)
    assert (info.reason, dict(info.metadata)) == ("ERROR_REASON_INTERNAL", {})


def test_what_is_not_known_is_left_out_of_the_metadata() -> None:
    assert error.RevisionCompacted().metadata == {}
    assert error.AgentForbidden("").metadata == {}
    assert error.HistoryLost().metadata == {}
