"""The source of the commits that watches receive: this daemon's own, or the journals of a shared store."""

from collections.abc import Callable, Collection
from typing import Protocol

from typing_extensions import override

from memoryd_server.engine.agents.hub import Hub
from memoryd_server.engine.agents.journal import Published
from memoryd_server.engine.agents.token import ShardPoint
from memoryd_server.ports.store import CommitPoint, JournalRow, Store


class Feed(Protocol):
    """Publishes commits to the hub, those of each shard in the order of its journal."""

    note_own: Callable[[Published], None]
    """Called with each commit of this daemon."""

    def connect(self, agents: "Followed") -> None:
        """Apply other daemons' commits to these agents, too. Called once, before ``open``."""

    async def open(self) -> None:
        """Start. The store must be open."""

    async def close(self) -> None:
        """Stop."""

    async def follow(self, shards: Collection[int]) -> None:
        """Start to publish these shards' commits. When this returns, all commits after the hub's points are published.

        Each call must be followed by one ``release``.

        Raises what the store raises.
        """

    def release(self, shards: Collection[int]) -> None:
        """Undo one ``follow`` of these shards."""

    async def ends(self, shards: Collection[int]) -> dict[int, CommitPoint]:
        """Return the points of the last rows of these shards. Raises what the store raises."""

    async def check(self, points: Collection[ShardPoint]) -> None:
        """Verify that the store still has the rows before these points, from which a watcher wants to resume.

        Raises HistoryLost, and what the store raises.
        """

    def is_fresh(self, shard: int, max_staleness_s: float) -> bool:
        """Return True if the loaded agents of a shard have all commits that are at least ``max_staleness_s`` old.

        Each call makes the shard be followed for a while: a reader that is refused now succeeds soon.
        """


class Followed(Protocol):
    """The loaded agents, as the receiver of other daemons' commits."""

    def receive(self, row: JournalRow) -> None:
        """Handle a journal row. It may be one that this daemon committed."""

    def distrust(self, shards: Collection[int]) -> None:
        """Mark the loaded agents of these shards as possibly stale: they may lack commits."""


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
