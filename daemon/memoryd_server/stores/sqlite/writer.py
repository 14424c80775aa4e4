"""The thread that writes: what waits is taken as one group, and one transaction makes all of it durable."""

import asyncio
import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from memoryd_server.domain.error import DataDamaged, Refusal, StoreUnavailable
from memoryd_server.ports.store import Commit, RevisionConflict
from memoryd_server.stores.sqlite.agent_query import heads_of
from memoryd_server.stores.sqlite.durability import Durability
from memoryd_server.stores.sqlite.failure import refusal_of
from memoryd_server.stores.sqlite.group import ForeignWriter, Group
from memoryd_server.stores.sqlite.limit import GATHER_S, GROUP_BYTES_MAX, GROUP_COMMITS_MAX, HEADS_KNOWN_MAX
from memoryd_server.stores.sqlite.opening import Opened
from memoryd_server.stores.sqlite.prune import prune_chunk
from memoryd_server.stores.sqlite.rewrite import rewrite_rows
from memoryd_server.stores.sqlite.row import StoredHead, Tail
from memoryd_server.stores.sqlite.schema import connect_writer, load_tail

log = logging.getLogger("memoryd.sqlite")


class Submission(NamedTuple):
    """A commit that waits, and where its position is told."""

    commit: Commit
    future: asyncio.Future[int]


class Pruning(NamedTuple):
    """A wish to prune one chunk, and where the number of rows is told. See ``Store.prune_journal``."""

    rows_max: int
    since_time: int
    future: asyncio.Future[int]


class Rewriting(NamedTuple):
    """A wish to replace what an agent's rows tell, and where the number of rows is told."""

    agent_id: str
    rows: Mapping[int, bytes]
    future: asyncio.Future[int]


class Folding(NamedTuple):
    """A wish to cut the log, and where it is told whether it was: 1 or 0."""

    future: asyncio.Future[int]


class _Stop(NamedTuple):
    """The last thing in the queue."""


Upkeep = Pruning | Rewriting | Folding
Work = Submission | Upkeep | _Stop
Outcome = tuple[asyncio.Future[int], int | Exception]


class Writer:
    """Owns the connection that writes, from ``start`` to ``stop``.

    The queue is as long as its submitters let it be: the engine has one commit of an agent on its way.
    """

    def __init__(self, database: Path, durability: Durability, opened: Opened, loop: asyncio.AbstractEventLoop) -> None:
        self._database = database
        self._durability = durability
        self._connection, self._tail, self._mark, self._log_file = opened
        self._loop = loop
        self._queue: queue.SimpleQueue[Work] = queue.SimpleQueue()
        self._known: dict[str, StoredHead] = {}
        self._broken = False
        self._many_write = False
        self._thread = threading.Thread(target=self._run, name="memoryd-store-writer", daemon=True)

    def start(self) -> None:
        """Begin to take work."""
        self._thread.start()

    def submit(self, work: Submission | Upkeep) -> None:
        """Put work at the end of the queue. Its future is resolved in the event loop, whatever happens."""
        self._queue.put(work)

    def stop(self) -> None:
        """Finish what waits, fold the log into the main file and let go. Blocks until that is done."""
        self._queue.put(_Stop())
        self._thread.join()

    def _run(self) -> None:
        work: Work | None = None
        while not isinstance(work, _Stop):
            work = self._wait()
            if isinstance(work, Submission):
                if self._many_write:
                    time.sleep(GATHER_S)
                batch, work = self._batch(work)
                self._many_write = sum(_revisions(submission.commit) for submission in batch) > 1
                self._answer(self._commit(batch))
            if isinstance(work, Upkeep):
                self._answer([(work.future, self._keep_up(work))])
            self._keep_house(idle=work is None)
        self._close()

    def _wait(self) -> Work | None:
        try:
            return self._queue.get(timeout=self._log_file.rest_seconds(time.monotonic()))
        except queue.Empty:
            return None

    def _batch(self, first: Submission) -> tuple[list[Submission], Work | None]:
        """The commits that wait, within bounds, and the other work that came after them."""
        batch = [first]
        size = _size(first.commit)
        while size < GROUP_BYTES_MAX and len(batch) < GROUP_COMMITS_MAX and self._queue.qsize():
            work = self._queue.get()
            if not isinstance(work, Submission):
                return batch, work
            batch.append(work)
            size += _size(work.commit)
        return batch, None

    def _commit(self, batch: list[Submission]) -> list[Outcome]:
        try:
            return self._commit_group(batch)
        except Exception as error:  # noqa: BLE001 - whatever it was, each future has to be told
            refusal = self._failed(error)
            return [(submission.future, refusal) for submission in batch]

    def _commit_group(self, batch: list[Submission]) -> list[Outcome]:
        self._recover()
        self._learn({submission.commit.head.agent_id for submission in batch})
        group = Group(self._tail, self._known)
        outcomes: list[Outcome] = []
        for commit, future in batch:
            try:
                outcomes.append((future, group.add(commit)))
            except (RevisionConflict, ValueError) as refused:
                outcomes.append((future, refused))
        if not group.empty:
            group.write(self._connection)
            self._known.update(group.heads)
            self._moved(group.tail, group.pages_max)
        return outcomes

    def _learn(self, agent_ids: set[str]) -> None:
        if len(self._known) + len(agent_ids) > HEADS_KNOWN_MAX:
            self._known = {agent_id: self._known[agent_id] for agent_id in agent_ids & self._known.keys()}
        # Not `agent_ids - self._known.keys()`, which goes through all that is known.
        unknown = {agent_id for agent_id in agent_ids if agent_id not in self._known}
        if unknown:
            self._known.update(heads_of(self._connection, unknown))

    def _keep_up(self, work: Upkeep) -> int | Exception:
        try:
            self._recover()
            match work:
                case Pruning():
                    return self._prune(work)
                case Rewriting():
                    return self._rewrite(work)
                case Folding():
                    return self._log_file.fold(self._connection, self._tail.generation)
        except Exception as error:  # noqa: BLE001 - whatever it was, the future has to be told
            return self._failed(error)

    def _prune(self, pruning: Pruning) -> int:
        pruned = prune_chunk(self._connection, self._tail, pruning.rows_max, pruning.since_time)
        for agent_id in pruned.agent_ids:
            self._known.pop(agent_id, None)
        self._moved(pruned.tail, pruned.rows)
        return pruned.rows

    def _rewrite(self, rewriting: Rewriting) -> int:
        rewritten = rewrite_rows(self._connection, self._tail, rewriting.agent_id, rewriting.rows)
        self._moved(rewritten.tail, rewritten.pages_max)
        return rewritten.rows

    def _moved(self, tail: Tail, pages_max: int) -> None:
        """Take note of a transaction, if there was one."""
        if tail != self._tail:
            self._tail = tail
            self._mark.acknowledge(tail.generation, synced=self._durability is Durability.SYNCED)
            self._log_file.grew(pages_max, time.monotonic())

    def _answer(self, outcomes: Sequence[Outcome]) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(_resolve, outcomes)

    def _failed(self, error: Exception) -> Exception:
        """What to tell for an error. A COMMIT that failed may have been written: all that is known is read again."""
        self._broken = True
        self._known.clear()
        with suppress(sqlite3.Error):
            self._connection.rollback()
        if isinstance(error, ForeignWriter):
            log.error("another process wrote to %s", self._database.name)
            return StoreUnavailable()
        if isinstance(error, sqlite3.Error | OSError):
            refusal = refusal_of(error, self._database)
            log.error("a write failed with %s: %s", refusal.reason, error)
            return refusal
        if not isinstance(error, Refusal):
            log.error("a write failed", exc_info=error)
        return error

    def _recover(self) -> None:
        """After a failure, go on from what the file says, with a new connection."""
        if not self._broken:
            return
        # The old connection is let go later: were it the last one, the shared index would have to be made anew.
        connection = connect_writer(self._database, synced=self._durability is Durability.SYNCED)
        try:
            tail = load_tail(connection)
            if tail.generation < self._tail.generation:
                raise DataDamaged("the database lost what was acknowledged")
            self._log_file.rescue(connection)
        except BaseException:
            connection.close()
            raise
        self._connection.close()
        self._connection, self._tail = connection, tail
        self._broken = False

    def _keep_house(self, *, idle: bool) -> None:
        try:
            self._log_file.keep(self._connection, self._tail.generation, time.monotonic(), idle=idle)
        except (sqlite3.Error, OSError) as error:
            self._failed(error)

    def _close(self) -> None:
        try:
            self._log_file.fold(self._connection, self._tail.generation)
        except (sqlite3.Error, OSError) as error:
            log.warning("the log stays beside the database: %s", error)
        self._connection.close()
        self._mark.close()


def _revisions(commit: Commit) -> int:
    return commit.head.revision - commit.expected_revision


def _size(commit: Commit) -> int:
    return len(commit.journal or b"") + sum(len(record.data) for record in commit.puts)


def _resolve(outcomes: Sequence[Outcome]) -> None:
    for future, outcome in outcomes:
        if future.done():
            continue
        if isinstance(outcome, int):
            future.set_result(outcome)
        else:
            future.set_exception(outcome)
