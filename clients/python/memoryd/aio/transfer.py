"""Snapshots as files on the client's side."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import BinaryIO

import grpc.aio

from memoryd.aio.channel import Channel
from memoryd.model.snapshot import Snapshot, snapshot_from
from memoryd.protocol.method import EXPORT_SNAPSHOT, IMPORT_SNAPSHOT
from memoryd.protocol.snapshot import CHUNK_BYTES, Transfer
from memoryd.v1 import snapshot_service_pb2 as pb

Progress = Callable[[int, int], None]


async def export_snapshot(channel: Channel, snapshot_id: str, path: Path, progress: Progress | None) -> Snapshot:
    """Copy a snapshot to a file, which is replaced once all has come. Raises CallFailed, OSError."""
    partial = path.with_name(f"{path.name}.partial")
    try:
        file = await asyncio.to_thread(partial.open, "wb")
        try:
            snapshot = await _download(channel, snapshot_id, file, Transfer(progress))
        finally:
            await asyncio.to_thread(file.close)
        await asyncio.to_thread(partial.replace, path)
    finally:
        await asyncio.to_thread(partial.unlink, missing_ok=True)
    return snapshot


async def import_snapshot(channel: Channel, path: Path, snapshot_id: str, progress: Progress | None) -> Snapshot:
    """Give the server an exported file to keep. Raises CallFailed, OSError."""
    size = (await asyncio.to_thread(path.stat)).st_size
    file = await asyncio.to_thread(path.open, "rb")
    try:
        requests = _chunks(file, snapshot_id, Transfer(progress, size))
        answer = await channel.upload(IMPORT_SNAPSHOT, requests, channel.settings.snapshot_timeout)
    finally:
        await asyncio.to_thread(file.close)
    return snapshot_from(answer.snapshot)


async def _download(channel: Channel, snapshot_id: str, file: BinaryIO, transfer: Transfer) -> Snapshot:
    request = pb.ExportSnapshotRequest(snapshot_id=snapshot_id)
    try:
        async for answer in channel.download(EXPORT_SNAPSHOT, request, channel.settings.snapshot_timeout):
            await asyncio.to_thread(file.write, transfer.receive(answer))
    except grpc.aio.AioRpcError as error:
        raise channel.failure(error) from None
    return transfer.snapshot()


async def _chunks(file: BinaryIO, snapshot_id: str, transfer: Transfer) -> AsyncIterator[pb.ImportSnapshotRequest]:
    yield pb.ImportSnapshotRequest(snapshot_id=snapshot_id)
    while chunk := await asyncio.to_thread(file.read, CHUNK_BYTES):
        yield transfer.send(chunk)
