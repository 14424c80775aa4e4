"""The client: one connection to one daemon."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self, Unpack

from memoryd.model.agent import AgentInfo
from memoryd.model.event import Event, EventFilter
from memoryd.model.server import ServerInfo
from memoryd.model.snapshot import Restored, Snapshot
from memoryd.protocol import agent as agent_calls
from memoryd.protocol import snapshot as snapshot_calls
from memoryd.protocol.entry import Place
from memoryd.protocol.event import WatchOptions, list_events, watch_request
from memoryd.protocol.setting import (
    DEFAULT_CONNECT_TIMEOUT,
    DEFAULT_SNAPSHOT_TIMEOUT,
    DEFAULT_TIMEOUT,
    settings_of,
)
from memoryd.protocol.target import Tls
from memoryd.sync.agent import Agent
from memoryd.sync.channel import Channel
from memoryd.sync.transfer import export_snapshot, import_snapshot
from memoryd.sync.watch import Watch


def connect(
    target: str | None = None,
    *,
    token: str | None = None,
    tls: Tls | bool | None = None,
    origin: str | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    connect_timeout: float = DEFAULT_CONNECT_TIMEOUT,
    snapshot_timeout: float = DEFAULT_SNAPSHOT_TIMEOUT,
) -> "Client":
    """Answer a client of the daemon at ``target``, which is connected by its first call.

    ``target`` is HOST:PORT or unix:/path; None means MEMORYD_ADDRESS, else 127.0.0.1:7600. ``token`` is the bearer
    token; None means MEMORYD_TOKEN, if there is one. ``tls`` is True to trust the machine's certificates, or a Tls.
    ``origin`` is a name for this writer, which its events carry.

    Times are in seconds. ``timeout`` is how long a call may take with all its retries: a daemon that restarts
    meanwhile is waited for. ``connect_timeout`` is how long a daemon that was never there is asked again.
    ``snapshot_timeout`` is what calls that write or read a snapshot may take.

    Raises InvalidTarget.
    """
    settings = settings_of(
        target,
        token=token,
        tls=tls,
        origin=origin,
        timeout=timeout,
        connect_timeout=connect_timeout,
        snapshot_timeout=snapshot_timeout,
    )
    return Client(Channel(settings))


class Client:
    """One connection to one daemon, safe to share among threads. Close it, or use it as a context manager.

    Every method raises CallFailed when the daemon refuses or cannot be reached.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    @property
    def target(self) -> str:
        """The daemon's address."""
        return self._channel.settings.target

    def agent(self, agent_id: str) -> Agent:
        """Answer an agent's memory, without asking the daemon."""
        return Agent(self._channel, Place(agent_id))

    def agents(self, prefix: str = "") -> Iterator[AgentInfo]:
        """Yield the agents whose id starts with the prefix, in order of their ids."""
        return self._channel.pages(agent_calls.list_agents(prefix))

    def server_info(self) -> ServerInfo:
        """Answer version, limits, backend and durability of the daemon."""
        return self._channel.run(agent_calls.get_server_info())

    def events(self, *filters: EventFilter, after_revision: int = 0, values: bool = True) -> Iterator[Event]:
        """Yield the past events that the journal retains and any of the filters keeps, oldest first.

        ``after_revision`` needs filters that name exactly one agent.
        """
        return self._channel.pages(list_events(filters, after_revision=after_revision, values=values))

    def watch(self, *filters: EventFilter, **options: Unpack[WatchOptions]) -> Watch:
        """Watch the events that any of the filters keeps; all agents without filters."""
        return Watch(self._channel, watch_request(filters, options), options)

    def create_snapshot(self, snapshot_id: str = "") -> Snapshot:
        """Write an image of all agents to the server's disk. Without an id the server chooses one."""
        timeout = self._channel.settings.snapshot_timeout
        return self._channel.run(snapshot_calls.create_snapshot("", snapshot_id, timeout))

    def get_snapshot(self, snapshot_id: str) -> Snapshot:
        """Answer what a snapshot is. Raises SnapshotNotFound."""
        return self._channel.run(snapshot_calls.get_snapshot(snapshot_id))

    def snapshots(self, agent_id: str = "") -> Iterator[Snapshot]:
        """Yield the snapshots of one agent, or all, the newest first."""
        return self._channel.pages(snapshot_calls.list_snapshots(agent_id))

    def restore_snapshot(self, snapshot_id: str, *, agent_id: str = "", as_agent_id: str = "") -> Restored:
        """Replace memory by what a snapshot holds, after checking all of it.

        Of a snapshot of all agents, ``agent_id`` restores that one alone; without it the agents that the snapshot
        does not hold are ended. ``as_agent_id`` restores the one agent's image into another agent: a clone.
        """
        timeout = self._channel.settings.snapshot_timeout
        return self._channel.run(snapshot_calls.restore_snapshot(snapshot_id, agent_id, as_agent_id, timeout))

    def delete_snapshot(self, snapshot_id: str) -> None:
        """Delete a snapshot. Raises SnapshotNotFound."""
        self._channel.run(snapshot_calls.delete_snapshot(snapshot_id))

    def export_snapshot(
        self, snapshot_id: str, path: str | Path, *, progress: Callable[[int, int], None] | None = None
    ) -> Snapshot:
        """Copy a snapshot to a file here, replacing it once all has come. ``progress`` gets bytes done and in all."""
        return export_snapshot(self._channel, snapshot_id, Path(path), progress)

    def import_snapshot(
        self, path: str | Path, *, snapshot_id: str = "", progress: Callable[[int, int], None] | None = None
    ) -> Snapshot:
        """Give the server an exported file to keep. ``progress`` gets bytes done and in all.

        Raises SnapshotDamaged, SnapshotExists, and OSError when the file cannot be read.
        """
        return import_snapshot(self._channel, Path(path), snapshot_id, progress)

    def close(self) -> None:
        """End the connection."""
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
