"""Sizes of snapshots and of saved indexes. Those of a store are in its own ``limit`` module.

A constant's unit is in its name: BYTES; any other name counts what it names.
"""

# Blocks of a snapshot's file.

BLOCK_DATA_BYTES = 1024 * 1024
"""Size of the records at which a block is closed."""
BLOCK_BYTES_MAX = 64 * 1024 * 1024
"""Maximum size of a block that is read: four times the largest message, so that the largest record fits."""
WINDOW_BYTES_MAX = 8 * 1024 * 1024
"""Maximum memory for decompression, whatever a file demands."""
SNAPSHOT_READ_BYTES = 128 * 1024
"""Size of one read of a file."""
BACKUP_AGENT_BYTES_MAX = 2**62
"""Size of an agent that is read from a backup: any, since a restore does not depend on the limits of a daemon."""

# Steps of a snapshot's thread, between which it can be cancelled.

BATCH_ITEMS_MAX = 256
"""Maximum number of items per step."""
BATCH_BYTES = 1024 * 1024
"""Size of the items at which a step ends."""

# Saved indexes.

INDEX_AGENT_BYTES_MAX = 4_096
"""Maximum length of the line of a file's agent: in JSON, each byte of an id takes six at most."""
INDEX_FREE_SHARE_MIN = 0.1
"""Minimum share of the file system that is free when an index is saved."""
INDEX_FREE_BYTES_MIN = 4 * 1024 * 1024 * 1024
"""Free space that is enough on any file system."""
