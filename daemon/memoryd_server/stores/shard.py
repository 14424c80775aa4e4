"""Which shard an agent belongs to."""

import zlib


def shard_of(agent_id: str, shard_count: int) -> int:
    """The shard of an agent: CRC-32 (ITU-T V.42) of its id's UTF-8 bytes, modulo the number of shards.

    Other daemons, of other versions, must find the same: this never changes.
    """
    return zlib.crc32(agent_id.encode()) % shard_count
