"""Encoding of snapshots, and of segments of the journal."""

from memoryd.v1 import snapshot_pb2
from memoryd.v1 import snapshot_service_pb2 as service_pb
from memoryd_server.engine.images.journal_export import ExportedSegment
from memoryd_server.ports.snapshot import SnapshotInfo, SnapshotTrigger
from memoryd_server.transport.fields.timestamp import timestamp

_TRIGGERS: dict[SnapshotTrigger, snapshot_pb2.SnapshotTrigger] = {
    "request": snapshot_pb2.SNAPSHOT_TRIGGER_REQUEST,
    "shutdown": snapshot_pb2.SNAPSHOT_TRIGGER_SHUTDOWN,
    "periodic": snapshot_pb2.SNAPSHOT_TRIGGER_PERIODIC,
    "end_agent": snapshot_pb2.SNAPSHOT_TRIGGER_END_AGENT,
}


def segment_message(segment: ExportedSegment) -> service_pb.JournalSegment:
    """Encode the description of a segment of the journal."""
    message = service_pb.JournalSegment(
        start_token=segment.start_token,
        end_token=segment.end.end_token,
        end_time=timestamp(segment.end.end_time),
        complete=segment.end.complete,
        commit_count=segment.end.commit_count,
    )
    if segment.file is not None:
        message.size_bytes = segment.file.size_bytes
        message.encrypted = segment.file.encrypted
        message.sha256 = segment.file.sha256
        message.format_version = segment.file.format_version
    return message


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
