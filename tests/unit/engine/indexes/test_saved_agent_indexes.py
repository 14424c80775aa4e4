import asyncio
import contextlib
import math
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO

import pytest
from tests.unit.domain.sample import Agent
from tests.unit.engine.plain_index import PlainIndex
from tests.unit.engine.world import until

from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.memories.changes.memory_change import MemoryPatch, UpdateMemory
from memoryd_server.domain.memories.changes.memory_removal import PurgeMemory
from memoryd_server.engine.indexes import saved_agent_indexes
from memoryd_server.engine.indexes.memory_indexes import MemoryIndexes
from memoryd_server.ports.store import AgentHead
from memoryd_server.stores.index_directory import IndexDirectory

DAY_S = 86_400.0


class Heads:
    """A store that has heads only."""

    def __init__(self, *heads: AgentHead) -> None:
        self._heads = {head.agent_id: head for head in heads}

    async def load_head(self, agent_id: str) -> AgentHead | None:
        return self._heads.get(agent_id)


class Saving:
    """One agent and its saved index."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.agent = Agent()
        self.made: list[PlainIndex] = []
        self.indexes = self.started()

    def started(self) -> MemoryIndexes:
        """Return the indexes of a daemon that has just started."""
        return MemoryIndexes(self._new_index, IndexDirectory(self.directory))

    def _new_index(self) -> PlainIndex:
        self.made.append(PlainIndex())
        return self.made[-1]

    async def create(self, *contents: str) -> list[str]:
        """Create memories, and use the index."""
        before, made = self.agent.state, []
        for content in contents:
            made.append(self.agent.create(content).memory_id)
            self.note(before)
            before = self.agent.state
        await self.use()
        return made

    def note(self, before: AgentState) -> None:
        self.indexes.note_change(before, self.agent.state, self.agent.decision.changes, is_own=True)

    async def use(self) -> PlainIndex:
        await self.indexes.use(self.agent.state, lambda index: None)
        return self.made[-1]

    async def restart(self) -> None:
        await self.indexes.save_all()
        self.indexes.close()
        await self.begin()

    async def begin(self) -> None:
        self.indexes = self.started()
        await self.indexes.open()

    def files(self) -> list[Path]:
        return list(self.directory.glob("*.index"))

    def content(self) -> str:
        """Return what is saved. A file may be replaced at any time."""
        texts = []
        for path in self.files():
            with contextlib.suppress(FileNotFoundError):
                texts.append(path.read_text())
        return "".join(texts)

    def age(self) -> None:
        long_ago = time.time() - 8 * DAY_S
        for path in self.files():
            os.utime(path, (long_ago, long_ago))

    async def retire(self, *heads: AgentHead) -> None:
        await self.indexes.retire(Heads(*heads), 7 * DAY_S)  # type: ignore[arg-type]

    def head(self, *, ended: bool = False) -> AgentHead:
        return AgentHead("a", self.agent.state.revision, 1, 1, ended=ended)


@pytest.fixture
async def saving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Saving]:
    monkeypatch.setattr(saved_agent_indexes, "SAVED_ITEMS_MIN", 2)
    monkeypatch.setattr(saved_agent_indexes, "SAVED_CHANGES_MIN", 2)
    monkeypatch.setattr(saved_agent_indexes, "SAVED_INTERVAL_S", 0.0)
    made = Saving(tmp_path / "indexes")
    await made.indexes.open()
    yield made
    made.indexes.close()


async def test_an_index_is_saved_once_it_has_grown_and_then_read(saving: Saving) -> None:
    await saving.create("one")
    assert saving.files() == []
    await saving.create("two")
    await until(saving.files)
    assert "two" in saving.content()
    await saving.begin()
    index = await saving.use()
    assert (sorted(each.memory.content for each in index.held.values()), index.puts) == (["one", "two"], [])


async def test_what_changed_since_is_read_again(saving: Saving) -> None:
    first, second = await saving.create("one", "two")
    await until(saving.files)
    before = saving.agent.state
    saving.agent.do(UpdateMemory(first, MemoryPatch(content="uno"), saving.agent.policy))
    saving.note(before)
    third = saving.agent.create("three").memory_id
    await saving.begin()
    index = await saving.use()
    assert sorted(index.puts) == sorted([first, third])
    assert sorted(index.held) == sorted([first, second, third])


async def test_few_changes_are_saved_when_the_agent_leaves_and_at_the_end(saving: Saving) -> None:
    await saving.create("one", "two")
    await until(saving.files)
    await saving.create("three")
    assert "three" not in saving.content()
    saving.indexes.note_gone(saving.agent.state)
    await until(lambda: "three" in saving.content())
    await saving.create("four")
    await saving.restart()
    assert "four" in saving.content()
    assert (await saving.use()).puts == []


async def test_an_index_that_lacks_many_changes_is_not_saved_at_the_end(saving: Saving) -> None:
    await saving.create("one", "two")
    await until(saving.files)
    before = saving.agent.state
    for number in range(3):
        saving.agent.create(f"more {number}")
        saving.note(before)
        before = saving.agent.state
    await saving.restart()
    assert "more" not in saving.content()


async def test_a_large_index_is_saved_after_a_share_of_changes(saving: Saving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_agent_indexes, "SAVED_CHANGES_SHARE", 0.5)
    await saving.create(*(f"first {number}" for number in range(8)))
    await until(saving.files)
    await saving.create("second 1", "second 2", "second 3")
    await saving.use()
    assert "second" not in saving.content()
    await saving.create(*(f"second {number}" for number in range(4, 10)))
    await until(lambda: "second" in saving.content())


async def test_an_index_is_not_saved_again_and_again(saving: Saving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_agent_indexes, "SAVED_INTERVAL_S", math.inf)
    await saving.create("one", "two")
    await until(saving.files)
    await saving.create(*(f"more {number}" for number in range(5)))
    await saving.indexes.forget("a")
    await saving.use()
    assert saving.files() == []
    await saving.restart()
    assert "more" in saving.content()


async def test_a_damaged_file_is_not_used_and_replaced(saving: Saving, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "memoryd.indexes")
    await saving.create("one", "two")
    await until(saving.files)
    (path,) = saving.files()
    path.write_text('"a"\nno JSON')
    await saving.begin()
    index = await saving.use()
    assert (len(index.held), len(index.puts)) == (2, 2)
    assert "saved index not used" in caplog.messages
    await until(lambda: "two" in saving.content())


async def test_a_defect_of_loading_costs_time_only(saving: Saving, monkeypatch: pytest.MonkeyPatch) -> None:
    await saving.create("one", "two")
    await until(saving.files)

    def fail(index: PlainIndex, _file: BinaryIO, _memories: object) -> int:
        index.held["wrong"] = None  # type: ignore[assignment]
        raise ArithmeticError

    monkeypatch.setattr(PlainIndex, "load", fail)
    await saving.begin()
    assert len((await saving.use()).held) == 2
    assert len((await saving.use()).puts) == 2


async def test_what_is_erased_leaves_the_file_and_what_is_being_saved(saving: Saving) -> None:
    first, _ = await saving.create("secret", "two")
    await until(saving.files)
    before = saving.agent.state
    saving.agent.do(PurgeMemory(first))
    saving.note(before)
    await saving.indexes.forget("a")
    assert saving.files() == []
    await saving.create("three")
    await until(saving.files)
    assert "secret" not in saving.content()


async def test_an_old_file_is_kept_while_its_agent_is_unchanged(saving: Saving) -> None:
    await saving.create("one", "two")
    await saving.restart()
    saving.age()
    await saving.retire(saving.head())
    assert len(saving.files()) == 1
    saving.age()
    await saving.begin()
    await saving.retire(AgentHead("a", saving.agent.state.revision + 1, 1, 1))
    assert saving.files() == []


@pytest.mark.parametrize("is_known", [True, False])
async def test_an_old_file_of_an_agent_that_ended_is_removed(saving: Saving, *, is_known: bool) -> None:
    await saving.create("one", "two")
    await saving.restart()
    await saving.retire()
    assert len(saving.files()) == 1
    saving.age()
    await saving.retire(*([saving.head(ended=True)] if is_known else []))
    assert saving.files() == []


async def test_a_file_with_something_that_was_removed_is_never_taken_for_current(saving: Saving) -> None:
    first, *_ = await saving.create("secret", "two", "three")
    await saving.restart()
    saving.agent.do(PurgeMemory(first))
    await saving.begin()
    assert (await saving.use()).puts == []
    await saving.restart()
    assert "secret" not in saving.content()


async def test_an_old_file_of_a_loaded_index_is_saved_again(saving: Saving) -> None:
    first, *_ = await saving.create("secret", "two", "three")
    await saving.restart()
    await saving.use()
    before = saving.agent.state
    saving.agent.do(PurgeMemory(first))
    saving.note(before)
    saving.age()
    await saving.retire(saving.head())
    await saving.indexes.save_all()
    assert "secret" not in saving.content()


async def test_a_change_of_something_else_makes_no_file_old(saving: Saving) -> None:
    await saving.create("one", "two")
    await until(saving.files)
    saving.agent.set("key")
    await saving.use()
    await saving.restart()
    saving.age()
    await saving.retire(saving.head())
    assert len(saving.files()) == 1


async def test_saved_indexes_make_room_on_a_full_disk(saving: Saving) -> None:
    await saving.create("one", "two")
    await until(saving.files)
    saving.indexes.make_room()
    await until(lambda: not saving.files())
    saving.indexes.close()
    saving.indexes.make_room()


async def test_uses_go_on_while_an_index_is_saved_again_and_again(saving: Saving) -> None:
    for number in range(20):
        await saving.create(*(f"{number} {each}" for each in range(3)))
    await asyncio.gather(*(saving.use() for _ in range(10)))
    await saving.restart()
    assert (await saving.use()).puts == []
    assert len(saving.made[-1].held) == 60
