"""Copies snapshots between the server and files of the client."""

import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import BinaryIO

from memoryd.aio.channel import Channel
from memoryd.aio.connection import RpcError
from memoryd.aio.runtime import Flag, blocking, opened, pause
from memoryd.model.snapshot import JournalSegment, Snapshot, snapshot_from
from memoryd.protocol.method import EXPORT_JOURNAL, EXPORT_SNAPSHOT, IMPORT_SNAPSHOT
from memoryd.protocol.retry import Attempts
from memoryd.protocol.snapshot import CHUNK_BYTES, SegmentDownload, Transfer
from memoryd.v1 import snapshot_service_pb2 as pb

Progress = Callable[[int, int], None]


async def export_snapshot(channel: Channel, snapshot_id: str, path: Path, progress: Progress | None) -> Snapshot:
    """Copy a snapshot to a file, which is replaced once the copy is complete. Raises CallFailed, OSError."""
    partial = path.with_name(f"{path.name}.partial")
    try:
        async with opened(partial, "wb") as file:
            snapshot = await _download(channel, snapshot_id, file, Transfer(progress))
        await blocking(partial.replace, path)
    finally:
        await blocking(partial.unlink, missing_ok=True)
    return snapshot


async def export_journal(channel: Channel, start_token: str, path: Path) -> JournalSegment:
    """Write a segment of the journal to a file, unless it has no commits. Raises CallFailed, OSError."""
    partial = path.with_name(f"{path.name}.partial")
    download, request = SegmentDownload(), pb.ExportJournalRequest(start_token=start_token)
    try:
        async with opened(partial, "wb") as file:
            try:
                async for answer in channel.download(EXPORT_JOURNAL, request, channel.settings.snapshot_timeout):
                    await blocking(file.write, download.receive(answer))
            except RpcError as error:
                raise channel.failure(error) from error
        segment = download.segment()
        if segment.commit_count:
            await blocking(partial.replace, path)
    finally:
        await blocking(partial.unlink, missing_ok=True)
    return segment


async def import_snapshot(channel: Channel, path: Path, snapshot_id: str, progress: Progress | None) -> Snapshot:
    """Copy an exported file to the server. Raises CallFailed, OSError."""
    found = await blocking(path.stat)
    async with opened(path, "rb") as file:
        requests = _chunks(file, snapshot_id, Transfer(progress, found.st_size))
        answer = await channel.upload(IMPORT_SNAPSHOT, requests, channel.settings.snapshot_timeout)
    return snapshot_from(answer.snapshot)


async def _download(channel: Channel, snapshot_id: str, file: BinaryIO, transfer: Transfer) -> Snapshot:
    attempts = _attempts(channel)
    while True:
        begin = transfer.bytes_done
        request = pb.ExportSnapshotRequest(snapshot_id=snapshot_id, offset=begin)
        try:
            async for answer in channel.download(EXPORT_SNAPSHOT, request, attempts.timeout()):
                await blocking(file.write, transfer.receive(answer))
        except RpcError as error:
            failed = channel.failure(error)
        else:
            return transfer.snapshot()
        # What was received stays: the next attempt continues behind it, with the patience of a new call.
        if transfer.bytes_done > begin:
            attempts = _attempts(channel)
        delay = attempts.delay_after(failed)
        if channel.closed:
            raise failed
        await pause(delay, Flag())


def _attempts(channel: Channel) -> Attempts:
    settings = channel.settings
    patience = settings.patience(connected=True)
    return Attempts(repeatable=True, timeout=settings.snapshot_timeout, patience=patience, clock=time.monotonic)


async def _chunks(file: BinaryIO, snapshot_id: str, transfer: Transfer) -> AsyncIterator[pb.ImportSnapshotRequest]:
    yield pb.ImportSnapshotRequest(header=pb.ImportSnapshotHeader(snapshot_id=snapshot_id))
    while chunk := await blocking(file.read, CHUNK_BYTES):
        yield transfer.send(chunk)
