"""Where the commits come from that watches tell of."""

from collections.abc import Callable, Collection
from typing import Protocol

from typing_extensions import override

from memoryd_server.engine.agents.hub import Hub
from memoryd_server.engine.agents.journal import Published
from memoryd_server.engine.agents.token import ShardPoint
from memoryd_server.ports.store import CommitPoint, JournalRow, Store


class Feed(Protocol):
    """Brings what is committed to the hub, in the order of each shard's journal."""

    note_own: Callable[[Published], None]
    """Called with each commit of this daemon."""

    def connect(self, agents: "Followed") -> None:
        """Bring what other daemons commit to these agents, too."""

    async def open(self) -> None:
        """Make ready, once the store is open."""

    async def close(self) -> None:
        """Stop."""

    async def follow(self, shards: Collection[int]) -> None:
        """From when this returns until ``release``, the hub hears of all commits after its positions.

        Raises what the store raises.
        """

    def release(self, shards: Collection[int]) -> None:
        """Take one ``follow`` of these shards back."""

    async def ends(self, shards: Collection[int]) -> dict[int, CommitPoint]:
        """The points of the last rows of these shards. Raises what the store raises."""

    async def check(self, points: Collection[ShardPoint]) -> None:
        """Make sure that what was told up to these points is what the store still has.

        Raises HistoryLost, and what the store raises.
        """

    def is_fresh(self, shard: int, max_staleness_s: float) -> bool:
        """Whether what is in memory of a shard's agents is as it was so long ago, or newer.

        Who asks gets a better answer soon: the shard is followed for a while.
        """


class Followed(Protocol):
    """What a feed of other daemons' commits does to the agents in memory."""

    def receive(self, row: JournalRow) -> None:
        """Another daemon has committed."""

    def distrust(self, shards: Collection[int]) -> None:
        """What is in memory of these shards' agents may lack commits."""


class OwnFeed(Feed):
    """The feed of a store that this daemon has for itself: all commits are its own."""

    def __init__(self, store: Store, hub: Hub) -> None:
        self._store = store
        self._hub = hub
        self.note_own = hub.publish

    @override
    def connect(self, agents: Followed) -> None:
        """There are no other daemons."""

    @override
    async def open(self) -> None:
        shards = range(self._store.shard_count)
        self._hub.points = [CommitPoint(await self._store.journal_end(shard), 0) for shard in shards]

    @override
    async def close(self) -> None:
        return

    @override
    async def follow(self, shards: Collection[int]) -> None:
        return

    @override
    def release(self, shards: Collection[int]) -> None:
        return

    @override
    async def ends(self, shards: Collection[int]) -> dict[int, CommitPoint]:
        return {shard: self._hub.points[shard] for shard in shards}

    @override
    async def check(self, points: Collection[ShardPoint]) -> None:
        """Nobody else could have changed it."""

    @override
    def is_fresh(self, shard: int, max_staleness_s: float) -> bool:
        return True
