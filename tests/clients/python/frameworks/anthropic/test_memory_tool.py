"""The behaviour of the memory tool beyond its contract, over a live daemon."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from anthropic.lib.tools import ToolError
from tests.clients.python.frameworks.sample import run_sample
from tests.daemon import Daemon
from tests.wait import PATIENT

import memoryd
from memoryd import errors
from memoryd.anthropic import MemorydAsyncMemoryTool, MemorydMemoryTool


@pytest.fixture
def tool(client: memoryd.Client, agent_id: str) -> MemorydMemoryTool:
    return MemorydMemoryTool(client, agent_id=agent_id)


@pytest.fixture
def users(client: memoryd.Client, agent_id: str) -> Iterator[dict[str, MemorydMemoryTool]]:
    return {user: MemorydMemoryTool(client, agent_id=agent_id, user_id=user) for user in ("", "ada", "bob")}


def create(tool: MemorydMemoryTool, path: str, text: str = "x") -> Any:
    return tool.call({"command": "create", "path": path, "file_text": text})


def view(tool: MemorydMemoryTool, path: str = "/memories") -> str:
    return str(tool.call({"command": "view", "path": path}))


def test_the_tool_is_offered_to_the_model_as_memory(client: memoryd.Client) -> None:
    assert MemorydMemoryTool(client).to_dict() == {"type": "memory_20250818", "name": "memory"}
    cached = MemorydMemoryTool(client, cache_control={"type": "ephemeral"})
    assert cached.to_dict().get("cache_control") == {"type": "ephemeral"}


def test_users_have_files_of_their_own(users: dict[str, MemorydMemoryTool], agent: memoryd.Agent) -> None:
    for user, tool in users.items():
        create(tool, "/memories/a", f"of {user}")
    assert [view(tool, "/memories/a").rpartition("\t")[2] for tool in users.values()] == ["of ", "of ada", "of bob"]
    users["ada"].call({"command": "delete", "path": "/memories/a"})
    assert "/memories/a" in view(users["bob"])
    agent.forget_user("bob")
    assert view(users["bob"]).endswith("0B\t/memories")
    assert "/memories/a" in view(users[""])


def test_other_documents_of_the_agent_are_no_files(tool: MemorydMemoryTool, agent: memoryd.Agent) -> None:
    other = agent.documents.create("text", title="/memories/other")
    create(tool, "/memories/a")
    assert "other" not in view(tool)
    tool.clear_all_memory()
    assert [document.document_id for document in agent.documents.list()] == [other.document_id]


def test_a_file_keeps_its_id_and_is_searched(tool: MemorydMemoryTool, agent: memoryd.Agent) -> None:
    create(tool, "/memories/a", "Ada drinks tea\n")
    (before,) = agent.documents.list()
    tool.call({"command": "rename", "old_path": "/memories/a", "new_path": "/memories/b/c"})
    tool.call({"command": "str_replace", "path": "/memories/b/c", "old_str": "tea", "new_str": "coffee"})
    (after,) = agent.documents.list()
    assert (after.document_id, after.title) == (before.document_id, "/memories/b/c")
    assert agent.documents.search("coffee").chunks[0].chunk.text == "Ada drinks coffee\n"


def test_a_directory_is_renamed_and_deleted_by_one_change(tool: MemorydMemoryTool, agent: memoryd.Agent) -> None:
    for number in range(20):
        create(tool, f"/memories/d/{number}")
    before = agent.info().revision
    tool.call({"command": "rename", "old_path": "/memories/d", "new_path": "/memories/e"})
    tool.call({"command": "delete", "path": "/memories/e"})
    assert agent.info().revision == before + 2


def test_of_concurrent_creations_one_succeeds(tool: MemorydMemoryTool) -> None:
    def attempt(number: int) -> bool:
        try:
            create(tool, "/memories/d/a" if number % 2 else "/memories/d", str(number))
        except ToolError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(16))) == 1
    assert len(view(tool).splitlines()) in (3, 4)


def test_no_concurrent_edit_is_lost(tool: MemorydMemoryTool, agent: memoryd.Agent) -> None:
    create(tool, "/memories/a", "")

    def insert(number: int) -> None:
        tool.call({"command": "insert", "path": "/memories/a", "insert_line": 0, "insert_text": str(number)})
        agent.set(f"key-{number}", number)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(insert, range(24)))
    lines = [line.split("\t")[1] for line in view(tool, "/memories/a").splitlines()[1:-1]]
    assert sorted(lines, key=int) == [str(number) for number in range(24)]


def test_files_are_created_after_the_agent_has_ended(tool: MemorydMemoryTool, agent: memoryd.Agent) -> None:
    create(tool, "/memories/a")
    agent.end()
    assert view(tool).endswith("0B\t/memories")
    create(tool, "/memories/b")
    assert view(tool).endswith("1B\t/memories/b")


def test_large_files_are_kept_and_larger_ones_refused(tool: MemorydMemoryTool) -> None:
    text = "ä line\n" * 400_000
    create(tool, "/memories/large", text)
    assert view(tool, "/memories/large").count("\tä line") == 400_000
    with pytest.raises(ToolError, match="document_text_bytes") as refused:
        create(tool, "/memories/larger", text * 2)
    assert isinstance(refused.value.__cause__, errors.TooLarge)
    assert "larger" not in view(tool)


@pytest.mark.parametrize("path", ["/memories/%2e%2e/x", "/memories/..\\x", "/memories/a\nb", "/memories/\ud800"])
def test_a_path_that_could_mislead_is_refused(tool: MemorydMemoryTool, path: str) -> None:
    with pytest.raises(ToolError, match="Path"):
        create(tool, path)


def test_a_path_that_is_too_long_is_refused(tool: MemorydMemoryTool) -> None:
    create(tool, f"/memories/{'ä' * 507}")
    with pytest.raises(ToolError, match="1024 bytes"):
        create(tool, f"/memories/{'ä' * 508}")
    with pytest.raises(ToolError, match="lone surrogate"):
        create(tool, "/memories/a", "\ud800")


@pytest.mark.parametrize("name", ["node_modules", ".hidden"])
def test_what_is_hidden_is_not_listed(tool: MemorydMemoryTool, name: str) -> None:
    create(tool, f"/memories/a/{name}/b")
    assert view(tool).splitlines()[1:] == ["1B\t/memories", "1B\t/memories/a/"]


def test_an_unavailable_daemon_is_not_an_empty_directory() -> None:
    with (
        memoryd.connect("127.0.0.1:1", connect_timeout=0.1) as client,  # time: nothing listens there, ever
        pytest.raises(errors.Unavailable),
    ):
        view(MemorydMemoryTool(client))


async def test_the_tool_for_asyncio_does_the_same(shared_daemon: Daemon, agent_id: str) -> None:
    async with (
        memoryd.aio.connect(shared_daemon.address, **PATIENT) as client,
        MemorydAsyncMemoryTool(client, agent_id=agent_id) as tool,
    ):
        created = (tool.call({"command": "create", "path": f"/memories/d/{n}", "file_text": "a\n"}) for n in range(8))
        await asyncio.gather(*created)
        await tool.call({"command": "str_replace", "path": "/memories/d/0", "old_str": "a", "new_str": "b"})
        await tool.call({"command": "insert", "path": "/memories/d/0", "insert_line": 1, "insert_text": "c"})
        await tool.call({"command": "rename", "old_path": "/memories/d", "new_path": "/memories/e"})
        await tool.call({"command": "delete", "path": "/memories/e/7"})
        listed = str(await tool.call({"command": "view", "path": "/memories/e"}))
        assert len(listed.splitlines()) == 9
        assert str(await tool.call({"command": "view", "path": "/memories/e/0"})).endswith("1\tb\n     2\tc\n     3\t")
        with pytest.raises(ToolError, match="already exists"):
            await tool.call({"command": "create", "path": "/memories/e", "file_text": ""})
        assert await tool.clear_all_memory() == "All memory cleared"


def test_the_sample_remembers_in_its_second_run(daemon: Daemon) -> None:
    assert run_sample("claude_memory.py", daemon).endswith("assistant: All but nuts. I will remember that.\n")
    daemon.kill()
    daemon.start()
    assert run_sample("claude_memory.py", daemon).endswith("assistant: All but nuts, I remember.\n")
