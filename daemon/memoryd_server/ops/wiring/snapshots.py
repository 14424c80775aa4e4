"""The encryption of snapshots: the key that the settings name, and new keys."""

from memoryd_server.ops.config.settings import Settings
from memoryd_server.ops.error import OperatorError
from memoryd_server.stores.snapshot_key import SnapshotKey, new_identity_file

__all__ = ["new_identity_file", "snapshot_key_of"]


def snapshot_key_of(settings: Settings) -> SnapshotKey | None:
    """Return the key of snapshots; None if they are not encrypted. Raises OperatorError."""
    key_file = settings.snapshots.key_file
    try:
        return None if key_file is None else SnapshotKey.load(key_file)
    except (OSError, ValueError) as error:
        raise OperatorError(f"snapshot_key_file: {error}") from error
