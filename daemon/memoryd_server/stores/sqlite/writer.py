"""The thread that writes: it takes all queued commits as one group, and writes them in one transaction."""

import asyncio
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

import msgspec

from memoryd_server.domain.error import DataDamaged, Refusal, StorageFull, StoreUnavailable
from memoryd_server.ports.instrument import Histogram
from memoryd_server.ports.room import Room
from memoryd_server.ports.store import RevisionConflict
from memoryd_server.stores.sqlite.agent_query import load_heads
from memoryd_server.stores.sqlite.commits.ahead import ahead_of
from memoryd_server.stores.sqlite.commits.behind import behind_of
from memoryd_server.stores.sqlite.commits.group import PAGE_BYTES, Group
from memoryd_server.stores.sqlite.commits.large_commit import LargeCommit
from memoryd_server.stores.sqlite.commits.removal import FIRST, Removal, delete_step, find_removal, removal_of
from memoryd_server.stores.sqlite.commits.schedule import Schedule
from memoryd_server.stores.sqlite.commits.statement import ForeignWriter
from memoryd_server.stores.sqlite.commits.work import (
    Outcome,
    Pruning,
    Rewriting,
    Stop,
    Submission,
    Truncating,
    Upkeep,
    Work,
    resolve,
)
from memoryd_server.stores.sqlite.commits.work_queue import WorkQueue
from memoryd_server.stores.sqlite.durability import Durability
from memoryd_server.stores.sqlite.failure import has_log, refusal_of
from memoryd_server.stores.sqlite.limit import LOOK_S, PRUNED_BYTES_PER_STEP_MAX, REMOVAL_STEP_SHARE, STEP_PAGES_MAX
from memoryd_server.stores.sqlite.opening import Opened
from memoryd_server.stores.sqlite.prune import prune_chunk
from memoryd_server.stores.sqlite.reserve import Reserve
from memoryd_server.stores.sqlite.rewrite import rewrite_rows
from memoryd_server.stores.sqlite.row import StoredHead, Tail
from memoryd_server.stores.sqlite.schema import SCHEMA_VERSION, connect_writer, load_tail
from memoryd_server.stores.sqlite.writability import Writability

log = logging.getLogger("memoryd.sqlite")


class Writer:
    """The owner of the connection that writes, from ``start`` to ``stop``.

    The queue has no limit of its own. The engine bounds it by submitting one commit of an agent at a time.
    """

    def __init__(
        self,
        database: Path,
        durability: Durability,
        opened: Opened,
        loop: asyncio.AbstractEventLoop,
        room: Room,
        transactions: Histogram | None = None,
        *,
        is_hasty: bool,
    ) -> None:
        self._database = database
        self._durability = durability
        self._connection, self._tail, self._mark, self._log_file = opened
        self._loop = loop
        self._queue: WorkQueue[Work] = WorkQueue()
        self._schedule = Schedule(self._queue, is_hasty=is_hasty)
        self._submitted: list[Work] = []
        self._known: dict[str, StoredHead] = {}
        self._removal = find_removal(self._connection)
        self._under_way: LargeCommit | None = None
        self._broken = False
        self._writability = Writability(loop, room)
        self._reserve = Reserve(database.parent)
        self._transactions = transactions
        self._thread = threading.Thread(target=self._run, name="memoryd-store-writer", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def submit(self, work: Submission | Upkeep) -> None:
        """Put work at the end of the queue. Its future is always completed, in the event loop.

        The thread sees it once the loop has served what else it can serve in this turn: the thread would take the lock
        of the interpreter from the loop, and begin a group without what the loop was about to submit.
        """
        if not self._submitted:
            self._loop.call_soon(self._pass_on)
        self._submitted.append(work)

    def stop(self) -> None:
        """Finish the queued work, copy the log into the main file, and close. Blocks until that is done."""
        self._queue.put([*self._submitted, Stop()])
        self._submitted = []
        self._thread.join()

    def _pass_on(self) -> None:
        self._queue.put(self._submitted)
        self._submitted = []

    def _run(self) -> None:
        work: Work | None = None
        self._look_for_room()
        while not isinstance(work, Stop):
            if not self._log_file.is_behind and self._schedule.is_large_turn():
                outcomes, work = self._advance_large(), None
                self._complete(outcomes)
                is_large = bool(outcomes)
            else:
                batch, work = self._schedule.next_group(self._rest_seconds)
                if batch:
                    self._complete(self._commit(batch))
                elif work is None and self._writability.is_failing:
                    self._try_write()
                is_large = False
            if work is not None:
                self._commit_large()
            if isinstance(work, Upkeep):
                self._complete([(work.future, self._carry_out(work))])
            if self._writability.is_full and work is None:
                self._look_for_room()
            if self._queue.is_empty or not is_large:
                # Copying the log after a large commit may take as long again.
                self._maintain_log(idle=work is None and not self._schedule.large)
        self._close()

    def _commit_large(self) -> None:
        """Write the large commits that wait: work of other kinds comes after what was submitted before it."""
        while self._schedule.large:
            self._complete(self._advance_large())

    def _advance_large(self) -> list[Outcome]:
        """Carry out the next step of the first large commit. Return its outcome once that was the last one."""
        if self._under_way is None:
            self._under_way = self._begun(self._schedule.large[0])
        large = self._under_way
        try:
            if (step := large.next_step) is not None:
                self._log_file.ensure_room(self._reserve, STEP_PAGES_MAX)
                self._acknowledge(*step.carry_out(self._connection, self._tail))
                return []
        except Exception as error:  # noqa: BLE001 - the commit is written whole instead, or refused then
            self._failed(error)
        if large.outcomes is None:
            large.outcomes = self._commit_between(large)
            if large.next_step is not None:
                return []
        self._schedule.large.popleft()
        self._under_way = None
        return large.outcomes

    def _begun(self, submission: Submission) -> LargeCommit:
        """Return a large commit with the steps that can be taken before and after it."""
        commit = submission.commit
        try:
            self._recover()
            self._finish_removal()
            load_heads(self._connection, self._known, {commit.head.agent_id})
            known = self._known.get(commit.head.agent_id)
            if known is not None and known.head.revision == commit.expected_revision and not self._writability.is_full:
                ahead = ahead_of(self._connection, known.agent_key, commit)
                return LargeCommit(submission, ahead, behind_of(self._connection, known.agent_key, commit))
        except Exception as error:  # noqa: BLE001 - the commit is written whole instead, or refused then
            self._failed(error)
        return LargeCommit(submission)

    def _commit_between(self, large: LargeCommit) -> list[Outcome]:
        """Write what is left of a large commit between the steps before and after it."""
        ahead, behind, submission = large.ahead, large.behind, large.submission
        if ahead is None and behind is None:
            return self._commit([submission])
        commit = submission.commit
        puts, deletes = ahead.rest if ahead else commit.puts, behind.rest if behind else commit.deletes
        rest = msgspec.structs.replace(commit, puts=puts, deletes=deletes)
        begun = None if behind is None else behind.removal
        ended = None if ahead is None else ahead.removal
        try:
            outcomes = self._commit_group([Submission(rest, submission.future)], begun=begun, ended=ended)
        except Exception as error:  # noqa: BLE001 - the future must be completed, whatever failed
            if isinstance(refusal := self._failed(error), StorageFull):
                return self._commit_with_room([submission])
            return [(submission.future, refusal)]
        if not isinstance(outcomes[0][1], int):
            large.behind = None
            self._removal = ended
        return outcomes

    def _rest_seconds(self) -> float | None:
        """Return the maximum time until the writer has to do something by itself; None if there is nothing."""
        rest_s = self._log_file.rest_seconds(time.monotonic())
        if self._writability.is_full or self._writability.is_failing:
            return LOOK_S if rest_s is None else min(rest_s, LOOK_S)
        return rest_s

    def _commit(self, batch: list[Submission]) -> list[Outcome]:
        if self._writability.is_full and not self._look_for_room():
            return self._commit_removals(batch)
        try:
            return self._commit_group(batch)
        except Exception as error:  # noqa: BLE001 - every future must be completed, whatever failed
            refusal = self._failed(error)
            if isinstance(refusal, StorageFull):
                return self._commit_with_room(batch)
            if isinstance(refusal, DataDamaged) and len(batch) > 1:
                return self._commit_each(batch, refusal)
            return [(submission.future, refusal) for submission in batch]

    def _commit_each(self, batch: list[Submission], refusal: Refusal) -> list[Outcome]:
        """Commit these one by one, so that one agent's damaged rows refuse no commit of another agent."""
        if not self._is_as_before():
            return [(each.future, refusal) for each in batch]
        return [outcome for each in batch for outcome in self._commit([each])]

    def _commit_with_room(self, batch: list[Submission]) -> list[Outcome]:
        """Commit these again if emptying the log makes room for them; otherwise only the removals among them."""
        if not self._is_as_before():
            return [(each.future, StorageFull()) for each in batch]
        self._make_room()
        if self._look_for_room():
            try:
                return self._commit_group(batch)
            except Exception as error:  # noqa: BLE001 - every future must be completed, whatever failed
                refusal = self._failed(error)
                if not isinstance(refusal, StorageFull):
                    return [(each.future, refusal) for each in batch]
        return self._commit_removals(batch)

    def _is_as_before(self) -> bool:
        """Recover from a failure. Return False if the COMMIT that failed was carried out, or may have been."""
        generation = self._tail.generation
        with suppress(sqlite3.Error, OSError, Refusal):
            self._recover()
        return not self._broken and self._tail.generation == generation

    def _commit_removals(self, batch: list[Submission]) -> list[Outcome]:
        """Commit the removals among these in the space of the reserve, and refuse the others."""
        removals = [submission for submission in batch if submission.commit.is_removal]
        outcomes: list[Outcome] = [(each.future, StorageFull()) for each in batch if each not in removals]
        if not removals:
            return outcomes
        committed = self._commit_in_reserve(removals, self._commit_group)
        if any(isinstance(outcome, StorageFull) for _, outcome in committed):
            committed = [each for one in removals for each in self._commit_in_reserve([one], self._commit_in_steps)]
        return outcomes + committed

    def _commit_in_reserve(
        self, removals: list[Submission], commit: Callable[[list[Submission]], list[Outcome]]
    ) -> list[Outcome]:
        generation = self._tail.generation
        try:
            self._recover()
            if self._tail.generation != generation:
                # The COMMIT that failed was carried out: it is not known which of these it contained.
                return [(each.future, StorageFull()) for each in removals]
            with self._reserve_released():
                return commit(removals)
        except Exception as error:  # noqa: BLE001 - every future must be completed, whatever failed
            refusal = self._failed(error)
            return [(each.future, refusal) for each in removals]

    def _commit_in_steps(self, removals: list[Submission]) -> list[Outcome]:
        """Commit one removal that exceeds the reserve: once its rows are named, it is committed."""
        ((commit, future),) = removals
        agent_id = commit.head.agent_id
        load_heads(self._connection, self._known, {agent_id})
        known = self._known.get(agent_id)
        if known is None:
            raise StorageFull
        removal = removal_of(self._connection, known.agent_key, commit)
        head_only = msgspec.structs.replace(commit, deletes=(), drop_records=False)
        outcomes = self._commit_group([Submission(head_only, future)], begun=removal)
        if isinstance(outcomes[0][1], int):
            self._removal = removal
            with suppress(Refusal):  # the next write goes on with it
                self._finish_removal()
        return outcomes

    def _finish_removal(self) -> None:
        """Delete the rows of a removal that is committed already, in steps. Raises Refusal."""
        try:
            place: tuple[str, str] | None = FIRST
            while self._removal is not None and place is not None:
                pages_max = self._reserve.pages // REMOVAL_STEP_SHARE
                self._log_file.ensure_room(self._reserve, pages_max)
                step = delete_step(self._connection, self._tail, self._removal, place, pages_max)
                self._acknowledge(step.tail, step.pages_max)
                self._log_file.truncate(self._tail.generation)
                place = step.last
            self._removal = None
        except Exception as error:
            raise self._failed(error) from error

    @contextmanager
    def _reserve_released(self) -> Iterator[None]:
        """Let the reserve go during a with block. The log is emptied before and after it, to get its space back.

        To empty the log takes space, too: the main file grows by what is new.
        """
        self._reserve.release(self._connection)
        try:
            self._empty_log()
            yield
        finally:
            with suppress(sqlite3.Error, OSError):
                self._connection.rollback()
                self._empty_log()
                self._reserve.hold(self._connection)

    def _make_room(self) -> None:
        """Empty the log, in the space of the reserve if there is no other."""
        if not self._empty_log():
            with suppress(sqlite3.Error, OSError), self._reserve_released():
                pass

    def _empty_log(self) -> bool:
        """Empty the log, unless it is read. Return False if there is no space for that."""
        try:
            self._log_file.truncate(self._tail.generation)
        except (sqlite3.Error, OSError):
            return False
        return True

    def _look_for_room(self) -> bool:
        """Return whether there is room for more than removals, and note a change of that."""
        try:
            self._recover()
            if self._writability.is_full:
                self._make_room()
            if self._removal is not None:
                with self._reserve_released():
                    self._finish_removal()
            has_room = self._reserve.hold(self._connection)
            self._log_file.limit(self._reserve.pages // 2)
        except (sqlite3.Error, OSError, Refusal):
            has_room = False
        self._writability.note_room(has_room)
        return has_room

    def _try_write(self) -> None:
        """Write what changes nothing, to find out whether writes succeed again: clients may wait for that to go on."""
        try:
            self._recover()
            self._connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            self._log_file.note_growth(1, time.monotonic())
            self._writability.note_write(is_failing=False)
        except (sqlite3.Error, OSError, Refusal):
            self._broken = True

    def _commit_group(
        self, batch: list[Submission], *, begun: Removal | None = None, ended: Removal | None = None
    ) -> list[Outcome]:
        """Write these commits in one transaction, with the beginning or the end of a removal in steps."""
        self._recover()
        self._finish_removal()
        load_heads(self._connection, self._known, {submission.commit.head.agent_id for submission in batch})
        group = Group(self._tail, self._known)
        outcomes: list[Outcome] = []
        for commit, future in batch:
            try:
                outcomes.append((future, group.add(commit)))
            except (RevisionConflict, ValueError) as refused:
                outcomes.append((future, refused))
        if not group.empty:
            if begun is not None:
                group.add_row(begun.columns)
            if ended is not None:
                group.delete_row(ended.columns[:3])
            self._log_file.ensure_room(self._reserve, group.pages_max, group.pages_min)
            started = time.perf_counter()
            group.write(self._connection)
            if self._transactions is not None:
                self._transactions.observe(time.perf_counter() - started)
            self._known.update(group.heads)
            self._acknowledge(group.tail, group.pages_max)
        return outcomes

    def _carry_out(self, work: Upkeep) -> int | Exception:
        try:
            self._recover()
            with self._reserve_released() if self._writability.is_full else nullcontext():
                self._finish_removal()
                self._log_file.ensure_room(self._reserve, self._reserve.pages // REMOVAL_STEP_SHARE)
                match work:
                    case Pruning():
                        return self._prune(work)
                    case Rewriting():
                        return self._rewrite(work)
                    case Truncating():
                        return self._log_file.truncate(self._tail.generation)
        except Exception as error:  # noqa: BLE001 - the future must be completed, whatever failed
            return self._failed(error)

    def _prune(self, pruning: Pruning) -> int:
        bytes_max = min(self._reserve.pages // REMOVAL_STEP_SHARE * PAGE_BYTES, PRUNED_BYTES_PER_STEP_MAX)
        pruned = prune_chunk(self._connection, self._tail, pruning.surplus_position, pruning.since_time, bytes_max)
        for agent_id in pruned.agent_ids:
            self._known.pop(agent_id, None)
        self._acknowledge(pruned.tail, pruned.rows)
        return pruned.rows

    def _rewrite(self, rewriting: Rewriting) -> int:
        rewritten = rewrite_rows(self._connection, self._tail, rewriting.agent_id, rewriting.rows)
        self._acknowledge(rewritten.tail, rewritten.pages_max)
        return rewritten.rows

    def _acknowledge(self, tail: Tail, pages_max: int) -> None:
        """Record the transaction that led to ``tail``, if there was one, before its callers get their results.

        The mark must be at least at the generation of every acknowledged commit: only then does it reveal their loss.
        """
        if tail != self._tail:
            self._tail = tail
            self._mark.acknowledge(tail.generation, synced=self._durability is Durability.SYNCED)
            self._log_file.note_growth(pages_max, time.monotonic())
            self._writability.note_write(is_failing=False)

    def _complete(self, outcomes: Sequence[Outcome]) -> None:
        with suppress(RuntimeError):  # the loop is closed, and nobody awaits the futures
            self._loop.call_soon_threadsafe(resolve, outcomes)

    def _failed(self, error: Exception) -> Exception:
        """Handle an error, and return the one for the callers.

        A COMMIT that failed may have been written all the same: the tail and the heads are read again from the file.
        What was written ahead of a large commit, or is still to be deleted after it, is found there as a removal.
        """
        self._broken = True
        if self._under_way is not None:
            self._under_way.ahead = self._under_way.behind = None
        self._known.clear()
        with suppress(sqlite3.Error):
            self._connection.rollback()
        if isinstance(error, ForeignWriter):
            self._writability.note_write(is_failing=True)
            log.error("another process wrote to the database", extra={"file": self._database.name})
            return StoreUnavailable()
        if isinstance(error, sqlite3.Error | OSError):
            refusal = refusal_of(error, self._database)
            if not isinstance(refusal, StorageFull):
                self._writability.note_write(is_failing=True)
                log.error("write failed", extra={"reason": refusal.reason, "error": str(error)})
            return refusal
        if not isinstance(error, Refusal):
            self._writability.note_write(is_failing=True)
            log.error("write failed", exc_info=error)
        return error

    def _recover(self) -> None:
        """After a failure, continue from the state of the file, with a new connection."""
        if not self._broken:
            return
        # The old connection is closed after the new one is open: closing the last one removes the log's shared index,
        # which would have to be built again.
        connection = connect_writer(self._database, synced=self._durability is Durability.SYNCED)
        try:
            tail = load_tail(connection)
            if tail.generation < self._tail.generation:
                self._writability.note_write(is_failing=True)
                raise DataDamaged("the database lost acknowledged commits")
            removal = find_removal(connection)
            self._reserve.limit(connection)
            self._log_file.rescue()
        except BaseException:
            connection.close()
            raise
        self._connection.close()
        self._connection, self._tail = connection, tail
        self._removal = removal
        self._broken = False

    def _maintain_log(self, *, idle: bool) -> None:
        try:
            self._log_file.maintain(self._tail.generation, time.monotonic(), idle=idle)
        except (sqlite3.Error, OSError) as error:
            self._failed(error)

    def _close(self) -> None:
        try:
            self._log_file.truncate(self._tail.generation)
        except (sqlite3.Error, OSError) as error:
            log.warning("write-ahead log not copied to the database", extra={"error": str(error)})
        self._log_file.close()
        self._connection.close()
        if not has_log(self._database):  # the last connection copies and removes it, also where that has failed before
            self._mark.settle(self._tail.generation)
        self._mark.close()
