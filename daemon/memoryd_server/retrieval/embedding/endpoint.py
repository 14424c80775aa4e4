"""Embeds by asking an endpoint that speaks OpenAI's embeddings API."""

import asyncio
import ipaddress
import logging
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import urlsplit

import httpx2

from memoryd_server.domain.embedding import EmbeddingIdentity
from memoryd_server.ports.retrieval import EmbedderUnavailable
from memoryd_server.retrieval.embedding.answer import answer_bytes_max, question, vectors_of
from memoryd_server.retrieval.embedding.circuit import Circuit
from memoryd_server.retrieval.embedding.retry import delay_s, is_of_the_texts, is_passing, wished_delay_s
from memoryd_server.retrieval.embedding.settings import EndpointSettings

log = logging.getLogger("memoryd.embedding")

_FLOAT_BYTES = 4


class _PassingError(Exception):
    """An attempt that may succeed the next time; ``delay_s`` is how long the endpoint asks to wait until then."""

    def __init__(self, reason: str, delay_s: float | None = None) -> None:
        super().__init__(reason)
        self.delay_s = delay_s


class _RefusedTexts(EmbedderUnavailable):
    """The endpoint is well, but does not take these texts: one of them may be too long for the model."""


class EndpointEmbedder:
    """Implements ``ports.retrieval.Embedder`` with an endpoint.

    Texts are sent in batches, a few requests at a time; one that fails in passing is repeated. A blank text is not
    sent: its vector is zero. Redirections are not followed and proxies not asked, so that texts go where the settings
    say. Neither texts nor the key are ever logged. Raises ValueError for settings that cannot be used. ``clock``
    answers seconds, ``chance`` a number from 0 to 1.
    """

    is_immediate = False

    def __init__(
        self,
        settings: EndpointSettings,
        api_key: str | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        _check(settings)
        if api_key is not None and not settings.insecure:
            _check_secrecy(settings.base_url)
        self.identity = EmbeddingIdentity(settings.model, settings.model_version, settings.dimensions)
        self._settings = settings
        self._clock = clock
        self._sleep = sleep
        self._chance = chance
        self._url = f"{settings.base_url.rstrip('/')}/embeddings"
        self._circuit = Circuit(settings.failures_max, settings.rest)
        self._slots = asyncio.Semaphore(settings.requests_max)
        # An answer in another encoding could be larger than it looks, and is refused as not being JSON.
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        if api_key is not None:
            headers["Authorization"] = f"Bearer {api_key}"
        self._client = httpx2.AsyncClient(headers=headers, timeout=None, follow_redirects=False, trust_env=False)

    async def embed(self, texts: Sequence[str]) -> Sequence[bytes]:
        """The vectors of texts, as the endpoint gave them. Raises EmbedderUnavailable when any is not to be had."""
        vectors = [bytes(_FLOAT_BYTES * self.identity.dimensions)] * len(texts)
        sent = [number for number, text in enumerate(texts) if text and not text.isspace()]
        size = self._settings.batch_texts_max
        batches = [sent[at : at + size] for at in range(0, len(sent), size)]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._embed_batch([texts[number] for number in batch])) for batch in batches]
        except ExceptionGroup as failures:
            # The first one ended the others.
            raise failures.exceptions[0] from None
        for batch, task in zip(batches, tasks, strict=True):
            for number, vector in zip(batch, task.result(), strict=True):
                vectors[number] = vector
        return vectors

    async def close(self) -> None:
        """Let go of connections."""
        await self._client.aclose()

    async def _embed_batch(self, texts: list[str]) -> list[bytes]:
        async with self._slots:
            if not self._circuit.admits(self._clock()):
                raise EmbedderUnavailable("the endpoint failed too often, and is left alone for a while")
            try:
                vectors = await self._ask_again([text[: self._settings.text_characters_max] for text in texts])
            except EmbedderUnavailable as failure:
                self._take_note(failure)
                raise
            self._take_note(None)
            return vectors

    def _take_note(self, failure: EmbedderUnavailable | None) -> None:
        """Tell the circuit and the log how it went."""
        was_open = self._circuit.is_open
        if failure is None or isinstance(failure, _RefusedTexts):
            self._circuit.succeed()
        else:
            self._circuit.fail(self._clock())
        told = {"model": self._settings.model, "is_left_alone": self._circuit.is_open}
        if failure is not None:
            log.warning("The embedding endpoint gave no vectors", extra={**told, "reason": str(failure)})
        elif was_open:
            log.info("The embedding endpoint answers again", extra=told)

    async def _ask_again(self, texts: list[str]) -> list[bytes]:
        """Ask until it succeeds, or it makes no sense to go on."""
        settings = self._settings
        body = question(settings.model, texts, settings.dimensions if settings.shorten else None)
        retry = 0
        while True:
            try:
                answer = await self._ask(body, answer_bytes_max(len(texts), settings.dimensions))
            except _PassingError as failure:
                delay = delay_s(retry, self._chance()) if failure.delay_s is None else failure.delay_s
                if retry == settings.retries or delay > settings.retry_wait_max:
                    raise EmbedderUnavailable(str(failure)) from None
                await self._sleep(delay)
                retry += 1
            else:
                return vectors_of(answer, len(texts), settings.dimensions)

    async def _ask(self, body: bytes, answer_bytes_max: int) -> bytes:
        """The body of the answer to one request. Raises _PassingError, EmbedderUnavailable."""
        try:
            async with (
                asyncio.timeout(self._settings.timeout),
                self._client.stream("POST", self._url, content=body) as response,
            ):
                if response.status_code != httpx2.codes.OK:
                    raise _failure_of(response)
                return await _read(response, answer_bytes_max)
        except TimeoutError:
            raise _PassingError(f"the endpoint did not answer within {self._settings.timeout:g} s") from None
        except httpx2.HTTPError as error:
            # Its words could quote what was sent.
            raise _PassingError(f"the endpoint cannot be reached: {type(error).__name__}") from None


def _failure_of(response: httpx2.Response) -> Exception:
    # Its body could quote what was sent.
    reason = f"the endpoint answered {response.status_code}"
    if is_passing(response.status_code):
        return _PassingError(reason, wished_delay_s(response.headers))
    if is_of_the_texts(response.status_code):
        return _RefusedTexts(reason)
    return EmbedderUnavailable(reason)


def _check(settings: EndpointSettings) -> None:
    try:
        url = urlsplit(settings.base_url)
        is_known = url.scheme in ("http", "https") and bool(httpx2.URL(settings.base_url).host) and url.port != 0
    except (ValueError, httpx2.InvalidURL):
        is_known = False
    if not is_known:
        raise ValueError("the endpoint's URL must begin with http:// or https:// and name a host")
    if url.username is not None or url.query or url.fragment:
        raise ValueError("the endpoint's URL has no user, no password, and nothing after its path")


def _check_secrecy(base_url: str) -> None:
    """The key is not for everybody on the way. A name other than localhost may resolve to anything."""
    url = httpx2.URL(base_url)
    try:
        is_loopback = ipaddress.ip_address(url.host).is_loopback
    except ValueError:
        is_loopback = url.host == "localhost"
    if url.scheme != "https" and not is_loopback:
        raise ValueError(f"the API key would be sent to {url.host} in the clear: use https, or say --insecure")


async def _read(response: httpx2.Response, bytes_max: int) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > bytes_max:
            raise EmbedderUnavailable("the answer is too large")
    return bytes(body)
