import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from tests.unit.extraction.page_server import PageServer, page

from memoryd_server.domain.error import DocumentUnreadable, TooLarge, UrlNotAllowed, UrlUnreachable
from memoryd_server.extraction.fetcher import HttpFetcher
from memoryd_server.ports.fetching import Fetched


class Sink:
    """A receiver of fetched bytes. Raises TooLarge above a maximum."""

    def __init__(self, bytes_max: int = 1_000_000) -> None:
        self.content = b""
        self._bytes_max = bytes_max

    async def __call__(self, data: bytes) -> None:
        self.content += data
        if len(self.content) > self._bytes_max:
            raise TooLarge("document_file_bytes", self._bytes_max)


@pytest.fixture
async def server() -> AsyncIterator[PageServer]:
    async with PageServer() as running:
        yield running


def fetcher_of(server: PageServer, *hosts: str, **fields: Any) -> HttpFetcher:
    """Return a fetcher that may connect to loopback."""
    listed = [f"{host}:{server.port}" for host in hosts or ("127.0.0.1",)]
    return HttpFetcher(listed, allows=lambda address: True, **fields)


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, list[str]]], list[str]]:
    """Return a function that sets the addresses of hosts, and returns the list of hosts that are looked up."""

    def resolve(names: dict[str, list[str]]) -> list[str]:
        asked: list[str] = []

        async def getaddrinfo(_: object, host: str, port: int, **__: object) -> list[tuple[Any, ...]]:
            asked.append(host)
            if host not in names:
                raise socket.gaierror
            return [(0, 0, 0, "", (address, port)) for address in names[host]]

        monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", getaddrinfo)
        return asked

    return resolve


async def test_a_page_is_fetched_with_its_type_and_name(server: PageServer) -> None:
    server.pages["/a/the%20guide.html?x=1"] = page(b"<p>Text</p>" * 10_000, "Content-Type: Text/HTML; charset=utf-8")
    sink = Sink()
    fetched = await fetcher_of(server).fetch(server.url("/a/the%20guide.html?x=1#part"), sink)
    assert fetched == Fetched("the guide.html", "text/html", "utf-8")
    assert sink.content == b"<p>Text</p>" * 10_000


@pytest.mark.parametrize(
    ("content_type", "media_type"),
    [("application/xhtml+xml", "text/html"), ("application/octet-stream", ""), ("", ""), ("text/plain", "text/plain")],
)
async def test_an_unknown_content_type_is_dropped(server: PageServer, content_type: str, media_type: str) -> None:
    server.pages["/"] = page(b"text", *([f"Content-Type: {content_type}"] if content_type else []))
    assert await fetcher_of(server).fetch(server.url(), Sink()) == Fetched("", media_type)


async def test_a_request_sends_no_header_that_identifies_the_client(
    server: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    server.pages["/"] = page(b"", "Location: /next", "Set-Cookie: who=me", status="302 Found")
    server.pages["/next"] = page(b"text")
    await fetcher_of(server).fetch(server.url(), Sink())
    headers = [line.partition(":")[0].lower() for head in server.asked for line in head.split("\r\n")[1:] if line]
    assert set(headers) == {"host", "user-agent", "accept", "accept-encoding", "connection"}


@pytest.mark.parametrize(
    "url",
    [
        *("", "x", "ftp://127.0.0.1/", "file:///etc/passwd", "http://", "http:///x", "gopher://127.0.0.1:70/_"),
        *("http://user@127.0.0.1/", "http://u:p@127.0.0.1/", "http://localhost/", "http://127.0.0.1:1/", "http://[/"),
        *(
            "http://0x7f.1/",
            "http://2130706433/",
            "http://127.1/",
            "//127.0.0.1/",
            "http://xn--zzzzz999999/",
            "http://\u2488.com/",
        ),
    ],
)
async def test_a_url_without_a_listed_host_is_not_requested(server: PageServer, url: str) -> None:
    with pytest.raises(UrlNotAllowed):
        await fetcher_of(server).fetch(url, Sink())
    assert not server.asked


async def test_a_private_address_is_not_requested_although_its_host_is_listed(server: PageServer) -> None:
    fetcher = HttpFetcher([f"127.0.0.1:{server.port}", f"localhost:{server.port}"])
    for host in ("127.0.0.1", "localhost"):
        with pytest.raises(UrlNotAllowed) as refused:
            await fetcher.fetch(server.url(host=host), Sink())
        assert refused.value.metadata == {"host": host}
    assert not server.asked


async def test_a_host_that_may_be_private_is_requested_at_a_private_address(
    server: PageServer, resolved: Callable[[dict[str, list[str]]], list[str]]
) -> None:
    resolved({"wiki.intra": ["127.0.0.1"], "example.org": ["127.0.0.1"]})
    server.pages["/"] = page(b"text", 'Content-Type: text/plain; charset="ISO-8859-1"')
    places = {host: f"{host}:{server.port}" for host in ("wiki.intra", "example.org")}
    fetcher, sink = HttpFetcher([places["example.org"]], private_hosts=[places["wiki.intra"]]), Sink()
    assert (await fetcher.fetch(server.url(host="wiki.intra"), sink)).charset == "iso-8859-1"
    assert sink.content == b"text"
    with pytest.raises(UrlNotAllowed):
        await fetcher.fetch(server.url(host="example.org"), Sink())


@pytest.mark.parametrize("target", ["example.org", "169.254.169.254", "other.intra"])
async def test_a_host_that_may_be_private_opens_no_way_to_another(
    server: PageServer, resolved: Callable[[dict[str, list[str]]], list[str]], target: str
) -> None:
    resolved({"wiki.intra": ["127.0.0.1"], "example.org": ["127.0.0.1"], target: ["127.0.0.1"]})
    places = {host: f"{host}:{server.port}" for host in ("wiki.intra", "example.org")}
    server.pages["/"] = page(b"", f"Location: {server.url('/x', target)}", status="302 Found")
    fetcher = HttpFetcher([places["example.org"]], private_hosts=[places["wiki.intra"]])
    with pytest.raises(UrlNotAllowed):
        await fetcher.fetch(server.url(host="wiki.intra"), Sink())
    assert len(server.asked) == 1


@pytest.mark.parametrize("address", ["169.254.169.254", "fe80::1", "0.0.0.0", "224.0.0.1", "fd00:ec2::254"])
async def test_a_host_that_may_be_private_is_not_requested_where_clouds_keep_credentials(
    resolved: Callable[[dict[str, list[str]]], list[str]], address: str
) -> None:
    resolved({"wiki.intra": ["10.0.0.1", address]})
    with pytest.raises(UrlNotAllowed):
        await HttpFetcher([], private_hosts=["wiki.intra"]).fetch("http://wiki.intra/", Sink())


async def test_a_host_with_one_private_address_is_not_requested(
    resolved: Callable[[dict[str, list[str]]], list[str]],
) -> None:
    resolved({"example.org": ["8.8.8.8", "::ffff:10.0.0.1"]})
    with pytest.raises(UrlNotAllowed):
        await HttpFetcher(["example.org"]).fetch("http://example.org/", Sink())


async def test_the_checked_address_is_requested_with_the_name_of_its_host(
    server: PageServer, resolved: Callable[[dict[str, list[str]]], list[str]]
) -> None:
    asked = resolved({"example.org": ["127.0.0.1"]})
    server.pages["/"] = page(b"text")
    await fetcher_of(server, "example.org").fetch(server.url(host="Example.org"), Sink())
    assert asked == ["example.org"]
    assert f"Host: example.org:{server.port}\r\n" in server.asked[0]


async def test_the_next_address_is_requested_if_one_cannot_be_reached(
    server: PageServer, resolved: Callable[[dict[str, list[str]]], list[str]]
) -> None:
    resolved({"example.org": ["127.0.0.2", "127.0.0.1"]})
    server.pages["/"] = page(b"text")
    sink = Sink()
    await fetcher_of(server, "example.org").fetch(server.url(host="example.org"), sink)
    assert sink.content == b"text"


async def test_a_redirect_is_followed_only_to_listed_hosts(
    server: PageServer, resolved: Callable[[dict[str, list[str]]], list[str]]
) -> None:
    resolved({"one.org": ["127.0.0.1"], "two.org": ["127.0.0.1"]})
    fetcher, sink = fetcher_of(server, "one.org", "two.org"), Sink()
    server.pages["/"] = page(b"", f"Location: {server.url('/moved', 'two.org')}", status="301 Moved")
    server.pages["/moved"] = page(b"", "Location: final.html?x", status="308 Moved")
    server.pages["/final.html?x"] = page(b"text")
    assert (await fetcher.fetch(server.url(host="one.org"), sink)).name == "final.html"
    assert sink.content == b"text"
    for place in (
        server.url("/", "three.org"),
        "file:///etc/passwd",
        "http://two.org:1/",
        "http://u@two.org/",
        "http://[",
    ):
        server.pages["/"] = page(b"", f"Location: {place}", status="302 Found")
        with pytest.raises(UrlNotAllowed):
            await fetcher.fetch(server.url(host="one.org"), sink)


async def test_a_redirect_to_a_private_address_is_not_followed(
    server: PageServer, resolved: Callable[[dict[str, list[str]]], list[str]]
) -> None:
    resolved({"near.org": ["10.0.0.1"], "here.org": ["127.0.0.1"]})
    hosts = [f"{host}:{server.port}" for host in ("near.org", "here.org")]
    fetcher = HttpFetcher(hosts, allows=lambda address: address.is_loopback)
    server.pages["/"] = page(b"", f"Location: {server.url('/', 'near.org')}", status="302 Found")
    with pytest.raises(UrlNotAllowed):
        await fetcher.fetch(server.url(host="here.org"), Sink())


async def test_redirects_are_followed_five_times_at_most(server: PageServer) -> None:
    server.pages["/"] = page(b"", "Location: /", status="302 Found")
    with pytest.raises(DocumentUnreadable, match="redirects"):
        await fetcher_of(server).fetch(server.url(), Sink())
    assert len(server.asked) == 6


@pytest.mark.parametrize(
    "answer",
    [
        page(b"gone", status="404 Not Found"),
        page(b"", status="204 No Content"),
        page(b"", status="302 Found"),
        page(b"packed", "Content-Encoding: gzip"),
    ],
)
async def test_a_response_without_a_document_is_unreadable(server: PageServer, answer: bytes) -> None:
    server.pages["/"] = answer
    with pytest.raises(DocumentUnreadable, match="cannot be fetched"):
        await fetcher_of(server).fetch(server.url(), Sink())


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (page(b"", status="503 Service Unavailable"), "its host answered 503"),
        (page(b"", status="500 Internal Server Error"), "its host answered 500"),
        (page(b"", status="429 Too Many Requests"), "its host answered 429"),
        (page(b"text")[:-2], "RemoteProtocolError"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense", "RemoteProtocolError"),
        (b"nonsense\r\n\r\n", "RemoteProtocolError"),
        (b"", "RemoteProtocolError"),
    ],
)
async def test_a_server_that_fails_is_unreachable(server: PageServer, answer: bytes, problem: str) -> None:
    server.pages["/"] = answer
    with pytest.raises(UrlUnreachable) as failed:
        await fetcher_of(server).fetch(server.url(), Sink())
    assert failed.value.metadata == {"host": "127.0.0.1", "problem": problem}


async def test_a_host_that_is_unknown_or_does_not_answer_is_unreachable(
    server: PageServer, resolved: Callable[[dict[str, list[str]]], list[str]]
) -> None:
    resolved({"away.org": ["127.0.0.2"]})
    for host, problem in (("unknown.org", "its host cannot be resolved"), ("away.org", "ConnectError")):
        with pytest.raises(UrlUnreachable) as failed:
            await fetcher_of(server, host).fetch(server.url(host=host), Sink())
        assert failed.value.metadata == {"host": host, "problem": problem}


async def test_a_host_with_a_malformed_name_is_not_allowed(server: PageServer) -> None:
    host = f"{'x' * 64}.org"
    with pytest.raises(UrlNotAllowed, match="malformed"):
        await fetcher_of(server, host).fetch(server.url(host=host), Sink())


async def test_a_server_that_takes_too_long_is_unreachable(server: PageServer) -> None:
    server.hangs = True
    for answer in (b"", page(b"text")[:-2]):
        server.pages["/"] = answer
        with pytest.raises(UrlUnreachable, match=r"within 0\.2 s"):
            await fetcher_of(server, timeout_s=0.2).fetch(server.url(), Sink())  # time: it must expire


async def test_a_response_that_is_too_large_is_refused(server: PageServer) -> None:
    server.pages["/"] = page(b"x" * 1_000_000)
    with pytest.raises(TooLarge):
        await fetcher_of(server).fetch(server.url(), Sink(1_000))
