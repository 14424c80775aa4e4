"""The durability of an acknowledged change."""

from typing import Literal

Durability = Literal["synced", "journaled", "memory"]
"""The failure that an acknowledged change survives. ``synced``: a loss of power; ``journaled``: the end of the daemon's
process; ``memory``: none, unless a snapshot holds the change."""
