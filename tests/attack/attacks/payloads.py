"""Odd values: JSON and messages of great depth, numbers that JSON has not, bytes that are no UTF-8, odd times."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from typing import Any

from google.protobuf import struct_pb2
from tests.attack.attack import Attack, Outcomes, Target
from tests.attack.channel import channel_to
from tests.attack.outcome import ANSWERS, OK, outcome

from memoryd.v1 import long_term_memory_service_pb2
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd_server.transport.fields.wire import bytes_tag, varint

_AGENT = "attacker-payloads"
_SERVICE = "/memoryd.v1.WorkingMemoryService"
_TIMEOUT_S = 60.0
_JSON = {
    "deep list": "[" * 1_000 + "]" * 1_000,
    "deeper list": "[" * 500_000 + "]" * 500_000,
    "deep object": '{"a":' * 1_000 + "1" + "}" * 1_000,
    "no number": "NaN",
    "infinite": "-Infinity",
    "too large": "1e999",
    "too small": "1e-999999",
    "long": "9" * 5_000,
    "longer": "9" * 900_000,
    "minus zero": "-0",
    "repeated keys": '{"a":1,"a":2}',
    "surrogate": '"\\ud800"',
    "surrogate key": '{"\\udfff":1}',
    "escaped zero": '"\\u0000"',
    "zero": '"\x00"',
    "mark": "\ufeff1",
    "spaces": " " * 500_000 + "1",
    "two values": "1 2",
    "nothing": "",
    "hexadecimal": "0x10",
    "comment": "1//x",
    "single quotes": "'a'",
    "unclosed": '"abc',
    "no characters": '"\uffff\ufffe"',
    "right to left": '"\u202e\u200b"',
    "largest": f'"{"x" * (1_024 * 1_024 - 2)}"',
    "too large by one": f'"{"x" * (1_024 * 1_024 - 1)}"',
    "many keys": "{" + ",".join(f'"{number}":0' for number in range(60_000)) + "}",
}
_NUMBERS = (float("nan"), float("inf"), -float("inf"), 1e308, 5e-324, -0.0, 2.0**53 + 1)
_TIMES = ((2**63 - 1, 0), (-(2**63), 0), (0, 2**31 - 1), (0, -1), (10**12, 0), (0, -(2**31)))
_NO_TEXTS = (b"\xff\xfe", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"a\x00b")
_DEPTHS = (10, 40, 99, 100, 101, 1_000, 10_000)


async def _payloads(target: Target, times: int) -> Outcomes:
    """Send all of them, ``times`` at a time. What is accepted must be returned byte for byte."""
    outcomes: Outcomes = Counter()
    json = iter(_JSON.values())
    others = iter([*_entries(), *_memories()])
    async with channel_to(target.address) as channel:

        async def call(path: str, data: bytes) -> tuple[str, bytes]:
            answer = channel.unary_unary(path)(data, timeout=_TIMEOUT_S, metadata=target.bearer)
            what = await outcome(answer)
            return what, await answer if what == OK else b""

        async def work(key: str) -> None:
            get = pb.GetEntryRequest(agent_id=_AGENT, key=key).SerializeToString()
            for text in json:
                request = pb.SetEntryRequest(agent_id=_AGENT, key=key, value_json=text)
                what, _ = await call(f"{_SERVICE}/SetEntry", request.SerializeToString())
                if what == OK:
                    _, data = await call(f"{_SERVICE}/GetEntry", get)
                    is_same = pb.GetEntryResponse.FromString(data).entry.value_json == text
                    what = OK if is_same else "another value is returned"
                outcomes[what] += 1
            for path, data in others:
                what, _ = await call(path, data)
                outcomes[what] += 1
                if what == OK:
                    outcomes[(await call(f"{_SERVICE}/GetEntry", get))[0]] += 1

        await asyncio.gather(*(work(f"key-{number}") for number in range(times)))
    return outcomes


def _entries() -> Iterator[tuple[str, bytes]]:
    fields = pb.SetEntryRequest.DESCRIPTOR.fields_by_name
    base = pb.SetEntryRequest(agent_id=_AGENT, key="key").SerializeToString()
    path = f"{_SERVICE}/SetEntry"
    for depth in _DEPTHS:
        yield path, base + _tagged(fields["value"].number, _nested(depth))
    for number in _NUMBERS:
        value = struct_pb2.Value(number_value=number)
        yield path, pb.SetEntryRequest(agent_id=_AGENT, key="key", value=value).SerializeToString()
        request = pb.SetEntryRequest(agent_id=_AGENT, key="key", value_json="1", importance=number)
        yield path, request.SerializeToString()
        request = pb.SetEntryRequest(agent_id=_AGENT, key="key", value_json="1")
        request.metadata["number"] = number
        yield path, request.SerializeToString()
    yield path, pb.SetEntryRequest(agent_id=_AGENT, key="key", value=struct_pb2.Value()).SerializeToString()
    for text in _NO_TEXTS:
        for name in ("agent_id", "request_id", "key", "value_json", "tags"):
            yield path, base + _tagged(fields[name].number, text)
    for seconds, nanos in _TIMES:
        for name in ("ttl", "expire_time"):
            request = pb.SetEntryRequest(agent_id=_AGENT, key="key", value_json="1")
            getattr(request, name).seconds, getattr(request, name).nanos = seconds, nanos
            yield path, request.SerializeToString()


def _memories() -> Iterator[tuple[str, bytes]]:
    service = "/memoryd.v1.LongTermMemoryService"
    for number in _NUMBERS:
        draft: dict[str, Any] = {"user_id": "u", "content": "c", "importance": number}
        request = long_term_memory_service_pb2.CreateMemoryRequest(agent_id=_AGENT, draft=draft)
        yield f"{service}/CreateMemory", request.SerializeToString()
        reinforce = long_term_memory_service_pb2.ReinforceMemoryRequest(agent_id=_AGENT, memory_id="m")
        reinforce.confidence = number
        yield f"{service}/ReinforceMemory", reinforce.SerializeToString()
    for paths in (["*"], ["content"] * 100_000, ["a" * 1_000_000], ["agent_id"], ["content.x"], [""], ["..", "."]):
        update = long_term_memory_service_pb2.UpdateMemoryRequest(agent_id=_AGENT)
        update.update_mask.paths.extend(paths)
        yield f"{service}/UpdateMemory", update.SerializeToString()


def _nested(depth: int) -> bytes:
    """Return a list of lists, encoded by hand: protobuf's own classes refuse to encode such depth."""
    data = b"\x22\0"
    for _ in range(depth):
        data = _tagged(6, _tagged(1, data))
    return data


def _tagged(number: int, data: bytes) -> bytes:
    return bytes(bytes_tag(number)) + bytes(varint(len(data))) + data


ATTACKS = (
    Attack("payloads", "126 odd values and requests, {times} at a time", _payloads, 8, 2, ANSWERS, is_quick=True),
)
