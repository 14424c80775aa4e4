"""The audit: every call of the contract leaves its record, with who, what and about whom, and never a content."""

import json
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import FieldDescriptor
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tests.daemon import Daemon
from tests.in_process import AnyDaemon, ServeDaemon
from tests.integration.contract import METHODS, Method
from tests.integration.credential import authorized, write_tokens
from tests.integration.wire import Wire, refused
from tests.unit.transport.test_named_agent import about
from tests.wait import until

from memoryd.v1 import agent_service_pb2 as agent_pb
from memoryd.v1 import document_service_pb2 as document_pb
from memoryd.v1 import event_service_pb2 as event_pb
from memoryd.v1 import operation_service_pb2 as operation_pb
from memoryd.v1 import server_service_pb2 as pb
from memoryd.v1 import snapshot_service_pb2 as snapshot_pb
from memoryd.v1 import working_memory_service_pb2 as entry_pb
from memoryd_server.transport.access import AccessRule, policy_of
from memoryd_server.transport.limit import AUDIT_AGENTS_MAX
from memoryd_server.transport.observing.auditor import reads

AGENT = "team-1"
TRACE = "0af7651916cd43dd8448eb211c80319c"
UNNAMED = {AccessRule.LISTED, AccessRule.AUTHENTICATED}
"""The rules under which a call need not be about an agent, and no caller with a token is denied."""


class Audited:
    """A daemon with tokens and an audit, and the stream of its records, from the caller ``watcher``."""

    def __init__(self, nobody: Wire, tokens: dict[str, str]) -> None:
        self.nobody, self._tokens = nobody, tokens
        self.stream = self["watcher"].server.WatchAudit(pb.WatchAuditRequest())
        assert not next(self.stream).HasField("record")
        assert self.record("WatchAudit", pb.AUDIT_PHASE_BEGIN).caller == "watcher"

    def __getitem__(self, name: str) -> Wire:
        return authorized(self.nobody, self._tokens[name])

    def record(self, method: str, phase: pb.AuditPhase | None = None) -> pb.AuditRecord:
        """Return the record of the only call since the last one: for a stream that of its end, unless ``phase``."""
        while True:
            record: pb.AuditRecord = next(self.stream).record
            assert record.method.endswith(f"Service/{method}"), record
            if phase in (record.phase, None) and (phase is not None or record.phase != pb.AUDIT_PHASE_BEGIN):
                return record


ROWS = {
    "operator": 'agents = ["*"]',
    "watcher": 'agents = ["*"]\nverbs = ["admin"]',
    "reader": 'agents = ["*"]\nverbs = ["read"]',
    "writer": 'agents = ["*"]\nverbs = ["write"]',
    "stranger": 'agents = ["elsewhere"]',
    "slow": 'agents = ["*"]\nrate = 0.01',
    "few": 'agents = ["team-*"]\nverbs = ["admin"]',
}


@pytest.fixture(scope="module")
def audited(serve_daemon: ServeDaemon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audited]:
    directory = tmp_path_factory.mktemp("audit")
    tokens = write_tokens(directory / "tokens.toml", ROWS)
    flags = ["--durability", "memory", "--token-file", str(directory / "tokens.toml")]
    with serve_daemon(directory, *flags, "--audit-log", str(directory / "audit.log"), "--audit-reads") as nobody:
        audited = Audited(nobody, tokens)
        audited["operator"].agent(AGENT).set("key")
        audited["operator"].snapshots.CreateSnapshot(
            snapshot_pb.CreateSnapshotRequest(agent_id=AGENT, snapshot_id="of-team")
        )
        start = operation_pb.StartOperationRequest(operation_id="of-team")
        start.create_snapshot.agent_id = AGENT
        audited["operator"].operations.StartOperation(start)
        for method in ("SetEntry", "CreateSnapshot", "StartOperation"):
            audited.record(method)
        yield audited


def request_of(method: Method) -> Any:
    """Return a request about AGENT, by whatever its type can name it by."""
    request = about(method.request_type, AGENT) or method.request_type()
    fields = method.request_type.DESCRIPTOR.fields_by_name
    for name in ("snapshot_id", "operation_id"):
        if name in fields and method.descriptor.name != "CreateSnapshot":
            setattr(request, name, "of-team")
    if method.descriptor.name == "StartOperation":
        request.operation_id = ""
        request.operation_id, request.create_snapshot.agent_id = "another", AGENT
    return request


def by_name(method: Method) -> str:
    return method.descriptor.name


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_call_leaves_a_record_with_its_caller_and_its_agent(audited: Audited, method: Method) -> None:
    channel = audited["operator"].channel
    method.call_raw(channel, request_of(method).SerializeToString(), timeout_s=1.0)  # time: some wait forever
    record = audited.record(by_name(method))
    assert (record.caller, record.denied) == ("operator", False)
    assert record.status
    # An import and an export of the journal are about whatever is in it.
    all_agents = method.descriptor.name in ("ImportSnapshot", "ExportJournal")
    names_agent = about(method.request_type, AGENT) or policy_of(method.descriptor).rule not in UNNAMED
    assert record.agent_ids == (["*"] if all_agents else [AGENT] if names_agent else [])
    if method.descriptor.name == "DeleteSnapshot":
        again = snapshot_pb.CreateSnapshotRequest(agent_id=AGENT, snapshot_id="of-team")
        audited["operator"].snapshots.CreateSnapshot(again)
        audited.record("CreateSnapshot")
    if method.descriptor.name == "EndAgent":
        audited["operator"].agent(AGENT).set("key")
        audited.record("SetEntry")


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_call_with_a_wrong_token_leaves_a_record_without_a_caller(audited: Audited, method: Method) -> None:
    wrong = authorized(audited.nobody, "memoryd_wrong").channel
    assert method.call_raw(wrong, request_of(method).SerializeToString()) is grpc.StatusCode.UNAUTHENTICATED
    record = audited.record(by_name(method))
    assert (record.status, record.reason, record.denied) == ("UNAUTHENTICATED", "UNAUTHENTICATED", True)
    assert (record.caller, list(record.agent_ids)) == ("", [])
    assert record.phase == (
        pb.AUDIT_PHASE_END
        if method.descriptor.server_streaming or method.descriptor.client_streaming
        else pb.AUDIT_PHASE_CALL
    )


@pytest.mark.parametrize(
    "method",
    [each for each in METHODS if policy_of(each.descriptor).verb is not None],
    ids=lambda method: method.name,
)
def test_every_call_without_the_verb_leaves_a_record_of_the_denial(audited: Audited, method: Method) -> None:
    verb = policy_of(method.descriptor).verb
    name = "writer" if verb is None or verb.value == "read" else "reader"
    code = method.call_raw(audited[name].channel, request_of(method).SerializeToString())
    assert code is grpc.StatusCode.PERMISSION_DENIED
    record = audited.record(by_name(method))
    assert (record.caller, record.reason, record.denied) == (name, "VERB_FORBIDDEN", True)
    if policy_of(method.descriptor).rule is AccessRule.AGENT:
        assert record.agent_ids == [AGENT]


@pytest.mark.parametrize(
    "method",
    [each for each in METHODS if policy_of(each.descriptor).rule not in UNNAMED],
    ids=lambda method: method.name,
)
def test_every_call_about_a_forbidden_agent_leaves_a_record_of_the_denial(audited: Audited, method: Method) -> None:
    code = method.call_raw(audited["stranger"].channel, request_of(method).SerializeToString())
    # A snapshot that the caller may not use is not found.
    assert code in (grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.NOT_FOUND, grpc.StatusCode.OK)
    record = audited.record(by_name(method))
    assert (record.caller, record.denied) == ("stranger", True)
    all_agents = method.descriptor.name in ("ImportSnapshot", "ExportJournal")
    assert record.agent_ids == (["*"] if all_agents else [AGENT])


def test_a_call_beyond_the_rate_leaves_a_record_of_the_denial(audited: Audited) -> None:
    slow = audited["slow"].agent(AGENT)
    slow.set("key")
    assert not audited.record("SetEntry").denied
    assert refused(lambda: slow.set("key")).reason == "OVERLOADED"
    record = audited.record("SetEntry")
    assert (record.caller, record.reason, record.denied) == ("slow", "OVERLOADED", True)


def test_a_record_has_the_user_the_request_id_the_trace_and_the_duration(audited: Audited) -> None:
    request = agent_pb.ForgetUserRequest(agent_id=AGENT, user_id="ada", request_id="r-1")
    metadata = (("traceparent", f"00-{TRACE}-00f067aa0ba902b7-00"),)
    audited["operator"].agents.ForgetUser(request, metadata=metadata)
    record = audited.record("ForgetUser")
    assert (record.user_id, record.request_id, record.trace_id) == ("ada", "r-1", TRACE)
    assert (record.status, record.reason, record.phase) == ("OK", "", pb.AUDIT_PHASE_CALL)
    assert record.elapsed_duration.ToNanoseconds() > 0
    assert record.peer


def test_a_record_has_the_kinds_of_the_requests_within_the_request(audited: Audited) -> None:
    operator = audited["operator"]
    operations = [{"set": {"key": "k", "value_json": "1"}}, {"remove": {"key": "l"}}, {"remove": {"key": "m"}}]
    operator.memory.BatchWriteEntries(entry_pb.BatchWriteEntriesRequest(agent_id=AGENT, operations=operations))
    assert audited.record("BatchWriteEntries").requests == ["remove", "set"]
    start = operation_pb.StartOperationRequest(operation_id="ends")
    start.end_agent.agent_id = "nobody"
    operator.operations.StartOperation(start)
    record = audited.record("StartOperation")
    assert (list(record.requests), record.target_id, list(record.agent_ids)) == (["end_agent"], "ends", ["nobody"])


def test_a_stream_leaves_a_record_at_its_beginning_and_at_its_end(audited: Audited) -> None:
    request = snapshot_pb.ExportSnapshotRequest(snapshot_id="of-team")
    assert list(audited["operator"].snapshots.ExportSnapshot(request))
    begin = audited.record("ExportSnapshot", pb.AUDIT_PHASE_BEGIN)
    assert (list(begin.agent_ids), begin.target_id, begin.status) == ([AGENT], "of-team", "")
    assert not begin.HasField("elapsed_duration")
    end = audited.record("ExportSnapshot", pb.AUDIT_PHASE_END)
    assert (list(end.agent_ids), end.target_id, end.status) == ([AGENT], "of-team", "OK")


def test_a_watch_of_some_agents_gets_the_records_of_calls_about_these_alone(audited: Audited) -> None:
    few = audited["few"]
    assert refused(lambda: next(few.server.WatchAudit(pb.WatchAuditRequest()))).reason == "AGENT_FORBIDDEN"
    audited.record("WatchAudit")
    watch = few.server.WatchAudit(pb.WatchAuditRequest(agent_ids=["team-*"], denied_only=True))
    assert not next(watch).HasField("record")
    audited.record("WatchAudit", pb.AUDIT_PHASE_BEGIN)
    for agent_id in ("other", AGENT):
        for name in ("operator", "reader"):
            code = Method.call_raw(SET_ENTRY, audited[name].channel, _setting(agent_id))
            assert code is (grpc.StatusCode.OK if name == "operator" else grpc.StatusCode.PERMISSION_DENIED)
            audited.record("SetEntry")
    record = next(watch).record
    assert (list(record.agent_ids), record.caller) == ([AGENT], "reader")
    watch.cancel()
    assert audited.record("WatchAudit").caller == "few"


def test_a_watch_of_some_agents_gets_no_record_of_a_call_about_more_agents_than_a_record_has(audited: Audited) -> None:
    watch = audited["few"].server.WatchAudit(pb.WatchAuditRequest(agent_ids=["team-*"]))
    assert not next(watch).HasField("record")
    audited.record("WatchAudit", pb.AUDIT_PHASE_BEGIN)
    assert next(watch).record.method.endswith("/WatchAudit")
    for others in ([f"team-{number}" for number in range(AUDIT_AGENTS_MAX)] + ["zoe"], [AGENT]):
        request = event_pb.ListEventsRequest(filters=[{"agent_ids": others}])
        audited["operator"].events.ListEvents(request)
        assert "zoe" not in audited.record("ListEvents").agent_ids
    assert list(next(watch).record.agent_ids) == [AGENT]
    watch.cancel()
    audited.record("WatchAudit")


SET_ENTRY = next(method for method in METHODS if method.descriptor.name == "SetEntry")


def _setting(agent_id: str) -> bytes:
    return entry_pb.SetEntryRequest(agent_id=agent_id, key="key", value_json="1").SerializeToString()


IDS = {"agent_id", "agent_ids", "as_agent_id", "user_id", "user_ids", "request_id", "snapshot_id", "operation_id"}
CONTENT = "kept-to-itself"


def filled(message: Any, depth: int = 4) -> Any:
    """Fill all texts of a message with CONTENT, except for those that a record may have."""
    for field in message.DESCRIPTOR.fields:
        if field.name in IDS or (field.containing_oneof and message.WhichOneof(field.containing_oneof.name)):
            continue
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            is_own = (
                field.message_type.full_name.startswith("memoryd.") and not field.message_type.GetOptions().map_entry
            )
            if depth and is_own:
                inner = getattr(message, field.name)
                filled(inner.add() if field.is_repeated else inner, depth - 1)
                if not field.is_repeated:
                    inner.SetInParent()
        elif field.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES):
            value: Any = CONTENT if field.type == FieldDescriptor.TYPE_STRING else CONTENT.encode()
            if field.is_repeated:
                getattr(message, field.name).append(value)
            else:
                setattr(message, field.name, value)
    return message


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_no_content_ever_appears_in_a_record(audited: Audited, method: Method) -> None:
    request = filled(about(method.request_type, AGENT) or method.request_type())
    for name in ("operator", "stranger"):
        channel = audited[name].channel
        method.call_raw(channel, request.SerializeToString(), timeout_s=1.0)  # time: some wait forever
        assert CONTENT not in str(audited.record(by_name(method)))


def test_without_audit_reads_only_changes_and_denials_leave_records(
    launch: Callable[..., AnyDaemon], connect: Callable[[AnyDaemon], Wire], tmp_path: Path
) -> None:
    path = tmp_path / "audit.log"
    tokens = write_tokens(tmp_path / "tokens.toml", ROWS)
    daemon = launch("--token-file", str(tmp_path / "tokens.toml"), "--audit-log", str(path))
    nobody = connect(daemon)
    operator = authorized(nobody, tokens["operator"])
    for method in METHODS:
        request = about(method.request_type, AGENT) or method.request_type()
        method.call_raw(operator.channel, request.SerializeToString(), timeout_s=1.0)  # time: some wait forever
    refused(lambda: authorized(nobody, tokens["stranger"]).agent(AGENT).get("key"))
    until(lambda: "AGENT_FORBIDDEN" in path.read_text(), "the last record is written")
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert records[-1]["reason"] == "AGENT_FORBIDDEN"
    kept = {record["method"].rpartition("/")[2] for record in records[:-1]}
    assert kept == {each.descriptor.name for each in METHODS if not reads(policy_of(each.descriptor))}
    assert kept >= {"SetEntry", "DeleteNote", "ExportSnapshot", "WatchAudit", "StartOperation", "UploadDocument"}
    assert kept.isdisjoint({"GetEntry", "WatchEvents", "RecallMemories", "WatchOperation", "ListSnapshots"})


def test_without_an_audit_log_the_stream_says_so(wire: Wire) -> None:
    refusal = refused(lambda: next(wire.server.WatchAudit(pb.WatchAuditRequest())))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "AUDIT_OFF")


def test_denied_calls_are_audited_over_every_transport(
    launch_process: Callable[..., Daemon], connect: Callable[[Daemon], Wire], tmp_path: Path, transport: str
) -> None:
    path = tmp_path / "audit.log"
    tokens = write_tokens(tmp_path / "tokens.toml", ROWS)
    flags = ["--token-file", str(tmp_path / "tokens.toml"), "--audit-log", str(path), "--transport", transport]
    daemon = launch_process(*flags, "--durability", "memory")
    nobody = connect(daemon)
    refused(lambda: nobody.agent(AGENT).set("none"))
    refused(lambda: authorized(nobody, "memoryd_wrong").agent(AGENT).set("wrong"))
    refused(lambda: authorized(nobody, tokens["stranger"]).agent(AGENT).set("agent"))
    refused(lambda: authorized(nobody, tokens["reader"]).agent(AGENT).set("verb"))
    metadata = (("traceparent", f"00-{TRACE}-00f067aa0ba902b7-00"),)
    request = agent_pb.ForgetUserRequest(agent_id=AGENT, user_id="ada", request_id="r-1")
    refused(lambda: authorized(nobody, tokens["reader"]).agents.ForgetUser(request, metadata=metadata))
    authorized(nobody, tokens["operator"]).agent(AGENT).set("key")
    until(lambda: path.read_text().count("\n") == 6, "the records are written")
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(each.get("caller"), each.get("reason"), each.get("agent_ids")) for each in records] == [
        (None, "UNAUTHENTICATED", None),
        (None, "UNAUTHENTICATED", None),
        ("stranger", "AGENT_FORBIDDEN", [AGENT]),
        ("reader", "VERB_FORBIDDEN", [AGENT]),
        ("reader", "VERB_FORBIDDEN", [AGENT]),
        ("operator", None, [AGENT]),
    ]
    assert [each["status"] for each in records[-2:]] == ["PERMISSION_DENIED", "OK"]
    assert (records[-2]["user_id"], records[-2]["request_id"], records[-2]["trace_id"]) == ("ada", "r-1", TRACE)
    assert all(each["peer"].startswith(("ipv4:127.0.0.1:", "127.0.0.1:")) for each in records)


@pytest.mark.whole
def test_a_call_that_the_end_of_the_daemon_cancels_leaves_a_record_of_its_end(
    launch_process: Callable[..., Daemon], connect: Callable[[Daemon], Wire], tmp_path: Path, transport: str
) -> None:
    path, stopped = tmp_path / "audit.log", threading.Event()
    flags = ["--durability", "memory", "--audit-log", str(path), "--transport", transport]
    daemon = launch_process(*flags, "--drain-timeout", "0.1")  # time: the upload never ends by itself

    def parts() -> Iterator[document_pb.UploadDocumentRequest]:
        header = document_pb.UploadDocumentRequest()
        header.header.agent_id, header.header.create.media_type = AGENT, "text/plain"
        yield header
        stopped.wait()

    upload = connect(daemon).documents.UploadDocument.future(parts())
    until(lambda: "begin" in path.read_text(), "the upload has begun")
    assert daemon.stop() == 0
    stopped.set()
    assert upload.exception() is not None
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(each["phase"], each.get("status")) for each in records] == [("begin", None), ("end", "CANCELLED")]


def test_the_log_is_opened_again_where_it_was_moved_away(
    launch_process: Callable[..., Daemon], connect: Callable[[Daemon], Wire], tmp_path: Path
) -> None:
    path = tmp_path / "audit.log"
    daemon = launch_process("--durability", "memory", "--audit-log", str(path))
    agent = connect(daemon).agent(AGENT)
    agent.set("key")
    until(lambda: path.read_text().count("\n") == 1, "a record is written")
    path.rename(moved := tmp_path / "audit.log.1")
    daemon.signal(signal.SIGHUP)
    until(path.exists, "the log is opened again")
    agent.set("key")
    until(lambda: path.read_text().count("\n") == 1, "a record is written to the new log")
    assert moved.read_text().count("\n") == 1


def test_a_full_disk_of_the_log_is_reported_and_stops_nothing(
    launch_process: Callable[..., Daemon], connect: Callable[[Daemon], Wire]
) -> None:
    daemon = launch_process("--durability", "memory", "--audit-log", "/dev/full")
    wire = connect(daemon)
    health = health_pb2_grpc.HealthStub(wire.channel)

    def status(service: str) -> int:
        return int(health.Check(health_pb2.HealthCheckRequest(service=service)).status)

    assert status("memoryd.v1.Audit") == health_pb2.HealthCheckResponse.SERVING
    wire.agent(AGENT).set("key")
    until(lambda: status("memoryd.v1.Audit") == health_pb2.HealthCheckResponse.NOT_SERVING, "the failure is reported")
    assert status("") == health_pb2.HealthCheckResponse.SERVING
    assert "audit log cannot be written" in daemon.log
    wire.agent(AGENT).set("key")
