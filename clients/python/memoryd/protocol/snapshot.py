"""The calls about snapshots. ``patience`` is the time in seconds that one may take."""

import hashlib
from collections.abc import Callable, Iterable

from memoryd.errors import DataLoss
from memoryd.model.listing import LIST_ORDER, RECORD_VIEW, ListOrder, RecordView
from memoryd.model.snapshot import JournalSegment, Restored, Snapshot, restored_from, segment_from, snapshot_from
from memoryd.protocol import method
from memoryd.protocol.call import Call, Page, call, new_request_id, page_call
from memoryd.protocol.entry import LIST_PAGE_SIZE
from memoryd.protocol.option import precondition_of
from memoryd.v1 import snapshot_service_pb2 as pb

CHUNK_BYTES = 1024 * 1024


def create_snapshot(
    agent_id: str, snapshot_id: str, label: str, expected_revision: int | None, patience: float
) -> Call[Snapshot]:
    """Write the image of one or of all agents."""
    request = pb.CreateSnapshotRequest(
        agent_id=agent_id,
        snapshot_id=snapshot_id,
        label=label,
        agent_precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.CREATE_SNAPSHOT, request, lambda answer: snapshot_from(answer.snapshot), patience=patience)


def get_snapshot(snapshot_id: str) -> Call[Snapshot]:
    """Read the description of a snapshot."""
    request = pb.GetSnapshotRequest(snapshot_id=snapshot_id)
    return call(method.GET_SNAPSHOT, request, lambda answer: snapshot_from(answer.snapshot))


def list_snapshots(agent_ids: Iterable[str], order: ListOrder | str, view: RecordView | str) -> Call[Page[Snapshot]]:
    """List snapshots, page by page."""
    request = pb.ListSnapshotsRequest(
        agent_ids=agent_ids, order=LIST_ORDER.number(order), view=RECORD_VIEW.number(view), page_size=LIST_PAGE_SIZE
    )
    return page_call(
        method.LIST_SNAPSHOTS, request, lambda answer: [snapshot_from(snapshot) for snapshot in answer.snapshots]
    )


def restore_snapshot(
    snapshot_id: str,
    agent_id: str,
    patience: float,
    *,
    as_agent_id: str = "",
    expected_revision: int | None = None,
    dry_run: bool = False,
) -> Call[Restored]:
    """Replace all records of agents by those in a snapshot."""
    request = pb.RestoreSnapshotRequest(
        snapshot_id=snapshot_id,
        agent_id=agent_id,
        as_agent_id=as_agent_id,
        dry_run=dry_run,
        agent_precondition=precondition_of(expected_revision=expected_revision),
        request_id=new_request_id(),
    )
    return call(method.RESTORE_SNAPSHOT, request, restored_from, patience=patience)


def delete_snapshot(snapshot_id: str, *, must_exist: bool) -> Call[bool]:
    """Delete a snapshot."""
    request = pb.DeleteSnapshotRequest(snapshot_id=snapshot_id, precondition=precondition_of(must_exist=must_exist))
    return call(method.DELETE_SNAPSHOT, request, lambda answer: answer.deleted)


class SegmentDownload:
    """One export of a segment of the journal."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._bytes_done = 0
        self._segment: JournalSegment | None = None

    def receive(self, answer: pb.ExportJournalResponse) -> bytes:
        """Take a message of the export, and return the bytes to write to the file."""
        if answer.WhichOneof("part") == "segment":
            self._segment = segment_from(answer.segment)
            return b""
        self._digest.update(answer.chunk)
        self._bytes_done += len(answer.chunk)
        return answer.chunk

    def segment(self) -> JournalSegment:
        """Return the segment's description. Raises DataLoss if bytes are missing or wrong."""
        segment = self._segment
        if segment is None or self._bytes_done != segment.size_bytes:
            raise DataLoss(f"export ended after {self._bytes_done} bytes: export it again")
        if segment.size_bytes and self._digest.hexdigest() != segment.sha256:
            raise DataLoss("the exported file has another SHA-256 digest: export it again")
        return segment


class Transfer:
    """The progress of an export or import. ``progress`` receives the bytes copied and their total."""

    def __init__(self, progress: Callable[[int, int], None] | None, bytes_total: int = 0) -> None:
        self._progress = progress
        self._bytes_total = bytes_total
        self.bytes_done: int = 0
        """The bytes that were copied so far."""
        self._digest = hashlib.sha256()
        self._snapshot: Snapshot | None = None

    def receive(self, answer: pb.ExportSnapshotResponse) -> bytes:
        """Take a message of an export, and return the bytes to write to the file."""
        if answer.WhichOneof("part") == "snapshot":
            found = snapshot_from(answer.snapshot)
            if self._snapshot not in (None, found):
                raise DataLoss("another snapshot has the id since the export began: export it again")
            self._snapshot = found
            self._bytes_total = self._snapshot.size_bytes
            return b""
        self._digest.update(answer.chunk)
        self._advance(answer.chunk)
        return answer.chunk

    def send(self, chunk: bytes) -> pb.ImportSnapshotRequest:
        """Return the message of an import that carries a piece of the file."""
        self._advance(chunk)
        return pb.ImportSnapshotRequest(chunk=chunk)

    def snapshot(self) -> Snapshot:
        """Return the exported snapshot's description. Raises DataLoss if bytes are missing or wrong."""
        if self._snapshot is None or self.bytes_done != self._bytes_total:
            raise DataLoss(f"export ended after {self.bytes_done} of {self._bytes_total} bytes: export it again")
        if self._digest.hexdigest() != self._snapshot.sha256:
            raise DataLoss("the exported file has another SHA-256 digest: export it again")
        return self._snapshot

    def _advance(self, chunk: bytes) -> None:
        self.bytes_done += len(chunk)
        if self._progress is not None:
            self._progress(self.bytes_done, self._bytes_total)
