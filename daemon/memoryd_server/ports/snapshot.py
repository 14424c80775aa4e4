"""The snapshot port: where images of one or of all agents are kept, each under its id.

An id becomes a file's name, so ``check_snapshot_id`` is the one place that says what an id may be.
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
"""What a snapshot was made by."""

AUTOMATIC_TRIGGERS: frozenset[SnapshotTrigger] = frozenset({"shutdown", "periodic"})
"""The triggers that nobody asked for: ``prune`` touches only their snapshots."""

_SNAPSHOT_ID = re.compile(rf"[a-z0-9][a-z0-9._-]{{0,{SNAPSHOT_ID_BYTES_MAX - 1}}}")


class SnapshotInfo(msgspec.Struct, frozen=True):
    """What a snapshot is. ``create_time`` is in nanoseconds since the Unix epoch: when the image was taken.

    ``agent_id`` is empty, and ``revision`` 0, for all agents. An empty ``snapshot_id`` asks ``create`` to choose one.
    What ``create`` finds out itself has a default: whoever asks for a snapshot leaves it out.
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


def check_snapshot_id(snapshot_id: str) -> None:
    """Raises InvalidField unless this is 1 to 100 of a-z, 0-9, '.', '_', '-', beginning with a letter or digit."""
    if not _SNAPSHOT_ID.fullmatch(snapshot_id):
        description = "must be 1 to 100 of a-z, 0-9, '.', '_' and '-', beginning with a letter or digit"
        raise InvalidField("snapshot_id", description)


def make_snapshot_id(create_time: int, token: str) -> str:
    """An id that sorts by time, such as 20261121t222006.123z-3fa2c1. The token tells ids of one moment apart."""
    seconds, rest = divmod(create_time, SECOND_NS)
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y%m%dt%H%M%S}.{rest // MILLISECOND_NS:03d}z-{token}"


class SnapshotRepository(Protocol):
    """Where snapshots are kept.

    Every method that takes an id raises InvalidField for one that is not allowed. Every method may raise
    StoreUnavailable, and those that write StorageFull: nothing is left behind then. Those that look into a file raise
    SnapshotDamaged, SchemaTooNew, and SnapshotLocked when it is encrypted and no key opens it.
    """

    async def open(self) -> None:
        """Make ready, and remove what an interrupted write left behind."""

    async def create(self, info: SnapshotInfo, agents: AsyncIterator[StoredAgent]) -> SnapshotInfo:
        """Write the image; it is on disk when this answers. Nothing half-done is ever kept.

        ``agents`` are exactly the one that ``info`` names, or all. Raises SnapshotExists for a taken id, and
        DataDamaged for an agent whose records are not those that its head counts.
        """

    async def get(self, snapshot_id: str) -> SnapshotInfo:
        """What a snapshot is. Raises SnapshotNotFound."""

    async def list(self) -> tuple[SnapshotInfo, ...]:
        """All snapshots, the newest first. One of which nothing is known and that cannot be read is left out."""

    async def delete(self, snapshot_id: str) -> None:
        """Delete a snapshot; those who read it now may finish. Raises SnapshotNotFound."""

    def read(self, snapshot_id: str) -> AsyncGenerator[StoredAgent, None]:
        """The agents in it, each whole. The whole file was checked before the first one is given.

        About one agent at a time is held in memory. Who may stop early closes it (``contextlib.aclosing``). Raises
        SnapshotNotFound; LimitExceeded for an agent of more than twice ``storage_bytes_per_agent``.
        """

    def export(self, snapshot_id: str) -> AsyncGenerator[bytes, None]:
        """The file as it is, in chunks of at most 1 MiB, unchecked. Raises SnapshotNotFound."""

    async def import_(self, snapshot_id: str, chunks: AsyncIterator[bytes]) -> SnapshotInfo:
        """Take in the bytes of a file, as they are, and keep it once all of it was checked.

        An empty id lets the repository choose one. The snapshot keeps the trigger that it was made by. Raises
        SnapshotExists, and LimitExceeded for more than ``snapshot_bytes``.
        """

    async def prune(self, keep: int) -> int:
        """Delete the oldest automatic snapshots (see AUTOMATIC_TRIGGERS) but ``keep``; answers how many."""
