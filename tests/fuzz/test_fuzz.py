"""Random input for every method and every decoder: accepted or refused. ``python -m tests.fuzz`` tries millions."""

import mmap
import os
import random
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.fuzz.calls import SERVERS, Served, fuzz_calls, over_front, replay_corpus
from tests.fuzz.decoder import Decoder, fuzz_decoder
from tests.fuzz.decoders import DECODERS
from tests.fuzz.message import requests_of
from tests.integration.contract import METHODS, Method

SEED = 21
FEW, MANY = 1, 10
"""Multiples of the smallest number of inputs: everyday, and by .ci/run."""
CALLS = {"calls": 4_000, "front": 500}
DECODER_INPUTS = 40
"""For each share of a decoder."""

AMOUNTS = [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.whole)]


@pytest.mark.whole
@pytest.mark.parametrize("times", AMOUNTS)
@pytest.mark.parametrize("name", SERVERS)
async def test_no_request_does_harm(name: str, times: int) -> None:
    result = await fuzz_calls(name, SEED, CALLS[name] * times)
    assert [finding.problem for finding in result.findings] == []
    # Most refusals are the first check's, but not all of them: the fuzzer reaches what is behind it. On a slow machine,
    # many calls are over before they are served.
    served = sum(result.outcomes.values()) - result.outcomes["DEADLINE_EXCEEDED"]
    assert result.outcomes["OK"] > served / 10


@pytest.mark.parametrize("name", SERVERS)
async def test_a_request_that_once_did_harm_does_none(name: str) -> None:
    assert [finding.problem for finding in await replay_corpus(name)] == []


@pytest.mark.parametrize("times", AMOUNTS)
@pytest.mark.parametrize("decoder", DECODERS.values(), ids=lambda decoder: decoder.name)
def test_nothing_that_is_decoded_does_harm(decoder: Decoder, times: int) -> None:
    findings = fuzz_decoder(decoder, SEED, decoder.share * DECODER_INPUTS * times)
    assert [finding.problem for finding in findings] == []


def test_the_same_seed_makes_the_same_inputs() -> None:
    assert [requests_of(method, random.Random("1 1")) for method in METHODS] == [
        requests_of(method, random.Random("1 1")) for method in METHODS
    ]
    for decoder in DECODERS.values():
        assert decoder.make(random.Random("1 1")) == decoder.make(random.Random("1 1"))


def test_an_exception_that_is_no_refusal_is_found() -> None:
    def read(data: bytes, _: object) -> None:
        if data == b"1":
            raise KeyError(data)
        raise ValueError

    decoder = Decoder("sample", lambda chance: b"%d" % chance.randrange(3), read, (ValueError,))
    (finding,) = fuzz_decoder(decoder, SEED, 100)
    assert finding.data == b"1"
    assert decoder.make(random.Random(f"{SEED} sample {finding.number}")) == b"1"
    assert "KeyError" in finding.problem


def new_memory() -> mmap.mmap:
    """Return 2 MB that the process did not have: what a bytearray gets may be what an earlier test has freed."""
    memory = mmap.mmap(-1, 2_000_000)
    memory.write(b"a" * len(memory))
    return memory


def test_memory_that_grows_is_found() -> None:
    kept: list[mmap.mmap] = []
    decoder = Decoder("sample", lambda _: b"", lambda _data, _directory: kept.append(new_memory()), ())
    (finding,) = fuzz_decoder(decoder, SEED, 50)
    assert "grew" in finding.problem


async def test_memory_of_a_daemon_that_grows_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[mmap.mmap] = []

    class Growing:
        pid = os.getpid()

        async def call(self, _method: Method, _requests: list[bytes]) -> bytes:
            kept.append(new_memory())
            return b""

    @asynccontextmanager
    async def growing(_problems: list[str]) -> AsyncIterator[Served]:
        yield Growing()

    monkeypatch.setitem(SERVERS, "calls", growing)
    result = await fuzz_calls("calls", SEED, 50)
    assert ["grew" in finding.problem for finding in result.findings] == [True]


async def test_the_end_of_a_daemon_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    @asynccontextmanager
    async def ending(problems: list[str]) -> AsyncIterator[Served]:
        async with over_front(problems) as served:
            os.kill(served.pid, signal.SIGKILL)
            yield served

    monkeypatch.setitem(SERVERS, "front", ending)
    problems = [finding.problem for finding in (await fuzz_calls("front", SEED, 10)).findings]
    assert any(f"the daemon ended with -{int(signal.SIGKILL)}" in problem for problem in problems)
