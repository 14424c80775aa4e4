"""A live copy of an agent's working memory and notes in this process: reads without a call."""

import logging
import time
from collections.abc import Iterable
from types import TracebackType
from typing import Any, Self, TypeVar, overload

from memoryd.aio.channel import Channel, Seen
from memoryd.aio.notes import Notes
from memoryd.aio.runtime import Flag, Monitor, Worker, pause
from memoryd.aio.watch import Watch
from memoryd.aio.working_memory import WorkingMemory
from memoryd.errors import CacheFull, CallFailed, MemorydError, RecordNotFound, StaleRead
from memoryd.model.entry import Entry
from memoryd.model.event import WatchPhase
from memoryd.model.note import Note
from memoryd.protocol.entry import Place, value_of
from memoryd.protocol.mirror import ROOT, Mirror, MirroredEntry
from memoryd.protocol.near_cache import (
    BEGINNING,
    SEEN_S_MAX,
    UNKNOWN,
    Mark,
    agent_revision,
    begins_again,
    latest,
    mark_at,
    mark_of,
    near_cache_request,
)
from memoryd.protocol.near_option import NearCacheSettings, WhenStale
from memoryd.protocol.retry import backoff
from memoryd.protocol.scope import get_scope
from memoryd.protocol.watch import DELAY_S_MAX
from memoryd.v1.event_service_pb2 import WatchEventsRequest

log = logging.getLogger("memoryd")

T = TypeVar("T")
D = TypeVar("D")
_NEVER = float("-inf")
_NotHeld = KeyError
"""Raised by the mirror, too, for a scope that it does not have."""


class _Copy:
    """The mirror of an agent, kept current in the background.

    ``fresh_until`` is the time until which the mirror is known to have all changes that it has to have.
    """

    def __init__(self, channel: Channel, agent_id: str, settings: NearCacheSettings) -> None:
        self.channel = channel
        self.agent_id = agent_id
        self.settings = settings
        self.monitor: Monitor = Monitor()
        self.mirror: Mirror = Mirror(settings.bytes_max)
        self.fresh_until: float = _NEVER
        self.failure: MemorydError | None = None
        self._stop = Flag()
        self._watch: Watch | None = None
        self._workers: list[Worker] = []
        # The last write of this client that a wait for the mirror gave up on, and when.
        self._owed: tuple[Mark, float] | None = None
        self._fresh_at = _NEVER
        self._is_entered = False

    @property
    def staleness(self) -> float:
        """The number of seconds within which the last changes may be missing; infinity if that is not known."""
        return time.monotonic() - self._fresh_at

    async def open(self) -> None:
        """Wait until the mirror has the agent's state. Raises CallFailed, CacheFull."""
        request = near_cache_request(self.agent_id, await self._lookup_path(), self.settings)
        # Before the initial state is read: a write that it does not have may return meanwhile.
        self.channel.enter_near(self.agent_id, self.expect)
        self._is_entered = True
        self._workers.append(Worker(lambda: self._follow(request), "memoryd-near-cache"))
        await self.monitor.wait(lambda: self.mirror.is_complete or self.failure is not None, None)
        if self.failure is not None:
            raise self.failure
        self._workers.append(Worker(self._prove, "memoryd-near-cache-probe"))

    async def close(self) -> None:
        """End the copy. Reads then ask the daemon."""
        if self._is_entered:
            self._is_entered = False
            self.channel.exit_near(self.agent_id, self.expect)
        self._stop.set()
        if self._watch is not None:
            await self._watch.close()
        workers, self._workers = self._workers, []
        for worker in workers:
            await worker.join()
        with self.monitor:
            self._fresh_at = self.fresh_until = _NEVER
            self.mirror = Mirror(self.settings.bytes_max)

    def expect(self, is_late: bool) -> Seen:
        """Return a function that waits until the mirror has the revision that a write returns which begins now.

        ``is_late`` is True for a write that began before there was this copy.
        """
        before = BEGINNING if is_late else mark_at(self.mirror)

        async def seen(revision: int | None) -> None:
            mark = UNKNOWN if revision is None else mark_of(revision, before)
            is_seen = False
            try:
                is_seen = revision == 0 or await self._reach(mark, 0.0 if revision is None else SEEN_S_MAX)
            finally:
                if not is_seen:
                    with self.monitor:
                        owed = mark if self._owed is None else latest(mark, self._owed[0])
                        self._owed = owed, time.monotonic()
                        self._set_fresh_until()

        return seen

    async def _lookup_path(self) -> list[str]:
        """Return the scope of the cache, its ancestors and the root; nothing if the cache is of the whole agent."""
        if not self.settings.scope_id:
            return []
        path = [self.settings.scope_id]
        while path[-1] != ROOT:
            info = await self.channel.run(get_scope(Place(self.agent_id, path[-1])))
            path.append(info.parent_scope_id)
        return path

    async def _follow(self, request: WatchEventsRequest) -> None:
        failures = 0
        while not self._is_over():
            began, mirror = time.monotonic(), Mirror(self.settings.bytes_max)
            self._watch = watch = Watch(self.channel, request, {"outage_max": None})
            if self._is_over():
                # It ended between the two: ``close`` has not seen this watch.
                return
            try:
                async for message in watch.messages():
                    if message.phase is WatchPhase.RESTARTED:
                        began, mirror = time.monotonic(), Mirror(self.settings.bytes_max)
                        continue
                    with self.monitor:
                        mirror.apply(message)
                        if mirror.is_complete and mirror is not self.mirror:
                            self._replace(mirror, began)
                            failures = 0
                        self._settle()
                        self.monitor.changed()
            except (CallFailed, CacheFull) as error:
                if not self._may_go_on(error):
                    self._fail(error)
                    return
                log.info("near cache of %r loads again: %s", self.agent_id, error)
            finally:
                await watch.close()
            failures += 1
            await pause(backoff(failures, delay_max=DELAY_S_MAX), self._stop)

    async def _prove(self) -> None:
        """Find out again and again how current the mirror is: it was current when a call began that it has caught up
        with.
        """
        while not await pause(self.settings.probe_interval, self._stop):
            if not self.settings.is_bounded and self._owed is None:
                continue
            began, before = time.monotonic(), mark_at(self.mirror)
            try:
                mark = mark_of(await self.channel.run(agent_revision(self.agent_id), self._stop), before)
            except MemorydError as error:
                log.debug("near cache of %r: %s", self.agent_id, error)
                continue
            if await self._reach(mark, self.settings.probe_interval):
                with self.monitor:
                    self._note_current(began)

    async def _reach(self, mark: Mark, seconds: float) -> bool:
        """Wait until the mirror has reached a mark. There is no use in waiting for a mirror that has ended."""
        await self.monitor.wait(lambda: self.failure is not None or mark.is_reached(self.mirror), seconds)
        return mark.is_reached(self.mirror)

    def _note_current(self, began: float) -> None:
        """Note that the mirror has all that was committed before a time."""
        # What was owed before then is in the mirror, or was lost by the daemon.
        if self._owed is not None and self._owed[1] < began:
            self._owed = None
        self._fresh_at = max(self._fresh_at, began)
        self._set_fresh_until()

    def _replace(self, mirror: Mirror, began: float) -> None:
        """Use a mirror whose watch has begun at a time."""
        mirror.lives += self.mirror.lives + 1
        self.mirror = mirror
        self._note_current(began)

    def _settle(self) -> None:
        if self._owed is not None and self._owed[0].is_reached(self.mirror):
            self._owed = None
            self._set_fresh_until()

    def _set_fresh_until(self) -> None:
        self.fresh_until = _NEVER if self._owed is not None else self._fresh_at + self.settings.staleness_max

    def is_stale(self) -> bool:
        """Return True if a read has to ask the daemon. Raises StaleRead if stale reads are to be refused."""
        return time.monotonic() > self.fresh_until and self.must_ask()

    def must_ask(self) -> bool:
        """Return True if a read has to ask the daemon, now that the mirror may be stale. Raises as ``is_stale``."""
        if self.settings.when_stale is WhenStale.REFUSE:
            limit = self.settings.staleness_max
            raise StaleRead(f"the near cache of {self.agent_id!r} may be older than {limit:g} s") from self.failure
        # A write of this client is never missing, however stale the reads may be.
        return self.settings.when_stale is WhenStale.ASK or self._owed is not None or not self.mirror.is_complete

    def _may_go_on(self, error: MemorydError) -> bool:
        if self._is_over():
            return True
        return isinstance(error, CallFailed) and self.mirror.is_complete and begins_again(error)

    def _fail(self, error: MemorydError) -> None:
        log.warning("near cache of %r ended: %s", self.agent_id, error)
        with self.monitor:
            self.failure = error
            if isinstance(error, CacheFull):
                # Its memory is what the caller wanted to bound.
                self.mirror = Mirror(self.settings.bytes_max)
                self._fresh_at = self.fresh_until = _NEVER
            self.monitor.changed()

    def _is_over(self) -> bool:
        return self._stop.is_set() or self.channel.closed


class NearMemory:
    """Entries of an agent's root scope, or of another scope, in a near cache. Reads fall back to the scope's parents.

    Reads return what those of ``WorkingMemory`` do, without a call while the cache is current enough. They do not count
    as uses of an entry or of a scope.
    """

    def __init__(self, copy: _Copy, channel: Channel, place: Place) -> None:
        self._copy = copy
        self._channel = channel
        self._scope_id = place.scope_id
        self._key_prefix = copy.settings.key_prefix
        self._memory = WorkingMemory(channel, place)

    @overload
    async def get(self, key: str, default: Any = None, *, local_only: bool = False) -> Any: ...
    @overload
    async def get(self, key: str, default: None = None, *, type: type[T], local_only: bool = False) -> T | None: ...
    @overload
    async def get(self, key: str, default: D, *, type: type[T], local_only: bool = False) -> T | D: ...
    async def get(
        self,
        key: str,
        default: Any = None,
        *,
        type: type[Any] | None = None,  # noqa: A002 - the word that a reader expects
        local_only: bool = False,
    ) -> Any:
        """Return the value, or the default if there is none. Raises StaleRead, WrongType."""
        try:
            found = self._find(key, local_only=local_only)
        except _NotHeld:
            daemon: Any = self._memory
            return await daemon.get(key, default, type=type, local_only=local_only)
        if found is None:
            return default
        return found.value if type is None else value_of(found.entry, type)

    async def get_entry(self, key: str, *, local_only: bool = False) -> Entry | None:
        """Return the whole entry, without its counts of reads, or None if there is none. Raises StaleRead."""
        try:
            found = self._find(key, local_only=local_only)
        except _NotHeld:
            return await self._memory.get_entry(key, local_only=local_only)
        return None if found is None else found.entry

    async def get_many(self, keys: Iterable[str], *, local_only: bool = False) -> dict[str, Any]:
        """Return the values of keys, all at one revision. Keys without a value are left out. Raises StaleRead."""
        return {key: entry.value for key, entry in (await self.get_entries(keys, local_only=local_only)).items()}

    async def get_entries(self, keys: Iterable[str], *, local_only: bool = False) -> dict[str, Entry]:
        """Return the entries of keys, all at one revision. Keys without an entry are left out. Raises StaleRead."""
        wanted = list(keys)
        try:
            with self._copy.monitor:
                self._check_held(wanted)
                found = [(key, self._found(key, local_only=local_only)) for key in wanted]
        except _NotHeld:
            return await self._memory.get_entries(wanted, local_only=local_only)
        return {key: each.entry for key, each in found if each is not None}

    async def contains(self, key: str, *, local_only: bool = False) -> bool:
        """Return whether there is an entry. Raises StaleRead."""
        try:
            return self._find(key, local_only=local_only) is not None
        except _NotHeld:
            return await self._memory.contains(key, local_only=local_only)

    async def entries(self, *, key_prefix: str = "", inherited: bool = False) -> list[Entry]:
        """Return the scope's own entries in the order of their keys, or with those that it inherits.

        They are those of the bound user, or of no user. Raises StaleRead.
        """
        try:
            with self._copy.monitor:
                self._check_held([key_prefix])
                found = list(self._copy.mirror.entries(self._scope_id, key_prefix, inherited=inherited))
        except _NotHeld:
            return [each async for each in self._memory.entries(key_prefix=key_prefix, inherited=inherited)]
        selected = (entry for entry in found if entry.user_id == self._channel.user_id)
        return sorted(selected, key=lambda entry: entry.key)

    async def keys(self, *, key_prefix: str = "", inherited: bool = False) -> list[str]:
        """Return the keys of the entries that ``entries`` returns."""
        return [entry.key for entry in await self.entries(key_prefix=key_prefix, inherited=inherited)]

    def _find(self, key: str, *, local_only: bool) -> MirroredEntry | None:
        """Return what a look-up finds. Raises _NotHeld if the daemon is to be asked."""
        copy = self._copy
        with copy.monitor:
            if (time.monotonic() > copy.fresh_until and copy.must_ask()) or not key.startswith(self._key_prefix):
                raise _NotHeld
            return copy.mirror.find(self._scope_id, key, local_only=local_only)

    def _found(self, key: str, *, local_only: bool) -> MirroredEntry | None:
        return self._copy.mirror.find(self._scope_id, key, local_only=local_only)

    def _check_held(self, texts: Iterable[str]) -> None:
        """Raise _NotHeld if the daemon is to be asked about keys or prefixes of keys."""
        if self._copy.is_stale() or not all(each.startswith(self._key_prefix) for each in texts):
            raise _NotHeld


class NearCache(NearMemory):
    """A live copy of an agent's entries, scopes and notes in this process, by a watch with its initial state.

    ::

        async with agent.near_cache(max_staleness=2) as cache:
            await agent.set("mood", "good")
            await cache.get("mood")

    A read costs no call. It has every write of this client that has returned, and all other changes that were committed
    at least ``max_staleness`` before it. Where that is not certain, as while the daemon cannot be reached, it does what
    ``when_stale`` says. A restart of the daemon, and a watch that has lost its place, are recovered from by themselves.

    Expiry is checked at each read, by the clock of this process.
    """

    def __init__(self, channel: Channel, agent_id: str, settings: NearCacheSettings) -> None:
        super().__init__(_Copy(channel.whole, agent_id, settings), channel, Place(agent_id))
        self._notes = Notes(channel, agent_id)

    @property
    def revision(self) -> int:
        """The agent's revision up to which the cache has all changes."""
        return self._copy.mirror.revision

    @property
    def staleness(self) -> float:
        """The number of seconds within which the last changes may be missing; infinity once the cache is closed."""
        return self._copy.staleness

    @property
    def size_bytes(self) -> int:
        """The memory that the records take, roughly."""
        return self._copy.mirror.size_bytes

    def attach(self, scope_id: str) -> NearMemory:
        """Return the entries of an existing scope. One that the cache does not hold is read from the daemon."""
        return NearMemory(self._copy, self._channel, Place(self._copy.agent_id, scope_id))

    async def note(self, note_id: str) -> Note | None:
        """Return a note, or None if there is none. Raises StaleRead."""
        with self._copy.monitor:
            if self._copy.settings.notes and not self._copy.is_stale():
                return self._copy.mirror.notes.get(note_id)
        try:
            return await self._notes.get(note_id)
        except RecordNotFound:
            return None

    async def notes(self) -> list[Note]:
        """Return the notes of the bound user, or of no user, in the order of their creation. Raises StaleRead."""
        with self._copy.monitor:
            is_held = self._copy.settings.notes and not self._copy.is_stale()
            found = [each for each in self._copy.mirror.notes.values() if each.user_id == self._channel.user_id]
        if not is_held:
            return [each async for each in self._notes.list()]
        return sorted(found, key=lambda note: note.create_time)

    async def __aenter__(self) -> Self:
        try:
            await self._copy.open()
        except BaseException:
            await self._copy.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._copy.close()
