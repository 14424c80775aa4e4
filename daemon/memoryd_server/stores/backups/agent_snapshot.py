"""A snapshot of one agent of a backup, which a running daemon imports."""

import time
from pathlib import Path

from memoryd_server.ports.store import StoredAgent
from memoryd_server.stores.snapshot_file import Header, SnapshotWriter
from memoryd_server.stores.snapshot_incoming import IncomingFile
from memoryd_server.stores.snapshot_key import SnapshotKey


def write_agent_snapshot(path: Path, agent: StoredAgent, key: SnapshotKey | None) -> None:
    """Write the snapshot of an agent to a new file, encrypted if there is a key. Raises OSError."""
    file = IncomingFile(path.parent, key)
    try:
        file.open()
        writer = SnapshotWriter(file, Header(agent.head.agent_id, time.time_ns(), "request", "of a backup"))
        writer.begin()
        writer.add([agent])
        writer.finish()
        file.finish()
        file.replace(path)
    finally:
        file.discard()
