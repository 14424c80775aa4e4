import httpx2
import pytest

from memoryd_server.extraction.host_list import HostList

LISTED = HostList(["Example.org", "*.wide.org", "port.org:8080", "*.port.org:8443", "192.0.2.7", "[2001:db8::7]"])


@pytest.mark.parametrize(
    "url",
    [
        *("http://example.org/", "https://example.org/a", "http://EXAMPLE.ORG:80/", "https://example.org:443/"),
        *("http://a.wide.org/", "http://a.b.wide.org/", "http://port.org:8080/", "https://a.port.org:8443/"),
        *("http://192.0.2.7/", "http://[2001:db8::7]/"),
    ],
)
def test_a_list_has_the_hosts_that_match_it(url: str) -> None:
    assert LISTED.has(httpx2.URL(url))


@pytest.mark.parametrize(
    "url",
    [
        *("http://example.com/", "http://www.example.org/", "http://example.org.evil.com/", "http://evilexample.org/"),
        *("http://example.org:8080/", "https://example.org:80/", "http://wide.org/", "http://evilwide.org/"),
        *("http://port.org/", "http://a.port.org:8080/", "http://192.0.2.8/", "http://example.org./", "http://*/"),
        *("http://exa%6dple.org/", "http://[2001:db8::8]/", "http://xn--exmple-cua.org/"),
    ],
)
def test_a_list_has_no_other_host(url: str) -> None:
    assert not LISTED.has(httpx2.URL(url))


def test_an_empty_list_has_no_host() -> None:
    assert not HostList(()).has(httpx2.URL("http://example.org/"))
