"""The methods of the contract under the fuzzer: called inside the process, or over the front end."""

import asyncio
import base64
import os
import random
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import grpc
import msgspec
from google.protobuf import message_factory
from tests.attack.channel import channel_to, upload
from tests.attack.daemon import MISTAKE
from tests.attack.memory import memory_mb
from tests.attack.outcome import ANSWERS, OK, outcome_of
from tests.daemon import Daemon
from tests.fuzz.decoder import CORPUS, GROWTH_MAX_MB, Finding, logged_problems
from tests.fuzz.message import requests_of
from tests.fuzz.token import changed_body, forged, sealed
from tests.integration.contract import METHODS, Method

from memoryd_server.testing.channel import InProcessError
from memoryd_server.testing.daemon import running, settings_of
from memoryd_server.transport.in_process import CallFailed, InProcessTransport

FLAGS = (
    "--embedder", "none", "--durability", "memory", "--no-snapshot-on-shutdown",
    "--limit-entries-per-agent", "100", "--limit-fragments-per-agent", "50", "--limit-memories-per-agent", "100",
    "--limit-notes-per-agent", "50", "--limit-plans-per-agent", "50", "--limit-conversations-per-agent", "50",
    "--limit-messages-per-agent", "200", "--limit-documents-per-agent", "20", "--limit-storage-bytes-per-agent", "1MiB",
    "--limit-snapshot-bytes", "1MiB",
)  # fmt: skip
"""Small limits: what the fuzzer stores must not be what makes the daemon grow."""
AT_A_TIME = 64
ROUND = 10_000
"""Number of inputs that one daemon gets: the next one begins with an empty store."""
_TIMEOUT_S = 0.3  # time: some wait for what nobody does
_MAY = ANSWERS | {"DEADLINE_EXCEEDED", "SNAPSHOT_DAMAGED", "SNAPSHOT_LOCKED", "HISTORY_LOST"}
_PROBLEMS = ("ERROR", "CRITICAL", "Traceback", "panicked")
_ALSO = {"AgentService/EndAgent": {"STORE_UNAVAILABLE"}}
"""Further outcomes by method: an agent cannot be ended while it is changed all the time."""
_FORGED = 6
"""Number of calls with tokens that are forged from one response."""
_TOKENS = ("next_page_token", "resume_token")
_WARM_UP_ROUNDS = 2
_WARM_UP = 10
"""The part of a round's inputs after which the memory of its daemon is taken."""


class Served(Protocol):
    """A daemon that is called. ``call`` returns the first response, and raises grpc.RpcError."""

    pid: int

    async def call(self, method: Method, requests: list[bytes]) -> bytes: ...


class CallResult(msgspec.Struct):
    """The result of calls. ``outcomes`` counts them by outcome."""

    findings: list[Finding]
    outcomes: Counter[str]
    growth_mb: int


class _InProcess:
    """A daemon in this event loop."""

    def __init__(self, transport: InProcessTransport) -> None:
        self._transport = transport
        self.pid = os.getpid()

    async def call(self, method: Method, requests: list[bytes]) -> bytes:
        data = _stream(requests) if method.descriptor.client_streaming else requests[0]
        call = self._transport.call(path_of(method), data, timeout_s=_TIMEOUT_S)
        try:
            return await anext(call, b"")
        except CallFailed as failed:
            raise InProcessError(failed.status) from None
        finally:
            call.cancel()


class _OverFront:
    """A daemon process, called over its sockets."""

    def __init__(self, channel: grpc.aio.Channel, pid: int) -> None:
        self._channel: Any = channel
        self.pid = pid

    async def call(self, method: Method, requests: list[bytes]) -> bytes:
        path = path_of(method)
        if method.descriptor.client_streaming:
            return await upload(self._channel, path, requests, timeout=_TIMEOUT_S)
        if not method.descriptor.server_streaming:
            return bytes(await self._channel.unary_unary(path)(requests[0], timeout=_TIMEOUT_S))
        call = self._channel.unary_stream(path)(requests[0], timeout=_TIMEOUT_S)
        read = await call.read()
        if read is grpc.aio.EOF:
            await call.code()
            return b""
        call.cancel()
        return bytes(read)


@asynccontextmanager
async def in_process(problems: list[str]) -> AsyncIterator[Served]:
    """Serve inside this process. ``problems`` gets what is logged as a defect."""
    with tempfile.TemporaryDirectory(prefix="memoryd-fuzz-") as directory, logged_problems() as logged:
        async with running(settings_of("--data-dir", f"{directory}/data", *FLAGS)) as transport:
            yield _InProcess(transport)
    problems += logged


@asynccontextmanager
async def over_front(problems: list[str]) -> AsyncIterator[Served]:
    """Serve in a process, with the front end where there is one."""
    with tempfile.TemporaryDirectory(prefix="memoryd-fuzz-") as directory:
        daemon = Daemon(Path(directory), *FLAGS)
        await asyncio.to_thread(daemon.start)
        try:
            async with channel_to(daemon.address) as channel:
                yield _OverFront(channel, daemon.pid)
            code = await asyncio.to_thread(daemon.stop)
            if code:
                problems.append(f"the daemon ended with {code}")
        finally:
            daemon.close()
        lines = [line for line in daemon.log.splitlines() if MISTAKE not in line]
        problems += [line for line in lines if any(word in line for word in _PROBLEMS)]


SERVERS: dict[str, Callable[[list[str]], AbstractAsyncContextManager[Served]]] = {
    "calls": in_process,
    "front": over_front,
}


async def fuzz_calls(name: str, seed: int, count: int, first: int = 0) -> CallResult:
    """Make a number of calls at each method in turn, in rounds with a daemon each.

    Each input is one call, and one more with a token that is forged from the response.
    """
    result = CallResult([], Counter(), 0)
    found: dict[str, Finding] = {}
    before = 0
    for round_number, start in enumerate(range(first, first + count, ROUND)):
        problems: list[str] = []
        numbers = range(start, min(start + ROUND, first + count))
        warm_up = len(numbers) // _WARM_UP
        async with SERVERS[name](problems) as served:
            await _work(name, served, seed, numbers[:warm_up], result.outcomes, found)
            warm = _memory_of(served)
            await _work(name, served, seed, numbers[warm_up:], result.outcomes, found)
            memory = _memory_of(served)
        for problem in problems:
            found.setdefault(problem[-200:], Finding(name, start, b"", f"logged in the round: {problem}"))
        before = memory if round_number < _WARM_UP_ROUNDS else before
        # In one daemon, and over all rounds: the daemons inside this process share its memory.
        result.growth_mb = max(result.growth_mb, memory - warm, memory - before)
    result.findings = list(found.values())
    if result.growth_mb > GROWTH_MAX_MB:
        result.findings.append(Finding(name, -1, b"", f"the memory grew by {result.growth_mb} MB"))
    return result


def _memory_of(served: Served) -> int:
    """Return the memory of a daemon in mebibytes; 0 if it has ended, which is a finding of its own."""
    try:
        return memory_mb(served.pid)
    except (OSError, ValueError):
        return 0


async def _work(
    name: str, served: Served, seed: int, numbers: range, outcomes: Counter[str], found: dict[str, Finding]
) -> None:
    """Make the inputs of these numbers, with some calls at a time."""
    left = iter(numbers)
    await asyncio.gather(*(_call_each(name, served, seed, left, outcomes, found) for _ in range(AT_A_TIME)))


async def _call_each(
    name: str, served: Served, seed: int, numbers: Iterator[int], outcomes: Counter[str], found: dict[str, Finding]
) -> None:
    for number in numbers:
        method = METHODS[number % len(METHODS)]
        chance = random.Random(f"{seed} {name} {number}")
        requests = requests_of(method, chance)
        response = await _called(name, served, method, requests, number, outcomes, found)
        for data in _continued(method, requests[0], response, chance) if response else ():
            await _called(name, served, method, [data], number, outcomes, found)


async def _called(
    name: str, served: Served, method: Method, requests: list[bytes], number: int, outcomes: Counter[str],
    found: dict[str, Finding],
) -> bytes:  # fmt: skip
    """Call a method, and return its response; empty if it was refused."""
    response, outcome = b"", OK
    try:
        response = await served.call(method, requests)
    except grpc.RpcError as error:
        outcome = outcome_of(error)
    outcomes[outcome] += 1
    if outcome not in _MAY | _ALSO.get(method.name, set()):
        problem = f"{method.name}: {outcome}"
        found.setdefault(problem, Finding(name, number, msgspec.msgpack.encode([method.name, requests]), problem))
    return response


def _continued(method: Method, request: bytes, response: bytes, chance: random.Random) -> Iterator[bytes]:
    """Yield the request with tokens that are forged from the one in the response, if there is one."""
    fields = method.request_type.DESCRIPTOR.fields_by_name
    answer: Any = message_factory.GetMessageClass(method.descriptor.output_type)()
    answer.ParseFromString(response)
    for name in _TOKENS:
        token, into = getattr(answer, name, ""), name.removeprefix("next_")
        if token and into in fields:
            message = method.request_type.FromString(request)
            body = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))[:-6]
            for _ in range(_FORGED):
                changed = sealed(changed_body(body, chance)) if chance.random() < 0.8 else forged(body[1:9], chance)
                setattr(message, into, changed)
                yield message.SerializeToString()


async def replay_corpus(name: str) -> list[Finding]:
    """Make the calls of the corpus again, at one daemon that has nothing stored.

    An input of a busy daemon may need what others had stored: such a one is changed until it does harm without.
    """
    found: dict[str, Finding] = {}
    by_name = {method.name: method for method in METHODS}
    problems: list[str] = []
    async with SERVERS[name](problems) as served:
        for path in sorted((CORPUS / "calls").glob("*")):
            method, requests = msgspec.msgpack.decode(path.read_bytes(), type=tuple[str, list[bytes]])
            await _called(name, served, by_name[method], requests, -1, Counter(), found)
    return [*found.values(), *(Finding(name, -1, b"", problem) for problem in problems)]


def path_of(method: Method) -> str:
    """Return the path of a method."""
    return f"/{method.descriptor.containing_service.full_name}/{method.descriptor.name}"


async def _stream(requests: list[bytes]) -> AsyncIterator[bytes]:
    for each in requests:
        yield each
