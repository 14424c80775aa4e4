"""The entries of an agent's root scope or of another scope, and the scopes below it."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Any, Literal, TypeVar, Unpack, overload

from memoryd.aio.channel import Channel
from memoryd.aio.runtime import Factory
from memoryd.aio.watch import Watch
from memoryd.errors import MemorydError, RecordNotFound
from memoryd.model.entry import Entry, Stored
from memoryd.model.erasure import ErasureReceipt
from memoryd.model.event import EventFilter
from memoryd.model.listing import ListOrder
from memoryd.model.moment import seconds_of
from memoryd.model.scope import ScopeInfo
from memoryd.protocol import entry as entry_calls
from memoryd.protocol import scope as scope_calls
from memoryd.protocol.batch import Batch
from memoryd.protocol.consistency import ReadOptions, reading
from memoryd.protocol.entry import Listing, Place
from memoryd.protocol.event import WatchOptions, watch_request
from memoryd.protocol.keyword import checks_keywords
from memoryd.protocol.option import Condition, EntryOptions, SetOptions
from memoryd.protocol.record_filter import FilterOptions, UserOptions
from memoryd.protocol.reservation import DEFAULT_LEASE, Reservation, get_or_set
from memoryd.protocol.scope import DEFAULT_IDLE_TTL, Conflict, keep_scope
from memoryd.protocol.update import update

T = TypeVar("T")
D = TypeVar("D")


@checks_keywords
class WorkingMemory:
    """Entries by key: those of an agent's root scope, or of another scope. Reads in a scope fall back to its parents up
    to the root, unless they are ``local_only``. Writes stay in the scope itself.

    Every method raises CallFailed when the daemon refuses or cannot be reached, and ScopeDisposed after the scope's
    end. Keys are 1 to 1,024 bytes of UTF-8, not blank, without control characters.
    """

    def __init__(self, channel: Channel, place: Place) -> None:
        self._channel = channel
        self._place = place

    @property
    def agent_id(self) -> str:
        """The agent's id."""
        return self._place.agent_id

    @property
    def scope_id(self) -> str:
        """The scope's id; empty for the agent's root scope."""
        return self._place.scope_id

    async def set(self, key: str, value: Any, **options: Unpack[SetOptions]) -> Stored:
        """Store a JSON value, and overwrite the existing one.

        Raises UnsupportedValue, TooLarge, QuotaExceeded, and RecordExists or RevisionMismatch when its condition is
        not met.
        """
        return await self._channel.run(entry_calls.store_entry(self._place, key, value, options))

    @overload
    async def get(
        self, key: str, default: Any = None, *, local_only: bool = False, **options: Unpack[ReadOptions]
    ) -> Any: ...
    @overload
    async def get(
        self, key: str, default: None = None, *, type: type[T], local_only: bool = False, **options: Unpack[ReadOptions]
    ) -> T | None: ...
    @overload
    async def get(
        self, key: str, default: D, *, type: type[T], local_only: bool = False, **options: Unpack[ReadOptions]
    ) -> T | D: ...
    async def get(
        self,
        key: str,
        default: Any = None,
        *,
        type: type[Any] | None = None,  # noqa: A002 - the word that a reader expects
        local_only: bool = False,
        **options: Unpack[ReadOptions],
    ) -> Any:
        """Return the value, or the default if there is none. Raises WrongType for a value of another type.

        ``type`` is a type of JSON's values, or one whose values ``set`` takes: a dataclass, a TypedDict, an attrs
        class, a pydantic model, ``list[Plan]``, datetime, UUID, an enum, or one of ``memoryd.register_type``.
        """
        get = entry_calls.get_value(self._place, key, default, type, local_only=local_only)
        return await self._channel.run(reading(get, options))

    async def get_entry(self, key: str, *, local_only: bool = False, **options: Unpack[ReadOptions]) -> Entry | None:
        """Return the whole entry, or None if there is none."""
        return await self._channel.run(reading(entry_calls.get_entry(self._place, key, local_only=local_only), options))

    async def get_many(
        self, keys: Iterable[str], *, local_only: bool = False, **options: Unpack[ReadOptions]
    ) -> dict[str, Any]:
        """Return the values of up to 1,000 keys, all at one revision. Keys without a value are left out."""
        entries = await self.get_entries(keys, local_only=local_only, **options)
        return {key: found.value for key, found in entries.items()}

    async def get_entries(
        self, keys: Iterable[str], *, local_only: bool = False, **options: Unpack[ReadOptions]
    ) -> dict[str, Entry]:
        """Return the entries of up to 1,000 keys, all at one revision. Keys without an entry are left out."""
        return await self._channel.run(reading(entry_calls.get_many(self._place, keys, local_only=local_only), options))

    @overload  # memoryd.aio only
    async def get_or_set(
        self,
        key: str,
        factory: Callable[[], Awaitable[T]],
        *,
        type: type[T] | None = None,
        local_only: bool = False,
        lease: timedelta | float = DEFAULT_LEASE,
        wait: timedelta | float | None = None,
        **options: Unpack[EntryOptions],
    ) -> T: ...
    @overload  # memoryd.aio only
    async def get_or_set(
        self,
        key: str,
        factory: Callable[[], T],
        *,
        type: type[T] | None = None,
        local_only: bool = False,
        lease: timedelta | float = DEFAULT_LEASE,
        wait: timedelta | float | None = None,
        **options: Unpack[EntryOptions],
    ) -> T: ...
    async def get_or_set(
        self,
        key: str,
        factory: Factory[T],
        *,
        type: type[T] | None = None,  # noqa: A002 - the word that a reader expects
        local_only: bool = False,
        lease: timedelta | float = DEFAULT_LEASE,
        wait: timedelta | float | None = None,
        **options: Unpack[EntryOptions],
    ) -> T:
        """Return the value. If there is none, call the factory, async or not, and store the value that it returns.

        Of all callers in all processes, one runs its factory and the others wait for the value: up to ``wait`` seconds,
        after which DeadlineExceeded is raised, or without limit if None. The ``lease`` of the caller that runs its
        factory (100 ms to 10 minutes) is renewed meanwhile; if its process dies, another caller takes over when the
        lease expires. An error of the factory is raised here, and the next caller takes over at once.
        """
        limit = None if wait is None else seconds_of(wait)
        reservation = Reservation(self._place, key, local_only, seconds_of(lease), limit)
        value: T = await self._channel.perform(get_or_set(reservation, type, options, time.monotonic), factory)
        return value

    async def setdefault(
        self, key: str, value: Any, *, local_only: bool = False, **options: Unpack[EntryOptions]
    ) -> Any:
        """Store the value unless there is one, in one atomic step, and return the stored value."""
        return await self._channel.run(entry_calls.set_default(self._place, key, value, options, local_only=local_only))

    async def update(
        self,
        key: str,
        change: Callable[[Any], Any],
        default: Any = None,
        *,
        type: type[Any] | None = None,  # noqa: A002 - the word that a reader expects
        **options: Unpack[EntryOptions],
    ) -> Any:
        """Replace the scope's own value by ``change(value)``, and return the new value. No concurrent update is lost.

        ``change`` receives the default if there is no value, and else the value, of the ``type`` if one is given. It
        runs again when another writer was faster. The entry keeps its expiry, type, importance, tags, metadata, user
        and type name, except those that are given: ``expire_time=None`` ends its expiry. Raises WrongType.
        """
        return await self._channel.perform(update(self._place, key, change, default, type, options))

    async def contains(self, key: str, *, local_only: bool = False, **options: Unpack[ReadOptions]) -> bool:
        """Return whether there is an entry, without reading it."""
        return await self._channel.run(
            reading(entry_calls.contains_entry(self._place, key, local_only=local_only), options)
        )

    @overload
    async def remove(
        self, key: str, *, must_exist: bool = False, expected_revision: int | None = None, erase: Literal[True]
    ) -> ErasureReceipt: ...

    @overload
    async def remove(
        self, key: str, *, must_exist: bool = False, expected_revision: int | None = None, erase: Literal[False] = False
    ) -> bool: ...

    async def remove(
        self, key: str, *, must_exist: bool = False, expected_revision: int | None = None, erase: bool = False
    ) -> bool | ErasureReceipt:
        """Remove the scope's own entry, and return whether there was one. The parent's entry becomes visible again.

        Raises RecordNotFound or RevisionMismatch if the condition on the entry is not met.

        ``erase`` erases what is removed, also from past events, and returns the receipt.
        """
        return await self._channel.run(
            entry_calls.remove_entry(
                self._place, key, must_exist=must_exist, expected_revision=expected_revision, erase=erase
            )
        )

    def entries(
        self,
        *,
        inherited: bool = False,
        key_prefix: str = "",
        entry_types: Iterable[str] | None = None,
        content: bool = True,
        order: ListOrder | str = ListOrder.ID,
        **filters: Unpack[FilterOptions],
    ) -> AsyncIterator[Entry]:
        """Yield the scope's own entries, by default in the order of their keys, page by page, all at one revision.

        ``inherited`` also yields the entries that a read would find in its parents. The filters combine.
        ``content=False`` leaves out values, type names, tags and metadata. Raises PageTokenExpired when the reader
        takes too long.
        """
        listing = Listing(inherited, key_prefix, entry_types, content, order, filters)
        return self._channel.pages(reading(entry_calls.list_entries(self._place, listing), filters))

    def keys(
        self, *, inherited: bool = False, key_prefix: str = "", **filters: Unpack[FilterOptions]
    ) -> AsyncIterator[str]:
        """Yield the scope's own keys in their order, as ``entries`` does."""
        listing = Listing(inherited, key_prefix, content=False, filters=filters)
        return self._channel.pages(reading(entry_calls.list_keys(self._place, listing), filters))

    async def count(self, *, inherited: bool = False, key_prefix: str = "", **filters: Unpack[FilterOptions]) -> int:
        """Return the number of the entries that ``entries`` yields, without those of scopes below it."""
        listing = Listing(inherited, key_prefix, content=False, filters=filters)
        return await self._channel.run(reading(entry_calls.count_entries(self._place, listing), filters))

    @overload
    async def clear(
        self, *, must_exist: bool = False, expected_revision: int | None = None, erase: Literal[True]
    ) -> ErasureReceipt: ...

    @overload
    async def clear(
        self, *, must_exist: bool = False, expected_revision: int | None = None, erase: Literal[False] = False
    ) -> int: ...

    async def clear(
        self, *, must_exist: bool = False, expected_revision: int | None = None, erase: bool = False
    ) -> int | ErasureReceipt:
        """Remove the scope's own entries, and return their number. Scopes below keep theirs.

        Raises AgentNotFound or RevisionMismatch if the condition on the agent is not met.

        ``erase`` erases what is removed, also from past events, and returns the receipt.
        """
        return await self._channel.run(
            entry_calls.clear_entries(
                self._place, must_exist=must_exist, expected_revision=expected_revision, erase=erase
            )
        )

    @asynccontextmanager
    async def batch(self, *, erase: bool = False) -> AsyncIterator[Batch]:
        """Collect sets and removes in the block, and send them as one atomic change at its end.

        An exception in the block sends nothing. ``batch.result`` has the result after the block. ``erase`` erases what
        is removed, also from past events.
        """
        batch = Batch(self._place, erase=erase)
        yield batch
        if (pending := batch.pending()) is not None:
            batch.result = await self._channel.run(pending)

    async def create_scope(
        self,
        name: str,
        *,
        user_id: str = "",
        idle_ttl: timedelta | float | None = None,
        **condition: Unpack[Condition],
    ) -> "Scope":
        """Create a scope below this one, which lasts until ``dispose``. Names need not be unique.

        The daemon disposes it as well when neither it nor a scope below it was used for ``idle_ttl`` (at least 1 s), so
        that none is left over from a process that died. Every read and write uses it, and ``info`` does.
        ``user_id`` is the user that the scope is about, empty for none. The condition is about the active scope of this
        name directly below this one: ``must_not_exist`` raises RecordExists if there is one. Raises QuotaExceeded.
        """
        info = await self._channel.run(scope_calls.create_scope(self._place, name, user_id, condition, idle_ttl))
        return Scope(self._channel, Place(self.agent_id, info.scope_id))

    @asynccontextmanager
    async def scope(
        self,
        name: str,
        *,
        merge: Conflict | None = None,
        user_id: str = "",
        idle_ttl: timedelta | float = DEFAULT_IDLE_TTL,
        **condition: Unpack[Condition],
    ) -> AsyncIterator["Scope"]:
        """Create a scope below this one for the block, and dispose it with its entries at the end.

        It is kept while the block runs. If the process dies, the daemon disposes it after ``idle_ttl``, by default 10
        minutes.
        ``merge`` copies its entries to this scope in the same step if the block ends without an exception: "overwrite"
        replaces values of the same key, "keep_parent" keeps them. If the merge is refused, the scope remains, so that
        nothing is lost. ``user_id`` and the condition are those of ``create_scope``.
        """
        scope = await self.create_scope(name, user_id=user_id, idle_ttl=idle_ttl, **condition)
        try:
            async with self._channel.renewing(keep_scope(scope._place, idle_ttl)):
                yield scope
        except BaseException:
            with suppress(MemorydError):
                await scope.dispose()
            raise
        if merge is None:
            await scope.dispose()
        else:
            await scope.merge(merge)

    def _watch(self, chosen: EventFilter, options: WatchOptions) -> Watch:
        return Watch(self._channel, watch_request([chosen], options), options)


@checks_keywords
class Scope(WorkingMemory):
    """A nested container of entries. Once it is disposed, access to its entries raises ScopeDisposed."""

    async def info(self, **options: Unpack[ReadOptions]) -> ScopeInfo:
        """Return the scope's name, parent, number of own entries and whether it is disposed. Raises RecordNotFound."""
        return await self._channel.run(reading(scope_calls.get_scope(self._place), options))

    def scopes(self, **options: Unpack[UserOptions]) -> AsyncIterator[ScopeInfo]:
        """Yield the active scopes directly under this one."""
        return self._channel.pages(reading(scope_calls.list_scopes(self.agent_id, self.scope_id, options), options))

    async def merge(
        self,
        conflict: Conflict = "overwrite",
        *,
        dispose: bool = True,
        must_exist: bool = False,
        expected_revision: int | None = None,
    ) -> int:
        """Copy the scope's own entries to its parent, dispose the scope, and return the number of entries copied.

        ``dispose=False`` only copies, and keeps the scope. Raises AgentNotFound or RevisionMismatch if the condition on
        the agent is not met.
        """
        return await self._channel.run(
            scope_calls.merge_scope(
                self._place, conflict, dispose=dispose, must_exist=must_exist, expected_revision=expected_revision
            )
        )

    @overload
    async def dispose(
        self, *, must_exist: bool = False, expected_revision: int | None = None, erase: Literal[True]
    ) -> ErasureReceipt: ...

    @overload
    async def dispose(
        self, *, must_exist: bool = False, expected_revision: int | None = None, erase: Literal[False] = False
    ) -> int: ...

    async def dispose(
        self, *, must_exist: bool = False, expected_revision: int | None = None, erase: bool = False
    ) -> int | ErasureReceipt:
        """Dispose the scope and those below it with all their entries, and return the number of entries.

        For a scope that has already ended, by itself or with its agent, this does nothing but log a warning. Raises
        AgentNotFound or RevisionMismatch if the condition on the agent is not met.

        ``erase`` erases what is removed, also from past events, and returns the receipt.
        """
        try:
            return await self._channel.run(
                scope_calls.dispose_scope(
                    self._place, must_exist=must_exist, expected_revision=expected_revision, erase=erase
                )
            )
        except RecordNotFound:
            if erase:
                raise
            # The daemon remembers a disposed scope for a limited time, and none of an ended agent.
            scope_calls.warn_of_end(self._place)
            return 0

    def watch(
        self,
        *,
        include_descendants: bool = True,
        key_prefix: str = "",
        event_types: Collection[str] | None = None,
        **options: Unpack[WatchOptions],
    ) -> Watch:
        """Watch the scope and those below it."""
        chosen = EventFilter((self.agent_id,), (self.scope_id,), include_descendants, key_prefix, event_types)
        return self._watch(chosen, options)
