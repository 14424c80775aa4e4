"""The holdings of an index in a file: what takes long to read of memories, by row, with a digest of what was read.

A memory that is unchanged since keeps its row. All others are read again, so that a file may be old, and a wrong one
costs time but no result.
"""

from collections.abc import Iterable, Mapping
from typing import BinaryIO

from memoryd_server.ports.retrieval import IndexedMemory, UnusableIndex
from memoryd_server.retrieval.holdings import Holdings
from memoryd_server.retrieval.saved.content_digest import digest_of
from memoryd_server.retrieval.saved.table import Table, packed_texts, read_table, texts_of, write_table
from memoryd_server.retrieval.saved.version import reading_version


def save_holdings(holdings: Holdings, file: BinaryIO) -> None:
    """Write holdings to a file. Raises OSError."""
    write_table(file, {**packed_texts("version", [_version_of(holdings)]), **holdings.saved()})


def load_holdings(holdings: Holdings, file: BinaryIO, memories: Iterable[IndexedMemory]) -> int:
    """Fill empty holdings with memories. Return the number of those that differ from the saved ones.

    Raises UnusableIndex, and OSError: the holdings must not be used then.
    """
    table = read_table(file)
    try:
        if texts_of(table, "version") != [_version_of(holdings)]:
            raise UnusableIndex("saved by another version")
        saved = {memory_id: row for row, memory_id in enumerate(texts_of(table, "ids")) if memory_id}
        kept, left = _divided(table, saved, memories)
        holdings.load(table, kept)
    except (LookupError, TypeError, ValueError) as error:
        # The names of arrays, unlike the arrays themselves, have no checksums.
        raise UnusableIndex(f"damaged: {error!r}") from error
    holdings.put(left)
    # The memories that are neither kept nor changed are gone.
    changed = sum(each.memory.memory_id in saved for each in left)
    return len(left) + len(saved) - len(kept) - changed


def _divided(
    table: Table, saved: Mapping[str, int], memories: Iterable[IndexedMemory]
) -> tuple[dict[int, IndexedMemory], list[IndexedMemory]]:
    """Return the memories of which all that was read is saved, by their rows in order, and the others."""
    digests = table["digests"].tolist()
    kept, left = dict[int, IndexedMemory](), list[IndexedMemory]()
    for indexed in memories:
        row = saved.get(indexed.memory.memory_id)
        if row is not None and digests[row] == digest_of(indexed):
            kept[row] = indexed
        else:
            left.append(indexed)
    return dict(sorted(kept.items())), left


def _version_of(holdings: Holdings) -> str:
    return f"{reading_version()} {holdings.reads_times}"
