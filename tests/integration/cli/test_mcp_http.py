"""``memoryd mcp --transport http``: hosts that connect, and pages that may not."""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from mcp import Client, MCPError
from tests.daemon import Daemon
from tests.integration.cli.mcp_host import PATIENT, use
from tests.integration.cli.process import Process
from tests.wait import WAIT_S_MAX

Serve = Callable[..., str]
ANYBODY = ("--no-http-token",)
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture
def served() -> list[Process]:
    return []


@pytest.fixture
def serve(start: Callable[..., Process], served: list[Process]) -> Iterator[Serve]:
    """Starts ``memoryd mcp`` at a free port, and returns its URL."""

    def run(address: str, *options: str, listen: str = "127.0.0.1:0", access: Sequence[str] = ANYBODY) -> str:
        process = start("mcp", "--transport", "http", "--listen", listen, *PATIENT, *access, *options, address=address)
        served.append(process)
        process.wait_until(lambda: "listening at" in process.err)
        (url,) = re.findall(r"listening at (\S+)\n", process.err)
        return str(url)

    return run


def status_of(url: str, **headers: str) -> int:
    """Return the status of a call with these headers."""
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream", **headers}
    request = urllib.request.Request(url, json.dumps(PING).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=WAIT_S_MAX) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


@pytest.mark.whole
async def test_hosts_share_a_memory(serve: Serve, shared_daemon: Daemon, agent_id: str) -> None:
    url = serve(shared_daemon.address, "--agent", agent_id)
    async with Client(url) as first, Client(url, mode="legacy") as second:
        await use(first, "remember", content="The fox lives in the barn")
        found = await use(second, "recall", query="fox")
        assert [each["content"] for each in found["memories"]] == ["The fox lives in the barn"]
        (listed,) = (await second.list_resources()).resources
        assert listed.title == "The fox lives in the barn"
        assert len((await first.get_prompt("context", {"query": "fox"})).messages) == 2


@pytest.mark.whole
async def test_only_what_was_chosen_is_there(serve: Serve, shared_daemon: Daemon, agent_id: str) -> None:
    async with Client(serve(shared_daemon.address, "--agent", agent_id, "--tools", "recall")) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["recall"]
        with pytest.raises(MCPError, match="there is no tool 'remember'"):
            await client.call_tool("remember", {"content": "x"})


@pytest.mark.whole
async def test_a_memory_outlives_both_the_daemon_and_the_server(
    serve: Serve, served: list[Process], daemon: Daemon, agent_id: str
) -> None:
    url = serve(daemon.address, "--agent", agent_id)
    async with Client(url) as client:
        await use(client, "remember", content="The fox lives in the barn")
    daemon.kill()
    served[0].close()
    daemon.start()
    async with Client(serve(daemon.address, "--agent", agent_id)) as client:
        found = await use(client, "recall", query="Where does the fox live?")
    assert [each["content"] for each in found["memories"]] == ["The fox lives in the barn"]


@pytest.mark.whole
async def test_a_host_goes_on_after_the_server_was_killed(
    serve: Serve, served: list[Process], shared_daemon: Daemon, agent_id: str
) -> None:
    url = serve(shared_daemon.address, "--agent", agent_id)
    async with Client(url) as client:
        await use(client, "remember", content="The fox lives in the barn")
        served[0].close()
        port = url.split(":")[2].split("/")[0]
        assert serve(shared_daemon.address, "--agent", agent_id, listen=f"127.0.0.1:{port}") == url
        assert (await use(client, "recall", query="fox"))["match_count"] == 1


def test_a_page_of_another_site_is_refused(serve: Serve, shared_daemon: Daemon, agent_id: str) -> None:
    url = serve(shared_daemon.address, "--agent", agent_id, "--allow-host", "memory.example")
    assert status_of(url) == 200
    assert status_of(url, origin="http://localhost:3000") == 200
    assert status_of(url, origin="https://evil.example") == 403
    assert status_of(url, origin="http://localhost.evil.example") == 403
    assert status_of(url, origin="null") == 403
    assert status_of(url, host="evil.example") == 421
    assert status_of(url, host="evil.example:80") == 421
    assert status_of(url, host="memory.example", origin="https://memory.example") == 200
    assert status_of(url.replace("/mcp", "/other")) == 404


@pytest.mark.parametrize(
    "name", ["127.0.0.1:80@evil.example", "localhost:x.evil.example", "localhost:", "localhost:80:80", "127.0.0.1.", ""]
)
def test_a_name_that_only_begins_like_an_allowed_one_is_refused(
    serve: Serve, shared_daemon: Daemon, agent_id: str, name: str
) -> None:
    url = serve(shared_daemon.address, "--agent", agent_id)
    assert status_of(url, host=name) in (400, 421)
    assert status_of(url, origin=f"http://{name}") == 403


def test_a_client_must_send_the_token_that_is_printed(
    serve: Serve, served: list[Process], shared_daemon: Daemon, agent_id: str
) -> None:
    url = serve(shared_daemon.address, "--agent", agent_id, access=())
    (token,) = re.findall(r"Authorization: Bearer (\S+)\n", served[0].err)
    assert len(token) >= 40
    assert status_of(url, authorization=f"Bearer {token}") == 200
    assert status_of(url, authorization=f"bearer  {token}") == 200
    for wrong in ("", token, f"Bearer {token}x", f"Bearer {token[:-1]}", f"Basic {token}", "Bearer "):
        assert status_of(url, authorization=wrong) == 401
    assert status_of(url) == 401


def test_the_token_may_come_from_a_file(
    serve: Serve, served: list[Process], shared_daemon: Daemon, agent_id: str, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text("a-token-of-the-operator\n")
    url = serve(shared_daemon.address, "--agent", agent_id, access=("--http-token-file", str(file)))
    assert status_of(url, authorization="Bearer a-token-of-the-operator") == 200
    assert status_of(url) == 401
    assert "a-token" not in served[0].err


@pytest.mark.whole
def test_it_ends_by_a_signal_and_says_nothing_on_standard_output(
    serve: Serve, served: list[Process], shared_daemon: Daemon, agent_id: str
) -> None:
    url = serve(shared_daemon.address, "--agent", agent_id)
    assert status_of(url) == 200
    assert served[0].interrupt() == 0
    assert served[0].out == ""


def test_a_port_in_use_is_an_error(
    serve: Serve, start: Callable[..., Process], shared_daemon: Daemon, agent_id: str, tmp_path: Path
) -> None:
    taken = shared_daemon.address
    process = start("mcp", "--agent", agent_id, "--transport", "http", "--listen", taken, *ANYBODY, address=taken)
    assert process.wait() == 1
    assert process.err == f"memoryd: cannot listen on {taken}: Address already in use\n"
