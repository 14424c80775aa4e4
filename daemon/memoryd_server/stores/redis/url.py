"""The URL of a Redis store."""

import re
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote

import msgspec
from redis.asyncio.connection import Connection, SSLConnection

from memoryd_server.domain.limit import SHARDS_MAX
from memoryd_server.stores.redis.limit import REPLICAS_MAX, TIMEOUT_S_MAX

Kind = Literal["standalone", "sentinel", "cluster"]

DEFAULT_PORT = 6379
DEFAULT_SENTINEL_PORT = 26379


_ANY_TEXT: Mapping[str, Any] = {}
_TLS_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "ssl_ca_certs": _ANY_TEXT,
    "ssl_ca_path": _ANY_TEXT,
    "ssl_certfile": _ANY_TEXT,
    "ssl_keyfile": _ANY_TEXT,
    "ssl_password": _ANY_TEXT,
    "ssl_cert_reqs": {"required": "required", "optional": "optional", "none": "none"},
    "ssl_check_hostname": {"yes": True, "no": False, "true": True, "false": False, "1": True, "0": False},
}
"""TLS arguments of redis-py's connections, each with the values of its words; without words, any text is allowed."""
_SENTINEL_OPTIONS = ("sentinel_username", "sentinel_password")
_STORE_OPTIONS = ("prefix", "shards", "replicas", "timeout")

# Not `urllib.parse.urlsplit`: some versions of Python refuse an authority with `[...]` after a comma.
_PARTS = re.compile(r"(?P<authority>[^/?#\s]*)(?P<path>[^?#\s]*)(?:\?(?P<query>[^#\s]*))?")
_SERVER = re.compile(r"(?:\[(?P<ipv6>[^\[\]]+)\]|(?P<name>[^\[\]:]+))(?::(?P<port>[0-9]{1,5}))?")


class ServerAddress(msgspec.Struct, frozen=True):
    """A server's host and port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class StoreUrl(msgspec.Struct, frozen=True):
    """The parsed URL. ``options`` and ``sentinel_options`` are keyword arguments of redis-py's connections.

    ``service`` is the name under which sentinels know the servers; empty unless ``kind`` is sentinel. ``settings`` are
    the keyword arguments of ``RedisSettings`` in the URL.
    """

    kind: Kind
    addresses: tuple[ServerAddress, ...]
    is_encrypted: bool
    options: dict[str, Any]
    service: str = ""
    sentinel_options: dict[str, Any] = {}
    settings: dict[str, Any] = {}

    def connection(self, address: ServerAddress) -> Connection:
        """Return a connection to one of the servers, which is not connected yet."""
        return self._connection(address, self.options)

    def sentinel_connection(self, address: ServerAddress) -> Connection:
        """Return a connection to one of the sentinels, which is not connected yet."""
        return self._connection(address, self.sentinel_options)

    def _connection(self, address: ServerAddress, options: dict[str, Any]) -> Connection:
        kind = SSLConnection if self.is_encrypted else Connection
        # Without a timeout of its own, which would cost time for every reply: its user has one for a whole exchange.
        return kind(host=address.host, port=address.port, protocol=2, socket_timeout=None, driver_info=None, **options)


def parse_store_url(text: str) -> StoreUrl:
    """Parse ``redis[s][+sentinel|+cluster]://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]...][/...][?OPTIONS]``.

    The path is the database's number; with sentinels ``/SERVICE[/DATABASE]``. Options are

    - those of the store: ``prefix`` of all keys, number of ``shards`` of a store that is created (1 to 512), number of
      ``replicas`` that must have a change before it is acknowledged, and ``timeout``, the maximum time of a call to the
      server in seconds;
    - redis-py's for TLS: ``ssl_ca_certs``, ``ssl_ca_path``, ``ssl_certfile``, ``ssl_keyfile``, ``ssl_password``,
      ``ssl_cert_reqs``, ``ssl_check_hostname``;
    - with sentinels ``sentinel_username`` and ``sentinel_password``.

    Raises ValueError. Its message contains nothing that may be a part of a password.
    """
    scheme, _, _ = text.partition("://")
    transport, _, kind = scheme.partition("+")
    if transport not in ("redis", "rediss") or kind not in ("", "sentinel", "cluster"):
        raise ValueError("must begin with redis://, rediss://, redis+sentinel:// or redis+cluster:// (or rediss+...)")
    authority, parts, query = _split(text)
    userinfo, _, hosts = authority.rpartition("@")
    path = [unquote(part) for part in parts.split("/") if part]
    service = path.pop(0) if kind == "sentinel" and path else ""
    if kind == "sentinel" and not service:
        raise ValueError("must name the sentinels' service: redis+sentinel://HOST:PORT/SERVICE")
    database = _database(path)
    if kind == "cluster" and database.get("db"):
        raise ValueError("must not name a database other than 0 for a cluster")
    default_port = DEFAULT_SENTINEL_PORT if kind == "sentinel" else DEFAULT_PORT
    addresses = tuple(_address_of(each, default_port) for each in hosts.split(","))
    if not kind and len(addresses) > 1:
        raise ValueError("must name one server; only redis+sentinel:// and redis+cluster:// allow several")
    encryption, sentinel, settings = _options(query)
    if encryption and transport != "rediss":
        raise ValueError("must begin with rediss to have TLS options")
    if sentinel and kind != "sentinel":
        raise ValueError("must begin with redis+sentinel or rediss+sentinel to have sentinel options")
    return StoreUrl(
        kind=kind or "standalone",  # type: ignore[arg-type]
        addresses=addresses,
        is_encrypted=transport == "rediss",
        options={**_credentials(userinfo), **database, **encryption},
        service=service,
        sentinel_options={**encryption, **sentinel},
        settings=_settings(settings),
    )


def _split(text: str) -> tuple[str, str, str]:
    """Return the authority, the path and the query of a URL."""
    found = _PARTS.fullmatch(text.rstrip().partition("://")[2])
    if found is None or "@" in found["path"]:
        raise ValueError(
            "cannot be parsed; in a user or password, percent-encode all but letters and digits, such as %40 for @"
        )
    return found["authority"], found["path"], found["query"] or ""


def _credentials(userinfo: str) -> dict[str, Any]:
    username, _, password = map(unquote, userinfo.partition(":"))
    return {name: value for name, value in (("username", username), ("password", password)) if value}


def _database(path: list[str]) -> dict[str, Any]:
    if len(path) > 1 or not all(part.isdecimal() for part in path):
        raise ValueError("must have a database's number as its path")
    return {"db": int(path[0])} if path else {}


def _options(query: str) -> tuple[dict[str, Any], dict[str, str], dict[str, str]]:
    """Return the options of TLS, of the sentinels, and of the store."""
    given = dict(parse_qsl(query, keep_blank_values=True))
    sentinel = {name: given.pop(name) for name in _SENTINEL_OPTIONS if name in given}
    store = {name: given.pop(name) for name in _STORE_OPTIONS if name in given}
    if given.keys() - _TLS_OPTIONS.keys():
        # Without the option's name: it may be the end of a password that is not percent-encoded.
        known = ", ".join([*_STORE_OPTIONS, *_TLS_OPTIONS, *_SENTINEL_OPTIONS])
        raise ValueError(f"has an unknown option; the options are {known}")
    encryption = {name: _value(name, text) for name, text in given.items()}
    return encryption, {name.removeprefix("sentinel_"): text for name, text in sentinel.items()}, store


def _settings(given: Mapping[str, str]) -> dict[str, Any]:
    """Return the keyword arguments of ``RedisSettings``."""
    settings: dict[str, Any] = {}
    if "prefix" in given:
        settings["prefix"] = _prefix(given["prefix"])
    if "shards" in given:
        settings["shard_count"] = _number("shards", given["shards"], 1, SHARDS_MAX)
    if "replicas" in given:
        settings["replicas"] = _number("replicas", given["replicas"], 0, REPLICAS_MAX)
    if "timeout" in given:
        settings["timeout_s"] = _seconds(given["timeout"])
    return settings


def _prefix(text: str) -> str:
    if not text or "{" in text or "}" in text:
        raise ValueError("must have a prefix without braces, which determine the slot of a key in a cluster")
    return text


def _number(name: str, text: str, least: int, most: int) -> int:
    if not text.isascii() or not text.isdecimal() or not least <= int(text) <= most:
        raise ValueError(f"must have a whole number from {least} to {most} for {name}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= TIMEOUT_S_MAX:
        raise ValueError(f"must have a number of seconds above 0 and up to {TIMEOUT_S_MAX} for timeout")
    return seconds


def _value(name: str, text: str) -> Any:
    words = _TLS_OPTIONS[name]
    if words and text.lower() not in words:
        raise ValueError(f"must have one of {', '.join(words)} for {name}")
    return words[text.lower()] if words else text


def _address_of(text: str, default_port: int) -> ServerAddress:
    found = _SERVER.fullmatch(text)
    port = int(found["port"] or default_port) if found else 0
    if found is None or not 0 < port < 65_536:
        raise ValueError("must name servers as HOST or HOST:PORT, and an IPv6 address as [ADDRESS]")
    return ServerAddress(found["ipv6"] or found["name"], port)
