"""The order in which queued work is carried out."""

from collections import deque
from collections.abc import Callable

from memoryd_server.ports.store import Commit
from memoryd_server.stores.sqlite.commits.work import Submission, Work
from memoryd_server.stores.sqlite.commits.work_queue import WorkQueue
from memoryd_server.stores.sqlite.limit import (
    GATHER_S_MAX,
    GATHER_S_MAX_HASTY,
    GATHERED_REVISIONS_MIN,
    GROUP_BYTES_MAX,
    GROUP_COMMITS_MAX,
    LARGE_COMMIT_BYTES_MIN,
    LARGE_COMMIT_ROWS_MIN,
)


class Schedule:
    """The order in which one thread takes work from a queue: groups of commits, and large ones in turn with them.

    A group is gathered before it is written, for as long as it pays; see
    docs/decisions/0009-group-commit-waits-under-load.md. If ``is_hasty`` is true, calls reach the event loop in
    microseconds, and callers who write again do so at once.

    ``large`` has the large commits that were taken from the queue. The one that has the first turn stays until it is
    written.
    """

    def __init__(self, queue: WorkQueue[Work], *, is_hasty: bool) -> None:
        self._is_hasty = is_hasty
        self.large: deque[Submission] = deque()
        self._queue = queue
        self._was_large_turn = False
        self._gathered_count = 1

    def is_large_turn(self) -> bool:
        """Return True if the next to be written is a large commit, such as that of a long document, or a part of it.

        It takes as long as hundreds of others. It is written alone, and lets those pass that are queued: they wait for
        one part of a large one at most, and it for one group of them between two parts.
        """
        self._was_large_turn = bool(self.large) and (not self._was_large_turn or self._queue.is_empty)
        return self._was_large_turn

    def next_group(self, rest_s: Callable[[], float | None]) -> tuple[list[Submission], Work | None]:
        """Return the next group of commits, and the work of another kind that ended it; no group if there is none.

        Waits for work for at most as many seconds as ``rest_s`` returns.
        """
        work = self._wait(rest_s)
        if isinstance(work, Submission):
            self._gather()
        batch, work = self._group(work)
        if batch:
            self._gathered_count = self._count_to_gather(batch)
        return batch, work

    def _group(self, work: Work | None) -> tuple[list[Submission], Work | None]:
        """Return the queued commits from ``work`` on, up to the limits of a group, and what ended them."""
        batch: list[Submission] = []
        size = 0
        while isinstance(work, Submission):
            if _is_large(work.commit) or self._waits(work.commit.head.agent_id):
                self.large.append(work)
            else:
                batch.append(work)
                size += _size(work.commit)
            if size >= GROUP_BYTES_MAX or len(batch) >= GROUP_COMMITS_MAX:
                return batch, None
            work = self._queue.take()
        return batch, work

    def _waits(self, agent_id: str) -> bool:
        """Return True if a large commit of the agent waits, which comes before the agent's later ones."""
        return any(each.commit.head.agent_id == agent_id for each in self.large)

    def _wait(self, rest_s: Callable[[], float | None]) -> Work | None:
        work = self._queue.take()
        if work is not None:
            return work
        self._queue.wait(1, rest_s())
        return self._queue.take()

    def _gather(self) -> None:
        """Wait until the group that one commit has begun has as many as the last one, at most for a while."""
        if self._gathered_count > 1:
            self._queue.wait(self._gathered_count - 1, GATHER_S_MAX_HASTY if self._is_hasty else GATHER_S_MAX)

    def _count_to_gather(self, batch: list[Submission]) -> int:
        """Return the number of commits that the group after this one is to have: their callers may all write again."""
        revisions = sum(_revisions(submission.commit) for submission in batch)
        if self._is_hasty or revisions < GATHERED_REVISIONS_MIN:
            return len(batch)
        # The loop is slow: the longer the thread leaves it alone, the more calls share a commit.
        return GROUP_COMMITS_MAX


def _revisions(commit: Commit) -> int:
    return commit.head.revision - commit.expected_revision


def _is_large(commit: Commit) -> bool:
    rows = len(commit.puts) + len(commit.deletes)
    return rows >= LARGE_COMMIT_ROWS_MIN or _size(commit) >= LARGE_COMMIT_BYTES_MIN


def _size(commit: Commit) -> int:
    return len(commit.journal or b"") + sum(len(record.data) for record in commit.puts)
