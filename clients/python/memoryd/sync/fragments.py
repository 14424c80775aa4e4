"""The fragments of an agent, and the consumers that consolidate them."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, Unpack

from memoryd.errors import MemorydError
from memoryd.model.fragment import Fragment, FragmentCount, FragmentLease, StoredFragment
from memoryd.model.moment import seconds_of
from memoryd.protocol import fragment as calls
from memoryd.protocol.consumer import Consumption
from memoryd.protocol.fragment import DEFAULT_LIMIT, FragmentOptions
from memoryd.protocol.reservation import DEFAULT_LEASE, WAIT_EACH
from memoryd.sync.channel import Channel
from memoryd.sync.consumer import Consumer


class Fragments:
    """What an agent heard and has not consolidated yet, each piece with its time to live.

    Every method raises CallFailed when the daemon refuses or cannot be reached.
    """

    def __init__(self, channel: Channel, agent_id: str) -> None:
        self._channel = channel
        self._agent_id = agent_id

    def store(self, content: str, **options: Unpack[FragmentOptions]) -> StoredFragment:
        """Store a fragment. Past the server's limit the oldest are evicted. Raises LimitExceeded."""
        return self._channel.run(calls.store_fragment(self._agent_id, content, options))

    def get(self, fragment_id: str) -> Fragment | None:
        """Answer a fragment, or None when it is not there any more."""
        return self._channel.run(calls.get_fragment(self._agent_id, fragment_id))

    def delete(self, fragment_id: str) -> bool:
        """Remove a fragment, and answer whether it was there."""
        return self._channel.run(calls.delete_fragment(self._agent_id, fragment_id))

    def search(self, query: str, *, min_confidence: float | None = None, limit: int = DEFAULT_LIMIT) -> list[Fragment]:
        """Answer the newest fragments that have any word of the query, up to 1,000 and fewer when they are large.

        With ``min_confidence``, only those that have this confidence or more.
        """
        return self._channel.run(calls.search_fragments(self._agent_id, query, min_confidence, limit))

    def recent(self) -> Iterator[Fragment]:
        """Yield the fragments, newest first, page by page, all at one revision."""
        return self._channel.pages(calls.list_recent_fragments(self._agent_id))

    def count(self) -> FragmentCount:
        """Answer how many there are, how many of them are flushed, and how many are leased."""
        return self._channel.run(calls.count_fragments(self._agent_id))

    def clear(self, *, expected_revision: int | None = None) -> int:
        """Remove all fragments, and answer how many."""
        return self._channel.run(calls.clear_fragments(self._agent_id, expected_revision))

    def flush(self) -> int:
        """Make all fragments ready for consolidation, and answer how many were not."""
        return self._channel.run(calls.flush_fragments(self._agent_id))

    @contextmanager
    def lease(
        self,
        limit: int = DEFAULT_LIMIT,
        *,
        lease: timedelta | float = DEFAULT_LEASE,
        wait: timedelta | float = WAIT_EACH,
    ) -> Iterator[list[Fragment]]:
        """Hold flushed fragments for a block, oldest first: an empty list when none came in ``wait``, at most 60 s.

        When the block ends, they are consolidated and leave the buffer; when it raises, others get them. The lease is
        renewed meanwhile. Raises LeaseLost at the end when that did not succeed: others may have got them, too.
        """
        lease_s = seconds_of(lease)
        leased = self._channel.run(calls.lease_fragments(self._agent_id, limit, lease_s, seconds_of(wait)))
        if leased is None:
            yield []
            return
        try:
            with self._channel.renewing(calls.handle(self._agent_id, leased, lease_s)):
                yield leased.fragments
        except BaseException:
            with suppress(MemorydError):
                self._channel.run(calls.release_fragments(self._agent_id, leased.token))
            raise
        self._channel.run(calls.acknowledge_fragments(self._agent_id, leased.token))

    def take(
        self,
        limit: int = DEFAULT_LIMIT,
        *,
        lease: timedelta | float = DEFAULT_LEASE,
        wait: timedelta | float = 0.0,
    ) -> FragmentLease | None:
        """Hold flushed fragments until ``acknowledge``, ``release`` or the end of the lease, by hand; None when none
        came in ``wait``, at most 60 s.
        """
        return self._channel.run(calls.lease_fragments(self._agent_id, limit, seconds_of(lease), seconds_of(wait)))

    def renew(self, token: str, *, lease: timedelta | float = DEFAULT_LEASE) -> FragmentLease | None:
        """Hold what was taken for longer, and answer what is left of it. Raises LeaseLost."""
        return self._channel.run(calls.renew_lease(self._agent_id, token, seconds_of(lease)))

    def acknowledge(self, token: str, fragment_ids: Iterable[str] = ()) -> int:
        """Remove what was taken, all or some of it, since it is consolidated; answers how many. Raises LeaseLost."""
        return self._channel.run(calls.acknowledge_fragments(self._agent_id, token, fragment_ids))

    def release(self, token: str, fragment_ids: Iterable[str] = ()) -> int:
        """Give what was taken back, all or some of it, to the next consumer; answers how many. Raises LeaseLost."""
        return self._channel.run(calls.release_fragments(self._agent_id, token, fragment_ids))

    def on_flush(
        self,
        handler: Callable[[list[Fragment]], Any],
        *,
        limit: int = DEFAULT_LIMIT,
        lease: timedelta | float = DEFAULT_LEASE,
    ) -> Consumer:
        """Hand flushed fragments to ``handler``, at most ``limit`` at a time, for as long as the block lasts.

        ``with agent.fragments.on_flush(consolidate): ...``. The handler runs in a thread of its own. Any number of
        consumers share the fragments out.
        """
        asked = Consumption(self._agent_id, limit, seconds_of(lease))
        return Consumer(self._channel, asked, handler)
