"""SnapshotService: decode the request, call the engine, encode the response."""

import contextlib
import re
from collections.abc import AsyncGenerator, AsyncIterator
from typing import NamedTuple

from memoryd.v1 import snapshot_service_pb2 as pb
from memoryd_server.domain import validation
from memoryd_server.domain.error import (
    InvalidField,
    SchemaTooNew,
    SnapshotDamaged,
    SnapshotExists,
    SnapshotLocked,
    SnapshotNotFound,
)
from memoryd_server.domain.limit import SNAPSHOT_LABEL_BYTES_MAX, STREAM_PIECE_BYTES_MAX
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.engine.images.journal_export import JournalExport
from memoryd_server.engine.images.snapshots import RestoreOptions, Snapshots
from memoryd_server.ports.snapshot import SnapshotInfo, check_snapshot_id
from memoryd_server.transport.call import Call
from memoryd_server.transport.fields.agent_filter import owner_filter_of
from memoryd_server.transport.fields.arranged_page import arranged_page
from memoryd_server.transport.fields.place import below
from memoryd_server.transport.fields.request_fields import page_request_of, precondition_of, write_of
from memoryd_server.transport.fields.view import order_of, view_of, viewed
from memoryd_server.transport.snapshots.snapshot_message import segment_message, snapshot_message


class SnapshotService:
    """Serves snapshots. The right to one is the right to its agent, or to all agents.

    A snapshot that the caller may not use is not found: no response reveals that it exists.
    """

    def __init__(self, snapshots: Snapshots, journal: JournalExport) -> None:
        self._snapshots = snapshots
        self._journal = journal

    async def create_snapshot(self, request: pb.CreateSnapshotRequest, call: Call) -> pb.CreateSnapshotResponse:
        """Take a snapshot."""
        await self.created_agents(request, call)
        write = write_of(request, call)
        if write.precondition is not None and not request.agent_id:
            raise InvalidField("agent_precondition", "requires agent_id")
        label = validation.optional_text("label", request.label, SNAPSHOT_LABEL_BYTES_MAX)
        info = await self._snapshots.create(request.agent_id, request.snapshot_id, "request", label, write)
        return pb.CreateSnapshotResponse(snapshot=snapshot_message(info), revision=info.revision)

    async def created_agents(self, request: pb.CreateSnapshotRequest, call: Call) -> tuple[str, ...]:
        """Return the agent of a new snapshot, empty for all agents. Raises AgentForbidden, InvalidField."""
        if request.agent_id:
            validation.agent_id(request.agent_id)
        call.require_agent(request.agent_id)
        if request.snapshot_id and not call.may_use(""):
            # Ids are common to all callers: a chosen one would reveal that another caller has a snapshot of that id.
            raise InvalidField("snapshot_id", "must be empty unless the caller may use all agents; set label instead")
        return (request.agent_id,)

    async def restored_agents(self, request: pb.RestoreSnapshotRequest, call: Call) -> tuple[str, ...]:
        """Return the agent that a restore changes, and the one whose image it reads; empty ones stand for all agents.

        Raises AgentForbidden, InvalidField, SnapshotNotFound.
        """
        for field in ("agent_id", "as_agent_id"):
            if agent_id := getattr(request, field):
                call.require_agent(validation.agent_id(agent_id, field))
        info = await self._found(request.snapshot_id, call)
        source = info.agent_id or request.agent_id
        if not call.may_use(source):
            call.conceal(source)
            raise SnapshotNotFound(request.snapshot_id)
        call.require_agent(source)
        return (request.as_agent_id or source, source)

    async def get_snapshot(self, request: pb.GetSnapshotRequest, call: Call) -> pb.GetSnapshotResponse:
        """Return the description of a snapshot."""
        info = await self._permitted(request.snapshot_id, call)
        return pb.GetSnapshotResponse(snapshot=snapshot_message(info))

    async def list_snapshots(self, request: pb.ListSnapshotsRequest, call: Call) -> pb.ListSnapshotsResponse:
        """List snapshots that the caller may use."""
        page, view = page_request_of(request, call), view_of(request)
        order = order_of(request, ListOrder.CREATE_TIME_DESCENDING)
        wanted = owner_filter_of("agent_ids", request.agent_ids)
        permitted = [
            info for info in await self._snapshots.list() if wanted(info.agent_id) if call.may_use(info.agent_id)
        ]
        listed = arranged_page(map(_Listed, permitted), order, page)
        return pb.ListSnapshotsResponse(
            snapshots=[viewed(snapshot_message(each.info), view) for each in listed.items],
            next_page_token=listed.next_page_token,
            total_count=listed.total_count,
        )

    async def restore_snapshot(self, request: pb.RestoreSnapshotRequest, call: Call) -> pb.RestoreSnapshotResponse:
        """Restore agents to their state in a snapshot."""
        await self.restored_agents(request, call)
        options = RestoreOptions(request.agent_id, request.as_agent_id, request.dry_run)
        restored = await self._snapshots.restore(request.snapshot_id, options, write_of(request, call))
        return pb.RestoreSnapshotResponse(
            snapshot=snapshot_message(restored.snapshot),
            restored_agent_count=restored.restored_agent_count,
            ended_agent_count=restored.ended_agent_count,
            revision=restored.revision,
        )

    async def delete_snapshot(self, request: pb.DeleteSnapshotRequest, call: Call) -> pb.DeleteSnapshotResponse:
        """Delete a snapshot."""
        precondition = precondition_of(request)
        if precondition is not None and precondition.expected_revision is not None:
            raise InvalidField("precondition.expected_revision", "does not apply: a snapshot never changes")
        try:
            # The agent of a damaged file is unknown. A caller that may use all agents may delete it nevertheless:
            # others do not find it.
            with contextlib.suppress(SnapshotDamaged, SnapshotLocked, SchemaTooNew):
                await self._permitted(request.snapshot_id, call)
            if precondition is not None and precondition.must_not_exist:
                await self._snapshots.get(request.snapshot_id)
                raise SnapshotExists(request.snapshot_id)
            await self._snapshots.delete(request.snapshot_id)
        except SnapshotNotFound:
            if precondition is not None and precondition.must_exist:
                raise
            return pb.DeleteSnapshotResponse(deleted=False)
        return pb.DeleteSnapshotResponse(deleted=True)

    async def export_snapshot(
        self, request: pb.ExportSnapshotRequest, call: Call
    ) -> AsyncGenerator[pb.ExportSnapshotResponse, None]:
        """Stream a snapshot's file."""
        info = await self._permitted(request.snapshot_id, call)
        offset = validation.within("offset", request.offset, 0, info.size_bytes)
        yield pb.ExportSnapshotResponse(snapshot=snapshot_message(info))
        async with contextlib.aclosing(self._snapshots.export(info.snapshot_id, offset)) as chunks:
            async for chunk in chunks:
                yield pb.ExportSnapshotResponse(chunk=chunk)

    async def import_snapshot(
        self, requests: AsyncIterator[pb.ImportSnapshotRequest], call: Call
    ) -> pb.ImportSnapshotResponse:
        """Import a snapshot's file. Its agents are not known in advance, so the caller must have access to all."""
        call.require_agent("")
        first = await anext(requests, None)
        if first is None or first.WhichOneof("part") != "header":
            raise InvalidField("header", "must come first")
        sha256, snapshot_id = first.header.sha256, first.header.snapshot_id
        with below("header"):
            if sha256 and not _SHA256.fullmatch(sha256):
                raise InvalidField("sha256", "must be 64 lowercase hexadecimal digits")
            if snapshot_id:
                check_snapshot_id(snapshot_id)
        async with contextlib.aclosing(_chunks(requests)) as chunks:
            info = await self._snapshots.import_(snapshot_id, chunks, sha256)
        return pb.ImportSnapshotResponse(snapshot=snapshot_message(info))

    async def export_journal(
        self, request: pb.ExportJournalRequest, call: Call
    ) -> AsyncGenerator[pb.ExportJournalResponse, None]:
        """Stream a segment of the journal. It has the commits of all agents, so the caller must have access to all."""
        call.require_agent("")
        async with self._journal.segment(request.start_token) as segment:
            yield pb.ExportJournalResponse(segment=segment_message(segment))
            if segment.draft is not None:
                async with contextlib.aclosing(segment.draft.chunks()) as chunks:
                    async for chunk in chunks:
                        yield pb.ExportJournalResponse(chunk=chunk)

    async def _permitted(self, snapshot_id: str, call: Call) -> SnapshotInfo:
        info = await self._found(snapshot_id, call)
        if not call.may_use(info.agent_id):
            call.conceal(info.agent_id)
            raise SnapshotNotFound(snapshot_id)
        # Known to be so: it is remembered, so that a long call ends when the right is taken away, and audited.
        call.require_agent(info.agent_id)
        return info

    async def _found(self, snapshot_id: str, call: Call) -> SnapshotInfo:
        try:
            return await self._snapshots.get(snapshot_id)
        except (SnapshotDamaged, SnapshotLocked, SchemaTooNew):
            # Whose it is cannot be read, so only a caller that may use all agents may learn of it.
            if call.may_use(""):
                raise
            call.conceal("")
            raise SnapshotNotFound(snapshot_id) from None


async def _chunks(requests: AsyncIterator[pb.ImportSnapshotRequest]) -> AsyncGenerator[bytes, None]:
    async for request in requests:
        if request.WhichOneof("part") != "chunk":
            raise InvalidField("chunk", "must follow the header")
        if len(request.chunk) > STREAM_PIECE_BYTES_MAX:
            raise InvalidField("chunk", f"must be at most {STREAM_PIECE_BYTES_MAX} bytes")
        yield request.chunk


class _Listed(NamedTuple):
    """A snapshot of a list. It has one time: a snapshot never changes."""

    info: SnapshotInfo

    @property
    def item_id(self) -> str:
        """The snapshot's id."""
        return self.info.snapshot_id

    @property
    def create_time(self) -> int:
        """The time of the image."""
        return self.info.create_time

    @property
    def update_time(self) -> int:
        """The time of the image."""
        return self.info.create_time


_SHA256 = re.compile(r"[0-9a-f]{64}")
