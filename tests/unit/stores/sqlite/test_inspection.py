"""The inspection of files that are no store."""

import sqlite3
from contextlib import closing
from pathlib import Path

from memoryd_server.stores.sqlite.inspection.inspection import SqliteInspection


async def test_a_database_of_another_application_is_reported_as_damage(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "memoryd.db")) as connection:
        connection.execute("CREATE TABLE other (a)")
    inspection = SqliteInspection(tmp_path)
    await inspection.open()
    (found,) = [each async for each in inspection.agents()]
    assert (found.agent_id, found.error) == ("", "damaged data: memoryd.db belongs to another application")
    await inspection.close()
