"""No call holds the event loop for long, however many memories supersede each other.

What is asserted is measured as in test_hostile_cost.py, and the lowest of some tries counts.
"""

import gc
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from tests.integration.cost.meter import Cost, cost_of

from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1 import memory_pb2
from memoryd_server.transport.in_process import CallFailed, InProcessTransport
from memoryd_server.transport.status import StatusCode

SUPERSEDES = memory_pb2.MEMORY_LINK_TYPE_SUPERSEDES
CHAIN = 10_000
STAR = 500
BATCH = 1_000
TRIES = 5


class Superseding:
    """An agent's memories, each of which supersedes others. Its calls are measured by their names."""

    def __init__(self, transport: InProcessTransport) -> None:
        self.transport = transport
        self.costs: dict[str, Cost] = {}

    async def call(self, method: str, **fields: Any) -> Any:
        request = getattr(pb, f"{method}Request")(agent_id="a", **fields)
        path = f"/memoryd.v1.LongTermMemoryService/{method}"
        data = await self.transport.unary(path, request.SerializeToString())
        return getattr(pb, f"{method}Response").FromString(data)

    async def measure(self, method: str, name: str, **fields: Any) -> None:
        """Call a method, and note the cost unless an earlier call of this name was cheaper."""
        cost = await cost_of(self.call(method, **fields))
        self.costs[f"{method} {name}"] = cost.lower(self.costs.get(f"{method} {name}", cost))

    async def create(self, count: int, superseded: Callable[[int], Iterable[int]]) -> None:
        """Create memories whose ids are their numbers, with links to those that each supersedes."""
        for first in range(0, count, BATCH):
            drafts = [
                {
                    "memory_id": str(number),
                    "content": f"version {number}",
                    "user_id": "ann",
                    "allow_duplicates": True,
                    "skip_contradictions": True,
                    "links": [{"to_memory_id": str(each), "type": SUPERSEDES} for each in superseded(number)],
                }
                for number in range(first, min(first + BATCH, count))
            ]
            await self.call("BatchCreateMemories", drafts=drafts)
        # What exists would be looked through again and again.
        gc.collect()
        gc.freeze()

    async def forget_and_restore(self, memory_id: int, name: str) -> None:
        for _ in range(TRIES):
            await self.measure("ForgetMemory", name, memory_id=str(memory_id))
            await self.measure("RestoreMemory", name, memory_id=str(memory_id))

    async def active(self) -> list[str]:
        listed = await self.call("ListMemories", filter={"all_users": True}, page_size=BATCH)
        return [each.memory_id for each in listed.memories]

    def expect_cheap(self) -> None:
        gc.unfreeze()
        assert {name: cost for name, cost in self.costs.items() if cost.is_dear} == {}


@pytest.mark.whole
async def test_a_long_chain_of_memories_makes_no_call_long(transport: InProcessTransport) -> None:
    chain, newest = Superseding(transport), CHAIN - 1
    await chain.create(CHAIN, lambda number: [number - 1] if number else [])
    assert await chain.active() == [str(newest)]
    with pytest.raises(CallFailed) as refused:
        await chain.call("LinkMemories", from_memory_id="0", to_memory_id=str(newest), type=SUPERSEDES)
    assert refused.value.status.code is StatusCode.RESOURCE_EXHAUSTED
    for name, number in (("oldest", 0), ("second", 1), ("middle", CHAIN // 2), ("newest", newest)):
        await chain.forget_and_restore(number, name)
    assert await chain.active() == [str(newest)]
    await chain.call("ForgetMemory", memory_id=str(newest))
    assert await chain.active() == [str(newest - 1)]
    chain.expect_cheap()


@pytest.mark.whole
async def test_a_memory_that_supersedes_many_makes_no_call_long(transport: InProcessTransport) -> None:
    star = Superseding(transport)
    await star.create(STAR + 1, lambda _: ())
    for number in range(STAR):
        await star.call("LinkMemories", from_memory_id=str(STAR), to_memory_id=str(number), type=SUPERSEDES)
    assert await star.active() == [str(STAR)]
    await star.forget_and_restore(STAR, "centre")
    assert await star.active() == [str(STAR)]
    await star.call("PurgeMemory", memory_id=str(STAR))
    assert len(await star.active()) == STAR
    star.expect_cheap()
