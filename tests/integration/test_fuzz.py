"""Random bytes and random messages for every method: accepted or refused, never an internal error."""

import random
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import FieldDescriptor
from tests.integration.contract import METHODS, Method
from tests.integration.seed import seeded
from tests.integration.wire import Wire

ROUNDS = 40
DEFECTS = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.UNAVAILABLE}
TEXTS = ("", " ", "a", "key", "\x00", "ключ", "latest", "null", "{", '{"a":[1,2]}', "x" * 2000, "../..", "-1")
NUMBERS = (0, 1, -1, 2, 7, 1000, 2**31 - 1, -(2**31))
LONG_NUMBERS = (*NUMBERS, 2**63 - 1, -(2**63), 9_223_372_037, 253_402_300_799, -62_135_596_800)
"""Includes the bounds of times in seconds: of 64 bits of nanoseconds, and of a Timestamp."""
PATHS = ("content", "type", "status", "tags", "metadata", "embedding", "occur_time", "expire_time", "", "*")

NEEDED = ("agent_id", "memory_id", "user_id", "draft", "drafts", "content", "type", "query", "memory", "mask", "paths")
"""Ends of the names of fields that are seldom omitted, so that some requests pass the first checks."""


@pytest.fixture
def chance() -> random.Random:
    return seeded()


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_random_requests_never_cause_an_internal_error(
    wire: Wire, caplog: pytest.LogCaptureFixture, chance: random.Random, method: Method
) -> None:
    for _ in range(ROUNDS):
        request = method.request_type()
        if method.request_type.DESCRIPTOR.fields:
            _fill(request, chance, 3, chance.choice((0.5, 0.9)))
        data = request.SerializeToString()
        if chance.random() < 0.3:
            data = _mutated(data, chance)
        # A reservation may wait for an entry that is never set, and an import for more chunks.
        code = method.call_raw(wire.channel, data, timeout_s=2)  # time: some wait forever
        assert code not in DEFECTS, (code, data)
        assert [record for record in caplog.records if record.exc_info] == []


def _mutated(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data or chance.randbytes(20))
    for _ in range(chance.randint(1, 4)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed[: chance.randint(1, len(changed))])


def _fill(message: Any, chance: random.Random, depth: int, absent: float) -> None:
    """Fill a message and its nested messages; ``absent`` is the probability that a field is omitted."""
    for field in message.DESCRIPTOR.fields:
        if field.name == "wait_duration":
            # An absent wait means half a minute.
            message.wait_duration.SetInParent()
            continue
        if chance.random() < (0.1 if field.name.endswith(NEEDED) else absent) or field.name in (
            "wait",
            "create_snapshot",
        ):
            continue
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            continue
        if field.type == FieldDescriptor.TYPE_MESSAGE and depth <= 0:
            # A filter has filters: only the depth ends it.
            continue
        if field.is_repeated:
            for _ in range(chance.randint(1, 3)):
                if field.type == FieldDescriptor.TYPE_MESSAGE:
                    _fill(getattr(message, field.name).add(), chance, depth - 1, absent)
                else:
                    getattr(message, field.name).append(_value(field, chance))
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            getattr(message, field.name).SetInParent()
            _fill(getattr(message, field.name), chance, depth - 1, absent)
        else:
            setattr(message, field.name, _value(field, chance))


def _value(field: FieldDescriptor, chance: random.Random) -> Any:
    if field.name == "paths":
        return chance.choice(PATHS)
    if field.type == FieldDescriptor.TYPE_STRING:
        # Agents that only this test uses: a random EndAgent must not end those of other tests.
        return f"fuzz-{chance.randrange(3)}" if field.name.endswith("agent_id") else chance.choice(TEXTS)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return chance.randbytes(chance.randrange(100))
    if field.type == FieldDescriptor.TYPE_BOOL:
        return chance.random() < 0.5
    if field.type in (FieldDescriptor.TYPE_DOUBLE, FieldDescriptor.TYPE_FLOAT):
        return chance.choice((0.0, 0.5, -1.0, float("nan"), float("inf"), 1e308))
    return chance.choice(LONG_NUMBERS if field.cpp_type == FieldDescriptor.CPPTYPE_INT64 else NUMBERS)
