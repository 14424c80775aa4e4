"""Addresses to listen on: ``HOST:PORT`` or ``unix:PATH``."""

import ipaddress
import re
from pathlib import Path

import msgspec

from memoryd_server.ops.limit import PORT_MAX, UNIX_PATH_BYTES_MAX

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")
_HOST = re.compile(r"(?:(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::(?P<port>[0-9]{1,5}))?")
_TCP = re.compile(r"(?:\[(?P<ipv6>[0-9A-Fa-f:.]+)\]|(?P<name>[^\s:/\[\]]+)):(?P<port>[0-9]{1,5})")


class TcpAddress(msgspec.Struct, frozen=True):
    """A TCP port of a host. Port 0 means any free port."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """True if only this machine can reach it. A name other than localhost may resolve to any address."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host.lower() == "localhost"

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class UnixAddress(msgspec.Struct, frozen=True):
    """A unix socket at an absolute path."""

    path: Path

    def __str__(self) -> str:
        return f"unix:{self.path}"


Address = TcpAddress | UnixAddress
"""``str()`` of either is a valid argument of gRPC's ``add_secure_port``."""


def parse_address(text: str) -> Address:
    """Parse ``HOST:PORT``, ``[IPV6]:PORT`` or ``unix:PATH``. Raises ValueError with the problem."""
    if text.startswith("unix:"):
        return _parse_unix(text.removeprefix("unix:"))
    return parse_tcp_address(text)


def parse_host(text: str) -> str:
    """Parse ``example.org``, ``*.example.org`` or an IP address, each with or without a port.

    Raises ValueError with the problem.
    """
    host = text.lower()
    found = _HOST.fullmatch(host)
    if found is None or int(found["port"] or 0) > PORT_MAX:
        raise ValueError(f"{text!r} is not a host such as example.org, *.example.org or example.org:8080")
    return host


def parse_origin(text: str) -> str:
    """Parse ``https://example.org``, with or without a port, or ``*``. Raises ValueError with the problem.

    Of browsers' form: without a path, in lower case, and without the scheme's own port.
    """
    if text != "*" and not _ORIGIN.fullmatch(text):
        raise ValueError(f"{text!r} is not an origin such as https://example.org or http://localhost:5173, or *")
    return text


def parse_tcp_address(text: str) -> TcpAddress:
    """Parse ``HOST:PORT`` or ``[IPV6]:PORT``. Raises ValueError with the problem."""
    match = _TCP.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not an address such as 127.0.0.1:7600 or [::1]:7600")
    port = int(match["port"])
    if port > PORT_MAX:
        raise ValueError(f"{text!r} has a port above {PORT_MAX}")
    return TcpAddress(match["ipv6"] or match["name"], port)


def _parse_unix(text: str) -> UnixAddress:
    if not text or "\0" in text:
        raise ValueError("unix: requires the path of a socket, such as unix:/run/memoryd/memoryd.sock")
    # gRPC's clients also accept the form unix:///path.
    path = Path(text.removeprefix("//")).expanduser().absolute()
    if len(bytes(path)) > UNIX_PATH_BYTES_MAX:
        raise ValueError(f"the socket's path {str(path)!r} is longer than {UNIX_PATH_BYTES_MAX} bytes")
    return UnixAddress(path)
