"""Calls that wait: for a reserved entry that is never set, and for fragments that never come."""

import asyncio
from collections import Counter

from google.protobuf.duration_pb2 import Duration
from tests.attack.attack import Attack, Outcomes, Target
from tests.attack.channel import channel_to
from tests.attack.outcome import outcome

from memoryd.v1 import fragment_service_pb2, working_memory_service_pb2
from memoryd.v1.fragment_service_pb2_grpc import FragmentServiceStub
from memoryd.v1.working_memory_service_pb2_grpc import WorkingMemoryServiceStub

_AGENT = "attacker-waits"
_HELD_S = 5  # time: how long each call waits
_TIMEOUT_S = 120.0


async def _waits(target: Target, times: int) -> Outcomes:
    wait, lease = Duration(seconds=_HELD_S), Duration(seconds=60)
    async with channel_to(target.address) as channel:
        entries, fragments = WorkingMemoryServiceStub(channel), FragmentServiceStub(channel)
        reserve = working_memory_service_pb2.ReserveEntryRequest(agent_id=_AGENT, key="key", lease_duration=lease)
        await entries.ReserveEntry(reserve, metadata=target.bearer)
        reserve.wait_duration.CopyFrom(wait)
        request = fragment_service_pb2.LeaseFragmentsRequest(agent_id=_AGENT, wait_duration=wait)
        calls = [entries.ReserveEntry(reserve, timeout=_TIMEOUT_S, metadata=target.bearer) for _ in range(times // 2)]
        calls += [
            fragments.LeaseFragments(request, timeout=_TIMEOUT_S, metadata=target.bearer) for _ in range(times // 2)
        ]
        return Counter(await asyncio.gather(*map(outcome, calls)))


ATTACKS = (
    Attack(
        "waits",
        "{times} calls at once of one caller that wait for an entry or for fragments",
        _waits,
        4_200,
        200,
        frozenset({"OK", "OVERLOADED"}),
    ),
)
