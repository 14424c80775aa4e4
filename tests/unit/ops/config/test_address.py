from pathlib import Path

import pytest

from memoryd_server.ops.config.address import TcpAddress, UnixAddress, parse_address, parse_host, parse_tcp_address


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:7600", TcpAddress("127.0.0.1", 7600)),
        ("localhost:0", TcpAddress("localhost", 0)),
        ("[::1]:7600", TcpAddress("::1", 7600)),
        ("unix:/run/memoryd/memoryd.sock", UnixAddress(Path("/run/memoryd/memoryd.sock"))),
    ],
)
def test_an_address_is_read_and_written_the_same(text: str, address: TcpAddress | UnixAddress) -> None:
    assert parse_address(text) == address
    assert str(address) == text


def test_the_form_of_grpc_clients_is_read_too() -> None:
    assert parse_address("unix:///run/x.sock") == UnixAddress(Path("/run/x.sock"))


def test_a_relative_socket_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert parse_address("unix:x.sock") == UnixAddress(tmp_path / "x.sock")


@pytest.mark.parametrize(
    "text",
    ["", "7600", ":7600", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:7600", "a b:1", "unix:", "http://a:1"],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"address|port|unix:"):
        parse_address(text)


def test_a_socket_path_that_the_kernel_has_no_room_for_is_refused() -> None:
    with pytest.raises(ValueError, match="107 bytes"):
        parse_address("unix:/" + "x" * 107)


def test_a_unix_socket_is_no_tcp_address() -> None:
    with pytest.raises(ValueError, match="not an address"):
        parse_tcp_address("unix:/run/x.sock")


@pytest.mark.parametrize(
    ("host", "is_loopback"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.1", False),
        ("example.com", False),
    ],
)
def test_only_loopback_addresses_are_loopback(host: str, is_loopback: bool) -> None:
    assert TcpAddress(host, 1).is_loopback is is_loopback


@pytest.mark.parametrize("host", ["example.org", "*.example.org", "a_b.org:8080", "192.0.2.7", "[2001:db8::7]:443"])
def test_a_host_is_read_in_lower_case(host: str) -> None:
    assert parse_host(host.upper()) == host


@pytest.mark.parametrize(
    "host",
    [
        *(
            "",
            "*",
            "*.",
            "a b",
            "http://example.org",
            "example.org/",
            "exämple.org",
            "a.*.b",
            "*.[::1]",
            "a:",
            "a:99999",
        ),
        *(".org", "a..b", "example.org.", "u@example.org", "[::1", "a,b"),
    ],
)
def test_what_is_no_host_is_refused(host: str) -> None:
    with pytest.raises(ValueError, match="is not a host"):
        parse_host(host)
