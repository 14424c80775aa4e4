"""Valkey by redis-py. Takes the server's port."""

import asyncio
import sys

import redis
import redis.asyncio
from tests.benchmarks.peers.programs import calling


def _one_caller(port: int) -> None:
    with redis.Redis(port=port) as client:
        calling.one("set", lambda number: client.set(calling.key_of(number), calling.VALUE))
        calling.one("get", lambda number: client.get(calling.key_of(number)))


async def _many_callers(port: int) -> None:
    def key(caller: int, number: int) -> str:
        return f"{caller}:{calling.key_of(number)}"

    pool = redis.asyncio.BlockingConnectionPool(port=port, max_connections=calling.CALLERS)
    async with redis.asyncio.Redis(connection_pool=pool) as client:
        await calling.many("set", lambda caller, number: client.set(key(caller, number), calling.VALUE))
        await calling.many("get", lambda caller, number: client.get(key(caller, number)))


if __name__ == "__main__":
    calling.begin()
    _one_caller(int(sys.argv[1]))
    asyncio.run(_many_callers(int(sys.argv[1])))
