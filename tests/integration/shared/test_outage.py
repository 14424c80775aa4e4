"""A server that is down or full: calls are refused with the reason, health reports it, and the daemons recover."""

import functools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from tests.integration.shared.health import NOT_SERVING, SERVING, health_of, until_health
from tests.integration.shared.pair import Pair, sharing
from tests.integration.watcher import Watcher
from tests.integration.wire import Memory, refused
from tests.valkey.server import ValkeyServer
from tests.valkey.url import with_options

from memoryd.v1 import agent_service_pb2 as agent_pb

UNAVAILABLE = (grpc.StatusCode.UNAVAILABLE, "STORE_UNAVAILABLE")
FULL = (grpc.StatusCode.RESOURCE_EXHAUSTED, "STORAGE_FULL")

READS: dict[str, Callable[[Memory], object]] = {
    "get": lambda memory: memory.get("k"),
    "get of what never was": lambda memory: memory.get("never"),
    "contains": lambda memory: memory.contains("k"),
    "list": lambda memory: memory.list(),
    "scopes": lambda memory: memory.scopes(),
    "stats": lambda memory: memory.stats(),
    "agents": lambda memory: memory.wire.agents.ListAgents(agent_pb.ListAgentsRequest()),
    "another agent": lambda memory: memory.wire.agent().get("k"),
}
ADDITIONS: dict[str, Callable[[Memory], object]] = {
    "set": lambda memory: memory.set("k", 2),
    "batch": lambda memory: memory.write({"k": 2, "l": 2}),
    "reserve": lambda memory: memory.reserve("new"),
    "scope": lambda memory: memory.scope(),
}
REMOVALS: dict[str, Callable[[Memory], object]] = {
    "remove": lambda memory: memory.remove("k"),
    "end": lambda memory: memory.wire.agents.EndAgent(agent_pb.EndAgentRequest(agent_id=memory.id)),
}
CHANGES = {**ADDITIONS, **REMOVALS}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ValkeyServer]:
    with ValkeyServer(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(scope="module")
def own_pair(server: ValkeyServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Two daemons on a server of this module; each test leaves all three running, and the server with free memory."""
    with sharing(tmp_path_factory.mktemp("pair"), with_options(server.url, timeout="0.5")) as running:
        yield running


def refusals_of(calls: dict[str, Callable[[Memory], object]], memories: tuple[Memory, ...]) -> set[tuple[object, str]]:
    """Return the statuses and reasons with which these calls are refused; all are."""
    with ThreadPoolExecutor(len(calls) * len(memories)) as pool:
        partials = [functools.partial(call, memory) for call in calls.values() for memory in memories]
        refusals = list(pool.map(refused, partials))
    return {(each.code, each.reason) for each in refusals}


@pytest.mark.whole
def test_every_call_and_health_report_a_server_that_is_down(own_pair: Pair, server: ValkeyServer) -> None:
    memories = own_pair.agents()
    memories[0].write({"k": 1})
    assert memories[1].value("k") == 1
    with Watcher(own_pair.b, memories[0].id).opened() as watcher:
        server.kill()
        assert refusals_of({**READS, **CHANGES}, memories) == {UNAVAILABLE}
        for wire in own_pair.wires:
            until_health(wire, NOT_SERVING)
        server.start()
        for wire in own_pair.wires:
            until_health(wire, SERVING)
        assert [memory.values() for memory in memories] == [{"k": 1}, {"k": 1}]
        memories[0].set("k", 2)
        assert watcher.until_events(1)[0].revision == 2
    assert memories[1].value("k") == 2


def test_a_full_server_refuses_only_additions_and_only_until_it_has_memory(
    own_pair: Pair, server: ValkeyServer
) -> None:
    memories = own_pair.agents()
    memories[0].write({"k": 1})
    server.command("CONFIG", "SET", "maxmemory", "1mb")
    assert refusals_of(ADDITIONS, memories) == {FULL}
    assert [memory.values() for memory in memories] == [{"k": 1}, {"k": 1}]
    assert [health_of(wire) for wire in own_pair.wires] == [SERVING, SERVING]
    REMOVALS["remove"](memories[0])
    assert [memory.values() for memory in memories] == [{}, {}]
    server.command("CONFIG", "SET", "maxmemory", "0")
    memories[1].set("k", 2)
    assert [memory.value("k") for memory in memories] == [2, 2]
