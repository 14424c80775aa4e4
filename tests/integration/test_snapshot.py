"""Snapshots over the wire: WM-20, DC-03."""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pyrage
import pytest
from google.protobuf.duration_pb2 import Duration
from tests.in_process import AnyDaemon
from tests.integration.wire import Memory, Refused, Wire, refused

from memoryd.v1 import agent_service_pb2 as agent_pb
from memoryd.v1 import snapshot_service_pb2 as pb
from memoryd.v1.precondition_pb2 import Precondition
from memoryd.v1.snapshot_pb2 import SNAPSHOT_TRIGGER_REQUEST, Snapshot

Launch = Callable[..., AnyDaemon]
Connect = Callable[[AnyDaemon], Wire]


def create(wire: Wire, agent_id: str = "", snapshot_id: str = "") -> Snapshot:
    return wire.snapshots.CreateSnapshot(pb.CreateSnapshotRequest(agent_id=agent_id, snapshot_id=snapshot_id)).snapshot


def restore(wire: Wire, snapshot_id: str, agent_id: str = "", as_agent_id: str = "") -> pb.RestoreSnapshotResponse:
    request = pb.RestoreSnapshotRequest(snapshot_id=snapshot_id, agent_id=agent_id, as_agent_id=as_agent_id)
    return wire.snapshots.RestoreSnapshot(request)


def exported(wire: Wire, snapshot_id: str) -> bytes:
    first, *rest = wire.snapshots.ExportSnapshot(pb.ExportSnapshotRequest(snapshot_id=snapshot_id))
    assert first.snapshot.snapshot_id == snapshot_id
    assert all(len(part.chunk) <= 1 << 20 for part in rest)
    return b"".join(part.chunk for part in rest)


def parts(data: bytes, snapshot_id: str = "", size: int = 1 << 20) -> Iterator[pb.ImportSnapshotRequest]:
    yield pb.ImportSnapshotRequest(header=pb.ImportSnapshotHeader(snapshot_id=snapshot_id))
    for start in range(0, len(data), size):
        yield pb.ImportSnapshotRequest(chunk=data[start : start + size])


def imported(wire: Wire, data: bytes, snapshot_id: str = "", size: int = 1 << 20) -> Snapshot:
    return wire.snapshots.ImportSnapshot(parts(data, snapshot_id, size)).snapshot


def listed(wire: Wire, agent_id: str | None = None) -> list[str]:
    request = pb.ListSnapshotsRequest(agent_ids=None if agent_id is None else [agent_id], page_size=1000)
    return [each.snapshot_id for each in wire.snapshots.ListSnapshots(request).snapshots]


def not_found(refusal: Refused, snapshot_id: str) -> None:
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "SNAPSHOT_NOT_FOUND")
    assert refusal.own_metadata == {"snapshot_id": snapshot_id}


def full(agent: Memory) -> dict[str, object]:
    """Return everything that an agent's memory holds, for comparison."""
    scopes = {scope.scope_id: (scope.name, scope.parent_scope_id) for scope in agent.scopes(page_size=1000).scopes}
    entries = {}
    for scope_id in ("", *scopes):
        for entry in agent.list(scope_id, page_size=1000).entries:
            entry.ClearField("revision")
            entries[scope_id, entry.key] = entry.SerializeToString(deterministic=True)
    return {"scopes": scopes, "entries": entries}


def rich(agent: Memory) -> Memory:
    """Fill an agent with entries and scopes of all kinds."""
    agent.set("plain", [1, "☃"], type_name="T", importance=0.9, tags=["x"], metadata={"a": [1, None]})
    agent.set("expires", ttl=Duration(seconds=3600))
    outer = agent.scope("outer")
    inner = agent.scope("inner", outer)
    agent.write({"a": 1, "plain": 2}, inner)
    agent.dispose(agent.scope("gone"))
    agent.get("plain")
    return agent


def test_a_snapshot_has_its_agent_revision_counts_size_and_trigger(agent: Memory) -> None:
    rich(agent)
    snapshot = create(agent.wire, agent.id, f"s-{agent.id}")
    assert (snapshot.snapshot_id, snapshot.agent_id) == (f"s-{agent.id}", agent.id)
    assert (snapshot.revision, snapshot.agent_count, snapshot.encrypted) == (agent.revision, 1, False)
    assert snapshot.record_count >= 6
    assert snapshot.size_bytes == len(exported(agent.wire, snapshot.snapshot_id))
    assert snapshot.trigger == SNAPSHOT_TRIGGER_REQUEST
    got = agent.wire.snapshots.GetSnapshot(pb.GetSnapshotRequest(snapshot_id=snapshot.snapshot_id))
    assert got.snapshot == snapshot


def test_a_restore_brings_everything_back_and_undoes_later_changes(agent: Memory) -> None:
    rich(agent)
    before = full(agent)
    snapshot = create(agent.wire, agent.id)
    agent.wire.agents.ClearAgent(agent_pb.ClearAgentRequest(agent_id=agent.id))
    agent.set("late")
    agent.set("own", 1, agent.scope("late"))
    revision = agent.revision
    answer = restore(agent.wire, snapshot.snapshot_id)
    assert (answer.restored_agent_count, answer.ended_agent_count, answer.revision) == (1, 0, revision + 1)
    assert full(agent) == before
    assert agent.revision == revision + 1


def test_a_chosen_id_can_be_used_once_and_missing_ones_are_not_found(agent: Memory) -> None:
    agent.set("key")
    snapshot_id = create(agent.wire, agent.id, f"s-{agent.id}").snapshot_id
    taken = refused(lambda: create(agent.wire, agent.id, snapshot_id))
    assert (taken.code, taken.reason) == (grpc.StatusCode.ALREADY_EXISTS, "SNAPSHOT_EXISTS")
    agent.wire.snapshots.DeleteSnapshot(pb.DeleteSnapshotRequest(snapshot_id=snapshot_id))
    stub = agent.wire.snapshots
    assert not stub.DeleteSnapshot(pb.DeleteSnapshotRequest(snapshot_id=snapshot_id)).deleted
    must_exist = pb.DeleteSnapshotRequest(snapshot_id=snapshot_id, precondition=Precondition(must_exist=True))
    not_found(refused(lambda: stub.DeleteSnapshot(must_exist)), snapshot_id)
    not_found(refused(lambda: stub.GetSnapshot(pb.GetSnapshotRequest(snapshot_id=snapshot_id))), snapshot_id)
    not_found(refused(lambda: restore(agent.wire, snapshot_id)), snapshot_id)
    not_found(refused(lambda: exported(agent.wire, snapshot_id)), snapshot_id)
    assert refused(lambda: create(agent.wire, "no-such-agent")).reason == "AGENT_NOT_FOUND"


def test_snapshots_are_listed_newest_first_and_in_pages(agent: Memory) -> None:
    agent.set("key")
    snapshot_ids = [create(agent.wire, agent.id).snapshot_id for _ in range(5)]
    found, token = [], ""
    while True:
        request = pb.ListSnapshotsRequest(agent_ids=[agent.id], page_size=2, page_token=token)
        page = agent.wire.snapshots.ListSnapshots(request)
        found += [each.snapshot_id for each in page.snapshots]
        token = page.next_page_token
        if not token:
            break
    assert found == snapshot_ids[::-1]


def test_another_agents_snapshot_is_refused_unless_as_agent_id_clones_it(agent: Memory) -> None:
    rich(agent)
    other = agent.wire.agent()
    other.set("mine")
    snapshot = create(agent.wire, agent.id)
    refusal = refused(lambda: restore(agent.wire, snapshot.snapshot_id, other.id))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "SNAPSHOT_AGENT_MISMATCH")
    assert refusal.metadata == {"snapshot_id": snapshot.snapshot_id, "agent_id": other.id}
    assert other.values() == {"mine": 1}
    assert restore(agent.wire, snapshot.snapshot_id, as_agent_id=other.id).revision == 2
    assert full(other) == full(agent)
    other.set("apart")
    assert not agent.contains("apart").found


def test_an_exported_file_restores_into_another_daemon(agent: Memory, small_wire: Wire) -> None:
    agent.set("a", "text", tags=["t"])
    agent.set("b", 1, agent.scope("s"))
    before = full(agent)
    data = exported(agent.wire, create(agent.wire, agent.id).snapshot_id)
    snapshot = imported(small_wire, data, f"s-{agent.id}", size=7)
    assert (snapshot.agent_id, snapshot.size_bytes) == (agent.id, len(data))
    assert restore(small_wire, snapshot.snapshot_id).restored_agent_count == 1
    assert full(small_wire.agent(agent.id)) == before


def test_a_damaged_import_is_refused_and_leaves_nothing_behind(agent: Memory) -> None:
    rich(agent)
    before = full(agent), listed(agent.wire)
    wire = agent.wire
    snapshot_id = create(wire, agent.id).snapshot_id
    data = exported(wire, snapshot_id)
    wire.snapshots.DeleteSnapshot(pb.DeleteSnapshotRequest(snapshot_id=snapshot_id))
    middle = len(data) // 2
    for bad in (
        b"",
        b"nonsense",
        data[:-1],
        data[:middle],
        data + b"x",
        data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :],
    ):
        refusal = refused(lambda bad=bad: imported(wire, bad, "damaged"))  # type: ignore[misc]
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.DATA_LOSS, "SNAPSHOT_DAMAGED")
        assert refusal.own_metadata == {"snapshot_id": "damaged"}
    assert (full(agent), listed(wire)) == before


def test_an_import_is_a_header_followed_by_chunks(agent: Memory) -> None:
    stub = agent.wire.snapshots
    chunk = pb.ImportSnapshotRequest(chunk=b"x")
    named = pb.ImportSnapshotRequest(header=pb.ImportSnapshotHeader(snapshot_id="x"))
    large = pb.ImportSnapshotRequest(chunk=bytes((1 << 20) + 1))
    assert refused(lambda: stub.ImportSnapshot(iter([]))).fields == ("header",)
    assert refused(lambda: stub.ImportSnapshot(iter([chunk]))).fields == ("header",)
    assert refused(lambda: stub.ImportSnapshot(iter([named, named]))).fields == ("chunk",)
    assert refused(lambda: stub.ImportSnapshot(iter([named, pb.ImportSnapshotRequest()]))).fields == ("chunk",)
    assert refused(lambda: stub.ImportSnapshot(iter([named, large]))).fields == ("chunk",)
    wrong = pb.ImportSnapshotRequest(header=pb.ImportSnapshotHeader(snapshot_id="x", sha256="0"))
    assert refused(lambda: stub.ImportSnapshot(iter([wrong]))).fields == ("header.sha256",)
    assert "x" not in listed(agent.wire)


def test_an_export_continues_at_an_offset_and_an_import_checks_the_digest(agent: Memory) -> None:
    agent.set("key")
    stub, snapshot = agent.wire.snapshots, create(agent.wire, agent.id)
    whole = exported(agent.wire, snapshot.snapshot_id)
    assert hashlib.sha256(whole).hexdigest() == snapshot.sha256
    request = pb.ExportSnapshotRequest(snapshot_id=snapshot.snapshot_id, offset=10)
    assert b"".join(each.chunk for each in stub.ExportSnapshot(request)) == whole[10:]
    request.offset = len(whole) + 1
    assert refused(lambda: list(stub.ExportSnapshot(request))).fields == ("offset",)
    wrong = pb.ImportSnapshotHeader(snapshot_id="copy", sha256="0" * 64)
    sent = [pb.ImportSnapshotRequest(header=wrong), pb.ImportSnapshotRequest(chunk=whole)]
    assert refused(lambda: stub.ImportSnapshot(iter(sent))).reason == "SNAPSHOT_DAMAGED"
    sent[0].header.sha256 = snapshot.sha256
    assert stub.ImportSnapshot(iter(sent)).snapshot.sha256 == snapshot.sha256


def test_restoring_a_file_damaged_on_disk_changes_nothing(launch: Launch, connect: Connect) -> None:
    daemon = launch()
    agent = rich(connect(daemon).agent())
    snapshot_id = create(agent.wire, agent.id).snapshot_id
    (path,) = (daemon.data_dir / "snapshots").glob(f"{snapshot_id}*.snapshot")
    agent.set("late")
    before = full(agent), agent.revision
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x10
    path.write_bytes(data)
    refusal = refused(lambda: restore(agent.wire, snapshot_id))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.DATA_LOSS, "SNAPSHOT_DAMAGED")
    assert (full(agent), agent.revision) == before
    agent.wire.snapshots.DeleteSnapshot(pb.DeleteSnapshotRequest(snapshot_id=snapshot_id))
    assert snapshot_id not in listed(agent.wire)


def key_file(path: Path) -> str:
    path.write_text(f"# a comment\n{pyrage.x25519.Identity.generate()}\n")
    path.chmod(0o600)
    return str(path)


def test_with_a_key_snapshots_are_age_files_that_only_the_key_decrypts(
    launch: Launch, connect: Connect, tmp_path: Path, small_wire: Wire
) -> None:
    """WM-20: sensitive data is encrypted at rest."""
    key = key_file(tmp_path / "key")
    daemon = launch("--durability", "memory", "--snapshot-key-file", key)
    wire = connect(daemon)
    agent = rich(wire.agent())
    agent.set("secret", "attack at dawn")
    before = full(agent)
    snapshot = create(wire, agent.id, "sealed")
    assert snapshot.encrypted
    data = exported(wire, "sealed")
    assert data.startswith(b"age-encryption.org/v1\n")
    identity = pyrage.x25519.Identity.from_str(Path(key).read_text().splitlines()[1])
    assert pyrage.decrypt(data, [identity])
    agent.clear()
    restore(wire, "sealed")
    assert full(agent) == before
    for path in daemon.data_dir.rglob("*"):
        assert not path.is_file() or b"attack at dawn" not in path.read_bytes(), path
    refusal = refused(lambda: imported(small_wire, data, "sealed"))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "SNAPSHOT_LOCKED")
    assert refusal.own_metadata == {"snapshot_id": "sealed"}
    other = connect(launch("--durability", "memory", "--snapshot-key-file", key))
    imported(other, data, "sealed")
    restore(other, "sealed")
    assert full(other.agent(agent.id)) == before


def test_restoring_all_agents_ends_those_that_the_snapshot_lacks(launch: Launch, connect: Connect) -> None:
    wire = connect(launch("--durability", "memory"))
    for name in ("a", "b"):
        wire.agent(name).set("key", name)
    create(wire, "", "all")
    wire.agent("a").set("key", "changed")
    wire.agent("c").set("key")
    answer = restore(wire, "all")
    assert (answer.restored_agent_count, answer.ended_agent_count, answer.revision) == (2, 1, 0)
    agents = wire.agents.ListAgents(agent_pb.ListAgentsRequest()).agents
    assert [each.agent_id for each in agents] == ["a", "b"]
    assert wire.agent("a").values() == {"key": "a"}
    wire.agent("b").set("key", "changed")
    wire.agent("a").set("key", "changed")
    assert restore(wire, "all", "a").restored_agent_count == 1
    assert (wire.agent("a").value("key"), wire.agent("b").value("key")) == ("a", "changed")
    assert refused(lambda: restore(wire, "all", "c")).reason == "SNAPSHOT_AGENT_MISMATCH"
    assert refused(lambda: restore(wire, "all", "", "clone")).fields == ("as_agent_id",)
    restore(wire, "all", "b", "clone")
    assert wire.agent("clone").value("key") == "b"


def test_an_import_beyond_the_size_limit_is_refused(
    launch: Launch, connect: Connect, agent: Memory, tmp_path: Path
) -> None:
    """WM-19."""
    agent.set("key", "x" * 1000)
    data = exported(agent.wire, create(agent.wire, agent.id).snapshot_id)
    wire = connect(launch("--durability", "memory", "--limit-snapshot-bytes", "100"))
    refusal = refused(lambda: imported(wire, data))
    assert (refusal.reason, refusal.own_metadata) == ("TOO_LARGE", {"limit": "snapshot_bytes", "value": "100"})
    assert listed(wire) == []


@pytest.mark.parametrize("agent_id", ["", "one"])
def test_a_snapshot_is_consistent_while_writers_write(agent: Memory, agent_id: str) -> None:
    agent.write({"a": 0, "b": 0})
    calls = [
        agent.wire.snapshots.CreateSnapshot.future(pb.CreateSnapshotRequest(agent_id=agent.id if agent_id else ""))
        for _ in range(3)
    ]
    for index in range(50):
        agent.write({"a": index, "b": index})
    for call in calls:
        snapshot = call.result().snapshot
        clone = agent.wire.agent()
        restore(agent.wire, snapshot.snapshot_id, agent.id, clone.id)
        values = clone.values()
        assert values["a"] == values["b"]
