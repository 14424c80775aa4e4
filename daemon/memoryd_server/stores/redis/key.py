"""The keys of the store in Redis.

All keys of a shard have the same hash tag, so that a cluster keeps them in one slot and one script may use all of them.
"""

from functools import cached_property

from redis.crc import key_slot


class ShardKeys:
    """The keys of one shard.

    ``shard`` is a hash: the store's id, the id of the last row, and the sums of the agents' tallies.
    ``journal`` is the stream of rows. ``agents``,
    ``deadlines`` and ``ended`` are sorted sets: the agents that have not ended, by id; those with a deadline, by
    deadline; those that have ended, by the position of their last row. ``moved`` is the sorted set of the rows that
    were moved out of the stream, by position. ``moves`` is a stream of one entry, which is replaced whenever rows are
    moved; in a cluster each shard has its own, otherwise all shards use that of the first one. ``daemons``, of the
    first shard only, is the sorted set of the daemons, by the server's time in milliseconds at their last announcement.
    """

    def __init__(self, prefix: str, shard: int) -> None:
        self.shard = f"{{{prefix}:{shard}}}:shard"
        self.journal = f"{{{prefix}:{shard}}}:journal"
        self.agents = f"{{{prefix}:{shard}}}:agents"
        self.deadlines = f"{{{prefix}:{shard}}}:deadlines"
        self.ended = f"{{{prefix}:{shard}}}:ended"
        self.moved = f"{{{prefix}:{shard}}}:moved"
        self.moves = f"{{{prefix}:{shard}}}:moves"
        self.daemons = f"{{{prefix}:{shard}}}:daemons"
        self.agents_begin = f"{{{prefix}:{shard}}}:agent:"

    def agent(self, agent_id: str) -> str:
        """Return the key of an agent's hash, which has its head, and its records under ``<kind>/<key>``."""
        return self.agents_begin + agent_id

    @cached_property
    def slot(self) -> int:
        """The cluster slot of all of these keys."""
        return key_slot(self.shard.encode())


def store_key(prefix: str) -> str:
    """Return the key of the store's hash: the format's version, the lowest version that may use
    it, the store's id, the number of shards."""
    return f"{{{prefix}}}:store"
