"""Limits by tier, of every kind of records."""

from collections.abc import Callable, Iterator

import pytest
from tests.in_process import ServeDaemon
from tests.integration.tier import TWO_OF_EACH, Tokens, restore, serving_tiers, set_tier, snapshot_of
from tests.integration.wire import Wire, refused

from memoryd.v1 import conversation_service_pb2 as conversation_pb
from memoryd.v1 import document_service_pb2 as document_pb
from memoryd.v1 import entity_service_pb2 as entity_pb
from memoryd.v1 import fragment_service_pb2 as fragment_pb
from memoryd.v1 import long_term_memory_service_pb2 as memory_pb
from memoryd.v1 import note_service_pb2 as note_pb
from memoryd.v1 import (
    note_service_pb2_grpc,
    plan_service_pb2_grpc,
)
from memoryd.v1 import plan_service_pb2 as plan_pb
from memoryd_server.domain.agents.tier import TIER_LIMITS


@pytest.fixture(scope="module")
def tokens(serve_daemon: ServeDaemon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tokens]:
    with serving_tiers(serve_daemon, tmp_path_factory.mktemp("tiers")) as tokens:
        yield tokens


def _propose(wire: Wire, agent_id: str, number: int) -> object:
    drafts = [{"content": f"content {number}"}]
    return wire.long_term.ProposeMemories(memory_pb.ProposeMemoriesRequest(agent_id=agent_id, drafts=drafts))


def creations() -> dict[str, Callable[[Wire, str, int], object]]:
    """Return what creates a record that a limit counts, by the limit."""

    def scope(wire: Wire, agent_id: str, number: int) -> object:
        return wire.agent(agent_id).scope(f"scope-{number}")

    def fragment(wire: Wire, agent_id: str, number: int) -> object:
        draft = {"content": f"f{number}", "confidence": 0.5}
        return wire.fragments.CreateFragment(fragment_pb.CreateFragmentRequest(agent_id=agent_id, draft=draft))

    def memory(wire: Wire, agent_id: str, number: int) -> object:
        draft = {"content": f"content {number} {'of another kind ' * number}"}
        return wire.long_term.CreateMemory(memory_pb.CreateMemoryRequest(agent_id=agent_id, draft=draft))

    def note(wire: Wire, agent_id: str, number: int) -> object:
        stub = note_service_pb2_grpc.NoteServiceStub(wire.channel)
        draft = {"title": f"t{number}", "content": "c"}
        return stub.CreateNote(note_pb.CreateNoteRequest(agent_id=agent_id, draft=draft))

    def plan(wire: Wire, agent_id: str, number: int) -> object:
        stub = plan_service_pb2_grpc.PlanServiceStub(wire.channel)
        draft = {"goal": f"g{number}", "conversation_id": f"c{number}"}
        return stub.CreatePlan(plan_pb.CreatePlanRequest(agent_id=agent_id, draft=draft))

    def conversation(wire: Wire, agent_id: str, number: int) -> object:
        request = conversation_pb.CreateConversationRequest(agent_id=agent_id, draft={"conversation_id": f"c{number}"})
        return wire.conversations.CreateConversation(request)

    def message(wire: Wire, agent_id: str, number: int) -> object:
        drafts = [{"role": "MESSAGE_ROLE_USER", "content": f"m{number}"}]
        request = conversation_pb.AppendMessagesRequest(agent_id=agent_id, conversation_id="talk", drafts=drafts)
        return wire.conversations.AppendMessages(request)

    def window(wire: Wire, agent_id: str, number: int) -> object:
        entities = [{"type": "page", "entity_id": f"e{number}", "name": "E"}]
        request = entity_pb.AddEntitiesRequest(agent_id=agent_id, conversation_id=f"c{number}", entities=entities)
        return wire.entities.AddEntities(request)

    def document(wire: Wire, agent_id: str, number: int) -> object:
        draft = {"title": f"t{number}"}
        request = document_pb.CreateDocumentRequest(agent_id=agent_id, draft=draft, text=f"text {number}")
        return wire.documents.CreateDocument(request)

    return {
        "entries_per_agent": lambda wire, agent_id, number: wire.agent(agent_id).set(f"key-{number}"),
        "scopes_per_agent": scope,
        "fragments_per_agent": fragment,
        "memories_per_agent": memory,
        "memory_proposals_per_agent": _propose,
        "notes_per_agent": note,
        "plans_per_agent": plan,
        "conversations_per_agent": conversation,
        "messages_per_agent": message,
        "entity_windows_per_agent": window,
        "documents_per_agent": document,
        "storage_bytes_per_agent": lambda wire, agent_id, number: wire.agent(agent_id).set(f"key-{number}", "x" * 900),
    }


def test_every_limit_of_a_tier_is_tested() -> None:
    assert creations().keys() == TIER_LIMITS


def count_of(wire: Wire, agent_id: str) -> int:
    return sum(each.count for each in wire.agent(agent_id).stats().stats.record_counts)


@pytest.mark.parametrize("limit", sorted(TIER_LIMITS))
def test_an_agent_does_not_grow_beyond_a_limit_of_its_tier(tokens: Tokens, limit: str) -> None:
    tier = "small" if limit == "storage_bytes_per_agent" else "few"
    operator, agent_id, create = tokens["operator"], f"of-{limit}", creations()[limit]
    tokens[tier].agent(agent_id).set("first")
    tokens[tier].agent(agent_id).remove("first")
    create(operator, agent_id, 0)
    create(operator, agent_id, 1)
    before = count_of(operator, agent_id)
    if limit in ("fragments_per_agent", "entity_windows_per_agent"):
        # These make room by themselves.
        create(operator, agent_id, 2)
        assert count_of(operator, agent_id) == before
    else:
        refusal = refused(lambda: create(operator, agent_id, 2))
        assert (refusal.reason, refusal.metadata["limit"]) == ("QUOTA_EXCEEDED", limit)
    set_tier(operator, agent_id, "")
    create(operator, agent_id, 2)
    create(operator, agent_id, 3)


def test_an_agent_above_a_lowered_limit_may_shrink(tokens: Tokens) -> None:
    operator, memory = tokens["operator"], tokens["all"].agent()
    memory.write({f"key-{number}": "x" * 1_000 for number in range(4)})
    set_tier(operator, memory.id, "small")
    assert memory.stats().stats.storage_bytes_max == 2_048
    assert refused(lambda: memory.set("key-0", "x" * 1_001)).reason == "QUOTA_EXCEEDED"
    assert memory.set("key-0", "x" * 10).revision
    assert memory.remove("key-1").deleted
    set_tier(operator, memory.id, "few")
    assert refused(lambda: memory.set("key-9")).reason == "QUOTA_EXCEEDED"
    assert memory.set("key-0", "y").revision
    assert memory.remove("key-2").deleted


@pytest.mark.parametrize("tier", ["small", "few"])
def test_a_restore_does_not_exceed_the_limits_of_the_tier(tokens: Tokens, tier: str) -> None:
    operator, large = tokens["operator"], tokens["operator"].agent()
    large.write({f"key-{number}": "x" * 1_000 for number in range(3)})
    snapshot_id, agent_id = snapshot_of(operator, large.id), tokens.agent_of(tier)
    for into in (agent_id, f"{agent_id}-new"):
        refusal = refused(lambda into=into: restore(tokens[tier], snapshot_id, large.id, as_agent_id=into))  # type: ignore[misc]
        assert refusal.reason == "QUOTA_EXCEEDED"
    assert operator.agent(agent_id).values() == {"key": 1}
    restore(operator, snapshot_of(operator, agent_id), agent_id)


@pytest.mark.parametrize("limit", sorted(TWO_OF_EACH))
def test_a_restore_does_not_exceed_the_limit_of_any_kind(tokens: Tokens, limit: str) -> None:
    operator, large = tokens["operator"], f"large-{limit}"
    for number in range(TWO_OF_EACH[limit] + 1):
        creations()[limit](operator, large, number)
    snapshot_id = snapshot_of(operator, large)
    refusal = refused(lambda: restore(tokens["few"], snapshot_id, large, as_agent_id=f"few-{limit}"))
    assert (refusal.reason, refusal.metadata["limit"]) == ("QUOTA_EXCEEDED", limit)
