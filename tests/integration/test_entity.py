"""Windows of entities over the wire, beyond what scenarios can express: EW-01 to EW-08."""

import json
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from tests.daemon import Daemon
from tests.in_process import AnyDaemon
from tests.integration.watcher import Watcher
from tests.integration.wire import Memory, Wire, refused

from memoryd.v1 import entity_pb2, event_pb2
from memoryd.v1 import entity_service_pb2 as pb

MIB = 1024 * 1024


def page(entity_id: str, name: str = "N", **fields: Any) -> entity_pb2.Entity:
    return entity_pb2.Entity(type="page", entity_id=entity_id, name=name, **fields)


def add(agent: Memory, conversation_id: str, *entities: entity_pb2.Entity, **fields: Any) -> pb.AddEntitiesResponse:
    request = pb.AddEntitiesRequest(agent_id=agent.id, conversation_id=conversation_id, entities=entities, **fields)
    return agent.wire.entities.AddEntities(request)


def extract(agent: Memory, **fields: Any) -> pb.ExtractEntitiesResponse:
    request = pb.ExtractEntitiesRequest(agent_id=agent.id, conversation_id="s", tool_name="cms_getPage", **fields)
    return agent.wire.entities.ExtractEntities(request)


def window_of(agent: Memory, conversation_id: str) -> entity_pb2.EntityWindow:
    request = pb.GetEntityWindowRequest(agent_id=agent.id, conversation_id=conversation_id)
    return agent.wire.entities.GetEntityWindow(request).entity_window


def test_windows_survive_a_kill(launch_process: Callable[..., Daemon], connect: Callable[[AnyDaemon], Wire]) -> None:
    """EW-08."""
    daemon = launch_process()
    agent = connect(daemon).agent()
    add(agent, "chat/1", page("p1", "Home", slug="home", last_access_time={"seconds": 5}), page("p2"), window_size=3)
    before = window_of(agent, "chat/1")
    daemon.kill()
    daemon.start()
    after = window_of(connect(daemon).agent(agent.id), "chat/1")
    assert after == before
    assert [each.entity_id for each in after.entities] == ["p2", "p1"]


def test_beyond_the_limit_the_least_recently_changed_window_is_evicted(
    launch: Callable[..., AnyDaemon], connect: Callable[[AnyDaemon], Wire]
) -> None:
    wire = connect(launch("--limit-entity-windows-per-agent", "2"))
    agent = wire.agent()
    with Watcher(wire, agent.id).opened() as watcher:
        for conversation_id in ("a", "b", "a", "c"):
            add(agent, conversation_id, page("p1"))
        events = watcher.until_events(5)
    last = [(event.type, event.cause, event.entity_window.conversation_id) for event in events[-2:]]
    assert last == [
        (event_pb2.EVENT_TYPE_ENTITY_WINDOW_DELETED, event_pb2.EVENT_CAUSE_EVICTION, "b"),
        (event_pb2.EVENT_TYPE_ENTITY_WINDOW_CREATED, event_pb2.EVENT_CAUSE_REQUEST, "c"),
    ]
    assert [len(window_of(agent, conversation_id).entities) for conversation_id in "abc"] == [1, 0, 1]


def test_one_call_may_fill_a_window_but_not_exceed_it(agent: Memory) -> None:
    widest = [page(str(number).rjust(512, "i"), "ü" * 256, slug="s" * 512) for number in range(1_000)]
    window = add(agent, "s", *widest, window_size=1_000).entity_window
    assert len(window.entities) == 1_000
    kept = window_of(agent, "s")
    assert [each.entity_id for each in kept.entities] == [each.entity_id for each in reversed(widest)]
    refusal = refused(lambda: add(agent, "s", *widest, page("more")))
    assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ("entities",))


@pytest.mark.parametrize(
    ("entity", "field"),
    [
        (entity_pb2.Entity(type="t" * 129, entity_id="i", name="n"), "entities[0].type"),
        (page("i" * 513), "entities[0].entity_id"),
        (page("i", "ü" * 257), "entities[0].name"),
        (page("i", slug="s" * 513), "entities[0].slug"),
    ],
)
def test_a_field_that_is_too_long_is_refused(agent: Memory, entity: entity_pb2.Entity, field: str) -> None:
    refusal = refused(lambda: add(agent, "s", entity))
    assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, (field,))


def test_a_tools_result_may_have_a_mebibyte(agent: Memory) -> None:
    answer = {"id": "p1", "name": "Home", "body": ""}
    answer["body"] = "x" * (MIB - len(json.dumps(answer)))
    assert [each.entity_id for each in extract(agent, result_json=json.dumps(answer)).entities] == ["p1"]
    answer["body"] += "x"
    refusal = refused(lambda: extract(agent, result_json=json.dumps(answer)))
    assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ("result_json",))
    value = {"struct_value": {"fields": {"body": {"string_value": "x" * MIB}}}}
    refusal = refused(lambda: extract(agent, result=value))
    assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ("result",))


@pytest.mark.parametrize("text", ["[" * 100_000, "[" * 100_000 + "]" * 100_000, '{"id": 1e999}', '{"id": "\\ud800"}'])
def test_hostile_json_is_refused(agent: Memory, text: str) -> None:
    refusal = refused(lambda: extract(agent, result_json=text))
    assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ("result_json",))


def test_numbers_that_are_not_json_are_refused(agent: Memory) -> None:
    refusal = refused(lambda: extract(agent, result={"number_value": float("nan")}))
    assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, ("result",))
    assert list(extract(agent, result={"null_value": 0}).entities) == []


def test_a_window_counts_against_the_storage_limit(small_wire: Wire) -> None:
    agent = small_wire.agent()
    add(agent, "s", page("i", "n" * 150))
    refusal = refused(lambda: add(agent, "s", page("j", "n" * 150)))
    assert (refusal.code, refusal.own_metadata) == (
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        {"limit": "storage_bytes_per_agent", "value": "200"},
    )
    assert [each.entity_id for each in window_of(agent, "s").entities] == ["i"]
