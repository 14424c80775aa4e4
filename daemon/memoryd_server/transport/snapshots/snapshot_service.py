"""SnapshotService: decode the request, call the engine, encode the response."""

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator

from memoryd.v1 import snapshot_service_pb2 as pb
from memoryd_server.domain import validation
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import STREAM_PIECE_BYTES_MAX
from memoryd_server.engine.agents.token import decode_text_page, encode_text_page
from memoryd_server.engine.images.snapshots import Snapshots
from memoryd_server.ports.snapshot import SnapshotInfo
from memoryd_server.transport.call import Call
from memoryd_server.transport.fields.request_fields import page_request_of
from memoryd_server.transport.snapshots.snapshot_message import snapshot_message


class SnapshotService:
    """Serves snapshots. The right to one is the right to its agent, or to all agents."""

    def __init__(self, snapshots: Snapshots) -> None:
        self._snapshots = snapshots

    async def create_snapshot(self, request: pb.CreateSnapshotRequest, call: Call) -> pb.CreateSnapshotResponse:
        """Take a snapshot."""
        if request.agent_id:
            validation.agent_id(request.agent_id)
        call.require_agent(request.agent_id)
        info = await self._snapshots.create(request.agent_id, request.snapshot_id, "request")
        return pb.CreateSnapshotResponse(snapshot=snapshot_message(info))

    async def get_snapshot(self, request: pb.GetSnapshotRequest, call: Call) -> pb.GetSnapshotResponse:
        """Return the description of a snapshot."""
        info = await self._permitted(request.snapshot_id, call)
        return pb.GetSnapshotResponse(snapshot=snapshot_message(info))

    async def list_snapshots(self, request: pb.ListSnapshotsRequest, call: Call) -> pb.ListSnapshotsResponse:
        """List snapshots that the caller may use, the newest first."""
        caller = call.caller
        page = page_request_of(request, call)
        after = decode_text_page(page.listing, page.token) if page.token else None
        infos = [
            info
            for info in await self._snapshots.list(request.agent_id)
            if caller.all_agents or (info.agent_id and caller.may_use(info.agent_id))
        ]
        infos = infos[_start(infos, after) :]
        following = infos[page.size :]
        shown = infos[: page.size]
        return pb.ListSnapshotsResponse(
            snapshots=[snapshot_message(info) for info in shown],
            next_page_token=encode_text_page(page.listing, _place(shown[-1])) if following else "",
        )

    async def restore_snapshot(self, request: pb.RestoreSnapshotRequest, call: Call) -> pb.RestoreSnapshotResponse:
        """Restore agents to their state in a snapshot."""
        for agent_id in filter(None, (request.agent_id, request.as_agent_id)):
            validation.agent_id(agent_id)
        info = await self._snapshots.get(request.snapshot_id)
        source = info.agent_id or request.agent_id
        call.require_agent(source)
        if request.as_agent_id:
            call.require_agent(request.as_agent_id)
        restored = await self._snapshots.restore(
            request.snapshot_id, request.agent_id, request.as_agent_id, call.origin
        )
        return pb.RestoreSnapshotResponse(
            agents_restored=restored.agents_restored, agents_ended=restored.agents_ended, revision=restored.revision
        )

    async def delete_snapshot(self, request: pb.DeleteSnapshotRequest, call: Call) -> pb.DeleteSnapshotResponse:
        """Delete a snapshot."""
        # The agent of a damaged file is unknown. A caller that may use all agents may delete it nevertheless.
        if not call.caller.all_agents:
            await self._permitted(request.snapshot_id, call)
        await self._snapshots.delete(request.snapshot_id)
        return pb.DeleteSnapshotResponse()

    async def export_snapshot(
        self, request: pb.ExportSnapshotRequest, call: Call
    ) -> AsyncGenerator[pb.ExportSnapshotResponse, None]:
        """Stream a snapshot's file."""
        info = await self._permitted(request.snapshot_id, call)
        yield pb.ExportSnapshotResponse(snapshot=snapshot_message(info))
        async with contextlib.aclosing(self._snapshots.export(request.snapshot_id)) as chunks:
            async for chunk in chunks:
                yield pb.ExportSnapshotResponse(chunk=chunk)

    async def import_snapshot(
        self, requests: AsyncIterator[pb.ImportSnapshotRequest], call: Call
    ) -> pb.ImportSnapshotResponse:
        """Import a snapshot's file. Its agents are not known in advance, so the caller must have access to all."""
        call.require_agent("")
        first = await anext(requests, None)
        if first is None or first.WhichOneof("part") != "snapshot_id":
            raise InvalidField("snapshot_id", "must come first")
        async with contextlib.aclosing(_chunks(requests)) as chunks:
            info = await self._snapshots.import_(first.snapshot_id, chunks)
        return pb.ImportSnapshotResponse(snapshot=snapshot_message(info))

    async def _permitted(self, snapshot_id: str, call: Call) -> SnapshotInfo:
        info = await self._snapshots.get(snapshot_id)
        call.require_agent(info.agent_id)
        return info


async def _chunks(requests: AsyncIterator[pb.ImportSnapshotRequest]) -> AsyncGenerator[bytes, None]:
    async for request in requests:
        if request.WhichOneof("part") != "chunk":
            raise InvalidField("chunk", "must follow the snapshot_id")
        if len(request.chunk) > STREAM_PIECE_BYTES_MAX:
            raise InvalidField("chunk", f"must be at most {STREAM_PIECE_BYTES_MAX} bytes")
        yield request.chunk


def _place(info: SnapshotInfo) -> str:
    return f"{info.create_time:020d}/{info.snapshot_id}"


def _start(infos: list[SnapshotInfo], after: str | None) -> int:
    if after is None:
        return 0
    return next((index for index, info in enumerate(infos) if _place(info) < after), len(infos))
