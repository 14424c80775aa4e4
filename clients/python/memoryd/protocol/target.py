"""The daemon's address, token and TLS credentials."""

import ipaddress
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import grpc

from memoryd.errors import InvalidTarget

DEFAULT_TARGET = "127.0.0.1:7600"


@dataclass(frozen=True, slots=True)
class Tls:
    """The TLS settings of a client. ``ca_file`` has the certificates to trust instead of the machine's own (PEM).

    ``cert_file`` and ``key_file`` are the client's own, for mutual TLS. ``server_name`` is the name to verify in the
    server's certificate instead of the target's host.
    """

    ca_file: str | Path | None = None
    cert_file: str | Path | None = None
    key_file: str | Path | None = None
    server_name: str | None = None


def target_of(target: str | None, environment: Mapping[str, str] = os.environ) -> str:
    """Return the target, else MEMORYD_ADDRESS, else the default. Raises InvalidTarget."""
    chosen = target or environment.get("MEMORYD_ADDRESS") or DEFAULT_TARGET
    if chosen.startswith("unix:"):
        if chosen in {"unix:", "unix://"}:
            raise InvalidTarget(f"address {chosen!r} names no socket: use unix:/path")
        return chosen
    host, _, port = chosen.rpartition(":")
    # An IPv6 host needs brackets: without them its last part cannot be distinguished from the port.
    bracketed = host.startswith("[") and host.endswith("]")
    if not host or (":" in host and not bracketed) or not port.isdecimal() or not 0 < int(port) < 65_536:
        raise InvalidTarget(f"address {chosen!r} is neither HOST:PORT nor unix:/path")
    return chosen


def token_of(
    token: str | Callable[[], str] | None, environment: Mapping[str, str] = os.environ
) -> Callable[[], str] | None:
    """Return a function that returns the token, else MEMORYD_TOKEN; None without a token."""
    chosen = token or environment.get("MEMORYD_TOKEN")
    if not chosen or callable(chosen):
        return chosen or None
    return lambda: chosen


def check_secrecy(target: str) -> None:
    """Raise InvalidTarget if a token that is sent to the target without TLS could be read on its way.

    On this machine it could not. A host name other than localhost may be that of another machine.
    """
    if not (target.startswith("unix:") or _is_loopback(target.rpartition(":")[0].strip("[]"))):
        raise InvalidTarget(f"the token would be sent to {target} in the clear: use TLS, or allow it by insecure_token")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def credentials_of(tls: Tls | bool | None) -> grpc.ChannelCredentials | None:
    """Return a channel's TLS credentials; None without TLS. Raises InvalidTarget if a file cannot be read."""
    if not tls:
        return None
    files = Tls() if tls is True else tls
    if (files.cert_file is None) != (files.key_file is None):
        raise InvalidTarget("cert_file and key_file belong together: give both or neither")
    return grpc.ssl_channel_credentials(
        root_certificates=_content_of(files.ca_file),
        private_key=_content_of(files.key_file),
        certificate_chain=_content_of(files.cert_file),
    )


def _content_of(file: str | Path | None) -> bytes | None:
    if file is None:
        return None
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise InvalidTarget(f"TLS file {str(file)!r} cannot be read: {error.strerror}") from error
