"""No request holds the event loop for long, or takes much memory, whatever is in it.

Every method of the contract is called, with every field as large, and as often, as a message can have it: at the
method's own limit, and with as many elements as are counted. A type of messages that many requests have in them, such
as a filter, is so in the largest of them. A new method or field is called without being listed here.

Tests never assert how long something takes, because that depends on what else runs. Here the duration of the loop's
turns is what is tested. It is measured in processor time of this process, and a turn that was long is tried again.
"""

import gc
from collections.abc import AsyncIterator
from itertools import chain

import pytest
from tests.integration.contract import METHODS, Method
from tests.integration.cost.hostile import Hostile, hostile_requests, paths_to_types
from tests.integration.cost.meter import Cost, cost_of

from memoryd_server.domain.limit import Limits
from memoryd_server.transport.fields.wire import varint
from memoryd_server.transport.in_process import CallFailed, InProcessTransport
from memoryd_server.transport.limit import MESSAGE_BYTES_MAX, MESSAGE_ELEMENTS_MAX
from memoryd_server.transport.parsing.message_shape import bytes_max_of
from memoryd_server.transport.status import StatusCode

TRIES = 10
ANSWER_S_MAX = 20.0  # time: a watch that is accepted sends its first response at once


def types_of() -> dict[str, set[str]]:
    """Return the types of messages whose fields each method is called with: each type is with one method.

    A request within another one has a method of its own.
    """
    types: dict[str, set[str]] = {method.name: set() for method in METHODS}
    known = {method.descriptor.input_type.full_name for method in METHODS}
    for method in sorted(METHODS, key=own_bytes_max, reverse=True):
        within = {path[-1].containing_type.full_name for path in paths_to_types(method.descriptor.input_type)}
        types[method.name] = within - known
        known |= within
    return types


def own_bytes_max(method: Method) -> int:
    return bytes_max_of(method.descriptor.input_type, Limits())


TYPES = types_of()
TOO_LARGE = Hostile("agent_id", b"\x0a" + varint(MESSAGE_BYTES_MAX - 5) + b"a" * (MESSAGE_BYTES_MAX - 5))


@pytest.mark.whole
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
async def test_no_request_costs_much(transport: InProcessTransport, method: Method) -> None:
    types, bytes_max = TYPES[method.name], own_bytes_max(method)
    requests = hostile_requests(method.request_type, types, bytes_max, MESSAGE_ELEMENTS_MAX)
    # What other tests left would be looked through again and again.
    gc.collect()
    gc.freeze()
    costs = {each.path: await lowest_cost(transport, method, each) for each in chain([TOO_LARGE], requests)}
    gc.unfreeze()
    assert {path: cost for path, cost in costs.items() if cost.is_dear} == {}


async def lowest_cost(transport: InProcessTransport, method: Method, hostile: Hostile) -> Cost:
    """Return the lowest cost of some tries; the first try that is cheap enough ends them."""
    cost = await cost_of(answered(transport, method, hostile.data))
    for _ in range(TRIES - 1):
        if not cost.is_dear:
            break
        cost = cost.lower(await cost_of(answered(transport, method, hostile.data)))
    return cost


async def answered(transport: InProcessTransport, method: Method, data: bytes) -> None:
    """Call the method, up to its first response or its refusal. A refusal never is INTERNAL."""
    path = f"/{method.descriptor.containing_service.full_name}/{method.descriptor.name}"
    request = one(data) if method.descriptor.client_streaming else data
    try:
        await transport.unary(path, request, timeout_s=ANSWER_S_MAX)
    except CallFailed as failed:
        if failed.status.code is StatusCode.INTERNAL:
            raise


async def one(data: bytes) -> AsyncIterator[bytes]:
    yield data
