"""Valkey by redis-py, connected to a server's port."""

import asyncio
import contextlib
from collections.abc import Iterator

import redis
import redis.asyncio
from tests.benchmarks.peers.programs import calling, store


class _Keys:
    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def write(self, key: str, text: str) -> None:
        self._client.set(key, text)

    def read(self, key: str) -> str | None:
        value = self._client.get(key)
        return None if value is None else bytes(value).decode()

    def increment(self, key: str) -> None:
        self._client.incr(key)


@contextlib.contextmanager
def _opened(server: str) -> Iterator[_Keys]:
    with redis.Redis(port=int(server)) as client:
        yield _Keys(client)


async def _many_callers(port: int) -> None:
    def key(caller: int, number: int) -> str:
        return f"{caller}:{calling.key_of(number)}"

    pool = redis.asyncio.BlockingConnectionPool(port=port, max_connections=calling.CALLERS)
    async with redis.asyncio.Redis(connection_pool=pool) as client:
        await calling.many("set", lambda caller, number: client.set(key(caller, number), calling.VALUE))
        await calling.many("get", lambda caller, number: client.get(key(caller, number)))


def _speed(server: str) -> None:
    with _opened(server) as keys:
        calling.one("set", lambda number: keys.write(calling.key_of(number), calling.VALUE))
        calling.one("get", lambda number: keys.read(calling.key_of(number)))
    asyncio.run(_many_callers(int(server)))


if __name__ == "__main__":
    store.run(_opened, _speed)
