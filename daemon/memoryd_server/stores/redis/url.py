"""Where a Redis store is, as an operator writes it."""

from typing import Any, Literal
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import msgspec
from redis.asyncio.connection import Connection, SSLConnection, parse_url

Kind = Literal["standalone", "sentinel", "cluster"]

DEFAULT_PORT = 6379
DEFAULT_SENTINEL_PORT = 26379


class ServerAddress(msgspec.Struct, frozen=True, order=True):
    """A server's host and port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class StoreUrl(msgspec.Struct, frozen=True):
    """What an URL says. ``options`` and ``sentinel_options`` are keyword arguments of redis-py's connections.

    ``service`` is the name under which sentinels know the servers; empty unless ``kind`` is sentinel.
    """

    kind: Kind
    addresses: tuple[ServerAddress, ...]
    is_encrypted: bool
    options: dict[str, Any]
    service: str = ""
    sentinel_options: dict[str, Any] = {}

    def connection(self, address: ServerAddress) -> Connection:
        """A connection to one of the servers, not yet made."""
        return self._connection(address, self.options)

    def sentinel_connection(self, address: ServerAddress) -> Connection:
        """A connection to one of the sentinels, not yet made."""
        return self._connection(address, self.sentinel_options)

    def _connection(self, address: ServerAddress, options: dict[str, Any]) -> Connection:
        kind = SSLConnection if self.is_encrypted else Connection
        # Without a timeout of its own, which would cost every reply: whoever uses it has one for the whole exchange.
        return kind(host=address.host, port=address.port, protocol=2, socket_timeout=None, driver_info=None, **options)


def parse_store_url(text: str) -> StoreUrl:
    """Read ``redis[s][+sentinel|+cluster]://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]...][/...][?OPTIONS]``.

    The path is the database's number; with sentinels ``/SERVICE[/DATABASE]``. Options are redis-py's for TLS
    (``ssl_ca_certs``, ``ssl_certfile``, ``ssl_keyfile``, ``ssl_check_hostname``), ``sentinel_username`` and
    ``sentinel_password``. Raises ValueError; its message holds no password.
    """
    scheme, _, _ = text.partition("://")
    transport, _, kind = scheme.partition("+")
    if transport not in ("redis", "rediss") or kind not in ("", "sentinel", "cluster"):
        raise ValueError("must begin with redis://, rediss://, redis+sentinel:// or redis+cluster:// (or rediss+...)")
    split = urlsplit(text)
    userinfo, _, hosts = split.netloc.rpartition("@")
    query = dict(parse_qsl(split.query, keep_blank_values=True))
    sentinel = {
        name.removeprefix("sentinel_"): query.pop(name)
        for name in ("sentinel_username", "sentinel_password")
        if kind == "sentinel" and name in query
    }
    path = [unquote(part) for part in split.path.split("/") if part]
    service = path.pop(0) if kind == "sentinel" and path else ""
    if kind == "sentinel" and not service:
        raise ValueError("must name the sentinels' service: redis+sentinel://HOST:PORT/SERVICE")
    options = _options(userinfo, path, query)
    if kind == "cluster" and options.get("db"):
        raise ValueError("a cluster has no other databases than 0")
    default_port = DEFAULT_SENTINEL_PORT if kind == "sentinel" else DEFAULT_PORT
    addresses = tuple(_address_of(each, default_port) for each in hosts.split(","))
    if not kind and len(addresses) > 1:
        raise ValueError("must name one server; several are for redis+sentinel:// and redis+cluster://")
    encryption = {name: value for name, value in options.items() if name.startswith("ssl_")}
    return StoreUrl(
        kind=kind or "standalone",  # type: ignore[arg-type]
        addresses=addresses,
        is_encrypted=transport == "rediss",
        options=options,
        service=service,
        sentinel_options={**encryption, **sentinel},
    )


def _options(userinfo: str, path: list[str], query: dict[str, str]) -> dict[str, Any]:
    known = {name for name in query if name.startswith("ssl_")}
    if unknown := sorted(query.keys() - known):
        raise ValueError(f"has unknown options: {', '.join(unknown)}")
    if len(path) > 1 or not all(part.isdecimal() for part in path):
        raise ValueError("must have a database's number as its path")
    at = "@" if userinfo else ""
    options = dict(parse_url(f"rediss://{userinfo}{at}host/{''.join(path)}?{urlencode(query)}"))
    del options["host"], options["connection_class"]
    return options


def _address_of(text: str, default_port: int) -> ServerAddress:
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, port = text, str(default_port)
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or not 0 < int(port) < 65_536:
        raise ValueError("must name servers as HOST or HOST:PORT")
    return ServerAddress(host, int(port))
