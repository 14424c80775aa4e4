"""The tier of an agent: who gives it, and what keeps it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.in_process import AnyDaemon, ServeDaemon
from tests.integration.credential import authorized, write_tokens
from tests.integration.tier import (
    Tokens,
    committing,
    lacks,
    restore,
    serving_tiers,
    set_tier,
    snapshot_of,
    tier_of,
    tier_request,
)
from tests.integration.wire import Wire, refused

from memoryd.v1 import agent_service_pb2 as agent_pb
from memoryd.v1 import event_service_pb2 as event_pb
from memoryd.v1 import note_service_pb2 as note_pb
from memoryd.v1 import note_service_pb2_grpc
from memoryd.v1 import transaction_service_pb2 as transaction_pb
from memoryd.v1 import working_memory_service_pb2 as entry_pb
from memoryd.v1.event_pb2 import EventFilter


@pytest.fixture(scope="module")
def tokens(serve_daemon: ServeDaemon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tokens]:
    with serving_tiers(serve_daemon, tmp_path_factory.mktemp("tiers")) as tokens:
        yield tokens


def test_an_agent_keeps_the_tier_of_the_token_that_created_it(tokens: Tokens) -> None:
    operator, agent_id = tokens["operator"], tokens.agent_of("none")
    tokens["all"].agent(agent_id).set("other")
    operator.agents.UpdateAgent(
        agent_pb.UpdateAgentRequest(
            agent_id=agent_id, draft={"display_name": "Ada"}, update_mask={"paths": ["display_name"]}
        )
    )
    assert tier_of(operator, agent_id) == "none"
    listed = operator.agents.ListAgents(agent_pb.ListAgentsRequest(agent_ids=[agent_id])).agents
    assert [each.tier for each in listed] == ["none"]
    assert tier_of(operator, tokens["operator"].agent(agent_id + "-2").set("k") and agent_id + "-2") == ""


@pytest.mark.parametrize(
    "create",
    [
        lambda wire, agent_id: wire.agents.UpdateAgent(
            agent_pb.UpdateAgentRequest(
                agent_id=agent_id, draft={"display_name": "Ada"}, update_mask={"paths": ["display_name"]}
            )
        ),
        lambda wire, agent_id: wire.memory.ReserveEntry(entry_pb.ReserveEntryRequest(agent_id=agent_id, key="k")),
        lambda wire, agent_id: wire.agent(agent_id).scope(),
        lambda wire, agent_id: committing(wire.channel).Commit(
            transaction_pb.CommitRequest(
                agent_id=agent_id,
                writes=[
                    {"set_entry": {"key": "k", "value_json": "1"}},
                    {"update_agent": {"draft": {"tags": ["t"]}, "update_mask": {"paths": ["tags"]}}},
                ],
            )
        ),
    ],
    ids=["update", "reservation", "scope", "commit"],
)
def test_whatever_creates_an_agent_puts_it_in_the_tier_of_the_caller(
    tokens: Tokens, create: Callable[[Wire, str], Any], request: pytest.FixtureRequest
) -> None:
    agent_id = f"by-{request.node.callspec.id}"
    create(tokens["none"], agent_id)
    assert tier_of(tokens["operator"], agent_id) == "none"


def test_what_creates_no_agent_puts_none_in_a_tier(tokens: Tokens) -> None:
    assert not tokens["none"].agent("never").remove("k").deleted
    assert refused(lambda: tier_of(tokens["operator"], "never")).reason == "AGENT_NOT_FOUND"


def test_a_watcher_sees_the_tier_of_a_new_agent(tokens: Tokens) -> None:
    agent_id = tokens.agent_of("none")
    page = tokens["operator"].events.ListEvents(event_pb.ListEventsRequest(filters=[EventFilter(agent_ids=[agent_id])]))
    assert [each.agent.agent.tier for each in page.events if each.HasField("agent")] == ["none"]
    assert {each.revision for each in page.events} == {1}


def test_only_a_caller_with_the_verb_admin_changes_the_tier(tokens: Tokens) -> None:
    agent_id = tokens.agent_of("none")
    request = tier_request(agent_id, "all")
    writer = tokens["writer"]
    refusal = refused(lambda: writer.agents.UpdateAgent(request))
    assert (refusal.reason, refusal.metadata["verb"]) == ("VERB_FORBIDDEN", "admin")
    commit = transaction_pb.CommitRequest(agent_id=agent_id, writes=[{"update_agent": request}])
    assert refused(lambda: committing(writer.channel).Commit(commit)).metadata["verb"] == "admin"
    assert set_tier(tokens["operator"], agent_id, "all").agent.tier == "all"
    assert set_tier(tokens["operator"], agent_id, "").agent.tier == ""


def test_a_tier_that_the_policy_does_not_define_is_refused(tokens: Tokens) -> None:
    agent_id = tokens.agent_of("none")
    refusal = refused(lambda: set_tier(tokens["operator"], agent_id, "gold"))
    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert "gold" in str(refusal)


@pytest.mark.parametrize("erase", [False, True])
def test_an_agent_that_was_ended_is_created_again_in_the_tier_of_its_creator(tokens: Tokens, erase: bool) -> None:
    operator, agent_id = tokens["operator"], tokens.agent_of("all")
    operator.agents.EndAgent(agent_pb.EndAgentRequest(agent_id=agent_id, erase=erase))
    tokens["none"].agent(agent_id).set("key")
    assert tier_of(operator, agent_id) == "none"


def test_a_cleared_agent_keeps_its_tier(tokens: Tokens) -> None:
    operator, agent_id = tokens["operator"], tokens.agent_of("none")
    operator.agents.ClearAgent(agent_pb.ClearAgentRequest(agent_id=agent_id, erase=True))
    assert tier_of(operator, agent_id) == "none"


def test_a_restore_does_not_change_the_tier(tokens: Tokens) -> None:
    operator, agent_id = tokens["operator"], tokens.agent_of("all")
    snapshot_id = snapshot_of(operator, agent_id)
    set_tier(operator, agent_id, "none")
    restore(tokens["all"], snapshot_id, agent_id)
    assert tier_of(operator, agent_id) == "none"
    untiered = operator.agent()
    untiered.set("key")
    without_description = snapshot_of(operator, untiered.id)
    restore(operator, snapshot_id, agent_id, as_agent_id=untiered.id)
    assert tier_of(operator, untiered.id) == ""
    restore(operator, without_description, untiered.id, as_agent_id=agent_id)
    assert tier_of(operator, agent_id) == "none"


def test_a_restore_creates_an_agent_in_the_tier_of_the_caller_or_else_of_the_snapshot(tokens: Tokens) -> None:
    operator, agent_id = tokens["operator"], tokens.agent_of("all")
    snapshot_id = snapshot_of(operator, agent_id)
    restore(tokens["none"], snapshot_id, agent_id, as_agent_id=f"{agent_id}-of-none")
    assert tier_of(operator, f"{agent_id}-of-none") == "none"
    restore(operator, snapshot_id, agent_id, as_agent_id=f"{agent_id}-of-nobody")
    assert tier_of(operator, f"{agent_id}-of-nobody") == "all"


def test_an_agent_keeps_its_tier_when_the_daemon_starts_again(
    launch: Callable[..., AnyDaemon], connect: Callable[[AnyDaemon], Wire], tmp_path: Path
) -> None:
    path = tmp_path / "tokens.toml"
    tokens = write_tokens(path, {"free": 'agents = ["*"]\ntier = "free"', "operator": 'agents = ["*"]'})
    with path.open("a") as file:
        file.write("[tiers.free]\nfeatures = []\n")
    daemon = launch("--token-file", str(path))
    authorized(connect(daemon), tokens["free"]).agent("a").set("key")
    daemon.stop()
    daemon.start()
    operator = authorized(connect(daemon), tokens["operator"])
    assert tier_of(operator, "a") == "free"
    get = note_pb.GetNoteRequest(agent_id="a", note_id="n")
    stub = note_service_pb2_grpc.NoteServiceStub(operator.channel)
    lacks("notes", "free", lambda: stub.GetNote(get))
