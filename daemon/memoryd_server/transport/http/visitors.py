"""The origins of requests: pages of web browsers, which may be anybody's.

A page can make its browser call this machine. What it may not read, the browser keeps from it:
https://fetch.spec.whatwg.org/#http-cors-protocol. A page whose own name suddenly has the address of this machine is
found by that name, which the request has as its host.
"""

import ipaddress
from collections.abc import Sequence

from memoryd_server.transport.http.head import Head

Headers = list[tuple[str, str]]

_PREFLIGHT_AGE_S = 7200  # time: what browsers allow at most
_EXPOSED = "grpc-status, grpc-message, grpc-status-details-bin, content-encoding"


class NotAllowed(Exception):  # noqa: N818 - as domain.error.Refusal
    """The page that calls may not."""


class Visitors:
    """The pages that may call.

    Pages of ``origins`` may, ``*`` is any. ``hosts`` are the names that the host may have besides those that nobody
    else can own; None: any, since callers are known by their credentials.
    """

    def __init__(self, origins: Sequence[str], hosts: Sequence[str] | None) -> None:
        self._origins = frozenset(origins)
        self._hosts = None if hosts is None else frozenset(hosts)

    def origin_of(self, head: Head) -> str | None:
        """Return the origin of the page that calls, if it is another than this host; None if no page calls.

        Raises NotAllowed.
        """
        host = head.get("host") or ""
        if self._hosts is not None and not _is_own(host, self._hosts):
            raise NotAllowed(f"the host {host} is not known here: --http-host adds a name")
        origin = head.get("origin")
        if origin is None or origin.partition("://")[2].lower() == host.lower() != "":
            return None
        if "*" in self._origins or origin in self._origins:
            return origin
        raise NotAllowed(f"pages of {origin} may not call: --http-origin adds an origin")


def _is_own(host: str, names: frozenset[str]) -> bool:
    """Return true for addresses, and for names that nobody else can own."""
    name = _name_of(host).lower()
    if ("." not in name and ":" not in name) or name.endswith(".localhost") or name in names:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _name_of(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    name, colon, _ = host.rpartition(":")
    return name if colon and ":" not in name else host


def preflight(head: Head) -> Headers:
    """Return the headers that answer a browser which asks whether a page may call."""
    wanted = head.get("access-control-request-headers")
    headers = [("access-control-allow-methods", "GET, POST"), ("access-control-max-age", str(_PREFLIGHT_AGE_S))]
    return headers if wanted is None else [*headers, ("access-control-allow-headers", wanted)]


def allowing(origin: str | None) -> Headers:
    """Return the headers that let the page of an origin read a response. No cookies: they mean nothing here."""
    always = [("vary", "origin, accept-encoding"), ("x-content-type-options", "nosniff")]
    if origin is None:
        return always
    return [*always, ("access-control-allow-origin", origin), ("access-control-expose-headers", _EXPOSED)]
