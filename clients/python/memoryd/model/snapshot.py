"""Snapshots."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memoryd.model.enum_word import EnumWords
from memoryd.model.moment import datetime_from
from memoryd.v1 import snapshot_pb2
from memoryd.v1 import snapshot_service_pb2 as pb


class SnapshotTrigger(StrEnum):
    """The cause of a snapshot."""

    UNSPECIFIED = "unspecified"
    REQUEST = "request"
    SHUTDOWN = "shutdown"
    PERIODIC = "periodic"
    END_AGENT = "end_agent"


_TRIGGER = EnumWords(snapshot_pb2.SnapshotTrigger, "SNAPSHOT_TRIGGER")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A consistent image of one agent, in a file of the server. ``agent_id`` is empty for an image of all agents.

    ``sha256`` is the digest of the file, in hexadecimal.
    """

    snapshot_id: str
    agent_id: str
    revision: int
    create_time: datetime
    size_bytes: int
    agent_count: int
    record_count: int
    encrypted: bool
    trigger: SnapshotTrigger
    label: str
    sha256: str
    format_version: int


@dataclass(frozen=True, slots=True)
class JournalSegment:
    """A part of the journal, in a file. It begins after the point ``start_token``, and ends at ``end_token``.

    ``end_time`` is when the server read the end of the journal. A ``complete`` segment reaches that end. One without
    commits has no file.
    """

    start_token: str
    end_token: str
    end_time: datetime
    complete: bool
    commit_count: int
    size_bytes: int
    encrypted: bool
    sha256: str
    format_version: int


@dataclass(frozen=True, slots=True)
class Restored:
    """The result of a restore. ``revision`` is the agent's new revision if one agent was restored, else 0."""

    snapshot: Snapshot
    restored_agent_count: int
    ended_agent_count: int
    revision: int


def snapshot_from(message: snapshot_pb2.Snapshot) -> Snapshot:
    """Return the snapshot of a message."""
    return Snapshot(
        snapshot_id=message.snapshot_id,
        agent_id=message.agent_id,
        revision=message.revision,
        create_time=datetime_from(message.create_time),
        size_bytes=message.size_bytes,
        agent_count=message.agent_count,
        record_count=message.record_count,
        encrypted=message.encrypted,
        trigger=_TRIGGER.word(SnapshotTrigger, message.trigger),
        label=message.label,
        sha256=message.sha256,
        format_version=message.format_version,
    )


def segment_from(message: pb.JournalSegment) -> JournalSegment:
    """Return the segment of a message."""
    return JournalSegment(
        start_token=message.start_token,
        end_token=message.end_token,
        end_time=datetime_from(message.end_time),
        complete=message.complete,
        commit_count=message.commit_count,
        size_bytes=message.size_bytes,
        encrypted=message.encrypted,
        sha256=message.sha256,
        format_version=message.format_version,
    )


def restored_from(message: pb.RestoreSnapshotResponse) -> Restored:
    """Return the result of a restore."""
    snapshot = snapshot_from(message.snapshot)
    return Restored(snapshot, message.restored_agent_count, message.ended_agent_count, message.revision)
