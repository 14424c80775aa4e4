"""The store port: agents as records and revisions, and the journal of what was committed.

A store knows no kinds of memory. It keeps, for each agent, a head and a set of records. Agents are spread over a fixed
number of shards, each with one journal whose rows have ascending positions without holes. ``commit`` writes an agent's
records and its shard's journal as one unit.
"""

import asyncio
from collections.abc import AsyncGenerator, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec


class Record(msgspec.Struct, frozen=True):
    """One thing that an agent's memory holds. ``data`` begins with its schema version; the store does not read it."""

    kind: str
    key: str
    data: bytes


class RecordKey(msgspec.Struct, frozen=True):
    """Names a record of an agent."""

    kind: str
    key: str


class CommitPoint(NamedTuple):
    """Names a commit: its position in its shard's journal, and what tells it from another that was there before.

    The nonce is chosen by whoever commits. It shows that a store went back in time: there is another commit where a
    known one was.
    """

    position: int
    nonce: int


NEVER = CommitPoint(0, 0)
"""The point of an agent that never was committed."""


class AgentHead(msgspec.Struct, frozen=True):
    """What is known of an agent without loading it. Times are nanoseconds since the Unix epoch.

    ``record_count`` is the number of its records, so that a missing one is noticed. ``next_deadline`` is not later than
    the first expiry among them; None when nothing expires. An ``ended`` agent has no records; its head is kept while
    the journal tells of it, so that its revisions go on when it begins anew.
    """

    agent_id: str
    revision: int
    create_time: int
    update_time: int
    record_count: int = 0
    next_deadline: int | None = None
    ended: bool = False


class Commit(msgspec.Struct, frozen=True):
    """One unit of change of one agent: all of it is stored, or nothing.

    ``head.revision`` is ``expected_revision`` when the records change without an event (access counts). Then
    ``journal`` is None and no row is written, unless the store is shared: others must learn what changed.
    ``drop_records`` removes all records before ``puts`` are written. A key is in at most one of ``puts`` and
    ``deletes``. ``expected_point`` and ``nonce`` have a meaning for shared stores only: the point of the agent's last
    commit, and the nonce of this one.
    """

    head: AgentHead
    expected_revision: int
    puts: tuple[Record, ...] = ()
    deletes: tuple[RecordKey, ...] = ()
    journal: bytes | None = None
    drop_records: bool = False
    expected_point: CommitPoint = NEVER
    nonce: int = 0


class JournalRow(msgspec.Struct, frozen=True):
    """What one commit told: the revisions after ``base_revision`` up to ``revision``, encoded in ``data``.

    In a shared store ``nonce`` completes the row's own point, and ``base_point`` is that of the agent's commit before.
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
        """What names the commit."""
        return CommitPoint(self.position, self.nonce)


class JournalPage(msgspec.Struct, frozen=True):
    """Rows in order of position. ``end_position`` is how far they reach: nothing that was asked for lies between.

    ``complete`` is whether ``end_position`` was the end of the journal when it was read.
    """

    rows: tuple[JournalRow, ...]
    end_position: int
    complete: bool


class FollowingRows(list[JournalRow]):
    """Rows after points of several shards, in order within each shard.

    ``complete`` is whether they are all that were there when they were read.
    """

    def __init__(self, rows: Iterable[JournalRow] = (), *, complete: bool = True) -> None:
        super().__init__(rows)
        self.complete = complete


class StoredAgent(msgspec.Struct, frozen=True):
    """One agent whole, at one revision. ``point`` is that of its last commit, in a shared store."""

    head: AgentHead
    records: tuple[Record, ...]
    point: CommitPoint = NEVER


class RevisionConflict(Exception):  # noqa: N818 - the engine's cue to catch up, not an error of the store
    """The agent is not where the commit expects it: another writer was faster.

    ``is_certain`` is whether the commit was surely not carried out. A shared store may have had to send it again, and
    cannot tell whether it came first and others after it.
    """

    def __init__(self, agent_id: str, *, is_certain: bool = True) -> None:
        super().__init__(f"agent {agent_id!r} is not where the commit expects it")
        self.agent_id = agent_id
        self.is_certain = is_certain


class JournalCompacted(Exception):  # noqa: N818 - an answer
    """The rows that were asked for are no longer retained.

    ``oldest_revision`` is set when one agent was asked for. ``shards`` are those whose rows are gone, when several were
    asked for.
    """

    def __init__(self, oldest_revision: int | None = None, *, shards: Collection[int] = ()) -> None:
        super().__init__("the journal was compacted")
        self.oldest_revision = oldest_revision
        self.shards = shards


class Sharing(Protocol):
    """What a store that several daemons share does beyond ``Store``. Its methods raise what those of ``Store`` raise.

    Time is each daemon's own. Order, and what is current, are the store's.
    """

    shard_groups: Sequence[Sequence[int]]
    """All shards, in groups that can be waited for together. Set by ``open``."""

    def changed(self, agent_id: str, known: CommitPoint, *, settle: bool = False) -> asyncio.Future[bool]:
        """Whether the agent's last commit, among all that ended before this call, is another than the known one.

        Many may be asked at a time; the store asks them together. With ``settle`` the answer comes once all that the
        agent's last commit and those before it wrote is as durable as what ``commit`` answers.
        """

    async def rows_since(self, agent_id: str, known: CommitPoint) -> list[JournalRow] | None:
        """All of the agent's rows after a known commit, oldest first; None when they are too many or not retained.

        Raises HistoryLost when the known commit is gone although what came after it is retained.
        """

    async def await_rows(self, after: Mapping[int, CommitPoint], wait_s: float) -> FollowingRows:
        """Rows after these points of shards of one group.

        Waits for them at most so long; none means that there was none when the wait ended. Raises HistoryLost when what
        follows a point in the journal does not follow that commit, and JournalCompacted, which names the shards, when
        what follows it is not retained.
        """

    async def nonce_at(self, shard: int, position: int) -> int | None:
        """The nonce of the row at a position; None when it is no longer retained, or not there yet."""

    async def journal_points(self, shards: Collection[int]) -> dict[int, CommitPoint]:
        """The points of the last rows of these shards."""

    async def unavailable_shards(self, wait_s: float) -> list[int]:
        """The shards that do not answer within this time, or not as this store. Raises nothing."""

    async def duties(self) -> Collection[int]:
        """The shards that this daemon maintains: each shard is somebody's soon after daemons come or go.

        Raises nothing. While the store does not tell, a shard may be several daemons', which does no harm.
        """

    async def daemon_count(self) -> int:
        """How many daemons are known to use the store: those that asked for ``duties`` lately.

        One that was killed may count for some seconds. One that never asked, such as this one, is not counted.
        """


class Store(Protocol):
    """Where agents are kept.

    Every method may raise ``domain.error``'s StoreUnavailable (it does not answer), StorageFull (no room; nothing was
    written), DataDamaged (what is there cannot be trusted; never a shortened answer) and HistoryLost (it went back in
    time). A missing agent is None.
    """

    backend: str
    """The backend's name, as GetServerInfo answers it."""

    store_id: str
    """Identifies the data, not the process: positions have a meaning only together with it. Set by ``open``."""

    shard_count: int
    """How many journals there are, from shard 0 on. Set by ``open``; the same for the life of the data."""

    sharing: Sharing | None
    """None for a store that one daemon has for itself. It never changes, and is of use once the store is open."""

    async def open(self) -> None:
        """Make ready, creating what is missing. Raises SchemaTooNew for data of a newer version."""

    async def close(self) -> None:
        """Finish what was submitted, make it as durable as it gets, and let go. Further calls are not allowed.

        What a shared store does not answer within some seconds is given up.
        """

    def shard_of(self, agent_id: str) -> int:
        """The shard of an agent: the same for the life of the data."""

    def commit(self, commit: Commit) -> asyncio.Future[int]:
        """Submit one unit; the future's result is its journal position once it is as durable as the store promises.

        Submitted commits of an agent are carried out in order. The result of a commit without a journal row is the last
        position. The future raises RevisionConflict when the agent (0 when it never was) is not at
        ``expected_revision``, or, in a shared store, its last commit is not at ``expected_point``; other commits are
        not touched by that.
        """

    async def load_head(self, agent_id: str) -> AgentHead | None:
        """An agent's head, ended or not."""

    async def load(self, agent_id: str) -> StoredAgent | None:
        """An agent whole. An ended agent has no records."""

    async def list_agents(self, prefix: str, after_agent_id: str, limit: int) -> list[AgentHead]:
        """The heads of agents that have not ended, in order of the UTF-8 bytes of their ids."""

    async def due_agents(self, now: int, limit: int, shards: Collection[int] | None = None) -> list[str]:
        """Agents of these shards, or of all, whose ``next_deadline`` is not after ``now``, the earliest first."""

    def scan(self) -> AsyncGenerator[StoredAgent, None]:
        """All agents that have not ended, each whole; close it unless you read to its end.

        All are as of one position, unless the store is shared: then each is at the revision at which it was read.
        """

    async def journal_end(self, shard: int = 0) -> int:
        """The position of the last row; 0 before the first one."""

    async def journal_start(self, shard: int = 0) -> int:
        """The position of the oldest row that is retained; of the next row when there is none."""

    async def read_journal(
        self, after: int, limit: int, agent_ids: Collection[str] | None = None, shard: int = 0
    ) -> JournalPage:
        """At most ``limit`` rows after a position, of the given agents or of all.

        Raises JournalCompacted when a row after the position, of whichever agent, was pruned.
        """

    async def recent_journal(self, agent_id: str, since_time: int, limit: int) -> list[JournalRow]:
        """Of an agent's last ``limit`` rows those that were committed at ``since_time`` or later, oldest first."""

    async def locate(self, agent_id: str, revision: int) -> int:
        """The position just before the agent's first row that tells of a later revision; the end when there is none.

        Raises JournalCompacted, with the oldest revision that is retained, when revisions after this one were pruned.
        """

    async def prune_journal(self, rows_max: int, since_time: int, shards: Collection[int] | None = None) -> int:
        """Drop rows of these shards, or of all; answers how many.

        Those before the last ``rows_max`` ones of all shards together (each keeps an equal part, rounded up), and those
        committed before ``since_time``. Only from the front: no row goes before an older one. Heads of ended agents go
        with their last row.
        """

    async def rewrite_journal(self, agent_id: str, rows: Mapping[int, bytes]) -> int:
        """Replace the ``data`` of an agent's rows, by position, for good; answers how many were replaced.

        All else that a row says stays. Those that are no longer retained, or not this agent's, are passed over. The
        rows of a call are replaced as one unit, and others wait meanwhile: give a dozen at a time. It may be repeated.

        Once it returns, this is as durable as what ``commit`` answers, and the store's own files hold neither what
        these rows told before nor what records held that earlier commits deleted or replaced, as far as the store can
        see to it: a call without rows sees to the records alone. Raises StoreUnavailable also when somebody who still
        reads keeps the store from letting go of it; the rows are replaced then, and a later call finishes.
        """
