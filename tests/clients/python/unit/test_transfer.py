"""An export that breaks off continues where it was."""

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest

from memoryd import errors
from memoryd.aio import transfer as module
from memoryd.aio.transfer import export_snapshot
from memoryd.protocol.setting import settings_of
from memoryd.protocol.status import error_from
from memoryd.v1 import snapshot_pb2
from memoryd.v1 import snapshot_service_pb2 as pb

CONTENT = b"0123456789"
UNAVAILABLE = grpc.StatusCode.UNAVAILABLE


class Server:
    """A channel to a server that exports CONTENT in pieces of two bytes, and breaks off after some bytes."""

    def __init__(self, *breaks: int, code: grpc.StatusCode = UNAVAILABLE) -> None:
        self.settings = settings_of(
            "127.0.0.1:1",
            token=None,
            tls=None,
            insecure_token=False,
            origin=None,
            timeout=60,
            connect_timeout=60,
            snapshot_timeout=60,
        )
        self.closed = False
        self.offsets: list[int] = []
        self.content = CONTENT
        self._breaks = list(breaks)
        self._code = code

    async def download(self, method: Any, request: pb.ExportSnapshotRequest, seconds: float) -> AsyncIterator[Any]:
        self.offsets.append(request.offset)
        digest = hashlib.sha256(self.content).hexdigest()
        found = snapshot_pb2.Snapshot(snapshot_id="s", size_bytes=len(self.content), sha256=digest)
        yield pb.ExportSnapshotResponse(snapshot=found)
        end = self._breaks.pop(0) if self._breaks else len(self.content)
        for start in range(request.offset, end, 2):
            yield pb.ExportSnapshotResponse(chunk=self.content[start : start + 2])
        if end < len(self.content):
            raise grpc.aio.AioRpcError(self._code, grpc.aio.Metadata(), grpc.aio.Metadata(), "broke off")

    def failure(self, error: grpc.aio.AioRpcError) -> errors.CallFailed:
        return error_from(error.code(), error.details(), None, "target")


@pytest.fixture(autouse=True)
def _no_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    async def pause(seconds: float, stop: object) -> bool:
        return False

    monkeypatch.setattr(module, "pause", pause)


def files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def export(server: Server, path: Path) -> None:
    await export_snapshot(server, "s", path / "file", None)  # type: ignore[arg-type]


async def test_a_copy_continues_behind_what_was_received(tmp_path: Path) -> None:
    server = Server(4, 4, 8)
    await export(server, tmp_path)
    assert server.offsets == [0, 4, 4, 8]
    assert (tmp_path / "file").read_bytes() == CONTENT


async def test_a_refusal_and_a_closed_client_end_the_copy(tmp_path: Path) -> None:
    with pytest.raises(errors.DataLoss):
        await export(Server(4, code=grpc.StatusCode.DATA_LOSS), tmp_path)
    closed = Server(4)
    closed.closed = True
    with pytest.raises(errors.Unavailable):
        await export(closed, tmp_path)
    assert files(tmp_path) == []


async def test_another_snapshot_of_the_same_id_is_not_appended(tmp_path: Path) -> None:
    server = Server(4)
    started = server.download

    async def replaced(*arguments: Any) -> AsyncIterator[Any]:
        if server.offsets:
            server.content = b"9876543210"
        async for each in started(*arguments):
            yield each

    server.download = replaced  # type: ignore[method-assign]
    with pytest.raises(errors.DataLoss, match="another snapshot"):
        await export(server, tmp_path)
    assert files(tmp_path) == []
