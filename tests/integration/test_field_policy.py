"""The daemon keeps the options of the contract's fields: required fields and limits."""

import contextlib
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.json_format import ParseDict
from tests.contract.annotation import annotation
from tests.contract.contract import contract
from tests.integration.contract import METHODS, Method
from tests.integration.sample import Path, child_of, fill, paths, put, value_of
from tests.integration.wire import Refused, Wire, details_of

from memoryd.v1.conversation_pb2 import ConversationDraft
from memoryd.v1.conversation_service_pb2 import CreateConversationRequest
from memoryd.v1.document_pb2 import DocumentDraft
from memoryd.v1.document_service_pb2 import CreateDocumentRequest
from memoryd.v1.field_policy_pb2 import FieldPolicy
from memoryd.v1.server_service_pb2 import GetServerInfoRequest
from memoryd.v1.snapshot_service_pb2 import CreateSnapshotRequest

# What one call can carry, and what the whole test can bear.
LIMIT_FLAGS = (
    *("--limit-entry-bytes", "64KiB", "--limit-memory-bytes", "64KiB", "--limit-fragment-bytes", "16KiB"),
    *("--limit-message-content-bytes", "64KiB", "--limit-document-text-bytes", "64KiB", "--embedder", "none"),
)


@pytest.fixture(scope="module")
def policed(serve_daemon: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    """The stubs of a daemon whose limits are small enough to be exceeded."""
    with serve_daemon(tmp_path_factory.mktemp("policed"), "--durability", "memory", *LIMIT_FLAGS) as wire:
        yield wire


@pytest.fixture(autouse=True)
def _records(policed: Wire) -> None:
    """The records that are looked up before the rest of a request is checked."""
    policed.agent("a").set("a")
    for create in (
        lambda: policed.snapshots.CreateSnapshot(CreateSnapshotRequest(agent_id="a", snapshot_id="a")),
        lambda: policed.conversations.CreateConversation(
            CreateConversationRequest(agent_id="a", draft=ConversationDraft(conversation_id="a"))
        ),
        lambda: policed.documents.CreateDocument(
            CreateDocumentRequest(agent_id="a", draft=DocumentDraft(document_id="a"), text="a")
        ),
    ):
        with contextlib.suppress(grpc.RpcError):
            create()


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_request_of_what_is_required_is_valid(policed: Wire, method: Method) -> None:
    refusal = refusal_of(policed, method, base_of(method))
    assert refusal is None or refusal.reason not in {"INVALID_FIELD", "MALFORMED_MESSAGE"}, refusal


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_required_field_cannot_be_left_out(policed: Wire, method: Method) -> None:
    for path in paths(method.request_type.DESCRIPTOR):
        if "REQUIRED" in annotation(path[-1]).behaviors and (case := case_of(method, path)):
            if not takes(policed, method, path):
                continue
            request, message, name = case
            message.ClearField(path[-1].name)
            assert_refused(refusal_of(policed, method, request), name)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_value_within_a_limit_is_accepted_and_one_beyond_it_is_refused(policed: Wire, method: Method) -> None:
    limits = dict(policed.server.GetServerInfo(GetServerInfoRequest()).limits)
    for path in paths(method.request_type.DESCRIPTOR):
        for within, beyond in values_of(path[-1], annotation(path[-1]).policy, limits):
            if (case := case_of(method, path)) is None or not takes(policed, method, path):
                continue
            request, message, name = case
            assign(message, path[-1], within)
            if not re.fullmatch(REFUSED_IN_ANY_CASE.get(method.descriptor.name, ""), name):
                assert_not_refused(refusal_of(policed, method, request), name, annotation(path[-1]).policy.limit)
            assign(message, path[-1], beyond)
            refusal = refusal_of(policed, method, request)
            if (limit := annotation(path[-1]).policy.limit) and refusal and refusal.reason == "TOO_LARGE":
                assert refusal.metadata["limit"] == limit
            else:
                assert_refused(refusal, name)


def values_of(field: FieldDescriptor, policy: FieldPolicy, limits: dict[str, int]) -> Iterator[tuple[Any, Any]]:
    """Yield values at the limits of a field, each with one beyond it."""
    if size := policy.bytes_max or limits.get(policy.limit, 0):
        yield from _sized(field, policy, size)
    if policy.total_bytes_max:
        part = policy.total_bytes_max // 8
        yield _elements(field, 7, part), _elements(field, 9, part)
    if policy.items_max:
        yield _elements(field, policy.items_max, 0), _elements(field, policy.items_max + 1, 0)
    step = 0.5 if field.type == FieldDescriptor.TYPE_DOUBLE else 1
    if policy.HasField("value_max"):
        yield _number(field, policy.value_max), _number(field, policy.value_max + step)
    if policy.HasField("value_min"):
        yield _number(field, policy.value_min), _number(field, policy.value_min - (step if policy.value_min < 1 else 2))
    if policy.HasField("duration_max"):
        # A call waits as long as it is asked to.
        longest = Duration() if field.name == "wait_duration" else policy.duration_max
        yield longest, Duration(seconds=policy.duration_max.seconds + 1)
    if policy.HasField("duration_min"):
        shortest = policy.duration_min.ToNanoseconds()
        yield policy.duration_min, Duration(nanos=shortest - 1 if shortest != 1 else -1)


def _number(field: FieldDescriptor, value: float) -> float:
    return value if field.type == FieldDescriptor.TYPE_DOUBLE else int(value)


def _sized(field: FieldDescriptor, policy: FieldPolicy, size: int) -> Iterator[tuple[Any, Any]]:
    if field.message_type is not None and field.message_type.name == "ListValue":
        yield ["x" * (size - 8)], ["x" * (size + 1)]
        return
    if field.message_type is not None:
        # As JSON text: {"a":"xxx"}.
        yield {"a": "x" * (size - 8)}, {"a": "x" * (size + 1)}
        return
    unit: Any = b"x" if field.type == FieldDescriptor.TYPE_BYTES else "x"
    if field.name.endswith("_json"):
        yield '"' + "x" * (size - 2) + '"', '"' + "x" * (size - 1) + '"'
        return
    if field.name in {"url", "uri"}:
        unit = "http://127.0.0.1:1/"
        yield unit + "x" * (size - len(unit)), unit + "x" * (size - len(unit) + 1)
        return
    yield from ((each, more) for each, more in [(unit * size, unit * (size + 1))])
    if policy.pattern:
        yield unit, "!"


def _elements(field: FieldDescriptor, count: int, size: int) -> list[Any]:
    """Return distinct elements of a repeated field, each of a size; 0 for any."""
    if field.message_type is not None and field.message_type.file.package == "memoryd.v1":
        return list(range(count))
    if field.message_type is not None:
        return [{"a": f"{number}".ljust(size, "x")} for number in range(count)]
    if field.enum_type is not None:
        return [value_of(field)] * count
    return [f"{number}".rjust(size, "x") if size else value_of(field, number + 1) for number in range(count)]


def assign(message: Any, field: FieldDescriptor, value: Any) -> None:
    """Set a field to a value, or to elements."""
    message.ClearField(field.name)
    target = getattr(message, field.name)
    if field.is_repeated:
        for each in value if isinstance(value, list) else [value]:
            if field.message_type is None:
                target.append(each)
            elif isinstance(each, int):
                _distinct(target.add(), each)
            else:
                target.add().update(each)
    elif field.message_type is None:
        setattr(message, field.name, value)
    elif isinstance(value, dict | list):
        ParseDict(value, target)
    else:
        target.CopyFrom(value)


def _distinct(message: Any, number: int) -> None:
    """Fill an element so that it differs from others in its first text."""
    fill(message)
    for nested in [message, *(child for _, child in message.ListFields() if hasattr(child, "DESCRIPTOR"))]:
        for field in nested.DESCRIPTOR.fields:
            if field.name in DISTINGUISHING and field.type == FieldDescriptor.TYPE_STRING and not field.is_repeated:
                setattr(nested, field.name, f"a{number}")
                return


def base_of(method: Method) -> Any:
    """Return a request of what is required."""
    request = method.request_type()
    fill(request)
    return request


def case_of(method: Method, path: Path) -> tuple[Any, Any, str] | None:
    """Return a request, the message in it that has the last field of a path, and the field's name.

    Returns None for a field that the method ignores: one of a draft that no update can change.
    """
    request = base_of(method)
    message, name = child_of(request, path)
    for draft, field in pairwise(path):
        mask = draft.containing_type.fields_by_name.get("update_mask")
        if draft.name == "draft" and mask:
            changed = "expire_time" if field.name == "ttl" else field.name
            if not re.search(rf"\b{changed}\b", contract().comment(mask)):
                return None
            owner, _ = child_of(request, (*path[: path.index(draft)], mask))
            owner.update_mask.paths[:] = [changed]
    if (other := next((EXCLUDED[field.name] for field in path if field.name in EXCLUDED), "")) and len(path) > 1:
        owner, _ = child_of(request, (*path[: [each.name for each in path].index("parts")], path[-1]))
        owner.ClearField(other)
    return request, message, name


def takes(wire: Wire, method: Method, path: Path) -> bool:
    """Return True unless a method refuses a condition of a filter in any case: each kind of records has its own."""
    filters = [field for field in path[:-1] if field.message_type and field.message_type.name == "RecordFilter"]
    if not filters:
        return True
    case = case_of(method, path)
    assert case is not None
    request, message, _ = case
    message.ClearField(path[-1].name)
    put(message, path[-1])
    _, place = child_of(request, path[: path.index(filters[0]) + 1])
    refusal = refusal_of(wire, method, request)
    return refusal is None or refusal.reason != "INVALID_FIELD" or not is_about(refusal, place)


def refusal_of(wire: Wire, method: Method, request: Any) -> Refused | None:
    """Return the refusal of a request, or None if it succeeds."""
    try:
        method.call(wire.channel, *[each.SerializeToString() for each in sent(method, request)], timeout_s=30)
    except grpc.RpcError as error:
        return details_of(error)
    return None


def sent(method: Method, request: Any) -> list[Any]:
    """Return the messages of a call: a stream's header and a piece of the file after it."""
    if not method.descriptor.client_streaming:
        return [request]
    part = request.WhichOneof("part")
    if part != "header":
        return [base_of(method), request]
    piece = next(field.name for field in method.request_type.DESCRIPTOR.fields if field.name != "header")
    return [request, method.request_type(**{piece: b"a"})]


def assert_refused(refusal: Refused | None, name: str) -> None:
    assert refusal is not None, f"{name} was accepted"
    # All of its fields together are at most this.
    if refusal.reason == "TOO_LARGE" and refusal.metadata["limit"] == "message_bytes":
        return
    assert refusal.reason == "INVALID_FIELD", (name, refusal)
    assert is_about(refusal, name), (name, refusal)


def assert_not_refused(refusal: Refused | None, name: str, limit: str) -> None:
    if refusal is not None:
        assert refusal.reason != "TOO_LARGE" or refusal.metadata["limit"] != limit, (name, refusal)
        assert refusal.reason != "INVALID_FIELD" or not is_about(refusal, name), (name, refusal)


def is_about(refusal: Refused, name: str) -> bool:
    """Return True if a refusal names a field, or an element or a field of it."""
    return any(field == name or field.startswith((f"{name}[", f"{name}.")) for field in refusal.fields)


DISTINGUISHING = frozenset({"key", "entity_id", "to_memory_id", "message_id", "name", "content", "path"})
"""The texts in which the elements of a list must differ."""

EXCLUDED = {"parts": "content"}
"""Fields with which another one must be empty."""

REFUSED_IN_ANY_CASE = {"DeleteSnapshot": r"precondition\.expected_revision"}
"""Fields of messages that a method refuses whatever their value."""
