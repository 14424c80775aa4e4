"""The durability of acknowledged commits."""

import enum


class Durability(enum.StrEnum):
    """The moment at which a commit is acknowledged. It always survives the end of the process."""

    SYNCED = "synced"
    """After fsync: it also survives a power failure."""

    JOURNALED = "journaled"
    """Before fsync, which follows within a second: a power failure may lose the commits of the last second."""
