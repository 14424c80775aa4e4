"""A server that loses its last commits, as after a failover to a replica that had not received them."""

from typing import NamedTuple

from tests.unit.stores.redis.writing import keys_of
from tests.valkey.link import Link, Reply
from tests.valkey.server import ValkeyServer

from memoryd_server.stores.redis.store import RedisStore


class Image(NamedTuple):
    """The earlier content of a shard: the prefix of its keys, and their values in the format of DUMP."""

    begin: str
    values: dict[bytes, bytes]


def image(server: ValkeyServer, store: RedisStore, agent_id: str) -> Image:
    """Return the content of an agent's shard."""
    begin = keys_of(store, agent_id).shard.removesuffix("shard")
    with server.link() as link:
        return Image(begin, {name: _bytes(link.call("DUMP", name)) for name in _names(link, begin)})


def go_back(server: ValkeyServer, image: Image) -> None:
    """Restore the earlier content of the shard."""
    with server.link() as link:
        for name in _names(link, image.begin):
            link.call("DEL", name)
        for name, value in image.values.items():
            link.call("RESTORE", name, 0, value)


def _names(link: Link, begin: str) -> list[bytes]:
    names = link.call("KEYS", begin + "*")
    assert isinstance(names, list)
    return [_bytes(name) for name in names]


def _bytes(reply: Reply) -> bytes:
    assert isinstance(reply, bytes)
    return reply
