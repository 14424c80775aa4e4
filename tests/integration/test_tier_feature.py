"""Features by tier: every method of the contract with every tier, and what could lead around them."""

from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from tests.in_process import ServeDaemon
from tests.integration.contract import METHODS, Method
from tests.integration.tier import (
    FEATURES,
    TWO_OF_EACH,
    Tokens,
    committing,
    lacks,
    passes,
    serving_tiers,
    set_tier,
    without,
)
from tests.integration.wire import refused

from memoryd.v1 import context_service_pb2 as context_pb
from memoryd.v1 import conversation_service_pb2 as conversation_pb
from memoryd.v1 import document_service_pb2 as document_pb
from memoryd.v1 import long_term_memory_service_pb2 as memory_pb
from memoryd.v1 import note_service_pb2 as note_pb
from memoryd.v1 import (
    note_service_pb2_grpc,
    server_service_pb2,
)
from memoryd.v1 import operation_service_pb2 as operation_pb
from memoryd.v1 import transaction_service_pb2 as transaction_pb
from memoryd_server.ports.auth import Verb
from memoryd_server.transport.access import AccessRule, policy_of, verb_of

SERVICES = {
    "WorkingMemoryService": "working",
    "FragmentService": "fragments",
    "LongTermMemoryService": "long_term",
    "NoteService": "notes",
    "PlanService": "plans",
    "DocumentService": "documents",
    "ConversationService": "conversations",
    "EntityService": "entities",
    "ContextService": "context",
}


@pytest.fixture(scope="module")
def tokens(serve_daemon: ServeDaemon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tokens]:
    with serving_tiers(serve_daemon, tmp_path_factory.mktemp("tiers")) as tokens:
        yield tokens


def expected(method: Method) -> str | None:
    """Return the feature of a method, as the documentation says it."""
    if method.descriptor.name == "CompactMessages":
        return "context.compaction"
    if method.descriptor.name == "CountTokens" or verb_of(method.descriptor) is Verb.DELETE:
        return None
    return SERVICES.get(method.descriptor.containing_service.name)


def request_of(method: Method, agent_id: str) -> bytes:
    if method.descriptor.name == "UploadDocument":
        header = {"agent_id": agent_id, "create": {"title": "t"}}
        return document_pb.UploadDocumentRequest(header=header).SerializeToString()
    named = policy_of(method.descriptor).rule is AccessRule.AGENT
    return (method.request_type(agent_id=agent_id) if named else method.request_type()).SerializeToString()


@pytest.fixture(scope="module")
def agents(tokens: Tokens) -> dict[str, str]:
    return {tier: tokens.agent_of(tier) for tier in (*map(without, FEATURES), "none", "all")}


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_method_is_refused_for_agents_of_tiers_without_its_feature_and_no_others(
    tokens: Tokens, agents: dict[str, str], method: Method
) -> None:
    feature, channel = expected(method), tokens["operator"].channel
    for tier, agent_id in agents.items():
        # Another method has ended it.
        tokens[tier].agent(agent_id).set("key")
        data = request_of(method, agent_id)
        call = lambda data=data: method.call(channel, data, timeout_s=1.0)  # time: some wait forever # noqa: E731
        if feature not in (None, "working") and tier in ("none", without(feature or "")):
            lacks(feature or "", tier, call)
        else:
            passes(call)


def test_every_feature_has_methods_and_what_is_of_none_in_a_service_of_one_only_removes() -> None:
    assert {expected(method) for method in METHODS} == {*FEATURES, None}
    free = [method for method in METHODS if method.descriptor.containing_service.name in SERVICES]
    names = {method.descriptor.name for method in free if expected(method) is None}
    removes = ("Delete", "Remove", "Clear", "Dispose", "Truncate", "Acknowledge", "Forget", "BatchForget", "Purge")
    others = {"UnlinkMemories", "RejectMemoryProposals", "CountTokens"}
    assert {name for name in names if not name.startswith(removes)} == others


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_an_agent_that_does_not_exist_has_the_tier_of_the_caller(tokens: Tokens, method: Method) -> None:
    feature = expected(method)
    if feature in (None, "working"):
        return
    data = request_of(method, f"new-{method.descriptor.name}")
    lacks(feature or "", "none", lambda: method.call(tokens["none"].channel, data))
    passes(lambda: method.call(tokens["all"].channel, data, timeout_s=1.0))  # time: some wait forever


@pytest.mark.parametrize("field", tuple(transaction_pb.Write.DESCRIPTOR.fields), ids=lambda field: field.name)
def test_a_commit_needs_the_feature_of_each_of_its_writes(tokens: Tokens, agents: dict[str, str], field: Any) -> None:
    (method,) = (each for each in METHODS if each.descriptor.input_type is field.message_type)
    write = transaction_pb.Write()
    getattr(write, field.name).SetInParent()
    feature, stub = expected(method), committing(tokens["operator"].channel)
    for tier in ("none", *map(without, FEATURES)):
        writes = [{"set_entry": {"key": "k", "value_json": "1"}}, write]
        request = transaction_pb.CommitRequest(agent_id=agents[tier], writes=writes)
        if feature not in (None, "working") and tier in ("none", without(feature or "")):
            lacks(feature or "", tier, lambda request=request: stub.Commit(request))  # type: ignore[misc]
        else:
            passes(lambda request=request: stub.Commit(request))  # type: ignore[misc]


FIELDS = tuple(operation_pb.StartOperationRequest.DESCRIPTOR.oneofs_by_name["request"].fields)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_an_operation_needs_the_feature_of_its_method(tokens: Tokens, agents: dict[str, str], field: Any) -> None:
    (method,) = (each for each in METHODS if each.descriptor.input_type is field.message_type)
    feature, operations = expected(method), tokens["operator"].operations
    if feature in (None, "working"):
        return
    request = operation_pb.StartOperationRequest(operation_id=f"of-{field.name}")
    getattr(request, field.name).agent_id = agents["none"]
    wait = operation_pb.WaitOperationRequest(operation_id=request.operation_id)
    try:
        operations.StartOperation(request)
    except grpc.RpcError:
        lacks(feature or "", "none", lambda: operations.StartOperation(request))
    else:
        error = operations.WaitOperation(wait).operation.error
        assert "FEATURE_NOT_IN_TIER" in str(error)


def test_a_compaction_into_notes_needs_the_feature_of_notes(tokens: Tokens, agents: dict[str, str]) -> None:
    request = conversation_pb.CompactMessagesRequest(agent_id=agents[without("notes")], conversation_id="talk")
    stub = tokens["operator"].conversations
    passes(lambda: stub.CompactMessages(request))
    request.extract_to_notes.SetInParent()
    lacks("notes", without("notes"), lambda: stub.CompactMessages(request))


def test_what_is_left_of_a_feature_can_be_removed_and_erased(tokens: Tokens) -> None:
    operator = tokens["operator"]
    agent_id = tokens.agent_of("all")
    made = operator.long_term.CreateMemory(
        memory_pb.CreateMemoryRequest(agent_id=agent_id, draft={"content": "left"})
    ).memory
    set_tier(operator, agent_id, "none")
    get = memory_pb.GetMemoryRequest(agent_id=agent_id, memory_id=made.memory_id)
    lacks("long_term", "none", lambda: operator.long_term.GetMemory(get))
    purge = memory_pb.PurgeMemoryRequest(agent_id=agent_id, memory_id=made.memory_id)
    assert operator.long_term.PurgeMemory(purge).revision
    set_tier(operator, agent_id, "all")
    assert refused(lambda: operator.long_term.GetMemory(get)).reason == "RECORD_NOT_FOUND"


def test_a_context_leaves_out_the_sections_of_missing_features_and_says_so(tokens: Tokens) -> None:
    operator, agent_id = tokens["operator"], tokens.agent_of("all")
    note_service_pb2_grpc.NoteServiceStub(operator.channel).CreateNote(
        note_pb.CreateNoteRequest(agent_id=agent_id, draft={"title": "Tone", "content": "short"})
    )
    operator.long_term.CreateMemory(memory_pb.CreateMemoryRequest(agent_id=agent_id, draft={"content": "secret tea"}))
    request = context_pb.ComposeContextRequest(agent_id=agent_id, query="tea", conversation_id="talk")
    composed = operator.context.ComposeContext(request)
    assert {"notes", "memories"} == {each.section for each in composed.messages}
    assert not any(each.missing_feature for each in composed.usages)
    set_tier(operator, agent_id, without("long_term"))
    composed = operator.context.ComposeContext(request)
    assert {"notes"} == {each.section for each in composed.messages}
    missing = {each.section: each.missing_feature for each in composed.usages if each.missing_feature}
    assert missing == {"memories": "long_term"}
    assert "secret tea" not in str(composed)


def test_the_server_names_its_tiers(tokens: Tokens) -> None:
    info = tokens["none"].server.GetServerInfo(server_service_pb2.GetServerInfoRequest())
    tiers = {each.name: each for each in info.tiers}
    assert [each.name for each in info.tiers] == sorted(tiers)
    assert list(tiers["none"].features) == ["working"]
    assert list(tiers["all"].features) == sorted(FEATURES)
    assert dict(tiers["few"].limits) == TWO_OF_EACH
    assert dict(tiers["small"].limits) == {"storage_bytes_per_agent": 2_048}


def test_without_a_policy_a_tier_is_kept_and_refuses_nothing(serve_daemon: ServeDaemon, tmp_path: Any) -> None:
    with serve_daemon(tmp_path, "--durability", "memory") as wire:
        assert set_tier(wire, "a", "none").agent.tier == "none"
        draft = {"content": "kept"}
        assert wire.long_term.CreateMemory(memory_pb.CreateMemoryRequest(agent_id="a", draft=draft)).revision == 2
