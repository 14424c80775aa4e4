"""memoryd by its Python client, connected to a daemon's address."""

import asyncio
import contextlib
from collections.abc import Iterator

from tests.benchmarks.peers.programs import calling, store

import memoryd
import memoryd.aio

_AGENT = "agent"


class _Entries:
    def __init__(self, agent: memoryd.Agent) -> None:
        self._agent = agent

    def write(self, key: str, text: str) -> None:
        self._agent.set(key, text)

    def read(self, key: str) -> str | None:
        return self._agent.get(key)

    def increment(self, key: str) -> None:
        self._agent.update(key, lambda value: str(int(value or 0) + 1))


@contextlib.contextmanager
def _opened(server: str) -> Iterator[_Entries]:
    with memoryd.connect(server) as client:
        yield _Entries(client.agent(_AGENT))


def _one_caller(address: str) -> None:
    with memoryd.connect(address) as client:
        agent = client.agent(_AGENT)
        calling.one("set", lambda number: agent.set(calling.key_of(number), calling.VALUE))
        calling.one("get", lambda number: agent.get(calling.key_of(number)))
        for number in range(calling.MEMORIES):
            agent.memories.remember(calling.text_of(number))
        calling.one("recall", lambda number: agent.memories.recall(calling.text_of(number), limit=calling.LIMIT))


async def _many_callers(address: str) -> None:
    async with memoryd.aio.connect(address) as client:
        agents = [client.agent(f"{_AGENT}-{caller}") for caller in range(calling.CALLERS)]
        memories = client.agent(_AGENT).memories
        await calling.many("set", lambda caller, number: agents[caller].set(calling.key_of(number), calling.VALUE))
        await calling.many("get", lambda caller, number: agents[caller].get(calling.key_of(number)))
        await calling.many("recall", lambda _, number: memories.recall(calling.text_of(number), limit=calling.LIMIT))


def _speed(server: str) -> None:
    _one_caller(server)
    asyncio.run(_many_callers(server))


if __name__ == "__main__":
    store.run(_opened, _speed)
