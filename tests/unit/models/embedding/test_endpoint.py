import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from tests.unit.models.embedding.endpoint_server import DIMENSIONS, EndpointServer, packed, right
from tests.unit.models.endpoint.server import silence, status

from memoryd_server.domain.memories.embedding import EmbeddingIdentity
from memoryd_server.models.embedding.endpoint import EndpointEmbedder
from memoryd_server.models.embedding.settings import EmbeddingEndpoint
from memoryd_server.ports.retrieval import EmbedderUnavailable

KEY = "sk-the-key-itself"
SETTINGS = EmbeddingEndpoint(base_url="http://127.0.0.1:1/v1", model="small", dimensions=DIMENSIONS)


@contextlib.asynccontextmanager
async def embedder_at(
    server: EndpointServer, api_key: str | None = None, **settings: Any
) -> AsyncIterator[EndpointEmbedder]:
    changed = msgspec.structs.replace(SETTINGS, base_url=server.base_url, **settings)
    embedder = EndpointEmbedder(changed, api_key)
    yield embedder
    await embedder.close()


async def test_a_text_is_sent_in_openai_format() -> None:
    async with EndpointServer() as server, embedder_at(server, KEY) as embedder:
        assert await embedder.embed(["hello"]) == packed(["hello"])

        [request] = server.requests
        assert request.path == "/v1/embeddings"
        assert request.body == {"model": "small", "input": ["hello"]}
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert request.headers["content-type"] == "application/json"


async def test_no_authorization_is_sent_without_a_key() -> None:
    async with EndpointServer() as server, embedder_at(server) as embedder:
        await embedder.embed(["hello"])
        assert "authorization" not in server.requests[0].headers


async def test_shortened_vectors_are_requested_if_configured() -> None:
    async with EndpointServer() as server, embedder_at(server, shorten=True) as embedder:
        await embedder.embed(["hello"])
        assert server.requests[0].body["dimensions"] == DIMENSIONS


async def test_the_identity_follows_the_settings() -> None:
    async with EndpointServer() as server, embedder_at(server, model_version="2026-11") as embedder:
        assert embedder.identity == EmbeddingIdentity("small", "2026-11", DIMENSIONS)
        assert not embedder.is_immediate


async def test_texts_are_sent_in_batches_and_their_vectors_are_in_order() -> None:
    texts = [f"{'x' * number} text {number}" for number in range(25)]
    async with EndpointServer() as server, embedder_at(server, batch_texts_max=4, requests_max=3) as embedder:
        assert await embedder.embed(texts) == packed(texts)

        sizes = sorted(len(request.body["input"]) for request in server.requests)
        assert sizes == [1, 4, 4, 4, 4, 4, 4]


async def test_the_number_of_concurrent_requests_is_limited() -> None:
    now, most = 0, 0
    may_answer = asyncio.Event()

    async def counted(request: Any, writer: asyncio.StreamWriter) -> None:
        nonlocal now, most
        now += 1
        most = max(most, now)
        if now == 2:
            may_answer.set()
        await may_answer.wait()
        now -= 1
        await right(request, writer)

    async with (
        EndpointServer(*[counted] * 8) as server,
        embedder_at(server, batch_texts_max=1, requests_max=2) as embedder,
    ):
        await asyncio.gather(embedder.embed([*"abcd"]), embedder.embed([*"efgh"]))
        assert most == 2


async def test_blank_texts_are_not_sent_and_have_zero_vectors() -> None:
    async with EndpointServer() as server, embedder_at(server) as embedder:
        zero = bytes(4 * DIMENSIONS)
        assert await embedder.embed(["", "hello", " \n\t"]) == [zero, *packed(["hello"]), zero]
        assert server.requests[0].body["input"] == ["hello"]

        assert await embedder.embed([""]) == [zero]
        assert await embedder.embed([]) == []
        assert len(server.requests) == 1


async def test_a_long_text_is_truncated() -> None:
    async with EndpointServer() as server, embedder_at(server, text_characters_max=10) as embedder:
        await embedder.embed(["é" * 1_000_000])
        assert server.requests[0].body["input"] == ["é" * 10]


async def test_any_text_is_sent_unchanged() -> None:
    texts = ["👩‍👩‍👧 family", "你好,世界", "مرحبا بالعالم", 'quote " and \\ and \x00', "\u202eright to left"]
    async with EndpointServer() as server, embedder_at(server) as embedder:
        assert await embedder.embed(texts) == packed(texts)
        assert server.requests[0].body["input"] == texts


async def test_a_cancelled_call_does_not_block_others() -> None:
    async with (
        EndpointServer(silence, silence) as server,
        embedder_at(server, batch_texts_max=1, requests_max=1) as embedder,
    ):
        waiting = asyncio.create_task(embedder.embed(["one", "two"]))
        await server.asked.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

        server.answers.clear()
        assert await embedder.embed(["three"]) == packed(["three"])
        assert [request.body["input"] for request in server.requests] == [["one"], ["three"]]


async def test_a_failed_batch_cancels_the_others_of_its_call() -> None:
    async with (
        EndpointServer(silence, status(401)) as server,
        embedder_at(server, batch_texts_max=1, requests_max=2) as embedder,
    ):
        with pytest.raises(EmbedderUnavailable, match="HTTP status 401"):
            await embedder.embed([*"abcdef"])
        assert len(server.requests) == 2


@pytest.mark.parametrize(
    "base_url",
    [
        "",
        "127.0.0.1:11434/v1",
        "ftp://host/v1",
        "file:///etc/passwd",
        "http://",
        "http://:80",
        "http://host:port",
        "http://\u2024/",
        "http://a\0b/",
    ],
)
def test_a_url_that_is_not_http_is_refused(base_url: str) -> None:
    with pytest.raises(ValueError, match="must begin with http"):
        EndpointEmbedder(msgspec.structs.replace(SETTINGS, base_url=base_url))


@pytest.mark.parametrize(
    "base_url", ["http://user:hunter2@host/v1", "https://host/v1?key=hunter2", "http://host/#hunter2"]
)
def test_a_url_with_a_secret_is_refused_without_quoting_it(base_url: str) -> None:
    with pytest.raises(ValueError, match="must not contain a user") as caught:
        EndpointEmbedder(msgspec.structs.replace(SETTINGS, base_url=base_url))
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("host", ["models.example", "192.0.2.7", "[2001:db8::1]", "localhost.example"])
def test_a_key_for_another_machine_is_refused_without_tls(host: str) -> None:
    with pytest.raises(ValueError, match="in the clear: use https") as caught:
        EndpointEmbedder(msgspec.structs.replace(SETTINGS, base_url=f"http://{host}/v1"), "hunter2")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("base_url", "api_key", "insecure"),
    [
        ("https://models.example/v1", "key", False),
        ("HTTP://LOCALHOST:11434/v1", "key", False),
        ("http://127.0.0.2/v1", "key", False),
        ("http://[::1]/v1", "key", False),
        ("http://models.example/v1", None, False),
        ("http://models.example/v1", "key", True),
    ],
)
async def test_a_key_is_accepted_with_tls_on_loopback_or_if_insecure(
    base_url: str, api_key: str | None, insecure: bool
) -> None:
    settings = msgspec.structs.replace(SETTINGS, base_url=base_url, insecure=insecure)
    await EndpointEmbedder(settings, api_key).close()
