"""The snapshot port: it keeps images of one or of all agents, each under an id.

An id becomes a file's name, so every id must pass ``check_snapshot_id``.
"""

import re
from collections.abc import AsyncGenerator, AsyncIterator
from datetime import UTC, datetime
from typing import Literal, Protocol

import msgspec

from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.limit import MILLISECOND_NS, SECOND_NS, SNAPSHOT_ID_BYTES_MAX
from memoryd_server.ports.store import StoredAgent

SnapshotTrigger = Literal["request", "shutdown", "periodic", "end_agent"]
"""The cause of a snapshot."""

AUTOMATIC_TRIGGERS: frozenset[SnapshotTrigger] = frozenset({"shutdown", "periodic"})
"""The triggers without a request of a client. ``prune`` deletes only their snapshots."""

LATEST = "latest"
"""The name of the newest snapshot of all agents. No snapshot has it as its id."""

_SNAPSHOT_ID = re.compile(rf"[a-z0-9][a-z0-9._-]{{0,{SNAPSHOT_ID_BYTES_MAX - 1}}}")


class SnapshotInfo(msgspec.Struct, frozen=True):
    """The description of a snapshot. ``create_time`` is that of the image, in nanoseconds since the Unix epoch.

    For a snapshot of all agents, ``agent_id`` is empty and ``revision`` is 0. If ``snapshot_id`` is empty, ``create``
    chooses one. ``create`` is given ``revision``, ``label`` and ``request_id``, and fills in the other fields with
    defaults. ``sha256`` is the digest of the file, in hexadecimal.
    """

    snapshot_id: str
    agent_id: str
    create_time: int
    trigger: SnapshotTrigger
    revision: int = 0
    size_bytes: int = 0
    agent_count: int = 0
    record_count: int = 0
    encrypted: bool = False
    label: str = ""
    request_id: str = ""
    sha256: str = ""
    format_version: int = 0


def check_snapshot_id(snapshot_id: str) -> None:
    """Raise InvalidField unless this is 1 to 100 of a-z, 0-9, '.', '_', '-', beginning with a letter or digit.

    LATEST is no id.
    """
    if snapshot_id == LATEST:
        raise InvalidField("snapshot_id", f"must be an id: {LATEST!r} names the newest snapshot of all agents")
    if not _SNAPSHOT_ID.fullmatch(snapshot_id):
        description = "must be 1 to 100 of a-z, 0-9, '.', '_' and '-', beginning with a letter or digit"
        raise InvalidField("snapshot_id", description)


def make_snapshot_id(create_time: int, token: str) -> str:
    """Return an id that sorts by time, such as 20261121t222006.123z-3fa2c1. The token tells ids of one moment apart."""
    seconds, rest = divmod(create_time, SECOND_NS)
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y%m%dt%H%M%S}.{rest // MILLISECOND_NS:03d}z-{token}"


class SnapshotRepository(Protocol):
    """The kept snapshots.

    Every method that takes an id raises InvalidField for one that is not allowed. Every method may raise
    StoreUnavailable, and those that write StorageFull: nothing is left behind then. Those that read a file's content
    raise SnapshotDamaged, SchemaTooNew, and SnapshotLocked if it is encrypted and no key opens it.
    """

    async def open(self) -> None:
        """Make the repository ready, and remove the remains of interrupted writes."""

    async def create(self, info: SnapshotInfo, agents: AsyncIterator[StoredAgent]) -> SnapshotInfo:
        """Write the image, and return its description once it is on disk. A partial file is never kept.

        ``agents`` yields exactly the agent that ``info`` names, or all. Raises SnapshotExists for a taken id, and
        DataDamaged for an agent that has not as many records as its head states.
        """

    async def get(self, snapshot_id: str) -> SnapshotInfo:
        """Return the description of a snapshot. Raises SnapshotNotFound."""

    async def list(self) -> tuple[SnapshotInfo, ...]:
        """Return all snapshots, the newest first. Files whose description is unknown and cannot be read are omitted."""

    async def delete(self, snapshot_id: str) -> None:
        """Delete a snapshot. Reads in progress may finish. Raises SnapshotNotFound."""

    def read(self, snapshot_id: str) -> AsyncGenerator[StoredAgent, None]:
        """Yield the agents of a snapshot, each whole. The entire file is checked before the first one.

        About one agent at a time is in memory. A caller that may stop early must close the generator
        (``contextlib.aclosing``). Raises SnapshotNotFound, and TooLarge for an agent of more than twice
        ``storage_bytes_per_agent``.
        """

    def export(self, snapshot_id: str, offset: int = 0) -> AsyncGenerator[bytes, None]:
        """Yield the file's bytes from an offset, in parts of at most 1 MiB, without checking them.

        Raises SnapshotNotFound.
        """

    async def import_(self, snapshot_id: str, chunks: AsyncIterator[bytes], sha256: str = "") -> SnapshotInfo:
        """Receive the bytes of a file, and keep the file once all of it was checked.

        If ``snapshot_id`` is empty, the repository chooses one. The snapshot keeps its original trigger and label.
        Raises SnapshotExists, TooLarge for more than ``snapshot_bytes``, and SnapshotDamaged if ``sha256`` is not
        empty and not the file's digest.
        """

    async def prune(self, keep: int) -> int:
        """Delete the automatic snapshots (see AUTOMATIC_TRIGGERS) except the newest ``keep``. Return their number."""
