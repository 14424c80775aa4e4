"""The log of working memory, which has the fields of an operation and never a value."""

import logging

import pytest
from tests.unit.engine.world import World, draft

from memoryd_server.domain.agent.command import Command
from memoryd_server.domain.agent.result import Result
from memoryd_server.domain.entries.entry import ROOT
from memoryd_server.domain.entries.entry_change import ClearEntries, GetOrSetEntry, RemoveEntry
from memoryd_server.domain.entries.reservation_change import ReserveEntry
from memoryd_server.domain.entries.scope_change import CreateScope, DisposeScope, MergeScope
from memoryd_server.engine.agents.write import UNCONDITIONAL, Write
from memoryd_server.engine.entries.entry_log import log_change

SECRET = '"a secret"'


class LoggedWorld(World):
    """An engine whose changes are logged, as the transport does it."""

    async def do(self, requested: Command, agent_id: str = "a", write: Write = UNCONDITIONAL) -> Result:
        result = await super().do(requested, agent_id, write)
        log_change(agent_id, requested, result)
        return result


async def do_everything(world: World) -> None:
    await world.set("k", SECRET)
    await world.set("k", SECRET)
    for key in ("k", "l"):
        await world.do(GetOrSetEntry(ROOT, draft(key, SECRET), "id"))
        await world.do(RemoveEntry(ROOT, key))
    await world.do(RemoveEntry(ROOT, "l"))
    await world.fill(["m", "n"], SECRET)
    await world.do(CreateScope("name", ROOT, "s"))
    await world.value("m", scope_id="s")
    await world.value("not there", scope_id="s")
    await world.memory.contains_entry("a", "s", "m", local_only=False)
    await world.do(MergeScope("s", True, False, "id"))
    for _ in range(2):
        await world.do(DisposeScope("s"))
    await world.do(ReserveEntry(ROOT, "r", "t", 1))
    await world.do(ClearEntries(ROOT))


LOGGERS = ("memoryd.agents", "memoryd.working_memory")


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if record.name in LOGGERS]


async def test_every_operation_is_logged_at_level_debug(caplog: pytest.LogCaptureFixture) -> None:
    for name in LOGGERS:
        caplog.set_level(logging.DEBUG, name)
    async with LoggedWorld() as world:
        await do_everything(world)
    assert logged(caplog) == [
        "working memory initialized",
        "working memory entry set",
        "working memory entry updated",
        "working memory entry found",
        "working memory entry removed",
        "working memory entry set",
        "working memory entry removed",
        "working memory entry not found",
        "working memory batch written",
        "scope created",
        "scope lookup",
        "scope lookup",
        "scope lookup",
        "scope merged",
        "scope disposed",
        "scope already disposed, operation ignored",
        "working memory cleared",
    ]
    assert all(record.agent_id == "a" for record in caplog.records)  # type: ignore[attr-defined]
    assert not any("secret" in str(vars(record)) for record in caplog.records)
    of_scope = [record for record in caplog.records if record.message in {"scope lookup", "scope disposed"}]
    assert [record.scope_name for record in of_scope] == ["name"] * 4  # type: ignore[attr-defined]


async def test_only_the_creation_and_clearing_of_memory_and_mistakes_are_logged_at_level_info(
    caplog: pytest.LogCaptureFixture,
) -> None:
    for name in LOGGERS:
        caplog.set_level(logging.INFO, name)
    async with LoggedWorld() as world:
        await do_everything(world)
    assert [(record.levelname, record.message) for record in caplog.records] == [
        ("INFO", "working memory initialized"),
        ("WARNING", "scope already disposed, operation ignored"),
        ("INFO", "working memory cleared"),
    ]
