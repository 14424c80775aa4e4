"""Random bytes and random messages to every method: answered or refused, never a defect."""

import random
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import FieldDescriptor
from tests.daemon import Daemon
from tests.integration.contract import METHODS, Method
from tests.integration.seed import seeded
from tests.integration.wire import Wire

ROUNDS = 40
DEFECTS = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.UNAVAILABLE}
TEXTS = ("", " ", "a", "key", "\x00", "ключ", "latest", "null", "{", '{"a":[1,2]}', "x" * 2000, "../..", "-1")
NUMBERS = (0, 1, -1, 2, 7, 1000, 2**31 - 1, -(2**31))


@pytest.fixture
def chance() -> random.Random:
    return seeded()


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_random_requests_never_find_a_defect(
    wire: Wire, shared_daemon: Daemon, chance: random.Random, method: Method
) -> None:
    log = len(shared_daemon.log)
    for _ in range(ROUNDS):
        request = method.request_type()
        if method.request_type.DESCRIPTOR.fields:
            _fill(request, chance, 3)
        data = request.SerializeToString()
        if chance.random() < 0.3:
            data = _mutated(data, chance)
        # Nobody sets what is waited for, and an import that began may wait for more.
        code = method.call_raw(wire.channel, data, timeout_s=2)
        assert code not in DEFECTS, (code, data)
        assert "Traceback" not in shared_daemon.log[log:]


def _mutated(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data or chance.randbytes(20))
    for _ in range(chance.randint(1, 4)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed[: chance.randint(1, len(changed))])


def _fill(message: Any, chance: random.Random, depth: int) -> None:
    for field in message.DESCRIPTOR.fields:
        if chance.random() < 0.5 or field.name in ("wait", "create_snapshot"):
            continue
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            continue
        if field.is_repeated:
            for _ in range(chance.randint(1, 3)):
                if field.type == FieldDescriptor.TYPE_MESSAGE:
                    _fill(getattr(message, field.name).add(), chance, depth - 1)
                else:
                    getattr(message, field.name).append(_value(field, chance))
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            if depth:
                getattr(message, field.name).SetInParent()
                _fill(getattr(message, field.name), chance, depth - 1)
        else:
            setattr(message, field.name, _value(field, chance))


def _value(field: FieldDescriptor, chance: random.Random) -> Any:
    if field.type == FieldDescriptor.TYPE_STRING:
        # Agents of its own: other tests' must not be ended.
        return f"fuzz-{chance.randrange(3)}" if field.name.endswith("agent_id") else chance.choice(TEXTS)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return chance.randbytes(chance.randrange(100))
    if field.type == FieldDescriptor.TYPE_BOOL:
        return chance.random() < 0.5
    if field.type in (FieldDescriptor.TYPE_DOUBLE, FieldDescriptor.TYPE_FLOAT):
        return chance.choice((0.0, 0.5, -1.0, float("nan"), float("inf"), 1e308))
    return chance.choice(NUMBERS)
