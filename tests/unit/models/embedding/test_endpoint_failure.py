import contextlib
import logging
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from tests.unit.models.embedding.endpoint_server import DIMENSIONS, EndpointServer, packed, vectors
from tests.unit.models.endpoint.server import Answer, body, drop, drop_halfway, endless, silence, status, unfinished

from memoryd_server.models.embedding.endpoint import EndpointEmbedder
from memoryd_server.models.embedding.settings import EmbeddingEndpoint
from memoryd_server.ports.retrieval import EmbedderUnavailable

KEY = "sk-the-key-itself"
TEXT = "what the agent remembers"


class Endpoint:
    """A misbehaving server, an embedder that calls it, and a clock that advances while the embedder sleeps."""

    def __init__(self, server: EndpointServer, **settings: Any) -> None:
        self.now = 1_000.0
        self.server = server
        self.slept: list[float] = []
        self.embedder = EndpointEmbedder(
            msgspec.structs.replace(
                EmbeddingEndpoint(base_url=server.base_url, model="small", dimensions=DIMENSIONS), **settings
            ),
            KEY,
            clock=lambda: self.now,
            sleep=self._sleep,
            chance=lambda: 0.0,
        )

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    async def embed(self) -> None:
        assert await self.embedder.embed([TEXT]) == packed([TEXT])

    async def fail(self, reason: str) -> None:
        with pytest.raises(EmbedderUnavailable, match=reason):
            await self.embedder.embed([TEXT])


@contextlib.asynccontextmanager
async def endpoint(*answers: Answer, **settings: Any) -> AsyncIterator[Endpoint]:
    async with EndpointServer(*answers) as server:
        tried = Endpoint(server, **settings)
        yield tried
        await tried.embedder.close()


@pytest.mark.parametrize(
    "failure", [status(500), status(502), status(503), status(429), status(408), drop, drop_halfway]
)
async def test_a_transient_failure_is_retried(failure: Answer) -> None:
    async with endpoint(failure, failure) as tried:
        await tried.embed()
        assert tried.slept == [0.2, 0.4]


@pytest.mark.parametrize("failure", [silence, unfinished])
async def test_a_timeout_is_retried(failure: Answer) -> None:
    # Retries cost no time here, and one of them is answered in time even on a slow machine.
    settings = {"timeout": 0.2, "retries": 100, "retry_wait_max": 1e9}
    async with endpoint(failure, **settings) as tried:
        await tried.embed()
        assert tried.slept[0] == 0.2


async def test_a_timeout_without_retries_is_an_error() -> None:
    async with endpoint(silence, timeout=0.2, retries=0) as tried:  # time: it must expire
        await tried.fail("did not respond within 0.2 s")


async def test_a_retry_waits_as_long_as_the_endpoint_asks() -> None:
    date = {"Date": "Sun, 22 Nov 2026 12:00:00 GMT", "Retry_After": "Sun, 22 Nov 2026 12:00:04 GMT"}
    async with endpoint(status(429, Retry_After="7"), status(503, **date)) as tried:
        await tried.embed()
        assert tried.slept == [7.0, 4.0]


async def test_a_requested_delay_above_the_maximum_is_an_error() -> None:
    async with endpoint(status(429, Retry_After="3600"), retry_wait_max=30.0) as tried:
        await tried.fail("HTTP status 429")
        assert tried.slept == []


async def test_no_request_follows_the_last_retry() -> None:
    async with endpoint(*[status(503)] * 4, retries=3) as tried:
        await tried.fail("HTTP status 503")
        assert len(tried.server.requests) == 4
        assert tried.slept == [0.2, 0.4, 0.8]


async def test_an_unreachable_endpoint_is_retried() -> None:
    async with EndpointServer() as server:
        tried = Endpoint(server, retries=1)
    await tried.fail("cannot be reached: ConnectError")
    assert tried.slept == [0.2]
    await tried.embedder.close()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (status(400), "HTTP status 400"),
        (status(401), "HTTP status 401"),
        (status(404), "HTTP status 404"),
        (status(302, Location="http://127.0.0.1:1/elsewhere"), "HTTP status 302"),
        (status(204), "HTTP status 204"),
        (vectors(), "0 vectors for 1 texts"),
        (vectors([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]), "2 vectors for 1 texts"),
        (vectors([1.0, 2.0]), "2 dimensions instead of 3"),
        (vectors([]), "0 dimensions instead of 3"),
        (vectors([1.0, float("nan"), 2.0]), "not a list of embeddings"),
        (vectors([1.0, float("inf"), 2.0]), "not a list of embeddings"),
        (body(b'{"data": [{"index": 0, "embedding": [1e999, 1, 1]}]}'), "not a list of embeddings|not finite"),
        (vectors([1.0, 1e300, 2.0]), "float32 cannot hold"),
        (vectors([1.0, None, 2.0]), "not a list of embeddings"),
        (vectors("AAAAAA=="), "not a list of embeddings"),
        (
            body(b'{"data": [{"index": 1, "embedding": [1, 1, 1]}]}'),
            "indexes in the endpoint.s response are not 0 to 0",
        ),
        (body(b'{"data": [{"embedding": [1, 1, 1]}]}'), "not a list of embeddings"),
        (body(b'{"error": "what the agent remembers"}'), "not a list of embeddings"),
        (body(b"<html>Bad Gateway</html>"), "not a list of embeddings"),
        (body(b'{"data": "\xff"}'), "not a list of embeddings"),
        (body(b""), "not a list of embeddings"),
        (body(b'{"more":' + b"[" * 2_000), "not a list of embeddings"),
        (endless, "larger than"),
    ],
)
async def test_a_permanent_failure_is_not_retried(answer: Answer, reason: str) -> None:
    async with endpoint(answer) as tried:
        await tried.fail(reason)
        assert tried.slept == []
        await tried.embed()


async def test_the_circuit_opens_after_failures_and_admits_one_trial_after_each_rest() -> None:
    async with endpoint(*[status(500)] * 4, retries=0, failures_max=3, rest=30.0) as tried:
        for _ in range(3):
            await tried.fail("HTTP status 500")
        await tried.fail("paused after repeated failures")
        assert len(tried.server.requests) == 3

        tried.now += 30.0
        await tried.fail("HTTP status 500")
        await tried.fail("paused after repeated failures")
        assert len(tried.server.requests) == 4

        tried.now += 30.0
        await tried.embed()
        await tried.embed()
        assert len(tried.server.requests) == 6


async def test_refused_texts_do_not_open_the_circuit() -> None:
    async with endpoint(status(400), status(413), status(422), failures_max=1) as tried:
        for code in (400, 413, 422):
            await tried.fail(f"HTTP status {code}")
        await tried.embed()


async def test_neither_errors_nor_logs_contain_texts_or_the_key(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    failures: list[Answer] = [
        status(401),
        status(400),
        body(b'{"error": "what the agent remembers"}'),
        drop,
        vectors([]),
    ]
    async with endpoint(*failures, retries=0) as tried:
        reported = []
        for _ in failures:
            with pytest.raises(EmbedderUnavailable) as caught:
                await tried.embedder.embed([TEXT])
            reported.append(repr(caught.value) + str(caught.value.__cause__))
        reported.append(repr(vars(tried.embedder)))
    reported += [repr(vars(record)) for record in caplog.records if record.name.startswith(("memoryd", "httpx2"))]

    reasons = [vars(record)["reason"] for record in caplog.records if record.name == "memoryd.embedding"]
    assert len(reasons) == len(failures)
    assert not [each for each in reported if TEXT in each or KEY in each]


async def test_the_log_states_when_the_circuit_opens_and_closes(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "memoryd.embedding")
    async with endpoint(status(500), retries=0, failures_max=1, rest=30.0) as tried:
        await tried.fail("HTTP status 500")
        await tried.fail("paused after repeated failures")
        tried.now += 30.0
        await tried.embed()
    assert [(record.levelname, vars(record)["is_paused"]) for record in caplog.records] == [
        ("WARNING", True),
        ("INFO", False),
    ]
