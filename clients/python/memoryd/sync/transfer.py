"""Snapshots as files on the client's side."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import grpc

from memoryd.model.snapshot import Snapshot, snapshot_from
from memoryd.protocol.method import EXPORT_SNAPSHOT, IMPORT_SNAPSHOT
from memoryd.protocol.snapshot import CHUNK_BYTES, Transfer
from memoryd.sync.channel import Channel
from memoryd.v1 import snapshot_service_pb2 as pb

Progress = Callable[[int, int], None]


def export_snapshot(channel: Channel, snapshot_id: str, path: Path, progress: Progress | None) -> Snapshot:
    """Copy a snapshot to a file, which is replaced once all has come. Raises CallFailed, OSError."""
    partial = path.with_name(f"{path.name}.partial")
    try:
        with partial.open("wb") as file:
            snapshot = _download(channel, snapshot_id, file, Transfer(progress))
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return snapshot


def import_snapshot(channel: Channel, path: Path, snapshot_id: str, progress: Progress | None) -> Snapshot:
    """Give the server an exported file to keep. Raises CallFailed, OSError."""
    transfer = Transfer(progress, path.stat().st_size)
    with path.open("rb") as file:
        requests = _chunks(file, snapshot_id, transfer)
        answer = channel.upload(IMPORT_SNAPSHOT, requests, channel.settings.snapshot_timeout)
    return snapshot_from(answer.snapshot)


def _download(channel: Channel, snapshot_id: str, file: BinaryIO, transfer: Transfer) -> Snapshot:
    request = pb.ExportSnapshotRequest(snapshot_id=snapshot_id)
    try:
        file.writelines(
            transfer.receive(answer)
            for answer in channel.download(EXPORT_SNAPSHOT, request, channel.settings.snapshot_timeout)
        )
    except grpc.RpcError as error:
        raise channel.failure(error) from None
    return transfer.snapshot()


def _chunks(file: BinaryIO, snapshot_id: str, transfer: Transfer) -> Iterator[pb.ImportSnapshotRequest]:
    yield pb.ImportSnapshotRequest(snapshot_id=snapshot_id)
    while chunk := file.read(CHUNK_BYTES):
        yield transfer.send(chunk)
