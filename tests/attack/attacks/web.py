"""JSON over HTTP/1.1: odd values, requests that are large, packed, begun and never ended, or two in one."""

import asyncio
import gzip
import random
import socket
from collections import Counter
from itertools import chain

from tests.attack.attack import Attack, Outcomes, Target
from tests.attack.http_call import client_of, held, outcome
from tests.attack.outcome import ANSWERS, OK
from tests.integration.contract import METHODS
from tests.integration.cost.hostile_json import hostile_json

from memoryd_server.domain.limit import Limits
from memoryd_server.transport.limit import MESSAGE_BYTES_MAX, MESSAGE_ELEMENTS_MAX
from memoryd_server.transport.parsing.message_shape import bytes_max_of

_AGENT = "attacker-web"
_SET = "/memoryd.v1.WorkingMemoryService/SetEntry"
_GET = "/memoryd.v1.WorkingMemoryService/GetEntry"
_LIST = "/memoryd.v1.AgentService/ListAgents"
_SEED = 23
_HELD_S = 5.0  # time: how long connections are held
_FACTOR = 2
"""The factor by which JSON may be larger than the largest message."""
_NUMBERS = (
    "1e999",
    "-1e999",
    "1e-999999",
    "-0",
    "0.1e1",
    "NaN",
    "Infinity",
    "9" * 5_000,
    "9" * 1_000_000,
    "1" + "0" * 400,
    "0x10",
    "01",
    "+1",
    ".5",
    "1.",
    "1e",
    '"9223372036854775808"',
    '"-9223372036854775809"',
    '"1e3"',
    '""',
    "true",
    "null",
)
_VALUES = (
    "[" * 99 + "]" * 99, "[" * 1_000 + "]" * 1_000, "[" * 500_000 + "]" * 500_000, '{"a":' * 1_000 + "1" + "}" * 1_000,
    '{"a":1,"a":2}', '"\\ud800"', '{"\\udfff":1}', '"\\u0000"', '"\x00"', '"\uffff"', '"\u202e\u200b"', "'a'", '"abc',
    f'"{"x" * 3_000_000}"', "[" + "1," * 100_000 + "1]", "{" + ",".join(f'"{n}":0' for n in range(60_000)) + "}",
)  # fmt: skip
_BODIES = (
    b"", b" ", b"[]", b"null", b"1", b"{", b"{}{}", b"\xef\xbb\xbf{}", b"\xff\xfe{\x00}\x00", b'{"agentId":"\xff"}',
    b'{"agentId":"\xed\xa0\x80"}', b"{" * 1_000_000, b'{"agentId":{}}', b'{"agentId":[]}', b'{"":1}',
    b'{"agent_id":"a","agentId":"b"}',
    b"\x00" * 1_000, b" " * 4_000_000, b'{"@type":"type.googleapis.com/google.protobuf.Any"}',
)  # fmt: skip
_CHUNKED = (
    "content-length: 4\r\ntransfer-encoding: chunked",
    "transfer-encoding: chunked\r\ncontent-length: 4",
)
"""By chunks the end of a request is clear, whatever its length says: what follows may be the next one."""
_AMBIGUOUS = (
    *_CHUNKED,
    "content-length: 4\r\ncontent-length: 5",
    "content-length: 4, 5",
    "content-length : 4",
    "transfer-encoding: xchunked",
    "transfer-encoding: chunked, identity",
    "transfer-encoding:\x0bchunked",
    "x: y\r\n content-length: 4",
)


async def _values(target: Target, times: int) -> Outcomes:
    """Send all odd values, ``times`` at a time."""
    numbers = ((_LIST, f'{{"pageSize":{each}}}') for each in _NUMBERS)
    importances = ((_SET, f'{_entry()[:-1]},"importance":{each}}}') for each in _NUMBERS)
    revisions = ((_SET, f'{_entry()[:-1]},"precondition":{{"expectedRevision":{each}}}}}') for each in _NUMBERS)
    values = ((_SET, f'{{"agentId":"{_AGENT}","key":"key","value":{each}}}') for each in (*_NUMBERS, *_VALUES))
    texts = ((path, text.encode()) for path, text in chain(numbers, importances, revisions, values))
    requests = chain(texts, ((_GET, body) for body in _BODIES))
    outcomes: Outcomes = Counter()
    async with client_of(target) as client:

        async def work() -> None:
            for path, body in requests:
                outcomes[await outcome(client, path, body)] += 1

        await asyncio.gather(*(work() for _ in range(times)))
    return outcomes


def _entry() -> str:
    return f'{{"agentId":"{_AGENT}","key":"key","valueJson":"1"}}'


async def _fields(target: Target, times: int) -> Outcomes:
    """Call ``times`` methods one after the other, each with all that can be large in its request."""
    unary = [each for each in METHODS if not (each.descriptor.client_streaming or each.descriptor.server_streaming)]
    chosen = random.Random(_SEED).sample(unary, min(times, len(unary)))
    outcomes: Outcomes = Counter()
    async with client_of(target) as client:
        for method in chosen:
            bytes_max = bytes_max_of(method.descriptor.input_type, Limits()) * _FACTOR
            for each in hostile_json(method.request_type, bytes_max, MESSAGE_ELEMENTS_MAX):
                outcomes[await outcome(client, f"/memoryd.v1.{method.name}", each.data)] += 1
    return outcomes


async def _bombs(target: Target, times: int) -> Outcomes:
    """Send ``times`` requests at once that unpack to what the largest message may have, and to far more."""
    sizes = (MESSAGE_BYTES_MAX * _FACTOR - 1_000, MESSAGE_BYTES_MAX * _FACTOR + 1, 200 << 20)
    outcomes: Outcomes = Counter()
    async with client_of(target) as client:
        for size in sizes:
            body = gzip.compress(b"{" + b" " * size + b"}")
            path = "/memoryd.v1.TransactionService/Commit"
            calls = [outcome(client, path, body, **{"content-encoding": "gzip"}) for _ in range(times)]
            outcomes += Counter(await asyncio.gather(*calls))
    return outcomes


async def _slow_heads(target: Target, times: int) -> Outcomes:
    """Begin a head on each of ``times`` connections, and send a few bytes of it now and then."""
    pieces = [f"POST {_SET} HTTP/1.1\r\nhost: localhost\r\n".encode(), *(b"x: y\r\n" for _ in range(20))]
    return await held(target, pieces, times, _HELD_S)


async def _half_bodies(target: Target, times: int) -> Outcomes:
    """Begin a body of JSON on each of ``times`` connections, without a token, and never end it."""
    head = (
        f"POST {_SET} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2000000\r\n\r\n"
    )
    pieces = [head.encode() + b" " * 60_000, *(b" " * 1_000 for _ in range(4))]
    return await held(target, pieces, times, _HELD_S)


async def _smuggled(target: Target, times: int) -> Outcomes:
    """Send requests of which it is unclear where they end, each with a write behind it that counts as a second one."""
    outcomes: Outcomes = Counter()
    async with client_of(target) as client:
        for number in range(times):
            framing = _AMBIGUOUS[number % len(_AMBIGUOUS)]
            key = f"smuggled-{number}"
            answers = await asyncio.to_thread(_sent_twice, target, framing, key)
            found = await client.post(_GET, json={"agentId": _AGENT, "key": key})
            is_written = bool(found.json().get("found"))
            is_one = answers.startswith(b"HTTP/1.1 400") and answers.count(b"HTTP/1.1 ") == 1
            is_next = framing in _CHUNKED and answers.count(b"HTTP/1.1 ") == 2
            outcomes["refused" if is_one and not is_written else OK if is_next else "smuggled"] += 1
    return outcomes


def _sent_twice(target: Target, framing: str, key: str) -> bytes:
    kind = f"host: localhost\r\ncontent-type: application/json\r\nauthorization: Bearer {target.token}"
    body = f'{{"agentId":"{_AGENT}","key":"{key}","value":1}}'
    second = f"POST {_SET} HTTP/1.1\r\n{kind}\r\ncontent-length: {len(body)}\r\n\r\n{body}"
    host, _, port = target.address.rpartition(":")
    received = b""
    with socket.create_connection((host, int(port))) as line:
        line.sendall(f"POST {_GET} HTTP/1.1\r\n{kind}\r\n{framing}\r\n\r\n0\r\n\r\n{second}".encode())
        line.shutdown(socket.SHUT_WR)
        try:
            while data := line.recv(65_536):
                received += data
        except ConnectionResetError:
            pass
    return received


_HELD = frozenset({"held", "ended"})

ATTACKS = (
    Attack(
        "json-values",
        "123 odd values and bodies as JSON, {times} at a time",
        _values,
        8,
        2,
        ANSWERS,
        is_quick=True,
    ),
    Attack(
        "json-fields",
        "{times} methods, each with every field of its JSON as large and as often as it can be",
        _fields,
        len(METHODS),
        4,
        ANSWERS,
        # A quarter of a million numbers, each of which is a message of its own, in one request at a time.
        growth_max_mb=300,
    ),
    Attack(
        "json-bombs",
        "{times} requests at once that unpack to JSON of 32 and of 200 MiB",
        _bombs,
        10,
        2,
        ANSWERS,
        growth_max_mb=300,
    ),
    Attack(
        "slow-heads", "{times} connections on which a head never ends, without a token", _slow_heads, 500, 100, _HELD
    ),
    Attack("half-bodies", "{times} bodies of JSON that never end, without a token", _half_bodies, 500, 100, _HELD),
    Attack(
        "smuggled",
        "{times} requests of unclear length, each followed by a write",
        _smuggled,
        300,
        18,
        frozenset({"refused", OK}),
        is_quick=True,
    ),
)
