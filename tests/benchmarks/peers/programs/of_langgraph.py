"""LangGraph's store on SQLite, with its own settings."""

import asyncio
import contextlib
from collections.abc import Iterator

from langgraph.store.sqlite import SqliteStore
from langgraph.store.sqlite.aio import AsyncSqliteStore
from tests.benchmarks.peers.programs import calling, store

_NAMESPACE = ("agent",)


class _Items:
    def __init__(self, items: SqliteStore) -> None:
        self._items = items

    def write(self, key: str, text: str) -> None:
        self._items.put(_NAMESPACE, key, {"value": text})

    def read(self, key: str) -> str | None:
        item = self._items.get(_NAMESPACE, key)
        return None if item is None else item.value["value"]

    def increment(self, key: str) -> None:
        self.write(key, str(int(self.read(key) or 0) + 1))


@contextlib.contextmanager
def _opened(_: str) -> Iterator[_Items]:
    with SqliteStore.from_conn_string("store.db") as items:
        items.setup()
        yield _Items(items)


async def _many_callers() -> None:
    value = {"value": calling.VALUE}
    async with AsyncSqliteStore.from_conn_string("many.db") as items:
        await items.setup()
        await calling.many(
            "set", lambda caller, number: items.aput((f"agent-{caller}",), calling.key_of(number), value)
        )
        await calling.many("get", lambda caller, number: items.aget((f"agent-{caller}",), calling.key_of(number)))


def _speed(_: str) -> None:
    with _opened("") as items:
        calling.one("set", lambda number: items.write(calling.key_of(number), calling.VALUE))
        calling.one("get", lambda number: items.read(calling.key_of(number)))
    asyncio.run(_many_callers())


if __name__ == "__main__":
    store.run(_opened, _speed)
