"""The checks that a call of MCP over HTTP passes before MCP sees it: host name, page of origin, and token."""

import hmac
import re
from collections.abc import Iterable, Sequence

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
_PLACE = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[^\s:/@\[\]?#]+)(?::[0-9]{1,5})?")
_BEARER = re.compile(rb"bearer +(\S+)", re.IGNORECASE)
_HTTP = "http"


class Guard:
    """Passes calls on to ``app`` that name an allowed host, come from no other page, and carry the token.

    ``names`` are the allowed host names, in the form of a URL; loopback is always allowed, and so is every port.
    ``token`` is None where callers need none.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str], token: str | None) -> None:
        self._app = app
        self._names = frozenset(name.lower() for name in (*LOOPBACK_NAMES, *names))
        self._token = None if token is None else token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one call, or refuse it with 421, 403 or 401."""
        refusal = self._refusal(scope["headers"]) if scope["type"] == _HTTP else None
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, headers: Sequence[tuple[bytes, bytes]]) -> PlainTextResponse | None:
        hosts, origins, authorizations = (
            [value for name, value in headers if name == wanted] for wanted in (b"host", b"origin", b"authorization")
        )
        if len(hosts) != 1 or not self._is_allowed(hosts[0].decode("latin-1")):
            return PlainTextResponse("The host is not allowed: see memoryd mcp --allow-host.", 421)
        if len(origins) > 1 or not all(self._is_own_page(each.decode("latin-1")) for each in origins):
            return PlainTextResponse("Pages of this origin are not allowed: see memoryd mcp --allow-host.", 403)
        if self._token is not None and not self._is_authorized(self._token, authorizations):
            return PlainTextResponse("A token is required.", 401, {"WWW-Authenticate": "Bearer"})
        return None

    def _is_allowed(self, place: str) -> bool:
        found = _PLACE.fullmatch(place)
        return found is not None and found["name"].lower() in self._names

    def _is_own_page(self, origin: str) -> bool:
        scheme, separator, place = origin.partition("://")
        return bool(separator) and scheme in {"http", "https"} and self._is_allowed(place)

    @staticmethod
    def _is_authorized(token: bytes, authorizations: Sequence[bytes]) -> bool:
        found = _BEARER.fullmatch(authorizations[0]) if len(authorizations) == 1 else None
        return found is not None and hmac.compare_digest(found[1], token)
