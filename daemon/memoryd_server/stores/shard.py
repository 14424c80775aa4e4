"""The assignment of agents to shards."""

import zlib


def shard_of(agent_id: str, shard_count: int) -> int:
    """Return the shard of an agent: CRC-32 (ITU-T V.42) of its id's UTF-8 bytes, modulo the number of shards.

    This never changes: daemons of all versions must compute the same shard.
    """
    return zlib.crc32(agent_id.encode()) % shard_count
