"""The store port: agents as records and revisions, and the journal of what was committed.

A store knows no kinds of memory. It keeps, for each agent, a head and a set of records. Agents are spread over a fixed
number of shards, each with one journal whose rows have ascending positions without holes. ``commit`` writes an agent's
records and its shard's journal as one unit.
"""

import asyncio
import heapq
import operator
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

import msgspec

from memoryd_server.domain.limit import PAGE_BYTES_MAX, REMOVAL_BYTES_MAX
from memoryd_server.domain.values.agent_pattern import ALL_AGENTS, AgentPatterns
from memoryd_server.domain.values.list_order import ListOrder
from memoryd_server.ports.instrument import Histogram
from memoryd_server.ports.room import Room


class Record(msgspec.Struct, frozen=True, gc=False):
    """One stored object of an agent. ``data`` begins with its schema version; the store does not read it."""

    kind: str
    key: str
    data: bytes


class RecordKey(msgspec.Struct, frozen=True):
    """The key of a record within its agent."""

    kind: str
    key: str


class CommitPoint(NamedTuple):
    """The identity of a commit: its position in its shard's journal, and a nonce.

    The nonce is chosen by the daemon that commits. It reveals that a store went back in time: then a position that the
    daemon knows holds a commit with another nonce.
    """

    position: int
    nonce: int


NEVER = CommitPoint(0, 0)
"""The point of an agent without any commit."""


class Tally(NamedTuple):
    """Numbers of records that are of interest over all agents. Those that have expired count until they are removed."""

    entries: int = 0
    scopes: int = 0
    fragments: int = 0
    memories: int = 0

    def plus(self, other: "Tally") -> "Tally":
        """Return the sums."""
        return Tally(*map(operator.add, self, other))


NO_RECORDS = Tally()


class AgentHead(msgspec.Struct, frozen=True):
    """A summary of an agent that can be read without loading it. Times are nanoseconds since the Unix epoch.

    ``record_count`` is the number of its records, so that a missing one is detected. ``next_deadline`` is not later
    than the first expiry among them; None if none expires. An ``ended`` agent has no records. Its head is kept while
    the journal has rows of it, so that its revisions continue if it is created again. ``tally`` has the numbers of some
    of its records.
    """

    agent_id: str
    revision: int
    create_time: int
    update_time: int
    record_count: int = 0
    next_deadline: int | None = None
    ended: bool = False
    tally: Tally = NO_RECORDS


class ListedAgent(NamedTuple):
    """An agent in a listing, and the one of its records that the listing reads; None if the agent does not have it."""

    head: AgentHead
    record: Record | None = None


AgentPlace = tuple[int, str]
"""The place of an agent in an order: its time by which it is ordered, 0 in the order of ids, and its id."""


class TimeRange(NamedTuple):
    """Times from ``start`` on and before ``end``, in nanoseconds since the Unix epoch. None is no bound."""

    start: int | None = None
    end: int | None = None

    def has(self, time: int) -> bool:
        """Return True if a time is within the range."""
        return (self.start is None or self.start <= time) and (self.end is None or time < self.end)


class AgentQuery(msgspec.Struct, frozen=True):
    """A listing of at most ``limit`` agents that have not ended and match ``agents``, after ``after`` in the order.

    ``after`` is a place as ``place_of`` returns it. ``record`` is a record to read of each agent. Ids are in the order
    of their bytes in UTF-8.
    """

    limit: int
    agents: AgentPatterns = ALL_AGENTS
    order: ListOrder = ListOrder.ID
    after: AgentPlace | None = None
    create_times: TimeRange = TimeRange()
    update_times: TimeRange = TimeRange()
    record: RecordKey | None = None

    def selects(self, head: AgentHead) -> bool:
        """Return True if the query is about this agent, apart from ``after`` and ``limit``."""
        return (
            not head.ended
            and self.agents.matches(head.agent_id)
            and self.create_times.has(head.create_time)
            and self.update_times.has(head.update_time)
        )

    def place_of(self, head: AgentHead) -> AgentPlace:
        """Return the agent's place in the order."""
        times = {ListOrder.CREATE_TIME: head.create_time, ListOrder.UPDATE_TIME: head.update_time}
        return times.get(self.order.ascending, 0), head.agent_id

    def is_after(self, head: AgentHead) -> bool:
        """Return True if the agent comes after ``after``."""
        if self.after is None:
            return True
        place, after = _by_bytes(self.place_of(head)), _by_bytes(self.after)
        return place < after if self.order.is_descending else place > after

    def page_of(self, heads: Iterable[AgentHead]) -> list[AgentHead]:
        """Return those of the agents that the query lists. Only as many are kept as it lists at most."""
        listed = (head for head in heads if self.selects(head) and self.is_after(head))
        choose = heapq.nlargest if self.order.is_descending else heapq.nsmallest
        return choose(self.limit, listed, key=lambda head: _by_bytes(self.place_of(head)))


def _by_bytes(place: AgentPlace) -> tuple[int, bytes]:
    time, agent_id = place
    return time, agent_id.encode()


class Commit(msgspec.Struct, frozen=True):
    """One atomic change of one agent: all of it is stored, or nothing.

    ``head.revision`` equals ``expected_revision`` if the records change without an event. If ``journal`` is None, no
    row is written. That is so for access counts, unless the store is shared: other daemons must learn of the change.
    If ``drop_records`` is true, all records are removed before ``puts`` are written. A key is in at most one of
    ``puts`` and ``deletes``. Only shared stores use ``expected_point``, the point of the agent's previous commit, and
    ``nonce``, that of this one.
    """

    head: AgentHead
    expected_revision: int
    puts: tuple[Record, ...] = ()
    deletes: tuple[RecordKey, ...] = ()
    journal: bytes | None = None
    drop_records: bool = False
    expected_point: CommitPoint = NEVER
    nonce: int = 0

    @property
    def is_removal(self) -> bool:
        """True if the commit deletes records, and writes little besides. A full store carries it out nevertheless."""
        written = sum(len(record.data) for record in self.puts)
        return self.drop_records or (bool(self.deletes) and written <= REMOVAL_BYTES_MAX * len(self.deletes))


class JournalRow(msgspec.Struct, frozen=True):
    """One commit in the journal: the revisions after ``base_revision`` up to ``revision``, encoded in ``data``.

    In a shared store, ``position`` and ``nonce`` are the row's own point, and ``base_point`` is the point of the
    agent's previous commit.
    """

    position: int
    agent_id: str
    base_revision: int
    revision: int
    commit_time: int
    data: bytes
    shard: int = 0
    nonce: int = 0
    base_point: CommitPoint = NEVER

    @property
    def point(self) -> CommitPoint:
        """The identity of the commit."""
        return CommitPoint(self.position, self.nonce)


class JournalPage(msgspec.Struct, frozen=True):
    """Rows in order of position. No selected row up to ``end_position`` is missing, so the next page begins there.

    If ``complete`` is true, ``end_position`` was the end of the journal when it was read. For a page in the reverse
    order, see ``Store.read_journal_back``.
    """

    rows: tuple[JournalRow, ...]
    end_position: int
    complete: bool


class _HasData(Protocol):
    @property
    def data(self) -> bytes: ...


R = TypeVar("R", bound=_HasData)


def fitting_rows(rows: Iterable[R]) -> tuple[list[R], bool]:
    """Return the first rows, which fit into a page, and True if more follow."""
    fitting: list[R] = []
    size_bytes = 0
    for row in rows:
        if size_bytes >= PAGE_BYTES_MAX:
            return fitting, True
        fitting.append(row)
        size_bytes += len(row.data)
    return fitting, False


class FollowingRows(list[JournalRow]):
    """Rows after points of several shards, in order within each shard.

    If ``complete`` is true, they are all rows that existed when they were read.
    """

    def __init__(self, rows: Iterable[JournalRow] = (), *, complete: bool = True) -> None:
        super().__init__(rows)
        self.complete = complete


class StoredAgent(msgspec.Struct, frozen=True):
    """One agent with all its records, at one revision. In a shared store, ``point`` is that of its last commit."""

    head: AgentHead
    records: tuple[Record, ...]
    point: CommitPoint = NEVER


class RevisionConflict(Exception):  # noqa: N818 - the engine's cue to catch up, not an error of the store
    """The agent is not at the revision or point that the commit expects: another writer committed first.

    If ``is_certain`` is true, the commit was not carried out. It is false if a shared store had to send the commit
    again: then the first attempt may have been carried out, followed by other commits.
    """

    def __init__(self, agent_id: str, *, is_certain: bool = True) -> None:
        super().__init__(f"agent {agent_id!r} was changed by another writer")
        self.agent_id = agent_id
        self.is_certain = is_certain


class JournalCompacted(Exception):  # noqa: N818 - an expected outcome, not an error of the store
    """The requested rows are no longer retained.

    ``oldest_revision`` is set if the request was for one agent. ``shards`` are those whose rows were removed, if the
    request was for several shards.
    """

    def __init__(self, oldest_revision: int | None = None, *, shards: Collection[int] = ()) -> None:
        super().__init__("the journal was compacted")
        self.oldest_revision = oldest_revision
        self.shards = shards


class Sharing(Protocol):
    """The additional methods of a store that several daemons share. They raise what the methods of ``Store`` raise.

    Each daemon has its own clock. The store alone decides the order of commits, and which one is the last.
    """

    shard_groups: Sequence[Sequence[int]]
    """All shards, in groups: one call of ``await_rows`` waits for shards of one group. Set by ``open``."""

    def changed(self, agent_id: str, known: CommitPoint, *, settle: bool = False) -> asyncio.Future[bool]:
        """Return a future of True if the agent's last commit is not the known one.

        Every commit that ended before this call is taken into account. Concurrent calls are batched. With ``settle``,
        the future completes once the agent's last commit and those before it are as durable as ``commit`` promises.
        """

    async def rows_since(self, agent_id: str, known: CommitPoint) -> list[JournalRow] | None:
        """Return all rows of the agent after a known commit, oldest first; None if too many, or no longer retained.

        Raises HistoryLost if the known commit is missing although later ones are retained.
        """

    async def await_rows(self, after: Mapping[int, CommitPoint], wait_s: float) -> FollowingRows:
        """Return the rows after these points of shards of one group, waiting at most ``wait_s`` for the first one.

        The result is empty if there was none when the wait ended. Raises HistoryLost if the next row of a shard does
        not follow the commit at its point, and JournalCompacted, which names the shards, if the next row is no longer
        retained.
        """

    async def nonce_at(self, shard: int, position: int) -> int | None:
        """Return the nonce of the row at a position; None if the row is no longer retained, or does not exist yet."""

    async def journal_points(self, shards: Collection[int]) -> dict[int, CommitPoint]:
        """Return the points of the last rows of these shards."""

    async def unavailable_shards(self, wait_s: float) -> list[int]:
        """Return the shards that do not respond within this time, or belong to another store. Raises nothing."""

    async def duties(self) -> Collection[int]:
        """Return the shards that this daemon maintains.

        Soon after daemons start or stop, each shard has a daemon again. While the store does not respond, several
        daemons may maintain a shard, which does no harm. Raises nothing.
        """

    async def is_restoring(self) -> bool:
        """Return True if a restore into the store has begun and not ended. Daemons refuse to open it then."""

    async def note_restoring(self, is_restoring: bool) -> None:
        """Note durably that a restore into the store begins, or that it has ended."""

    async def daemon_count(self) -> int:
        """Return the number of daemons that use the store: those that recently called ``duties``.

        A killed daemon may count for some seconds. A process that never calls ``duties`` is not counted.
        """


class Store(Protocol):
    """The storage of agents and of the journals of their commits.

    Every method may raise ``domain.error``'s StoreUnavailable (the store does not respond), StorageFull (no space;
    nothing was written), DataDamaged (the data cannot be trusted; a method never returns a part of it) and HistoryLost
    (the store went back in time). A missing agent is None.
    """

    backend: str
    """The backend's name in GetServerInfo."""

    store_id: str
    """The identity of the data, not of the process: positions are valid only together with it. Set by ``open``."""

    shard_count: int
    """The number of shards, counted from 0. Set by ``open``; constant for the life of the data."""

    sharing: Sharing | None
    """None for a store that only one daemon uses. It never changes, and may be used once the store is open."""

    room: Room | None = None
    """The account of the room for more data; None for a store without one. It may be used once the store is open."""

    def hasten(self) -> None:
        """Note that calls reach the engine in microseconds, so that a store need not wait long to gather commits.

        To be called before ``open``. A store that gathers none does nothing.
        """
        return

    def measure(self, transactions: Histogram) -> None:
        """Observe the duration of each transaction, in seconds, with its fsync if that is waited for.

        To be called before ``open``. A store that has none of its own does nothing.
        """
        return

    async def open(self) -> None:
        """Open the store, and create what is missing. Raises SchemaTooNew for data of a newer version."""

    async def close(self) -> None:
        """Finish the submitted commits, make them as durable as possible, and close. No call may follow.

        Commits that a shared store does not acknowledge within some seconds are abandoned.
        """

    def shard_of(self, agent_id: str) -> int:
        """Return the shard of an agent, which is constant for the life of the data."""

    def commit(self, commit: Commit) -> asyncio.Future[int]:
        """Submit one commit. The future's result is its journal position, once it is as durable as the store promises.

        The commits of an agent are carried out in the order in which they were submitted. The result of a commit
        without a journal row is the last position. The future raises RevisionConflict if the agent is not at
        ``expected_revision`` (0 for an agent that never existed), or, in a shared store, its last commit is not at
        ``expected_point``. Other commits are not affected.
        """

    async def load_head(self, agent_id: str) -> AgentHead | None:
        """Return an agent's head, even if the agent has ended."""

    async def load(self, agent_id: str) -> StoredAgent | None:
        """Return an agent with all its records. An ended agent has none."""

    async def list_agents(self, query: AgentQuery) -> list[ListedAgent]:
        """Return the agents that the query lists, in its order."""

    async def due_agents(self, now: int, limit: int, shards: Collection[int] | None = None) -> list[str]:
        """Return the agents of these shards, or of all, with a ``next_deadline`` up to ``now``, the earliest first."""

    async def totals(self) -> Tally:
        """Return the sum of the tallies of all agents. It is cheap enough to be asked for every few seconds."""

    def scan(self) -> AsyncGenerator[StoredAgent, None]:
        """Yield all agents that have not ended, each with all its records. Close it unless it was read to its end.

        All are as of one position, unless the store is shared: then each is at the revision at which it was read.
        """

    async def journal_end(self, shard: int = 0) -> int:
        """Return the position of the last row; 0 before the first one."""

    async def journal_start(self, shard: int = 0) -> int:
        """Return the position of the oldest retained row; of the next row if none is retained."""

    async def read_journal(
        self, after: int, limit: int, agent_ids: Collection[str] | None = None, shard: int = 0
    ) -> JournalPage:
        """Return at most ``limit`` rows after a position, of the given agents or of all; fewer if they are large.

        A page ends with the row that reaches PAGE_BYTES_MAX: ``fitting_rows`` says so for any rows.

        Raises JournalCompacted if a row after the position, of any agent, was pruned.
        """

    async def read_journal_back(
        self, before: int, limit: int, agent_ids: Collection[str] | None = None, shard: int = 0
    ) -> JournalPage:
        """Return at most ``limit`` retained rows before a position, the newest first, of the given agents or of all.

        Large rows make the page shorter, as in ``read_journal``.

        No selected row from ``end_position`` on is missing, so the next page ends before it. If ``complete`` is true,
        no earlier row is retained. If it is false, the next page may still be empty and complete.
        """

    async def recent_journal(self, agent_id: str, since_time: int, limit: int) -> list[JournalRow]:
        """Return those of an agent's last ``limit`` rows that were committed since ``since_time``, oldest first."""

    async def locate(self, agent_id: str, revision: int) -> int:
        """Return the position just before the agent's first row with a later revision; the end if there is none.

        Raises JournalCompacted, with the oldest retained revision, if revisions after this one were pruned.
        """

    async def prune_journal(self, rows_max: int, since_time: int, shards: Collection[int] | None = None) -> int:
        """Delete old rows of these shards, or of all. Return their number.

        Deleted are the rows before the last ``rows_max`` ones of all shards together (each keeps an equal part, rounded
        up), and those committed before ``since_time``. No row is deleted before an older one. The head of an ended
        agent is deleted together with its last row.
        """

    async def rewrite_journal(self, agent_id: str, rows: Mapping[int, bytes]) -> int:
        """Replace the ``data`` of an agent's rows, by position, and erase the old data. Return the number replaced.

        The other fields of a row stay. Positions that are no longer retained, or not this agent's, are skipped. The
        rows of a call are replaced atomically, and other calls wait meanwhile: pass about a dozen at a time. A call may
        be repeated.

        Once it returns, the change is as durable as ``commit`` promises. The store's own files then contain neither the
        old data of these rows nor records that earlier commits deleted or replaced, as far as the store controls this.
        A call without rows erases only such records. Raises StoreUnavailable also if a reader prevents the store from
        erasing: the rows are replaced then, and a later call completes the erasure.
        """


class AgentLister(Protocol):
    """The part of a store, or of the source of a migration, that lists agents."""

    async def list_agents(self, query: AgentQuery) -> list[ListedAgent]:
        """Return the agents that the query lists, in its order."""


async def all_agents(lister: AgentLister, query: AgentQuery) -> AsyncIterator[ListedAgent]:
    """Yield all agents that a query selects, reading at most ``limit`` at a time."""
    while page := await lister.list_agents(query):
        for each in page:
            yield each
        query = msgspec.structs.replace(query, after=query.place_of(page[-1].head))
