"""A client of one endpoint: it limits concurrent requests, retries transient errors, and pauses after many failures."""

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
from memoryd_server.models.endpoint.retry import delay_s, is_about_the_request, is_transient, requested_delay_s
from memoryd_server.models.endpoint.settings import EndpointSettings

T = TypeVar("T")


class EndpointUnavailable(Exception):  # noqa: N818 - an expected outcome, which the caller handles
    """The endpoint does not respond, or its response cannot be used."""


class RequestRefused(EndpointUnavailable):
    """The endpoint works, but refuses this request: a text may be too long for the model."""


class AnswerLost(EndpointUnavailable):
    """The endpoint may have done the work, and charge for it, but no answer of it arrived, or none that can be used."""


class _TransientError(Exception):
    """A failed attempt that may succeed if repeated. ``delay_s`` is the delay that the endpoint requests, if any.

    ``is_lost`` is true if the endpoint may have done the work.
    """

    def __init__(self, reason: str, delay_s: float | None = None, *, is_lost: bool = False) -> None:
        super().__init__(reason)
        self.delay_s = delay_s
        self.is_lost = is_lost


class EndpointClient:
    """A client of the method at ``path`` below the settings' URL.

    Redirections are not followed and proxies not used, so that texts go only where the settings say. Neither texts nor
    the key are ever logged. Raises ValueError for settings that cannot be used. Failures and recoveries go to ``log``.
    ``clock`` returns seconds, ``chance`` a number from 0 to 1.
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
        # A compressed response could expand without bounds. One that comes anyway is refused: it is not JSON.
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        if api_key is not None:
            headers["Authorization"] = f"Bearer {api_key}"
        self._client = httpx2.AsyncClient(headers=headers, timeout=None, follow_redirects=False, trust_env=False)

    async def ask(
        self,
        body: bytes,
        answer_bytes_max: int,
        read: Callable[[bytes], T],
        charge_again: Callable[[], Awaitable[None]] | None = None,
    ) -> T:
        """Send a request, and return the result of ``read`` for the response's body of at most ``answer_bytes_max``.

        ``read`` raises EndpointUnavailable for a body that cannot be used, as this method does for any other failure.
        ``charge_again`` is awaited before the request is repeated after an attempt for which the endpoint may charge;
        what it raises is raised instead.
        """
        async with self._slots:
            if not self._circuit.admits(self._clock()):
                raise EndpointUnavailable("requests to the endpoint are paused after repeated failures")
            try:
                answer = read(await self._ask_with_retries(body, answer_bytes_max, charge_again))
            except EndpointUnavailable as failure:
                self._report(failure)
                raise
            self._report(None)
            return answer

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    def _report(self, failure: EndpointUnavailable | None) -> None:
        """Report the outcome of a request to the circuit and the log."""
        was_open = self._circuit.is_open
        if failure is None or isinstance(failure, RequestRefused):
            self._circuit.succeed()
        else:
            self._circuit.fail(self._clock())
        fields = {"model": self._settings.model, "is_paused": self._circuit.is_open}
        if failure is not None:
            self._log.warning("request to the endpoint failed", extra={**fields, "reason": str(failure)})
        elif was_open:
            self._log.info("endpoint responds again", extra=fields)

    async def _ask_with_retries(
        self, body: bytes, answer_bytes_max: int, charge_again: Callable[[], Awaitable[None]] | None
    ) -> bytes:
        """Repeat a request until it succeeds, fails permanently, or has used up its retries."""
        settings = self._settings
        retry, is_lost = 0, False
        while True:
            try:
                return await self._ask(body, answer_bytes_max)
            except _TransientError as failure:
                is_lost |= failure.is_lost
                delay = delay_s(retry, self._chance()) if failure.delay_s is None else failure.delay_s
                if retry == settings.retries or delay > settings.retry_wait_max:
                    raise (AnswerLost if is_lost else EndpointUnavailable)(str(failure)) from None
                if failure.is_lost and charge_again is not None:
                    await charge_again()
                await self._sleep(delay)
                retry += 1

    async def _ask(self, body: bytes, answer_bytes_max: int) -> bytes:
        """Return the body of the response to one request. Raises _TransientError, EndpointUnavailable."""
        try:
            async with (
                asyncio.timeout(self._settings.timeout),
                self._client.stream("POST", self._url, content=body) as response,
            ):
                if response.status_code != httpx2.codes.OK:
                    raise _failure_of(response)
                return await _read(response, answer_bytes_max)
        except TimeoutError:
            reason = f"the endpoint did not respond within {self._settings.timeout:g} s"
            raise _TransientError(reason, is_lost=True) from None
        except httpx2.HTTPError as error:
            # Only the type: the error's message could quote the request.
            is_lost = not isinstance(error, httpx2.ConnectError)
            raise _TransientError(f"the endpoint cannot be reached: {type(error).__name__}", is_lost=is_lost) from None


def _failure_of(response: httpx2.Response) -> Exception:
    # Only the status: the body could quote the request.
    reason = f"the endpoint returned HTTP status {response.status_code}"
    if is_transient(response.status_code):
        return _TransientError(reason, requested_delay_s(response.headers))
    if is_about_the_request(response.status_code):
        return RequestRefused(reason)
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
        raise ValueError("the endpoint's URL must not contain a user, a password, a query or a fragment")


async def _read(response: httpx2.Response, bytes_max: int) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > bytes_max:
            raise AnswerLost(f"the endpoint's response is larger than {bytes_max} bytes")
    return bytes(body)
