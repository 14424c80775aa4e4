"""memoryd by its Python client. Takes the daemon's address."""

import asyncio
import sys

from tests.benchmarks.peers.programs import calling

import memoryd
import memoryd.aio

_AGENT = "agent"


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


if __name__ == "__main__":
    calling.begin()
    _one_caller(sys.argv[1])
    asyncio.run(_many_callers(sys.argv[1]))
