"""Requests of every method: valid ones with random changes, random ones, and bytes that are none."""

import functools
import random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from tests.fuzz.file import mutated_file
from tests.fuzz.mutation import mutated, mutated_text
from tests.fuzz.sample import snapshot_blocks
from tests.fuzz.token import forged
from tests.integration.contract import Method
from tests.integration.sample import fill

from memoryd_server.stores.snapshot_file import MAGIC

TEXTS = (
    "",
    " ",
    "a",
    "a1",
    "key",
    "\x00",
    "ключ",
    "latest",
    "null",
    "{",
    '{"a":[1,2]}',
    "x" * 2000,
    "../..",
    "-1",
    "a*",
)
NUMBERS = (0, 1, -1, 2, 7, 1000, 2**31 - 1, -(2**31))
LONG_NUMBERS = (*NUMBERS, 2**63 - 1, -(2**63), 9_223_372_037, 253_402_300_799, -62_135_596_800)
"""Includes the bounds of times in seconds: of 64 bits of nanoseconds, and of a Timestamp."""
_FRACTIONS = (0.0, 0.5, -1.0, float("nan"), float("inf"), 1e308)
_PATHS = ("content", "type", "status", "tags", "metadata", "embedding", "occur_time", "expire_time", "", "*")
_JSON = ("{", "}", "[", "]", ",", ":", '"', "1", "-", "1e999", "null", "\\ud800", "\\u0000", '"a":', "[[", "\u0600")
_NEEDED = ("agent_id", "memory_id", "user_id", "draft", "drafts", "content", "type", "query", "memory", "mask", "paths")
"""Ends of the names of fields that are seldom omitted, so that some requests pass the first checks."""
_DEPTH = 3
_REQUESTS_MAX = 4
_RAW_BYTES_MAX = 80
AGENTS = 3


def requests_of(method: Method, chance: random.Random) -> list[bytes]:
    """Return the requests of a call: one, or several if the method takes a stream."""
    count = chance.randint(1, _REQUESTS_MAX) if method.descriptor.client_streaming else 1
    return [request_of(method, chance) for _ in range(count)]


def request_of(method: Method, chance: random.Random) -> bytes:
    """Return the bytes of a request."""
    if chance.random() < 0.05:
        return chance.randbytes(chance.randrange(_RAW_BYTES_MAX))
    message = method.request_type()
    if method.request_type.DESCRIPTOR.fields:
        if chance.random() < 0.6:
            message.MergeFromString(_sample(method))
            if chance.random() < 0.9:
                scatter(message, chance, _DEPTH, 0.85)
        else:
            scatter(message, chance, _DEPTH, chance.choice((0.5, 0.9)), needed=0.1)
        if "page_size" in method.request_type.DESCRIPTOR.fields_by_name and chance.random() < 0.6:
            message.page_size = 1
        # Agents that only the fuzzer uses, so that a random EndAgent does not end others.
        if "agent_id" in method.request_type.DESCRIPTOR.fields_by_name and chance.random() < 0.95:
            message.agent_id = _agent(chance)
    data: bytes = message.SerializeToString()
    return mutated(data, chance) if chance.random() < 0.15 else data


@functools.cache
def _sample(method: Method) -> bytes:
    message = method.request_type()
    fill(message)
    data: bytes = message.SerializeToString()
    return data


def scatter(message: Any, chance: random.Random, depth: int, absent: float, needed: float | None = None) -> None:
    """Set random fields of a message and of those within it.

    ``absent`` is the probability that a field is left as it is; ``needed`` that of a field without which most requests
    are refused.
    """
    for field in message.DESCRIPTOR.fields:
        if field.name == "wait_duration":
            # An absent wait means half a minute.
            message.wait_duration.SetInParent()
            continue
        left = needed if needed is not None and field.name.endswith(_NEEDED) else absent
        if chance.random() < left or field.name == "wait":
            continue
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            continue
        if field.type != FieldDescriptor.TYPE_MESSAGE:
            _set(message, field, chance)
        elif depth > 0:
            # A filter has filters: only the depth ends it.
            _scatter_within(message, field, chance, depth - 1, absent, needed)


def _scatter_within(
    message: Any, field: FieldDescriptor, chance: random.Random, depth: int, absent: float, needed: float | None
) -> None:
    children = getattr(message, field.name)
    if not field.is_repeated:
        children.SetInParent()
        scatter(children, chance, depth, absent, needed)
        return
    for _ in range(chance.randint(1, 3)):
        scatter(children.add(), chance, depth, absent, needed)


def _set(message: Any, field: FieldDescriptor, chance: random.Random) -> None:
    if field.is_repeated:
        getattr(message, field.name).extend(value_of(field, chance) for _ in range(chance.randint(1, 3)))
    else:
        setattr(message, field.name, value_of(field, chance))


def value_of(field: FieldDescriptor, chance: random.Random) -> Any:
    """Return a random value of a field, often an odd one."""
    if field.type == FieldDescriptor.TYPE_STRING:
        return _text(field.name, chance)
    if field.type == FieldDescriptor.TYPE_BYTES:
        if field.name == "chunk" and chance.random() < 0.5:
            return mutated_file(MAGIC, snapshot_blocks(), chance)
        return chance.randbytes(chance.randrange(100))
    if field.type == FieldDescriptor.TYPE_BOOL:
        return chance.random() < 0.5
    if field.type in (FieldDescriptor.TYPE_DOUBLE, FieldDescriptor.TYPE_FLOAT):
        return chance.choice(_FRACTIONS)
    return chance.choice(LONG_NUMBERS if field.cpp_type == FieldDescriptor.CPPTYPE_INT64 else NUMBERS)


def _text(name: str, chance: random.Random) -> str:
    if name == "paths":
        return chance.choice(_PATHS)
    if name.endswith("agent_id"):
        return _agent(chance)
    if name.endswith("_token"):
        return forged(chance.randbytes(8), chance)
    if name.endswith("_json"):
        return mutated_text('{"a": [1, "b", {"c": null}]}', chance, _JSON)
    return chance.choice(TEXTS)


def _agent(chance: random.Random) -> str:
    return f"fuzz-{chance.randrange(AGENTS)}"
