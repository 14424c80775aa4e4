"""Downloads documents from the hosts that the operator has listed, and from no other."""

import asyncio
import ipaddress
import logging
import re
import socket
import ssl
from collections.abc import Callable, Iterable, Sequence
from urllib.parse import urljoin

import httpx2

from memoryd_server.domain.documents.document import MEDIA_TYPES
from memoryd_server.domain.documents.document_title import name_in
from memoryd_server.domain.error import DocumentUnreadable, UrlNotAllowed, UrlUnreachable
from memoryd_server.extraction.host_list import HostList
from memoryd_server.extraction.limit import ADDRESSES_MAX, REDIRECTS_MAX
from memoryd_server.extraction.public_address import Address, is_private_or_public, is_public
from memoryd_server.ports.fetching import Fetched, Sink

log = logging.getLogger("memoryd.extraction")

_TRANSIENT_STATUSES = (httpx2.codes.REQUEST_TIMEOUT, httpx2.codes.TOO_MANY_REQUESTS)
_OTHER_NAMES = {"application/xhtml+xml": "text/html", "text/x-markdown": "text/markdown"}
_CHARSET = re.compile(r";\s*charset\s*=\s*\"?([A-Za-z0-9_:.-]{1,64})", re.IGNORECASE)
_HEADERS = {
    "User-Agent": "memoryd",
    "Accept": ", ".join((*sorted(MEDIA_TYPES), "*/*;q=0.1")),
    # A compressed body could be much larger than its length says.
    "Accept-Encoding": "identity",
}


class HttpFetcher:
    """Implements ``ports.fetching.Fetcher``.

    Each name is resolved once, and the connection goes to an address that was checked: a later change of the name's
    address has no effect. ``allows`` returns True for allowed addresses; ``private_hosts`` may have private ones, too.
    Each redirection is checked like the URL itself. Proxies are not used, nothing that identifies the client is sent,
    and URLs are not logged.
    """

    def __init__(
        self,
        hosts: Iterable[str],
        *,
        private_hosts: Iterable[str] = (),
        timeout_s: float = 30.0,
        allows: Callable[[Address], bool] = is_public,
    ) -> None:
        self._allows = allows
        self._private_hosts = HostList(private_hosts)
        self._hosts = HostList(hosts)
        self._timeout_s = timeout_s
        self._tls: ssl.SSLContext | None = None

    async def fetch(self, url: str, sink: Sink) -> Fetched:
        """Pass the document's body to the sink, part by part."""
        host = _host_of(self._checked(url))
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._followed(url, sink)
        except TimeoutError:
            raise UrlUnreachable(f"its host did not send it within {self._timeout_s:g} s", host) from None
        except httpx2.HTTPError as error:
            raise UrlUnreachable(type(error).__name__, host) from None

    async def close(self) -> None:
        """Do nothing: no connection outlives ``fetch``."""

    async def _followed(self, url: str, sink: Sink) -> Fetched:
        for _ in range(REDIRECTS_MAX + 1):
            asked = self._checked(url)
            answer = await self._ask(asked, sink)
            if isinstance(answer, Fetched):
                return answer
            url = _joined(asked, answer)
        raise DocumentUnreadable(f"cannot be fetched: the server redirects more than {REDIRECTS_MAX} times")

    def _checked(self, text: str) -> httpx2.URL:
        """Return the URL if its host is allowed. Raises UrlNotAllowed."""
        try:
            url = httpx2.URL(text)
        except (httpx2.InvalidURL, ValueError):
            raise UrlNotAllowed("is not a URL") from None
        if url.scheme not in ("http", "https") or not url.raw_host:
            raise UrlNotAllowed("must begin with http:// or https:// and name a host")
        if url.userinfo:
            raise UrlNotAllowed("must not contain a user or a password", _host_of(url))
        if not (self._hosts.has(url) or self._private_hosts.has(url)):
            raise UrlNotAllowed("is of a host that this server does not fetch from", _host_of(url))
        return url

    async def _ask(self, url: httpx2.URL, sink: Sink) -> Fetched | str:
        """Return the document that the server sends, or the location that it redirects to."""
        addresses = await self._addresses_of(url)
        if self._tls is None:
            self._tls = await asyncio.to_thread(httpx2.create_ssl_context, trust_env=False)
        async with httpx2.AsyncClient(verify=self._tls, timeout=None, trust_env=False) as client:
            for address in addresses[:-1]:
                try:
                    return await self._ask_at(client, url, address, sink)
                except httpx2.ConnectError:
                    continue
            return await self._ask_at(client, url, addresses[-1], sink)

    async def _addresses_of(self, url: httpx2.URL) -> Sequence[Address]:
        """Return the host's addresses, at least one. Raises UrlNotAllowed if one of them is not allowed."""
        host, port = _host_of(url), url.port or (443 if url.scheme == "https" else 80)
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError:
            raise UrlUnreachable("its host cannot be resolved", host) from None
        except UnicodeError:
            raise UrlNotAllowed("is of a host whose name is malformed", host) from None
        addresses = [ipaddress.ip_address(str(place[0]).partition("%")[0]) for *_, place in found]
        allows = is_private_or_public if self._private_hosts.has(url) else self._allows
        if not all(map(allows, addresses)):
            log.warning("document not fetched: its host has an address that is not allowed", extra={"host": host})
            raise UrlNotAllowed("is of a host with an address that is not public", _host_of(url))
        return addresses[:ADDRESSES_MAX]

    async def _ask_at(self, client: httpx2.AsyncClient, url: httpx2.URL, address: Address, sink: Sink) -> Fetched | str:
        # The URL has the checked address; the certificate check and the Host header still use the name.
        request = client.build_request(
            "GET",
            url.copy_with(host=str(address), fragment=None),
            headers={**_HEADERS, "Host": url.netloc.decode("ascii")},
            extensions={"sni_hostname": _host_of(url)},
        )
        response = await client.send(request, stream=True, follow_redirects=False)
        try:
            return await _read(response, url, sink)
        finally:
            await response.aclose()


def _host_of(url: httpx2.URL) -> str:
    """Return the host in ASCII, as DNS has it: its Unicode form may be invalid or misleading."""
    return url.raw_host.decode("ascii")


def _joined(base: httpx2.URL, place: str) -> str:
    try:
        return urljoin(str(base), place)
    except ValueError:
        raise UrlNotAllowed("redirects to an invalid URL") from None


async def _read(response: httpx2.Response, url: httpx2.URL, sink: Sink) -> Fetched | str:
    if response.is_redirect and response.headers.get("location"):
        return str(response.headers["location"])
    if response.status_code in _TRANSIENT_STATUSES or response.is_server_error:
        raise UrlUnreachable(f"its host answered {response.status_code}", _host_of(url))
    if response.status_code != httpx2.codes.OK:
        raise DocumentUnreadable(f"cannot be fetched: the server answered {response.status_code}")
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise DocumentUnreadable("cannot be fetched: the server compresses it although asked not to")
    async for part in response.aiter_raw():
        await sink(part)
    stated = response.headers.get("content-type", "")
    media_type = stated.partition(";")[0].strip().lower()
    media_type = _OTHER_NAMES.get(media_type, media_type)
    charset = _CHARSET.search(stated)
    return Fetched(
        name_in(str(url)), media_type if media_type in MEDIA_TYPES else "", charset[1].lower() if charset else ""
    )
