"""Fills a daemon with many entries, as fast as it accepts them."""

import asyncio
from collections.abc import Iterator, Sequence

import grpc
from tests.benchmarks import workload

from memoryd.v1.working_memory_service_pb2 import BatchWriteEntriesRequest
from memoryd.v1.working_memory_service_pb2_grpc import WorkingMemoryServiceStub

_WRITERS = 8


def fill(address: str, agent_ids: Sequence[str], keys: Sequence[str], value_json: str, batch_entries: int) -> None:
    """Set all keys of each agent, in batches."""
    asyncio.run(_fill(address, _requests(agent_ids, keys, value_json, batch_entries)))


def _requests(
    agent_ids: Sequence[str], keys: Sequence[str], value_json: str, batch_entries: int
) -> Iterator[BatchWriteEntriesRequest]:
    for agent_id in agent_ids:
        for start in range(0, len(keys), batch_entries):
            yield workload.batch_write_request(agent_id, keys[start : start + batch_entries], value_json)


async def _fill(address: str, requests: Iterator[BatchWriteEntriesRequest]) -> None:
    async with grpc.aio.insecure_channel(address) as channel:
        memory = WorkingMemoryServiceStub(channel)

        async def write() -> None:
            for request in requests:
                await memory.BatchWriteEntries(request)

        await asyncio.gather(*(write() for _ in range(_WRITERS)))
