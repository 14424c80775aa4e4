"""Encoding of snapshots."""

from memoryd.v1 import snapshot_pb2
from memoryd_server.ports.snapshot import SnapshotInfo, SnapshotTrigger
from memoryd_server.transport.fields.timestamp import timestamp

_TRIGGERS: dict[SnapshotTrigger, snapshot_pb2.SnapshotTrigger] = {
    "request": snapshot_pb2.SNAPSHOT_TRIGGER_REQUEST,
    "shutdown": snapshot_pb2.SNAPSHOT_TRIGGER_SHUTDOWN,
    "periodic": snapshot_pb2.SNAPSHOT_TRIGGER_PERIODIC,
    "end_agent": snapshot_pb2.SNAPSHOT_TRIGGER_END_AGENT,
}


def snapshot_message(info: SnapshotInfo) -> snapshot_pb2.Snapshot:
    """Encode the description of a snapshot."""
    return snapshot_pb2.Snapshot(
        snapshot_id=info.snapshot_id,
        agent_id=info.agent_id,
        revision=info.revision,
        create_time=timestamp(info.create_time),
        size_bytes=info.size_bytes,
        agent_count=info.agent_count,
        record_count=info.record_count,
        encrypted=info.encrypted,
        trigger=_TRIGGERS[info.trigger],
        label=info.label,
        sha256=info.sha256,
        format_version=info.format_version,
    )
