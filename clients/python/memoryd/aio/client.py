"""The client: one connection to one daemon."""

from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack

from memoryd.aio.agent import Agent
from memoryd.aio.channel import Channel
from memoryd.aio.connection import RpcError
from memoryd.aio.watch import Watch
from memoryd.model.agent import AgentInfo
from memoryd.model.event import Event, EventFilter
from memoryd.model.listing import ListOrder, RecordView
from memoryd.model.server import ServerInfo
from memoryd.model.snapshot import JournalSegment, Restored, Snapshot
from memoryd.protocol import agent as agent_calls
from memoryd.protocol import snapshot as snapshot_calls
from memoryd.protocol.agent import AgentListOptions
from memoryd.protocol.consistency import reading
from memoryd.protocol.entry import Place
from memoryd.protocol.event import EventListOptions, WatchOptions, list_events, watch_request
from memoryd.protocol.keyword import checks_keywords
from memoryd.protocol.method import WATCH_AUDIT
from memoryd.protocol.setting import (
    DEFAULT_CONNECT_TIMEOUT,
    DEFAULT_SNAPSHOT_TIMEOUT,
    DEFAULT_TIMEOUT,
    settings_of,
)
from memoryd.protocol.target import Tls
from memoryd.v1.server_service_pb2 import WatchAuditRequest

# What only some programs use of a client is imported when they use it: the others start faster.
if TYPE_CHECKING:
    from memoryd.aio.operations import Operations
    from memoryd.model.audit import AuditRecord
    from memoryd.model.context import TokenCount


def connect(
    target: str | None = None,
    *,
    token: str | Callable[[], str] | None = None,
    tls: Tls | bool | None = None,
    insecure_token: bool = False,
    origin: str | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    connect_timeout: float = DEFAULT_CONNECT_TIMEOUT,
    snapshot_timeout: float = DEFAULT_SNAPSHOT_TIMEOUT,
    batching: bool | float = False,
) -> "Client":
    """Return a client of the daemon at ``target`` for the running event loop. Its first call connects it.

    ``target`` is HOST:PORT or unix:/path; None means MEMORYD_ADDRESS, else 127.0.0.1:7600. ``token`` is the bearer
    token, or a function that returns it and is called for each call: it must not block. None means MEMORYD_TOKEN, if
    there is one. ``tls`` is True to trust the machine's certificates, or a Tls. Without TLS, a token is sent to this
    machine only, unless ``insecure_token`` is true. ``origin`` is a name for this writer, which its events carry.

    Timeouts are in seconds. ``timeout`` limits a call with all its retries, which bridge a restart of the daemon.
    ``connect_timeout`` limits the retries while no call has reached the daemon yet. ``snapshot_timeout`` limits calls
    that write or read a snapshot.

    ``batching`` is for ``memoryd.aio.connect`` only. Gets, sets and removes of working memory then travel together if
    they are called in one turn of the loop, or within a number of seconds. Each has the result and the error that it
    has by itself.

    Raises InvalidTarget, and ValueError for a window that is not allowed.
    """
    settings = settings_of(
        target,
        token=token,
        tls=tls,
        insecure_token=insecure_token,
        origin=origin,
        timeout=timeout,
        connect_timeout=connect_timeout,
        snapshot_timeout=snapshot_timeout,
        batching=batching,
    )
    return Client(Channel(settings))


@checks_keywords
class Client:
    """One connection to one daemon, for one event loop. Close it, or use it as an async context manager.

    Every method raises CallFailed when the daemon refuses or cannot be reached.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    @property
    def target(self) -> str:
        """The daemon's address."""
        return self._channel.settings.target

    def agent(self, agent_id: str) -> Agent:
        """Return an agent, without a call to the daemon."""
        return Agent(self._channel, Place(agent_id))

    @property
    def operations(self) -> "Operations":
        """Requests that take long, carried out while nobody waits."""
        from memoryd.aio.operations import Operations

        return Operations(self._channel)

    def agents(self, *patterns: str, **options: Unpack[AgentListOptions]) -> AsyncIterator[AgentInfo]:
        """Yield the agents that match any of the patterns, such as "support-*"; all without one."""
        return self._channel.pages(agent_calls.list_agents(patterns, options))

    async def count_tokens(self, texts: Iterable[str], *, model: str = "") -> "TokenCount":
        """Count the tokens that texts have for a model, such as "gpt-5"; without one, estimate them."""
        from memoryd.protocol.context import count_tokens

        return await self._channel.run(count_tokens(texts, model))

    async def server_info(self) -> ServerInfo:
        """Return the daemon's version, limits, backend and durability."""
        return await self._channel.run(agent_calls.get_server_info())

    async def watch_audit(self, *patterns: str, denied_only: bool = False) -> AsyncIterator["AuditRecord"]:
        """Yield a record of each call from now on that the server audits, until the server shuts down.

        ``patterns``, such as "support-*", select the calls whose agents all match. Raises AuditOff where the server
        keeps no audit log.
        """
        from memoryd.model.audit import audit_record_from

        request = WatchAuditRequest(agent_ids=patterns, denied_only=denied_only)
        stream = self._channel.download(WATCH_AUDIT, request, None)
        try:
            async for response in stream:
                # The first message has none.
                if response.HasField("record"):
                    yield audit_record_from(response)
        except RpcError as error:
            raise self._channel.failure(error) from None
        finally:
            stream.cancel()

    def events(self, *filters: EventFilter, **options: Unpack[EventListOptions]) -> AsyncIterator[Event]:
        """Yield past events that the journal still retains and any of the filters matches."""
        return self._channel.pages(reading(list_events(filters, options), options))

    def watch(self, *filters: EventFilter, **options: Unpack[WatchOptions]) -> Watch:
        """Watch the events that any of the filters matches; those of all agents without filters."""
        return Watch(self._channel, watch_request(filters, options), options)

    async def create_snapshot(self, snapshot_id: str = "", *, label: str = "") -> Snapshot:
        """Write an image of all agents to the server's disk. Without an id the server chooses one.

        ``label`` is words for people, at most 256 bytes.
        """
        timeout = self._channel.settings.snapshot_timeout
        return await self._channel.run(snapshot_calls.create_snapshot("", snapshot_id, label, None, timeout))

    async def get_snapshot(self, snapshot_id: str) -> Snapshot:
        """Return a snapshot's description. Raises SnapshotNotFound."""
        return await self._channel.run(snapshot_calls.get_snapshot(snapshot_id))

    def snapshots(
        self,
        *patterns: str,
        order: ListOrder | str = ListOrder.UNSPECIFIED,
        view: RecordView | str = RecordView.UNSPECIFIED,
    ) -> AsyncIterator[Snapshot]:
        """Yield the snapshots of the agents that match any of the patterns, all without one.

        By default the newest are first. An empty pattern stands for the snapshots of all agents together. ``view``
        leaves out the labels if it is without content.
        """
        return self._channel.pages(snapshot_calls.list_snapshots(patterns, order, view))

    async def restore_snapshot(
        self, snapshot_id: str, *, agent_id: str = "", as_agent_id: str = "", dry_run: bool = False
    ) -> Restored:
        """Replace all records of agents by those in a snapshot, which is verified completely before.

        From a snapshot of all agents, ``agent_id`` restores that agent only; without it, agents that are not in the
        snapshot are removed. ``as_agent_id`` restores one agent's image into another agent: a clone.
        ``dry_run`` checks everything, and changes nothing.
        """
        timeout = self._channel.settings.snapshot_timeout
        return await self._channel.run(
            snapshot_calls.restore_snapshot(snapshot_id, agent_id, timeout, as_agent_id=as_agent_id, dry_run=dry_run)
        )

    async def delete_snapshot(self, snapshot_id: str, *, must_exist: bool = False) -> bool:
        """Delete a snapshot, and return whether there was one. ``must_exist`` raises SnapshotNotFound instead."""
        return await self._channel.run(snapshot_calls.delete_snapshot(snapshot_id, must_exist=must_exist))

    async def export_snapshot(
        self, snapshot_id: str, path: str | Path, *, progress: Callable[[int, int], None] | None = None
    ) -> Snapshot:
        """Copy a snapshot to a file, which is replaced once the copy is complete.

        A copy that breaks off continues where it was. ``progress`` receives the bytes copied and their total.
        """
        from memoryd.aio.transfer import export_snapshot

        return await export_snapshot(self._channel, snapshot_id, Path(path), progress)

    async def export_journal(self, start_token: str, path: str | Path) -> JournalSegment:
        """Write the commits of all agents after a point to a file, for a backup: see docs/operations/backup.md.

        The point is the ``end_token`` of an earlier segment. An empty one exports nothing, and returns the current end.
        A segment without commits writes no file; one that is not ``complete`` is continued by the next call. Raises
        RevisionCompacted if the journal no longer retains what follows.
        """
        from memoryd.aio.transfer import export_journal

        return await export_journal(self._channel, start_token, Path(path))

    async def import_snapshot(
        self, path: str | Path, *, snapshot_id: str = "", progress: Callable[[int, int], None] | None = None
    ) -> Snapshot:
        """Copy an exported file to the server. ``progress`` receives the bytes copied and their total.

        Raises SnapshotDamaged, SnapshotExists, and OSError when the file cannot be read.
        """
        from memoryd.aio.transfer import import_snapshot

        return await import_snapshot(self._channel, Path(path), snapshot_id, progress)

    async def close(self) -> None:
        """Close the connection, which ends all calls and watches."""
        await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()
