"""Taking back what an agent's journal tells, so that nobody reads any more what is to be forgotten for good."""

from collections.abc import Callable, Iterable, Iterator

from memoryd_server.domain.lifecycle.record import encode
from memoryd_server.domain.limit import JOURNAL_READ_COMMITS_MAX
from memoryd_server.engine.agents.journal import JournalData, decode_row
from memoryd_server.ports.store import JournalCompacted, JournalRow, Store

ROWS_TOGETHER_MAX = 16
BYTES_TOGETHER_MAX = 1024 * 1024
"""Past either, the rows that are to be rewritten are given to the store. All who use it wait while it takes them."""

Strip = Callable[[JournalData, int], JournalData | None]
"""What a row is to tell instead that came to a revision; None when it stays as it is."""


async def erase_from_journal(store: Store, agent_id: str, strip: Strip) -> int:
    """Have an agent's rows tell what ``strip`` leaves of them; answers how many were rewritten.

    That is all rows that are retained when it is called; those of later commits stay. Nor does the store hold any
    longer what records held that earlier commits deleted or replaced; see ``Store.rewrite_journal``. Watchers may still
    be told what was read or published before. It may be repeated, and must be when it was interrupted. Raises
    SchemaTooNew, DataDamaged, and what the store raises; rows may have been rewritten then.
    """
    shard = store.shard_of(agent_id)
    end = await store.journal_end(shard)
    position = await store.journal_start(shard) - 1
    rewritten = 0
    while position < end:
        try:
            page = await store.read_journal(position, JOURNAL_READ_COMMITS_MAX, (agent_id,), shard)
        except JournalCompacted:
            position = await store.journal_start(shard) - 1
            continue
        told = (row for row in page.rows if row.position <= end)
        for batch in _batches(_stripped(told, strip)):
            rewritten += await store.rewrite_journal(agent_id, batch)
        position = page.end_position
    # The journal may have told nothing that had to go, or no longer: the records' former data has to go all the same.
    await store.rewrite_journal(agent_id, {})
    return rewritten


def _stripped(rows: Iterable[JournalRow], strip: Strip) -> Iterator[tuple[int, bytes]]:
    """The positions of those rows that change, and what they are to hold."""
    for row in rows:
        left = strip(decode_row(row), row.revision)
        if left is not None:
            yield row.position, encode(left)


def _batches(rows: Iterable[tuple[int, bytes]]) -> Iterator[dict[int, bytes]]:
    batch: dict[int, bytes] = {}
    size_bytes = 0
    for position, data in rows:
        if len(batch) == ROWS_TOGETHER_MAX or (batch and size_bytes + len(data) > BYTES_TOGETHER_MAX):
            yield batch
            batch, size_bytes = {}, 0
        batch[position] = data
        size_bytes += len(data)
    if batch:
        yield batch
