"""The restore at the start of a daemon: into an empty store only, so that no acknowledged change is lost."""

import logging
from typing import Protocol

from memoryd_server.domain.error import SnapshotNotFound
from memoryd_server.engine.images.snapshots import Snapshots
from memoryd_server.ports.snapshot import LATEST
from memoryd_server.ports.store import AgentQuery, Store

log = logging.getLogger("memoryd.snapshots")


class RestoreMark(Protocol):
    """A durable note that a restore is under way, so that one that was interrupted is carried out again.

    Nothing was acknowledged since it began, because a daemon serves no calls before its restore ends.
    """

    def read(self) -> str:
        """Return the id of the snapshot whose restore did not end; empty if there is none."""
        ...

    def write(self, snapshot_id: str) -> None:
        """Note that the restore of a snapshot begins."""
        ...

    def clear(self) -> None:
        """Note that the restore has ended."""
        ...


async def restore_initially(wanted: str, snapshots: Snapshots, store: Store, mark: RestoreMark | None) -> None:
    """Restore the ``wanted`` snapshot if the store is empty, and one whose restore was interrupted in any case.

    ``wanted`` is an id, LATEST, or empty for none. A store that loses its memory with the process needs no ``mark``.
    Raises SnapshotNotFound, but not for LATEST: a daemon that starts for the first time has no snapshot.
    """
    interrupted = "" if mark is None else mark.read()
    wanted = interrupted or wanted
    if not wanted:
        return
    if not interrupted and not await is_empty(store):
        log.info("restore skipped: the store is not empty", extra={"snapshot_id": wanted})
        return
    try:
        snapshot_id = (await snapshots.get(wanted)).snapshot_id
    except SnapshotNotFound:
        if wanted != LATEST:
            raise
        log.info("no snapshot to restore: starting with an empty store", extra={"snapshot_id": wanted})
        return
    if mark is not None:
        mark.write(snapshot_id)
    await snapshots.restore(snapshot_id)
    if mark is not None:
        mark.clear()


async def is_empty(store: Store) -> bool:
    """Return True if nothing was ever committed to the store."""
    if await store.list_agents(AgentQuery(1)):
        return False
    # Agents that have ended are not listed, but the journal has counted their commits.
    return not any([await store.journal_end(shard) for shard in range(store.shard_count)])
