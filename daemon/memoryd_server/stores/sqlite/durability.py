"""What an acknowledged commit survives."""

import enum


class Durability(enum.StrEnum):
    """When a commit is acknowledged. Both survive a killed process."""

    SYNCED = "synced"
    """After fsync: it also survives a power failure."""

    JOURNALED = "journaled"
    """Before fsync, which follows within a second: a power failure may cost what was acknowledged in that second."""
