"""Tokens with verbs: every method of the contract with every verb, and requests that need a second one."""

from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from tests.in_process import ServeDaemon
from tests.integration.contract import METHODS, Method
from tests.integration.credential import authorized, write_tokens
from tests.integration.watcher import Watcher
from tests.integration.wire import Wire, refused

from memoryd.v1 import agent_service_pb2 as agent_pb
from memoryd.v1 import erasure_pb2, note_service_pb2, note_service_pb2_grpc, transaction_service_pb2_grpc
from memoryd.v1 import event_service_pb2 as event_pb
from memoryd.v1 import method_policy_pb2 as policy_pb
from memoryd.v1 import operation_service_pb2 as operation_pb
from memoryd.v1 import server_service_pb2 as server_pb
from memoryd.v1 import snapshot_service_pb2 as snapshot_pb
from memoryd.v1 import transaction_service_pb2 as transaction_pb
from memoryd.v1 import working_memory_service_pb2 as entry_pb
from memoryd.v1.event_pb2 import EventFilter
from memoryd_server.ports.auth import Verb
from memoryd_server.transport.access import AccessRule, policy_of, verb_of

committing = transaction_service_pb2_grpc.TransactionServiceStub
VERBS = [verb.value for verb in Verb]


class Keepers:
    """Stubs with a token for each verb with all agents, and with the others that the fixture names."""

    def __init__(self, nobody: Wire, tokens: dict[str, str]) -> None:
        self._nobody, self._tokens = nobody, tokens

    def __getitem__(self, name: str) -> Wire:
        return authorized(self._nobody, self._tokens[name])


@pytest.fixture(scope="module")
def keepers(serve_daemon: ServeDaemon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keepers]:
    directory = tmp_path_factory.mktemp("verbs")
    rows = {verb: f'agents = ["*"]\nverbs = ["{verb}"]' for verb in VERBS}
    rows["operator"] = 'agents = ["*"]'
    rows["writer"] = 'agents = ["team-1"]\nverbs = ["read", "write"]'
    rows["keeper"] = 'agents = ["team-1"]\nverbs = ["snapshot"]'
    rows["remover"] = 'agents = ["team-1"]\nverbs = ["read", "write", "delete"]'
    tokens = write_tokens(directory / "tokens.toml", rows)
    with serve_daemon(directory, "--durability", "memory", "--token-file", str(directory / "tokens.toml")) as nobody:
        keepers = Keepers(nobody, tokens)
        keepers["operator"].agent("team-1").set("key")
        keepers["operator"].agent("other").set("key")
        request = snapshot_pb.CreateSnapshotRequest(agent_id="team-1", snapshot_id="of-operator")
        keepers["operator"].snapshots.CreateSnapshot(request)
        yield keepers


def lacks(verb: str, call: Callable[[], object], agent_id: str = "team-1") -> None:
    refusal = refused(call)
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "VERB_FORBIDDEN")
    assert refusal.metadata == {"verb": verb} | ({"agent_id": agent_id} if agent_id else {})


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_method_needs_its_verb_and_no_other(keepers: Keepers, method: Method) -> None:
    needed = verb_of(method.descriptor)
    named = policy_of(method.descriptor).rule is AccessRule.AGENT
    request = method.request_type(agent_id="team-1") if named else method.request_type()
    data = request.SerializeToString()
    for verb in Verb:
        channel = keepers[verb.value].channel
        if needed in (None, verb):
            code = method.call_raw(channel, data, timeout_s=1.0)  # time: some wait forever
            assert code is not grpc.StatusCode.PERMISSION_DENIED
        else:
            lacks(needed.value, lambda channel=channel: method.call(channel, data), "team-1" if named else "")  # type: ignore[misc]


@pytest.mark.parametrize("name", [*VERBS, "operator", "writer", "keeper", "remover"])
def test_a_caller_learns_its_verbs(keepers: Keepers, name: str) -> None:
    learned = keepers[name].server.GetServerInfo(server_pb.GetServerInfoRequest()).caller_verbs
    several = {"operator": VERBS, "writer": ["read", "write"], "keeper": ["snapshot"], "remover": VERBS[:3]}
    words = [policy_pb.MethodVerb.Name(each).removeprefix("METHOD_VERB_").lower() for each in learned]
    assert words == several.get(name, [name])


def test_what_each_method_does_is_what_its_name_says() -> None:
    """The table for people: a method that is added to a verb by mistake, or by its default, is seen here."""
    names: dict[Verb | None, set[str]] = {}
    for method in METHODS:
        names.setdefault(verb_of(method.descriptor), set()).add(method.descriptor.name)
    reads = ("Get", "List", "Search", "Recall", "Count", "Contains", "BatchGet", "ComposeContext")
    assert {name for name in names.pop(Verb.READ) if not name.startswith(reads)} == set()
    removes = (
        "Delete",
        "Remove",
        "Clear",
        "Dispose",
        "End",
        "Truncate",
        "Acknowledge",
        "Forget",
        "BatchForget",
        "Purge",
        "Reject",
    )
    assert {name for name in names.pop(Verb.DELETE) if not name.startswith(removes)} == {
        "CompactMessages",
        "UnlinkMemories",
    }
    writes = (
        "Accept",
        "Add",
        "Append",
        "BatchCreate",
        "BatchWrite",
        "Commit",
        "Complete",
        "Create",
        "Extract",
        "Flush",
        "Ingest",
        "Lease",
        "Link",
        "Merge",
        "Move",
        "Propose",
        "Reembed",
        "Reinforce",
        "Release",
        "Renew",
        "Reopen",
        "Reserve",
        "Restore",
        "Set",
        "Update",
        "Upload",
    )
    assert {name for name in names.pop(Verb.WRITE) if not name.startswith(writes)} == {"GetOrSetEntry"}
    assert names.pop(Verb.WATCH) == {"WatchEvents"}
    assert {name for name in names.pop(Verb.SNAPSHOT) if "Snapshot" not in name} == {"ExportJournal"}
    assert {name for name in names.pop(None) if "Operation" not in name} == {"GetServerInfo"}
    assert names.pop(Verb.ADMIN) == {"WatchAudit"}
    assert not names


@pytest.mark.parametrize("flag", ["erase", "dispose"])
def test_every_request_that_can_remove_by_a_flag_needs_the_right_to_delete(flag: str) -> None:
    methods = [method for method in METHODS if flag in method.request_type.DESCRIPTOR.fields_by_name]
    assert methods
    for method in methods:
        policy = policy_of(method.descriptor)
        further = policy.further_verbs(method.request_type(**{flag: True})) if policy.further_verbs else ()
        assert Verb.DELETE in {policy.verb, *further}, method.name


REMOVING = {"remove": {"key": "key"}}
SETTING = {"set": {"key": "key", "value_json": "1"}}


def test_a_batch_of_entries_that_removes_one_needs_the_right_to_delete(keepers: Keepers) -> None:
    def batch(*operations: Any, **fields: Any) -> Callable[[], object]:
        request = entry_pb.BatchWriteEntriesRequest(agent_id="team-1", operations=operations, **fields)
        return lambda: keepers["writer"].memory.BatchWriteEntries(request)

    assert batch(SETTING)()
    lacks("delete", batch(SETTING, {"remove": {"key": "other"}}))
    lacks("delete", batch(SETTING, erase=True))
    remove = entry_pb.BatchWriteEntriesRequest(agent_id="team-1", operations=[REMOVING])
    assert keepers["remover"].memory.BatchWriteEntries(remove).results[0].deleted


def test_a_scope_is_disposed_after_its_merge_only_by_who_may_delete(keepers: Keepers) -> None:
    writer = keepers["writer"]
    scope_id = writer.memory.CreateScope(entry_pb.CreateScopeRequest(agent_id="team-1", name="merged")).scope.scope_id
    merge = entry_pb.MergeScopeRequest(agent_id="team-1", scope_id=scope_id, dispose=True)
    lacks("delete", lambda: writer.memory.MergeScope(merge))
    request = transaction_pb.CommitRequest(agent_id="team-1", writes=[{"merge_scope": merge}])
    lacks("delete", lambda: committing(writer.channel).Commit(request))
    assert writer.memory.MergeScope(entry_pb.MergeScopeRequest(agent_id="team-1", scope_id=scope_id)).revision
    assert keepers["remover"].memory.MergeScope(merge).revision


@pytest.mark.parametrize("field", tuple(transaction_pb.Write.DESCRIPTOR.fields), ids=lambda field: field.name)
def test_a_commit_needs_the_verb_of_each_of_its_writes(keepers: Keepers, field: Any) -> None:
    (method,) = (each for each in METHODS if each.descriptor.input_type is field.message_type)
    write = transaction_pb.Write()
    getattr(write, field.name).SetInParent()
    request = transaction_pb.CommitRequest(agent_id="team-1", writes=[{"set_entry": {"key": "k"}}, write])
    stub = committing(keepers["writer"].channel)
    if verb_of(method.descriptor) is Verb.DELETE:
        lacks("delete", lambda: stub.Commit(request))
    else:
        assert refused(lambda: stub.Commit(request)).code is grpc.StatusCode.INVALID_ARGUMENT


def test_a_commit_with_a_batch_that_removes_needs_the_right_to_delete(keepers: Keepers) -> None:
    write = {"batch_write_entries": {"operations": [REMOVING]}}
    request = transaction_pb.CommitRequest(agent_id="team-1", writes=[write])
    lacks("delete", lambda: committing(keepers["writer"].channel).Commit(request))
    assert committing(keepers["remover"].channel).Commit(request).revision


def test_an_agent_is_ended_with_a_snapshot_only_by_who_may_take_one(keepers: Keepers) -> None:
    request = agent_pb.EndAgentRequest(agent_id="team-1", create_snapshot=True)
    lacks("snapshot", lambda: keepers["remover"].agents.EndAgent(request))
    operation = operation_pb.StartOperationRequest(operation_id="end", end_agent=request)
    lacks("snapshot", lambda: keepers["remover"].operations.StartOperation(operation))


def test_a_snapshot_of_the_operator_is_safe_from_a_token_without_the_verb(keepers: Keepers) -> None:
    stub, named = keepers["remover"].snapshots, {"snapshot_id": "of-operator"}
    for call in (
        lambda: stub.GetSnapshot(snapshot_pb.GetSnapshotRequest(**named)),
        lambda: stub.RestoreSnapshot(snapshot_pb.RestoreSnapshotRequest(**named)),
        lambda: stub.DeleteSnapshot(snapshot_pb.DeleteSnapshotRequest(**named)),
        lambda: next(stub.ExportSnapshot(snapshot_pb.ExportSnapshotRequest(**named))),
        lambda: stub.ListSnapshots(snapshot_pb.ListSnapshotsRequest()),
    ):
        lacks("snapshot", call, "")
    create = snapshot_pb.CreateSnapshotRequest(agent_id="team-1")
    lacks("snapshot", lambda: stub.CreateSnapshot(create))
    assert keepers["snapshot"].snapshots.GetSnapshot(snapshot_pb.GetSnapshotRequest(**named))


def test_the_journal_is_exported_only_by_who_may_export_snapshots_of_all_agents(keepers: Keepers) -> None:
    request = snapshot_pb.ExportJournalRequest()
    for name in ("read", "write", "watch", "remover"):
        lacks("snapshot", lambda name=name: next(keepers[name].snapshots.ExportJournal(request)), "")  # type: ignore[misc]
    assert refused(lambda: next(keepers["keeper"].snapshots.ExportJournal(request))).reason == "AGENT_FORBIDDEN"
    assert next(keepers["snapshot"].snapshots.ExportJournal(request)).segment.end_token


def test_a_receipt_names_snapshots_only_to_those_who_may_use_them(keepers: Keepers) -> None:
    def receipt(name: str) -> erasure_pb2.ErasureReceipt:
        keepers["operator"].agent("team-1").set("erased")
        request = entry_pb.RemoveEntryRequest(agent_id="team-1", key="erased", erase=True)
        return keepers[name].memory.RemoveEntry(request).receipt

    assert not receipt("remover").snapshot_ids
    assert receipt("remover").snapshot_count
    assert "of-operator" in receipt("operator").snapshot_ids


def test_an_operation_needs_the_verb_of_its_method(keepers: Keepers) -> None:
    create = {"create_snapshot": {"agent_id": "team-1"}}
    request = operation_pb.StartOperationRequest(operation_id="create", **create)  # type: ignore[arg-type]
    lacks("snapshot", lambda: keepers["remover"].operations.StartOperation(request))
    lacks("snapshot", lambda: keepers["write"].operations.StartOperation(request))
    forget = operation_pb.StartOperationRequest(
        operation_id="forget", forget_user=agent_pb.ForgetUserRequest(agent_id="team-1", user_id="zoe")
    )
    lacks("delete", lambda: keepers["writer"].operations.StartOperation(forget))
    own = keepers["snapshot"].operations
    assert own.StartOperation(request).created
    for name in ("remover", "delete", "read"):
        stub = keepers[name].operations
        calls = [
            lambda stub=stub: stub.StartOperation(request),
            lambda stub=stub: stub.GetOperation(operation_pb.GetOperationRequest(operation_id="create")),
            lambda stub=stub: stub.WaitOperation(operation_pb.WaitOperationRequest(operation_id="create")),
            lambda stub=stub: next(stub.WatchOperation(operation_pb.WatchOperationRequest(operation_id="create"))),
            lambda stub=stub: stub.CancelOperation(operation_pb.CancelOperationRequest(operation_id="create")),
        ]
        for call in calls[name == "remover" :]:
            refusal = refused(call)
            assert (refusal.reason, refusal.metadata["verb"]) == ("VERB_FORBIDDEN", "snapshot")
        assert not stub.ListOperations(operation_pb.ListOperationsRequest()).operations
    (listed,) = own.ListOperations(operation_pb.ListOperationsRequest()).operations
    assert listed.operation_id == "create"


def test_a_watch_needs_the_verb_for_each_of_its_agents(keepers: Keepers) -> None:
    for agent_ids, agent_id in ((["team-1"], "team-1"), (["team-*"], ""), ([], "")):
        request = event_pb.WatchEventsRequest(filters=[EventFilter(agent_ids=agent_ids)])
        lacks("watch", lambda request=request: next(keepers["read"].events.WatchEvents(request)), agent_id)  # type: ignore[misc]
        listing = event_pb.ListEventsRequest(filters=[EventFilter(agent_ids=agent_ids)])
        lacks("read", lambda listing=listing: keepers["watch"].events.ListEvents(listing), agent_id)  # type: ignore[misc]
    with Watcher(keepers["watch"], "team-1").opened() as watcher:
        keepers["write"].agent("team-1").set("watched")
        (event,) = watcher.until_events(1)
    assert event.entry.key == "watched"


def test_another_agent_is_forbidden_whatever_the_verb(keepers: Keepers) -> None:
    request = note_service_pb2.DeleteNoteRequest(agent_id="other", note_id="n")
    assert (
        refused(lambda: note_service_pb2_grpc.NoteServiceStub(keepers["writer"].channel).DeleteNote(request)).reason
        == "AGENT_FORBIDDEN"
    )
