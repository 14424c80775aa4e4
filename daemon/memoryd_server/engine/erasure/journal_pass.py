"""Passes over an agent's journal that read it, or strip what is to be erased."""

from collections.abc import AsyncGenerator, Callable, Iterable, Iterator

from memoryd_server.domain.lifecycle.record import encode
from memoryd_server.engine.agents.journal import JournalData, decode_row
from memoryd_server.engine.limit import ERASED_BYTES_TOGETHER_MAX, ERASED_ROWS_TOGETHER_MAX, JOURNAL_READ_COMMITS_MAX
from memoryd_server.ports.store import JournalCompacted, JournalRow, Store

Strip = Callable[[JournalData, int], JournalData | None]
"""Returns the new data of a row that reached a revision; None to keep the row as it is."""


async def erase_from_journal(store: Store, agent_id: str, strip: Strip) -> int:
    """Rewrite an agent's journal rows with what ``strip`` leaves of them. Return the number of rewritten rows.

    This covers all rows that are retained at the call, and no later ones. The store also erases the former data of
    records that earlier commits deleted or replaced; see ``Store.rewrite_journal``. Watches may still emit what they
    read before. The call may be repeated, and must be if it was interrupted. Raises SchemaTooNew, DataDamaged, and what
    the store raises; some rows may be rewritten then.
    """
    rewritten = 0
    async for rows in _pages(store, agent_id):
        for batch in _batches(_stripped(rows, strip)):
            rewritten += await store.rewrite_journal(agent_id, batch)
    # Even if no row was rewritten, the store must erase the former data of the records.
    await store.rewrite_journal(agent_id, {})
    return rewritten


async def journal_of(store: Store, agent_id: str) -> AsyncGenerator[JournalData, None]:
    """Yield the data of all rows of an agent that are retained at the call. Raises as ``erase_from_journal``."""
    async for rows in _pages(store, agent_id):
        for row in rows:
            yield decode_row(row)


async def _pages(store: Store, agent_id: str) -> AsyncGenerator[list[JournalRow], None]:
    """Yield the rows of an agent that are retained at the call, page by page."""
    shard = store.shard_of(agent_id)
    end = await store.journal_end(shard)
    position = await store.journal_start(shard) - 1
    while position < end:
        try:
            page = await store.read_journal(position, JOURNAL_READ_COMMITS_MAX, (agent_id,), shard)
        except JournalCompacted:
            position = await store.journal_start(shard) - 1
            continue
        yield [row for row in page.rows if row.position <= end]
        position = page.end_position


def _stripped(rows: Iterable[JournalRow], strip: Strip) -> Iterator[tuple[int, bytes]]:
    """Yield the position and the new data of each row that changes."""
    for row in rows:
        left = strip(decode_row(row), row.revision)
        if left is not None:
            yield row.position, encode(left)


def _batches(rows: Iterable[tuple[int, bytes]]) -> Iterator[dict[int, bytes]]:
    batch: dict[int, bytes] = {}
    size_bytes = 0
    for position, data in rows:
        if len(batch) == ERASED_ROWS_TOGETHER_MAX or (batch and size_bytes + len(data) > ERASED_BYTES_TOGETHER_MAX):
            yield batch
            batch, size_bytes = {}, 0
        batch[position] = data
        size_bytes += len(data)
    if batch:
        yield batch
