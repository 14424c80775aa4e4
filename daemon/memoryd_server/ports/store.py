"""The store port: agents as records and revisions, and the journal of what was committed.

A store knows no kinds of memory. It keeps, for each agent, a head and a set of records, and for all agents one journal
whose rows have ascending positions without holes. ``commit`` writes both as one unit.
"""

import asyncio
from collections.abc import AsyncGenerator, Collection
from typing import Protocol

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

    ``head.revision`` is ``expected_revision`` when the records change without an event (access counts); then
    ``journal`` is None and no row is written. ``drop_records`` removes all records before ``puts`` are written. A key
    is in at most one of ``puts`` and ``deletes``.
    """

    head: AgentHead
    expected_revision: int
    puts: tuple[Record, ...] = ()
    deletes: tuple[RecordKey, ...] = ()
    journal: bytes | None = None
    drop_records: bool = False


class JournalRow(msgspec.Struct, frozen=True):
    """What one commit told: the revisions after ``base_revision`` up to ``revision``, encoded in ``data``."""

    position: int
    agent_id: str
    base_revision: int
    revision: int
    commit_time: int
    data: bytes


class JournalPage(msgspec.Struct, frozen=True):
    """Rows in order of position. ``end_position`` is how far they reach: nothing that was asked for lies between.

    ``complete`` is whether ``end_position`` was the end of the journal when it was read.
    """

    rows: tuple[JournalRow, ...]
    end_position: int
    complete: bool


class StoredAgent(msgspec.Struct, frozen=True):
    """One agent whole, at one revision."""

    head: AgentHead
    records: tuple[Record, ...]


class RevisionConflict(Exception):  # noqa: N818 - the engine's cue to reload, not an error of the store
    """The agent is not at the commit's expected revision: another writer was faster. ``actual`` is where it is."""

    def __init__(self, agent_id: str, actual: int) -> None:
        super().__init__(f"agent {agent_id!r} is at revision {actual}")
        self.agent_id = agent_id
        self.actual = actual


class JournalCompacted(Exception):  # noqa: N818 - an answer
    """The rows that were asked for are no longer retained. ``oldest_revision`` is set when one agent was asked for."""

    def __init__(self, oldest_revision: int | None = None) -> None:
        super().__init__("the journal was compacted")
        self.oldest_revision = oldest_revision


class Store(Protocol):
    """Where agents are kept.

    Every method may raise ``domain.error``'s StoreUnavailable (it does not answer), StorageFull (no room; nothing was
    written) and DataDamaged (what is there cannot be trusted; never a shortened answer). A missing agent is None.
    """

    backend: str
    """The backend's name, as GetServerInfo answers it."""

    store_id: str
    """Identifies the data, not the process: positions have a meaning only together with it. Set by ``open``."""

    async def open(self) -> None:
        """Make ready, creating what is missing. Raises SchemaTooNew for data of a newer version."""

    async def close(self) -> None:
        """Finish what was submitted, make it as durable as it gets, and let go. Further calls are not allowed."""

    def commit(self, commit: Commit) -> asyncio.Future[int]:
        """Submit one unit; the future's result is its journal position once it is as durable as the store promises.

        Submitted commits are carried out in order. The result of a commit without a journal row is the last position.
        The future raises RevisionConflict when the agent (0 when it never was) is not at ``expected_revision``; other
        commits are not touched by that.
        """

    async def load_head(self, agent_id: str) -> AgentHead | None:
        """An agent's head, ended or not."""

    async def load(self, agent_id: str) -> StoredAgent | None:
        """An agent whole. An ended agent has no records."""

    async def list_agents(self, prefix: str, after_agent_id: str, limit: int) -> list[AgentHead]:
        """The heads of agents that have not ended, in order of the UTF-8 bytes of their ids."""

    async def due_agents(self, now: int, limit: int) -> list[str]:
        """Agents whose ``next_deadline`` is not after ``now``, the earliest first."""

    def scan(self) -> AsyncGenerator[StoredAgent, None]:
        """All agents that have not ended, each whole, all as of one position; close it unless you read to its end."""

    async def journal_end(self) -> int:
        """The position of the last row; 0 before the first one."""

    async def journal_start(self) -> int:
        """The position of the oldest row that is retained; of the next row when there is none."""

    async def read_journal(self, after: int, limit: int, agent_ids: Collection[str] | None = None) -> JournalPage:
        """At most ``limit`` rows after a position, of the given agents or of all.

        Raises JournalCompacted when a row after the position, of whichever agent, was pruned.
        """

    async def recent_journal(self, agent_id: str, since_time: int, limit: int) -> list[JournalRow]:
        """Of an agent's last ``limit`` rows those that were committed at ``since_time`` or later, oldest first."""

    async def locate(self, agent_id: str, revision: int) -> int:
        """The position just before the agent's first row that tells of a later revision; the end when there is none.

        Raises JournalCompacted, with the oldest revision that is retained, when revisions after this one were pruned.
        """

    async def prune_journal(self, rows_max: int, since_time: int) -> int:
        """Drop rows before the last ``rows_max`` ones and rows committed before ``since_time``; answers how many.

        Only from the front: no row goes before an older one. Heads of ended agents go with their last row.
        """
