"""A snapshot of a shared store restores into the embedded store of another daemon, and back."""

from typing import Any

from tests.integration.shared.pair import Pair
from tests.integration.wire import Memory, Wire

from memoryd.v1 import snapshot_service_pb2 as pb


def filled(memory: Memory) -> Memory:
    memory.write({"k": 1, "l": [2]})
    scope_id = memory.scope("task")
    memory.set("k", "the scope's", scope_id)
    memory.scope("empty", scope_id)
    return memory


def held(memory: Memory) -> dict[str, Any]:
    scopes = memory.scopes(page_size=100).scopes
    values = {scope.name: memory.values(scope.scope_id) for scope in scopes}
    return {"": memory.values(), **values}


def move(snapshot_id: str, source: Wire, target: Wire) -> None:
    """Export a snapshot from one daemon, import it into another, and restore it there."""
    _, *rest = source.snapshots.ExportSnapshot(pb.ExportSnapshotRequest(snapshot_id=snapshot_id))
    requests = [
        pb.ImportSnapshotRequest(header=pb.ImportSnapshotHeader(snapshot_id="")),
        *(pb.ImportSnapshotRequest(chunk=part.chunk) for part in rest),
    ]
    imported = target.snapshots.ImportSnapshot(iter(requests)).snapshot.snapshot_id
    target.snapshots.RestoreSnapshot(pb.RestoreSnapshotRequest(snapshot_id=imported))


def taken(wire: Wire, agent_id: str) -> str:
    return wire.snapshots.CreateSnapshot(pb.CreateSnapshotRequest(agent_id=agent_id)).snapshot.snapshot_id


def test_a_snapshot_of_a_shared_store_restores_into_an_embedded_one_and_back(pair: Pair, wire: Wire) -> None:
    here, there = pair.agents()
    before = held(filled(here))
    own = wire.agent(here.id)
    move(taken(pair.b, here.id), pair.b, wire)
    assert held(own) == before
    own.set("more")
    there.clear()
    here.set("other")
    move(taken(wire, here.id), wire, pair.a)
    after = {**before, "": {**before[""], "more": 1}}
    assert (held(here), held(there)) == (after, after)


def test_a_snapshot_of_one_daemon_has_what_the_other_acknowledged(pair: Pair) -> None:
    here, there = pair.agents()
    for number in range(20):
        here.set("k", number)
        snapshot_id = taken(pair.b, here.id)
        here.set("k", "later")
        pair.b.snapshots.RestoreSnapshot(pb.RestoreSnapshotRequest(snapshot_id=snapshot_id))
        assert (here.value("k"), there.value("k")) == (number, number)
