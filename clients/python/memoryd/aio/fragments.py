"""The fragments of an agent, and the consumers that consolidate them."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Any, Literal, Unpack, overload

from memoryd.aio.channel import Channel
from memoryd.aio.consumer import Consumer
from memoryd.errors import MemorydError
from memoryd.model.erasure import ErasureReceipt
from memoryd.model.fragment import CreatedFragment, Fragment, FragmentCount, FragmentLease
from memoryd.model.moment import seconds_of
from memoryd.protocol import fragment as calls
from memoryd.protocol.consistency import ReadOptions, reading
from memoryd.protocol.consumer import Consumption
from memoryd.protocol.fragment import DEFAULT_LIMIT, FragmentListOptions, FragmentOptions
from memoryd.protocol.keyword import checks_keywords
from memoryd.protocol.record_filter import UserOptions
from memoryd.protocol.reservation import DEFAULT_LEASE, WAIT_EACH

FragmentList = list[Fragment]


@checks_keywords
class Fragments:
    """The buffer of an agent's incoming text: fragments with a time to live, which consumers consolidate.

    Every method raises CallFailed when the daemon refuses or cannot be reached.
    """

    def __init__(self, channel: Channel, agent_id: str) -> None:
        self._channel = channel
        self._agent_id = agent_id

    async def create(self, content: str, **options: Unpack[FragmentOptions]) -> CreatedFragment:
        """Create a fragment. The oldest are evicted past the server's limit. Raises TooLarge, QuotaExceeded."""
        return await self._channel.run(calls.create_fragment(self._agent_id, content, options))

    async def get(self, fragment_id: str, **options: Unpack[ReadOptions]) -> Fragment:
        """Return a fragment. Raises RecordNotFound, also for one that was removed or has expired."""
        return await self._channel.run(reading(calls.get_fragment(self._agent_id, fragment_id), options))

    @overload
    async def delete(
        self, fragment_id: str, *, expected_revision: int | None = None, erase: Literal[True]
    ) -> ErasureReceipt: ...

    @overload
    async def delete(
        self, fragment_id: str, *, expected_revision: int | None = None, erase: Literal[False] = False
    ) -> bool: ...

    async def delete(
        self, fragment_id: str, *, expected_revision: int | None = None, erase: bool = False
    ) -> bool | ErasureReceipt:
        """Remove a fragment, and return whether there was one. Raises RevisionMismatch.

        ``erase`` erases what is removed, also from past events, and returns the receipt.
        """
        return await self._channel.run(
            calls.delete_fragment(self._agent_id, fragment_id, expected_revision, erase=erase)
        )

    async def search(
        self,
        query: str,
        *,
        min_confidence: float | None = None,
        limit: int = DEFAULT_LIMIT,
        **options: Unpack[UserOptions],
    ) -> FragmentList:
        """Return the newest fragments that contain any word of the query: at most 1,000, and fewer large ones.

        ``min_confidence`` is the minimum confidence.
        """
        search = calls.search_fragments(self._agent_id, query, min_confidence, limit, options)
        return await self._channel.run(reading(search, options))

    def list(self, **options: Unpack[FragmentListOptions]) -> AsyncIterator[Fragment]:
        """Yield the fragments page by page, all at one revision; by default the newest first."""
        return self._channel.pages(reading(calls.list_fragments(self._agent_id, options), options))

    async def count(self, **options: Unpack[ReadOptions]) -> FragmentCount:
        """Return the number of all fragments, of flushed ones, and of leased ones."""
        return await self._channel.run(reading(calls.count_fragments(self._agent_id), options))

    @overload
    async def clear(self, *, expected_revision: int | None = None, erase: Literal[True]) -> ErasureReceipt: ...

    @overload
    async def clear(self, *, expected_revision: int | None = None, erase: Literal[False] = False) -> int: ...

    async def clear(self, *, expected_revision: int | None = None, erase: bool = False) -> int | ErasureReceipt:
        """Remove all fragments, and return their number.

        ``erase`` erases what is removed, also from past events, and returns the receipt.
        """
        return await self._channel.run(calls.clear_fragments(self._agent_id, expected_revision, erase=erase))

    async def flush(self) -> int:
        """Make all fragments ready for consolidation, and return the number of those that were not yet."""
        return await self._channel.run(calls.flush_fragments(self._agent_id))

    @asynccontextmanager
    async def lease(
        self,
        limit: int = DEFAULT_LIMIT,
        *,
        lease: timedelta | float = DEFAULT_LEASE,
        wait: timedelta | float = WAIT_EACH,
    ) -> AsyncIterator[FragmentList]:
        """Lease flushed fragments for a block, oldest first; an empty list if none arrive within ``wait`` (up to 60 s).

        When the block ends, the fragments are acknowledged and leave the buffer; when it raises, they are released to
        other consumers. The lease is renewed meanwhile. Raises LeaseLost at the end of the block if the lease expired,
        in which case another consumer may have received the fragments, too.
        """
        lease_s = seconds_of(lease)
        leased = await self._channel.run(calls.lease_fragments(self._agent_id, limit, lease_s, seconds_of(wait)))
        if leased is None:
            yield []
            return
        try:
            async with self._channel.renewing(calls.handle(self._agent_id, leased, lease_s)):
                yield leased.fragments
        except BaseException:
            with suppress(MemorydError):
                await self._channel.run(calls.release_fragments(self._agent_id, leased.token))
            raise
        await self._channel.run(calls.acknowledge_fragments(self._agent_id, leased.token))

    async def take(
        self,
        limit: int = DEFAULT_LIMIT,
        *,
        lease: timedelta | float = DEFAULT_LEASE,
        wait: timedelta | float = 0.0,
    ) -> FragmentLease | None:
        """Lease flushed fragments until ``acknowledge``, ``release`` or the end of the lease.

        Returns None if none arrive within ``wait`` (up to 60 s).
        """
        return await self._channel.run(
            calls.lease_fragments(self._agent_id, limit, seconds_of(lease), seconds_of(wait))
        )

    async def renew(self, token: str, *, lease: timedelta | float = DEFAULT_LEASE) -> FragmentLease | None:
        """Renew a lease, and return the fragments it still holds. Raises LeaseLost."""
        return await self._channel.run(calls.renew_lease(self._agent_id, token, seconds_of(lease)))

    @overload
    async def acknowledge(
        self, token: str, fragment_ids: Iterable[str] | None = None, *, erase: Literal[True]
    ) -> ErasureReceipt: ...

    @overload
    async def acknowledge(
        self, token: str, fragment_ids: Iterable[str] | None = None, *, erase: Literal[False] = False
    ) -> int: ...

    async def acknowledge(
        self, token: str, fragment_ids: Iterable[str] | None = None, *, erase: bool = False
    ) -> int | ErasureReceipt:
        """Remove all or some leased fragments once they are consolidated, and return their number. Raises LeaseLost.

        ``erase`` erases what is removed, also from past events, and returns the receipt.
        """
        return await self._channel.run(calls.acknowledge_fragments(self._agent_id, token, fragment_ids, erase=erase))

    async def release(self, token: str, fragment_ids: Iterable[str] | None = None) -> int:
        """Release all or some leased fragments to the next consumer, and return their number. Raises LeaseLost."""
        return await self._channel.run(calls.release_fragments(self._agent_id, token, fragment_ids))

    def on_flush(
        self,
        handler: Callable[[FragmentList], Any],
        *,
        limit: int = DEFAULT_LIMIT,
        lease: timedelta | float = DEFAULT_LEASE,
    ) -> Consumer:
        """Deliver flushed fragments to ``handler``, at most ``limit`` at a time, while the block runs.

        ``async with agent.fragments.on_flush(consolidate): ...``. The handler, async or not, runs in a task of its own.
        Any number of consumers share the fragments among them.
        """
        consumption = Consumption(self._agent_id, limit, seconds_of(lease))
        return Consumer(self._channel, consumption, handler)
