"""The names of what the store keeps in Redis.

Everything of a shard has one hash tag, so that a cluster keeps it in one slot and one script may touch all of it.
"""

from functools import cached_property

from redis.crc import key_slot


class ShardKeys:
    """The keys of one shard.

    ``shard`` is a hash: the store's id and the id of the last row. ``journal`` is the stream of rows. ``agents``,
    ``deadlines`` and ``ended`` are sorted sets: of the agents that have not ended, by id; of those with a deadline, by
    deadline; of those that have ended, by the position of their last row. ``moved`` is the sorted set of the rows that
    are no longer in the stream, by position. ``moves`` is a stream of one entry, which another replaces when rows are
    moved: of each shard in a cluster, elsewhere of the first one for all. ``daemons``, of the first shard only, is the
    sorted set of the daemons that are there, by the server's time in milliseconds when they last said so.
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
        """The hash of an agent: its head, and its records under ``<kind>/<key>``."""
        return self.agents_begin + agent_id

    @cached_property
    def slot(self) -> int:
        """The cluster's slot of all of them."""
        return key_slot(self.shard.encode())


def store_key(prefix: str) -> str:
    """The hash of what the shards have in common: the format's version, the store's id, the number of shards."""
    return f"{{{prefix}}}:store"
