from typing import Any

import grpc
import pytest

from memoryd import errors
from memoryd.model.operation import OperationState
from memoryd.model.record import RecordKind
from memoryd.protocol.operation import RESULTS, Deadline, Progressing, operation_from
from memoryd.protocol.status import error_of
from memoryd.v1 import error_reason_pb2, operation_pb2
from memoryd.v1 import operation_service_pb2 as pb


def test_every_request_has_a_result() -> None:
    requests = pb.StartOperationRequest.DESCRIPTOR.oneofs_by_name["request"].fields
    assert [field.name for field in requests] == list(RESULTS)
    responses = operation_pb2.Operation.DESCRIPTOR.oneofs_by_name["response"].fields
    assert [(field.name, field.number) for field in responses] == [(field.name, field.number) for field in requests]


def operation(**fields: Any) -> Progressing[object]:
    return Progressing(operation_pb2.Operation(operation_id="o", **fields))


def test_a_cancelled_operation_has_no_result() -> None:
    cancelled = operation(state=operation_pb2.OPERATION_STATE_CANCELLED)
    assert cancelled.ended
    with pytest.raises(errors.Cancelled, match="'o' was cancelled"):
        cancelled.result()


def test_progress_without_a_total_has_none() -> None:
    progress = operation_pb2.OperationProgress(kind=4, done_count=2)  # type: ignore[arg-type]
    info = operation_from(operation_pb2.Operation(state=1, progress=progress))  # type: ignore[arg-type]
    assert info.state is OperationState.RUNNING
    assert info.progress is not None
    assert (info.progress.kind, info.progress.done_count, info.progress.total_count) == (RecordKind.MEMORY, 2, None)


def test_an_error_has_the_class_of_its_reason_and_else_of_its_code() -> None:
    reason = error_reason_pb2.ERROR_REASON_INVALID_FIELD
    invalid = error_of(3, "text: must not be blank", reason, {"field": "text"})
    assert isinstance(invalid, errors.InvalidArgument)
    assert (invalid.code, invalid.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "ERROR_REASON_INVALID_FIELD")
    assert invalid.fields == {"text": "text: must not be blank"}
    newer = error_of(5, "gone", 77_777, {})
    assert (type(newer), newer.code, newer.reason) == (errors.NotFound, grpc.StatusCode.NOT_FOUND, "")
    strange = error_of(4_711, "strange", error_reason_pb2.ERROR_REASON_UNSPECIFIED, {})
    assert isinstance(strange, errors.InternalError)
    assert strange.reason == ""


def test_a_deadline_bounds_the_waits() -> None:
    assert Deadline(None).next_wait() == 30.0
    assert not Deadline(None).over
    assert 0 < Deadline(5).next_wait() <= 5
    assert Deadline(0).next_wait() == 0
    assert Deadline(0).over
