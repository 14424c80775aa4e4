"""The idempotency level of every method in the protos. Clients of all languages repeat calls by it."""

import pytest
from google.protobuf.descriptor_pb2 import MethodOptions
from tests.integration.contract import METHODS, Method

READS = ("Get", "List", "BatchGet", "Contains", "Count", "Search", "Recall", "Compose")
READS_AND_WRITES = {"GetOrSetEntry"}
REPEATABLE_WITHOUT_REQUEST_ID = {"ReembedMemories"}
"""It makes the vectors that are missing; a second call finds none to make."""


def level(method: Method) -> "MethodOptions.IdempotencyLevel":
    return method.descriptor.GetOptions().idempotency_level


def expected_level(method: Method) -> "MethodOptions.IdempotencyLevel":
    name = method.descriptor.name
    if method.descriptor.client_streaming or method.descriptor.server_streaming:
        return MethodOptions.IDEMPOTENCY_UNKNOWN
    if name.startswith(READS) and name not in READS_AND_WRITES:
        return MethodOptions.NO_SIDE_EFFECTS
    has_request_id = "request_id" in method.descriptor.input_type.fields_by_name
    if has_request_id or name in REPEATABLE_WITHOUT_REQUEST_ID:
        return MethodOptions.IDEMPOTENT
    return MethodOptions.IDEMPOTENCY_UNKNOWN


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_call_may_be_repeated_when_it_only_reads_or_carries_a_request_id(method: Method) -> None:
    assert level(method) == expected_level(method)


def test_a_read_carries_no_request_id() -> None:
    reads = [method.descriptor.input_type for method in METHODS if level(method) == MethodOptions.NO_SIDE_EFFECTS]
    assert [request.name for request in reads if "request_id" in request.fields_by_name] == []
