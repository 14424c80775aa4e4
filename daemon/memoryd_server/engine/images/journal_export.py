"""The export of the journal, of which a backup consists beside a snapshot."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from itertools import takewhile

import msgspec

from memoryd_server.domain.error import HistoryLost, InvalidResumeToken, RevisionCompacted
from memoryd_server.engine.agents.clock import Clock
from memoryd_server.engine.agents.feed import Feed
from memoryd_server.engine.agents.journal import decode_row
from memoryd_server.engine.agents.token import ResumePoint, ShardPoint, check_of, decode_resume, encode_resume
from memoryd_server.engine.limit import JOURNAL_READ_COMMITS_MAX, SEGMENT_BYTES_MAX
from memoryd_server.ports.segment import SegmentDraft, SegmentDrafts, SegmentEnd, SegmentFile, SegmentStart
from memoryd_server.ports.store import CommitPoint, JournalCompacted, JournalRow, Store


class ExportedSegment(msgspec.Struct, frozen=True):
    """A segment of the journal. Without commits, it has no ``file`` and no ``draft``."""

    start_token: str
    end: SegmentEnd
    file: SegmentFile | None = None
    draft: SegmentDraft | None = None


class JournalExport:
    """Writes the rows of all shards that follow a point. Points are resume tokens, as those of watches."""

    def __init__(self, store: Store, feed: Feed, drafts: SegmentDrafts, clock: Clock) -> None:
        self._store = store
        self._feed = feed
        self._drafts = drafts
        self._clock = clock

    @contextlib.asynccontextmanager
    async def segment(self, start_token: str) -> AsyncIterator[ExportedSegment]:
        """Write the segment after a point; with an empty token, return the end of the journal alone.

        Raises InvalidResumeToken, ForeignResumeToken, RevisionCompacted, HistoryLost, and what the store raises.
        """
        # The time first: what was acknowledged before it is within the ends.
        end_time = self._clock()
        ends = await self._ends()
        if not start_token:
            token = self._token(ends)
            yield ExportedSegment(token, SegmentEnd(token, end_time, True, 0))
            return
        start = await self._start(start_token, ends)
        if start == ends:
            yield ExportedSegment(start_token, SegmentEnd(start_token, end_time, True, 0))
            return
        async with self._drafts.draft(SegmentStart(self._store.store_id, start_token)) as draft:
            try:
                reached, count = await self._write(draft, start, ends)
            except JournalCompacted:
                raise RevisionCompacted from None
            end = SegmentEnd(self._token(reached), end_time, reached == ends, count)
            yield ExportedSegment(start_token, end, await draft.finish(end), draft)

    async def _ends(self) -> dict[int, CommitPoint]:
        shards = range(self._store.shard_count)
        if self._store.sharing is not None:
            return await self._store.sharing.journal_points(shards)
        return {shard: CommitPoint(await self._store.journal_end(shard), 0) for shard in shards}

    def _token(self, points: Mapping[int, CommitPoint]) -> str:
        shards = (ShardPoint(shard, each.position + 1, 0, check_of(each.nonce)) for shard, each in points.items())
        return encode_resume(self._store.store_id, ResumePoint(tuple(shards)))

    async def _start(self, token: str, ends: Mapping[int, CommitPoint]) -> dict[int, CommitPoint]:
        points = decode_resume(self._store.store_id, token).shards
        if {each.shard for each in points} != ends.keys() or any(each.offset for each in points):
            raise InvalidResumeToken
        if any(each.position > ends[each.shard].position + 1 for each in points):
            raise HistoryLost
        await self._feed.check(points)
        start = {each.shard: CommitPoint(each.position - 1, 0) for each in points}
        # At its end, a shard is at the same commit.
        return {shard: ends[shard] if ends[shard].position == each.position else each for shard, each in start.items()}

    async def _write(
        self, draft: SegmentDraft, start: Mapping[int, CommitPoint], ends: Mapping[int, CommitPoint]
    ) -> tuple[dict[int, CommitPoint], int]:
        """Write rows until the ends, until the segment is large, or until a row lacks what a restore needs.

        Return the points that are reached. Raises RevisionCompacted if the first row lacks it.
        """
        reached, count, size_bytes = dict(start), 0, 0
        for shard, end in ends.items():
            while reached[shard].position < end.position and size_bytes < SEGMENT_BYTES_MAX:
                after = reached[shard].position
                page = await self._store.read_journal(after, JOURNAL_READ_COMMITS_MAX, shard=shard)
                rows = [row for row in page.rows if row.position <= end.position]
                if not rows:
                    raise HistoryLost
                whole = await asyncio.to_thread(_with_changes, rows)
                if not whole and not count:
                    raise RevisionCompacted
                if whole:
                    await draft.add(whole)
                    reached[shard] = whole[-1].point
                    count += len(whole)
                    size_bytes += sum(len(row.data) for row in whole)
                if len(whole) < len(rows):
                    return reached, count
        return reached, count


def _with_changes(rows: list[JournalRow]) -> list[JournalRow]:
    """Return the rows before the first one that did not record its changes."""
    return list(takewhile(lambda row: decode_row(row).has_changes, rows))
