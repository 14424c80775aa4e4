"""``memoryd mcp`` over stdio, as a host starts it, and as a host loses it."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from mcp import MCPError
from mcp_types import INVALID_PARAMS, TextContent, TextResourceContents
from tests.daemon import Daemon
from tests.integration.cli.mcp_host import MEMORYD, over_stdio, use, used
from tests.wait import WAIT_S_MAX

import memoryd
from memoryd.protocol.toolkit import TOOLKITS

Command = Callable[..., tuple[int, str, str]]

AWAY = r"no daemon answers at 127\.0\.0\.1:\d+ \(|the daemon did not respond in time"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


async def test_a_host_is_given_every_tool(tmp_path: Path, shared_daemon: Daemon, agent_id: str) -> None:
    async with over_stdio(tmp_path, shared_daemon.address, "--agent", agent_id) as client:
        listed = (await client.list_tools()).tools
    expected = {tool.name: tool for tools in TOOLKITS.values() for tool in tools}
    assert {tool.name: (tool.description, tool.input_schema) for tool in listed} == {
        name: (tool.description, tool.parameters) for name, tool in expected.items()
    }
    for tool in listed:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint == expected[tool.name].read_only
        assert tool.annotations.destructive_hint == expected[tool.name].destructive


async def test_tools_change_what_others_see(tmp_path: Path, shared_daemon: Daemon, agent: memoryd.Agent) -> None:
    options = ["--agent", agent.agent_id, "--user", "ada", "--conversation", "talk"]
    async with over_stdio(tmp_path, shared_daemon.address, *options) as client:
        made = await use(client, "remember", content="Ada: I moved to Lisbon")
        await use(client, "create_note", title="Tea", content="Ada likes tea")
        found = await use(client, "recall", query="Where does Ada live? Lisbon?")
    assert [each["memory_id"] for each in found["memories"]] == [made["memory_id"]]
    kept = agent.memories.get(made["memory_id"])
    assert (kept.user_id, kept.provenance.conversation_id) == ("ada", "talk")
    assert [note.title for note in agent.notes.list(user_id="ada")] == ["Tea"]
    assert next(agent.events()).origin == "mcp"


async def test_a_wrong_argument_is_an_error_for_the_model(tmp_path: Path, shared_daemon: Daemon, agent_id: str) -> None:
    async with over_stdio(tmp_path, shared_daemon.address, "--agent", agent_id) as client:
        text, is_error = await used(client, "recall", query=3, limit="many")
        assert is_error
        assert "'query' must be a text, not 3; 'limit' must be an integer from 1 to 50" in json.loads(text)["error"]
        with pytest.raises(MCPError, match="there is no tool 'guess'") as unknown:
            await client.call_tool("guess", {})
        assert unknown.value.code == INVALID_PARAMS


async def test_an_error_about_a_long_name_is_short(tmp_path: Path, shared_daemon: Daemon, agent_id: str) -> None:
    long = "x" * 5_000
    async with over_stdio(tmp_path, shared_daemon.address, "--agent", agent_id) as client:
        for wrong in (
            client.call_tool(long, {}),
            client.get_prompt(long, {}),
            client.get_prompt("context", {"max_tokens": long}),
            client.read_resource(f"other://{long}"),
            client.read_resource(f"memoryd://memories/{long}"),
        ):
            with pytest.raises(MCPError) as refused:
                await wrong
            assert len(str(refused.value)) < 200


async def test_only_what_was_chosen_is_there(tmp_path: Path, shared_daemon: Daemon, agent_id: str) -> None:
    options = ["--agent", agent_id, "--read-only", "--tools", "notes, recall"]
    async with over_stdio(tmp_path, shared_daemon.address, *options) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["list_notes", "get_note", "recall"]
        with pytest.raises(MCPError, match="there is no tool 'create_note'"):
            await client.call_tool("create_note", {"title": "x", "content": "y"})


async def test_memories_are_resources(tmp_path: Path, shared_daemon: Daemon, agent: memoryd.Agent) -> None:
    first = agent.memories.remember("The fox\nlives in the barn " + "x" * 80, user_id="ada").memory_id
    second = agent.memories.remember("Ada likes tea", user_id="ada").memory_id
    agent.memories.remember("Bob's secret", user_id="bob", memory_id="bobs")
    async with over_stdio(tmp_path, shared_daemon.address, "--agent", agent.agent_id, "--user", "ada") as client:
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "memoryd://memories/{id}"
        listed = (await client.list_resources()).resources
        assert [each.uri for each in listed] == [f"memoryd://memories/{each}" for each in (second, first)]
        assert listed[0].title == "Ada likes tea"
        assert listed[1].title == f"The fox lives in the barn {'x' * 53}…"
        (content,) = (await client.read_resource(listed[0].uri)).contents
        assert isinstance(content, TextResourceContents)
        assert json.loads(content.text)["content"] == "Ada likes tea"
        for uri in ("memoryd://memories/bobs", "memoryd://memories/none", "memoryd://memories/", "file:///etc/passwd"):
            with pytest.raises(MCPError, match=r"no memory|no resource") as refused:
                await client.read_resource(uri)
            assert refused.value.code == INVALID_PARAMS


async def test_the_context_is_a_prompt(tmp_path: Path, shared_daemon: Daemon, agent: memoryd.Agent) -> None:
    agent.notes.create("Tea", "Ada likes tea", notebook="ada", user_id="ada")
    agent.memories.remember("The fox lives in the barn", user_id="ada")
    said = [memoryd.MessageDraft("user", "Hello"), memoryd.MessageDraft("assistant", "Hello, Ada.")]
    agent.conversations.append("talk", said)
    agent.plans.create("Find the fox", conversation_id="talk")
    agent.entities("talk").add(memoryd.Entity("barn", "b1", "Red barn"))
    notes = "[DYNAMIC_MEMORY]\n- Tea: Ada likes tea\n[END_DYNAMIC_MEMORY]\n"
    memories = "[MEMORIES]\n- The fox lives in the barn\n[END_MEMORIES]\n"
    async with over_stdio(tmp_path, shared_daemon.address, "--agent", agent.agent_id, "--user", "ada") as client:
        (prompt,) = (await client.list_prompts()).prompts
        assert [argument.name for argument in prompt.arguments or []] == ["query", "conversation", "max_tokens"]

        async def prompt(**arguments: str) -> list[tuple[str, str]]:
            messages = (await client.get_prompt("context", arguments)).messages
            return [(each.role, each.content.text) for each in messages if isinstance(each.content, TextContent)]

        asked = ("user", "Where is the fox?")
        assert await prompt(query=asked[1]) == [("user", notes), ("user", memories), asked]
        talk = await prompt(query=asked[1], conversation="talk")
        assert "Goal: Find the fox\n" in talk[2][1]
        assert '"Red barn" (b1)' in talk[3][1]
        del talk[2:4]
        assert talk == [("user", notes), ("user", memories), ("user", "Hello"), ("assistant", "Hello, Ada."), asked]
        assert await prompt(query=asked[1], max_tokens="5") == [asked]
        assert await prompt() == [("user", notes)]
        for wrong in ({"max_tokens": "many"}, {"max_tokens": "0"}, {"conversation": "x" * 300}):
            with pytest.raises(MCPError) as refused:
                await client.get_prompt("context", wrong)
            assert refused.value.code == INVALID_PARAMS
        with pytest.raises(MCPError, match="no prompt 'other'"):
            await client.get_prompt("other", {})


@pytest.mark.whole
async def test_each_call_fails_until_a_lost_daemon_is_back(tmp_path: Path, daemon: Daemon, agent_id: str) -> None:
    async with over_stdio(tmp_path, daemon.address, "--agent", agent_id) as client:
        await use(client, "remember", content="The fox lives in the barn")
    options = ["--agent", agent_id, "--timeout", "1s"]  # time: each call to the killed daemon takes all of it
    async with over_stdio(tmp_path, daemon.address, *options) as client:
        assert (await client.list_tools()).tools
        daemon.kill()
        for _ in range(2):
            text, is_error = await used(client, "recall", query="fox")
            assert is_error
            assert re.match(AWAY, text)
        with pytest.raises(MCPError, match=AWAY):
            await client.list_resources()
        with pytest.raises(MCPError, match=AWAY):
            await client.get_prompt("context", {"query": "fox"})
        assert (await client.list_tools()).tools
        daemon.start()
        text, is_error = await used(client, "recall", query="fox")
        while is_error:
            assert re.match(AWAY, text)
            text, is_error = await used(client, "recall", query="fox")
    assert [each["content"] for each in json.loads(text)["memories"]] == ["The fox lives in the barn"]


@pytest.mark.whole
async def test_a_session_recalls_what_another_remembered_before_all_was_killed(
    tmp_path: Path, daemon: Daemon, agent_id: str
) -> None:
    async with over_stdio(tmp_path, daemon.address, "--agent", agent_id) as client:
        await use(client, "remember", content="The fox lives in the barn")
        daemon.kill()
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    daemon.start()
    async with over_stdio(tmp_path, daemon.address, "--agent", agent_id) as client:
        found = await use(client, "recall", query="Where does the fox live?")
    assert [each["content"] for each in found["memories"]] == ["The fox lives in the barn"]


def test_nothing_but_the_protocol_is_on_standard_output(shared_daemon: Daemon, agent_id: str) -> None:
    sent = [
        INITIALIZE,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list_notes", "arguments": {}}},
        {"jsonrpc": "2.0", "id": 3, "method": "no/such"},
    ]
    lines = [json.dumps(each) for each in sent]
    command = [MEMORYD, "mcp", "--agent", agent_id, "--address", shared_daemon.address]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n".join([*lines, "this is no JSON", ""]).encode())
        process.stdin.flush()
        answered: set[int] = set()
        while not answered >= {1, 2, 3}:
            answer = json.loads(process.stdout.readline())
            assert answer["jsonrpc"] == "2.0"
            answered.add(answer.get("id"))
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait(WAIT_S_MAX) == 0


@pytest.mark.whole
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_while_it_waits(shared_daemon: Daemon, agent_id: str, number: signal.Signals) -> None:
    command = [MEMORYD, "mcp", "--agent", agent_id, "--address", shared_daemon.address]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{json.dumps(INITIALIZE)}\n".encode())
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"] == "memoryd"
        process.send_signal(number)
        try:
            assert process.wait(WAIT_S_MAX) == -number
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ([], "Missing option '--agent'"),
        (["--agent", " "], "must not be empty"),
        (["--agent", "a", "--conversation", ""], "must not be empty"),
        (["--agent", "a", "--tools", "recal"], "--tools: there is no tool or toolkit 'recal'"),
        (["--agent", "a", "--listen", "127.0.0.1:0"], "need --transport http"),
        (["--agent", "a", "--transport", "http", "--listen", "0.0.0.0:0"], "add --insecure"),
        (["--agent", "a", "--transport", "http", "--listen", "here"], "is not an address"),
        (["--agent", "a", "--no-http-token"], "need --transport http"),
        (
            ["--agent", "a", "--transport", "http", "--listen", "0.0.0.0:0", "--insecure", "--no-http-token"],
            "is for loopback only",
        ),
        (["--agent", "a", "--address", "nowhere"], "neither HOST:PORT nor unix:/path"),
    ],
)
def test_wrong_usage_is_an_error(command: Command, options: list[str], problem: str) -> None:
    code, out, err = command("mcp", *options)
    assert (code, out) == (2, "")
    assert problem in err


def test_without_the_package_it_says_what_to_install(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, out, err = command("mcp", "--agent", "a")
    assert (code, out) == (1, "")
    assert err == "memoryd: the package mcp is missing: pip install 'memoryd-server[mcp]'\n"
