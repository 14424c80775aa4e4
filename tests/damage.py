"""Damage to the files of an embedded store, for tests."""

from collections.abc import Collection
from pathlib import Path

PAGE_BYTES = 4096
INDEX_LEAF, TABLE_LEAF = 0x0A, 0x0D
"""The first bytes of SQLite's pages that have rows of an index, or of a table, and no child pages."""


def erase_leaves(directory: Path, *contents: bytes, kinds: Collection[int] = (INDEX_LEAF, TABLE_LEAF)) -> int:
    """Zero the pages of a stopped store that contain all of these. Return their number."""
    database = directory / "memoryd.db"
    stored = bytearray(database.read_bytes())
    erased = 0
    for start in range(PAGE_BYTES, len(stored), PAGE_BYTES):
        page = stored[start : start + PAGE_BYTES]
        if page[0] in kinds and all(content in page for content in contents):
            stored[start : start + PAGE_BYTES] = bytes(PAGE_BYTES)
            erased += 1
    database.write_bytes(stored)
    return erased
