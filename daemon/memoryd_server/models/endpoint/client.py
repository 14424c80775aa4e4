"""Asks one endpoint: a few requests at a time, again where that is of use, and not at all while it keeps failing."""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar
from urllib.parse import urlsplit

import httpx2

from memoryd_server.models.endpoint.circuit import Circuit
from memoryd_server.models.endpoint.key import check_secrecy
from memoryd_server.models.endpoint.retry import delay_s, is_of_the_request, is_passing, wished_delay_s
from memoryd_server.models.endpoint.settings import EndpointSettings

T = TypeVar("T")


class EndpointUnavailable(Exception):  # noqa: N818 - an answer: whoever asks decides what it means
    """The endpoint does not answer, or not what it was asked."""


class _RefusedRequest(EndpointUnavailable):
    """The endpoint is well, but does not take this request: a text may be too long for the model."""


class _PassingError(Exception):
    """An attempt that may succeed the next time; ``delay_s`` is how long the endpoint asks to wait until then."""

    def __init__(self, reason: str, delay_s: float | None = None) -> None:
        super().__init__(reason)
        self.delay_s = delay_s


class EndpointClient:
    """A client of the method at ``path`` below the settings' URL.

    Redirections are not followed and proxies not asked, so that texts go where the settings say. Neither texts nor the
    key are ever logged. Raises ValueError for settings that cannot be used. ``log`` is told how it goes. ``clock``
    answers seconds, ``chance`` a number from 0 to 1.
    """

    def __init__(
        self,
        settings: EndpointSettings,
        path: str,
        api_key: str | None,
        log: logging.Logger,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        _check(settings)
        if api_key is not None and not settings.insecure:
            check_secrecy(settings.base_url)
        self._settings = settings
        self._log = log
        self._clock = clock
        self._sleep = sleep
        self._chance = chance
        self._url = f"{settings.base_url.rstrip('/')}/{path}"
        self._circuit = Circuit(settings.failures_max, settings.rest)
        self._slots = asyncio.Semaphore(settings.requests_max)
        # An answer in another encoding could be larger than it looks, and is refused as not being JSON.
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        if api_key is not None:
            headers["Authorization"] = f"Bearer {api_key}"
        self._client = httpx2.AsyncClient(headers=headers, timeout=None, follow_redirects=False, trust_env=False)

    async def ask(self, body: bytes, answer_bytes_max: int, read: Callable[[bytes], T]) -> T:
        """What ``read`` makes of the answer to a request, which has at most so many bytes.

        Raises EndpointUnavailable, as ``read`` does when the answer is not what it should be.
        """
        async with self._slots:
            if not self._circuit.admits(self._clock()):
                raise EndpointUnavailable("the endpoint failed too often, and is left alone for a while")
            try:
                answer = read(await self._ask_again(body, answer_bytes_max))
            except EndpointUnavailable as failure:
                self._take_note(failure)
                raise
            self._take_note(None)
            return answer

    async def close(self) -> None:
        """Let go of connections."""
        await self._client.aclose()

    def _take_note(self, failure: EndpointUnavailable | None) -> None:
        """Tell the circuit and the log how it went."""
        was_open = self._circuit.is_open
        if failure is None or isinstance(failure, _RefusedRequest):
            self._circuit.succeed()
        else:
            self._circuit.fail(self._clock())
        told = {"model": self._settings.model, "is_left_alone": self._circuit.is_open}
        if failure is not None:
            self._log.warning("The endpoint gave no answer of use", extra={**told, "reason": str(failure)})
        elif was_open:
            self._log.info("The endpoint answers again", extra=told)

    async def _ask_again(self, body: bytes, answer_bytes_max: int) -> bytes:
        """Ask until it succeeds, or it makes no sense to go on."""
        settings = self._settings
        retry = 0
        while True:
            try:
                return await self._ask(body, answer_bytes_max)
            except _PassingError as failure:
                delay = delay_s(retry, self._chance()) if failure.delay_s is None else failure.delay_s
                if retry == settings.retries or delay > settings.retry_wait_max:
                    raise EndpointUnavailable(str(failure)) from None
                await self._sleep(delay)
                retry += 1

    async def _ask(self, body: bytes, answer_bytes_max: int) -> bytes:
        """The body of the answer to one request. Raises _PassingError, EndpointUnavailable."""
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
    if is_of_the_request(response.status_code):
        return _RefusedRequest(reason)
    return EndpointUnavailable(reason)


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


async def _read(response: httpx2.Response, bytes_max: int) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > bytes_max:
            raise EndpointUnavailable("the answer is too large")
    return bytes(body)
