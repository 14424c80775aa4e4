"""A step of a removal: what it writes to the log."""

from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from memoryd_server.ports.store import AgentHead, Commit, Record
from memoryd_server.stores.sqlite.commits.removal import FIRST, delete_step, removal_of
from memoryd_server.stores.sqlite.schema import connect_writer, load_tail
from memoryd_server.stores.sqlite.store import SqliteStore

PAGES_MAX = 64


@pytest.mark.parametrize(("count", "size_bytes"), [(20_000, 100), (2_000, 1_500), (100, 60_000)])
async def test_a_step_writes_about_as_many_pages_as_it_may(tmp_path: Path, count: int, size_bytes: int) -> None:
    # Neighbours by their keys are in pages far apart.
    keys = [sha256(str(number).encode()).hexdigest()[:12] for number in range(count)]
    store = SqliteStore(tmp_path)
    await store.open()
    records = tuple(Record("entry", key, bytes(size_bytes)) for key in keys)
    await store.commit(Commit(AgentHead("a", 1, 1, 1, count), 0, records, journal=b"row"))
    await store.close()
    with closing(connect_writer(tmp_path / "memoryd.db", synced=False)) as connection:
        ending = Commit(AgentHead("a", 2, 1, 1, 0, ended=True), 1, journal=b"ended", drop_records=True)
        removal = removal_of(connection, 1, ending)
        assert removal.kinds == {"entry"}
        step = delete_step(connection, load_tail(connection), removal, FIRST, PAGES_MAX)
        assert step.last is not None
        _, pages, _ = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        assert 16 < pages <= 2 * PAGES_MAX
