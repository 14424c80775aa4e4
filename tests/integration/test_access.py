"""Access control of every method of the contract, by tokens bound to agents."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import pytest
from tests.daemon import Daemon
from tests.in_process import ServeDaemon
from tests.integration.contract import METHODS, Method
from tests.integration.credential import authorized
from tests.integration.watcher import Watcher
from tests.integration.wire import Wire, code_of, refused
from tests.wait import WAIT_S_MAX

from memoryd.v1 import agent_service_pb2 as agent_pb
from memoryd.v1 import context_service_pb2 as context_pb
from memoryd.v1 import document_service_pb2 as document_pb
from memoryd.v1 import event_service_pb2 as event_pb
from memoryd.v1 import long_term_memory_service_pb2 as memory_pb
from memoryd.v1 import server_service_pb2 as server_pb
from memoryd.v1 import snapshot_service_pb2 as snapshot_pb
from memoryd.v1.event_pb2 import EventFilter
from memoryd_server.transport.access import AccessRule, access_rule


class Keepers(NamedTuple):
    """Stubs of a daemon that requires tokens: two with a token each, and one without."""

    all_agents: Wire
    team: Wire
    nobody: Wire


def token(token_file: Path, name: str, *agents: str) -> str:
    """Create a token as an operator does."""
    memoryd = Path(sys.executable).with_name("memoryd")
    command = [str(memoryd), "token", "create", name, "--token-file", str(token_file)]
    for agent in agents:
        command += ["--agent", agent]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(scope="module")
def keepers(serve_daemon: ServeDaemon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keepers]:
    directory = tmp_path_factory.mktemp("access")
    token_file = directory / "tokens.toml"
    tokens = {"admin": token(token_file, "admin", "*"), "team": token(token_file, "team", "team-*", "exact")}
    with serve_daemon(directory, "--durability", "memory", "--token-file", str(token_file)) as nobody:
        admin, team = (authorized(nobody, tokens[name]) for name in ("admin", "team"))
        for agent_id in ("team-1", "exact", "other"):
            admin.agent(agent_id).set("key")
        for agent_id, snapshot_id in (("", "all"), ("other", "of-other"), ("team-1", "of-team")):
            request = snapshot_pb.CreateSnapshotRequest(agent_id=agent_id, snapshot_id=snapshot_id)
            admin.snapshots.CreateSnapshot(request)
        yield Keepers(admin, team, nobody)


def forbidden(call: Callable[[], object], agent_id: str = "") -> None:
    refusal = refused(call)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "AGENT_FORBIDDEN")
    assert refusal.metadata == ({"agent_id": agent_id} if agent_id else {})


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_call_without_a_token_is_unauthenticated(keepers: Keepers, method: Method) -> None:
    assert method.call_raw(keepers.nobody.channel, b"") is grpc.StatusCode.UNAUTHENTICATED


@pytest.mark.parametrize("authorization", ["Bearer memoryd_wrong", "Bearer ", "", "Basic dTpw", "memoryd_x"])
def test_a_wrong_token_is_unauthenticated(keepers: Keepers, authorization: str) -> None:
    metadata = (("authorization", authorization),)
    refusal = refused(lambda: keepers.nobody.server.GetServerInfo(server_pb.GetServerInfoRequest(), metadata=metadata))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")
    assert refusal.metadata == {}


AGENT_METHODS = [method for method in METHODS if access_rule(method.descriptor) is AccessRule.AGENT]


@pytest.mark.parametrize("method", AGENT_METHODS, ids=lambda method: method.name)
def test_another_agent_is_forbidden_whatever_the_request_contains(keepers: Keepers, method: Method) -> None:
    path = f"/{method.descriptor.containing_service.full_name}/{method.descriptor.name}"
    call: Any = keepers.team.channel.unary_unary(path)
    for agent_id in ("other", "tea", "exactly"):
        request = method.request_type(agent_id=agent_id).SerializeToString()
        forbidden(lambda request=request: call(request), agent_id)  # type: ignore[misc]
    allowed = method.request_type(agent_id="team-2").SerializeToString()
    code = method.call_raw(keepers.team.channel, allowed, timeout_s=1.0)  # time: some wait forever
    assert code is not grpc.StatusCode.PERMISSION_DENIED


def test_further_agents_are_forbidden_without_a_right_to_each(keepers: Keepers) -> None:
    team = keepers.team
    recall = memory_pb.RecallMemoriesRequest(agent_id="team-1", query="key", further_agent_ids=["team-2", "other"])
    forbidden(lambda: keepers.team.long_term.RecallMemories(recall), "other")
    search = document_pb.SearchDocumentsRequest(agent_id="team-1", query="key", further_agent_ids=["other"])
    forbidden(lambda: team.documents.SearchDocuments(search), "other")
    for source in ("notes", "plan", "entities", "entries", "memories", "documents", "messages"):
        section = context_pb.ContextSection(agent_id="other")
        getattr(section, source).SetInParent()
        compose = context_pb.ComposeContextRequest(agent_id="team-1", conversation_id="c", sections=[section])
        forbidden(lambda compose=compose: team.context.ComposeContext(compose), "other")  # type: ignore[misc]
        section.agent_id = "team-2"
        compose = context_pb.ComposeContextRequest(agent_id="team-1", conversation_id="c", sections=[section])
        assert team.context.ComposeContext(compose).further_revisions[0].agent_id == "team-2"
    recall.further_agent_ids[:] = ["team-2", "exact"]
    assert len(team.long_term.RecallMemories(recall).further_revisions) == 2


def test_a_forgotten_users_snapshots_are_named_to_those_who_may_use_them(keepers: Keepers) -> None:
    request = agent_pb.ForgetUserRequest(agent_id="team-1", user_id="zoe")
    seen = keepers.team.agents.ForgetUser(request)
    assert (list(seen.snapshot_ids), seen.snapshot_count) == (["of-team"], 2)
    seen = keepers.all_agents.agents.ForgetUser(request)
    assert (sorted(seen.snapshot_ids), seen.snapshot_count) == (["all", "of-team"], 2)


def test_an_upload_for_another_agent_is_refused_before_its_content_is_sent(keepers: Keepers) -> None:
    def parts() -> Iterator[document_pb.UploadDocumentRequest]:
        yield document_pb.UploadDocumentRequest(header=document_pb.UploadDocumentHeader(agent_id="other"))
        # The refusal must come while the client still has chunks to send.
        refused_early.wait(WAIT_S_MAX)

    refused_early = threading.Event()
    call = keepers.team.documents.UploadDocument.future(parts())
    forbidden(call.result, "other")
    refused_early.set()


def test_a_token_may_use_the_agents_that_it_is_bound_to(keepers: Keepers) -> None:
    for agent_id in ("team-1", "exact", "team-new"):
        agent = keepers.team.agent(agent_id)
        agent.set("mine")
        assert agent.value("mine") == 1
    assert keepers.all_agents.agent("other").value("key") == 1


def test_events_of_other_agents_are_forbidden_in_every_filter(keepers: Keepers) -> None:
    events = keepers.team.events
    for filters in (
        [EventFilter(agent_ids=["other"])],
        [EventFilter(agent_ids=["team-1", "other"])],
        [EventFilter(agent_ids=["team-1"]), EventFilter(agent_ids=["other"])],
    ):
        listing = event_pb.ListEventsRequest(filters=filters)
        forbidden(lambda listing=listing: events.ListEvents(listing), "other")  # type: ignore[misc]
        watch = event_pb.WatchEventsRequest(filters=filters)
        forbidden(lambda watch=watch: next(events.WatchEvents(watch)), "other")  # type: ignore[misc]
    with Watcher(keepers.team, "team-1").opened() as watcher:
        keepers.team.agent("team-1").set("watched")
        (event,) = watcher.until_events(1)
    assert (event.entry.key, event.principal) == ("watched", "team")


def test_a_pattern_requires_access_to_all_of_its_agents(keepers: Keepers) -> None:
    events = keepers.team.events
    for pattern in ("team*", "exact*", "tea*"):
        request = event_pb.WatchEventsRequest(filters=[EventFilter(agent_ids=["team-1", pattern])])
        forbidden(lambda request=request: next(events.WatchEvents(request)), pattern)  # type: ignore[misc]
        listing = event_pb.ListEventsRequest(filters=[EventFilter(agent_ids=[pattern])])
        forbidden(lambda listing=listing: events.ListEvents(listing), pattern)  # type: ignore[misc]
    for filters in ([], [EventFilter(agent_ids=["*"])]):
        every = event_pb.WatchEventsRequest(filters=filters)
        refusal = refused(lambda every=every: next(events.WatchEvents(every)))  # type: ignore[misc]
        assert refusal.reason == "AGENT_FORBIDDEN"
        assert "name agents that it may use in a filter" in refusal.message


def test_a_watch_by_a_covered_pattern_has_the_events_of_agents_that_are_created_later(keepers: Keepers) -> None:
    for pattern in ("team-*", "team-w*"):
        with Watcher(keepers.team, pattern).opened() as watcher:
            keepers.all_agents.agent("other").set("hidden")
            keepers.all_agents.agent(f"team-watched-{len(pattern)}").set("seen")
            (event,) = watcher.until_events(1)
        assert (event.agent_id, event.entry.key) == (f"team-watched-{len(pattern)}", "seen")


def test_lists_by_patterns_have_only_what_the_token_may_use(keepers: Keepers) -> None:
    for patterns in (["*"], ["o*", "exa*", "team-1"], ["other", "exact", "team-1*"]):
        listed = keepers.team.agents.ListAgents(agent_pb.ListAgentsRequest(agent_ids=patterns, page_size=1_000)).agents
        agents = {each.agent_id for each in listed}
        assert {"exact", "team-1"} <= agents
        assert "other" not in agents
        snapshots = keepers.team.snapshots.ListSnapshots(snapshot_pb.ListSnapshotsRequest(agent_ids=patterns))
        assert {each.snapshot_id for each in snapshots.snapshots} == {"of-team"}
    for patterns, ids in ((["other"], {"of-other"}), ([""], {"all"}), (["", "team-*"], {"all", "of-team"})):
        request = snapshot_pb.ListSnapshotsRequest(agent_ids=patterns)
        assert {each.snapshot_id for each in keepers.all_agents.snapshots.ListSnapshots(request).snapshots} == ids


def test_a_watch_without_filters_has_no_events_of_other_agents(keepers: Keepers) -> None:
    for filters in ([], [EventFilter(key_prefix="k")]):
        try:
            answer = keepers.team.events.ListEvents(event_pb.ListEventsRequest(filters=filters))
        except grpc.RpcError as error:
            code = code_of(error)
            assert code is grpc.StatusCode.PERMISSION_DENIED
        else:
            assert {event.agent_id for event in answer.events} <= {"team-1", "team-2", "team-new", "exact"}


def test_listings_have_only_agents_and_snapshots_that_the_token_may_use(keepers: Keepers) -> None:
    agents = {each.agent_id for each in keepers.team.agents.ListAgents(agent_pb.ListAgentsRequest()).agents}
    assert {"team-1", "exact"} <= agents
    assert "other" not in agents
    listing = snapshot_pb.ListSnapshotsRequest()
    assert {each.snapshot_id for each in keepers.team.snapshots.ListSnapshots(listing).snapshots} == {"of-team"}
    assert {each.snapshot_id for each in keepers.all_agents.snapshots.ListSnapshots(listing).snapshots} >= {
        "all",
        "of-other",
        "of-team",
    }


@pytest.mark.parametrize(("snapshot_id", "agent_id"), [("all", ""), ("of-other", "other")])
def test_snapshots_of_other_agents_are_answered_as_those_that_do_not_exist(
    keepers: Keepers, snapshot_id: str, agent_id: str
) -> None:
    stub = keepers.team.snapshots

    def answers(snapshot_id: str) -> list[tuple[grpc.StatusCode, str]]:
        named = {"snapshot_id": snapshot_id}
        calls: list[Callable[[], object]] = [
            lambda: stub.GetSnapshot(snapshot_pb.GetSnapshotRequest(**named)),
            lambda: stub.RestoreSnapshot(snapshot_pb.RestoreSnapshotRequest(**named)),
            lambda: stub.RestoreSnapshot(snapshot_pb.RestoreSnapshotRequest(**named, as_agent_id="team-1")),
            lambda: next(stub.ExportSnapshot(snapshot_pb.ExportSnapshotRequest(**named))),
            lambda: stub.DeleteSnapshot(snapshot_pb.DeleteSnapshotRequest(**named, precondition={"must_exist": True})),
            lambda: stub.CreateSnapshot(snapshot_pb.CreateSnapshotRequest(**named, agent_id="team-1")),
        ]
        found = [refused(call) for call in calls]
        assert not stub.DeleteSnapshot(snapshot_pb.DeleteSnapshotRequest(**named)).deleted
        return [(refusal.code, refusal.message.replace(repr(snapshot_id), "NAME")) for refusal in found]

    assert answers(snapshot_id) == answers("no-such")
    named = {"snapshot_id": snapshot_id}
    clone = snapshot_pb.RestoreSnapshotRequest(**named, agent_id="other", as_agent_id="team-1")
    forbidden(lambda: stub.RestoreSnapshot(clone), "other")
    created = snapshot_pb.CreateSnapshotRequest(agent_id=agent_id)
    forbidden(lambda: stub.CreateSnapshot(created), agent_id)
    assert keepers.all_agents.snapshots.GetSnapshot(snapshot_pb.GetSnapshotRequest(**named)).snapshot.size_bytes


def test_an_own_snapshot_cannot_be_cloned_into_another_agent_nor_a_file_imported(keepers: Keepers) -> None:
    stub = keepers.team.snapshots
    clone = snapshot_pb.RestoreSnapshotRequest(snapshot_id="of-team", as_agent_id="other")
    forbidden(lambda: stub.RestoreSnapshot(clone), "other")
    header = snapshot_pb.ImportSnapshotRequest(header=snapshot_pb.ImportSnapshotHeader(snapshot_id="x"))
    refusal = refused(lambda: stub.ImportSnapshot(iter([header])))
    assert refusal.reason == "AGENT_FORBIDDEN"
    # Not: name agents in a filter. The method has none.
    assert refusal.message == "the caller may not use all agents, which the call is about"
    clone.as_agent_id = "team-clone"
    assert stub.RestoreSnapshot(clone).restored_agent_count == 1
    restore = snapshot_pb.RestoreSnapshotRequest(snapshot_id="all", agent_id="team-1")
    assert stub.RestoreSnapshot(restore).restored_agent_count == 1


def test_any_token_may_get_the_server_info(keepers: Keepers) -> None:
    assert keepers.team.server.GetServerInfo(server_pb.GetServerInfoRequest()).version


def test_no_token_is_ever_logged(
    launch_process: Callable[..., Daemon], connect: Callable[[Daemon], Wire], tmp_path: Path
) -> None:
    token_file = tmp_path / "tokens.toml"
    right = token(token_file, "team", "team-1")
    wrong = f"{right}x"
    daemon = launch_process("--durability", "memory", "--token-file", str(token_file), "--log-level", "debug")
    wire = connect(daemon)
    for secret, agent_id in ((right, "team-1"), (right, "team-2"), (wrong, "team-1")):
        request = agent_pb.GetAgentRequest(agent_id=agent_id)
        metadata = (("authorization", f"Bearer {secret}"),)
        refused(lambda request=request, metadata=metadata: wire.agents.GetAgent(request, metadata=metadata))  # type: ignore[misc]
    assert daemon.stop() == 0
    assert "serving" in daemon.log
    assert right not in daemon.log
