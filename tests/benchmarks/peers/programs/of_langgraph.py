"""LangGraph's store on SQLite, with its own settings."""

import asyncio

from langgraph.store.sqlite import SqliteStore
from langgraph.store.sqlite.aio import AsyncSqliteStore
from tests.benchmarks.peers.programs import calling

_VALUE = {"value": calling.VALUE}


def _one_caller() -> None:
    with SqliteStore.from_conn_string("one.db") as store:
        store.setup()
        calling.one("set", lambda number: store.put(("agent",), calling.key_of(number), _VALUE))
        calling.one("get", lambda number: store.get(("agent",), calling.key_of(number)))


async def _many_callers() -> None:
    async with AsyncSqliteStore.from_conn_string("many.db") as store:
        await store.setup()
        await calling.many(
            "set", lambda caller, number: store.aput((f"agent-{caller}",), calling.key_of(number), _VALUE)
        )
        await calling.many("get", lambda caller, number: store.aget((f"agent-{caller}",), calling.key_of(number)))


if __name__ == "__main__":
    calling.begin()
    _one_caller()
    asyncio.run(_many_callers())
