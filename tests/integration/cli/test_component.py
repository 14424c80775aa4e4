"""The health of the daemon's components, as ``info``, ``doctor`` and ``top`` show it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.daemon import Daemon
from tests.port import free_port
from tests.wait import PATIENT, until

import memoryd

Command = Callable[..., tuple[int, str, str]]
REASON = "it does not respond: queries are searched by their words, memories wait for vectors"


@pytest.fixture(scope="module")
def embedderless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon whose embedder does not respond."""
    flags = ["--embedder", "endpoint", "--embedding-url", f"http://127.0.0.1:{free_port()}/v1"]
    flags += ["--embedding-model", "concepts", "--embedding-dimensions", "4", "--durability", "memory"]
    daemon = Daemon(tmp_path_factory.mktemp("embedderless"), *flags)
    daemon.start()
    try:
        with memoryd.connect(daemon.address, **PATIENT) as client:
            client.agent("a").memories.remember("Ada likes tea", user_id="")
            until(lambda: component(client, "embedder").state == "degraded", "the embedder is degraded")
        yield daemon
    finally:
        daemon.close()


def component(client: memoryd.Client, name: str) -> memoryd.ServerComponent:
    (found,) = [each for each in client.server_info().components if each.name == name]
    return found


@pytest.mark.whole
def test_the_client_has_the_health_of_each_component(embedderless: Daemon) -> None:
    with memoryd.connect(embedderless.address, **PATIENT) as client:
        info = client.server_info()
        assert {each.name: each.state.value for each in info.components} == {
            "store": "ok",
            "watches": "ok",
            "embedder": "degraded",
            "journal": "ok",
        }
        assert (info.state, component(client, "store").reason) == (memoryd.ServerState.SERVING, "")
        found = component(client, "embedder")
        assert (found.state, found.reason) == (memoryd.ComponentState.DEGRADED, REASON)
        assert found.start_time > info.start_time


def test_info_doctor_and_top_show_it(
    command: Command, embedderless: Daemon, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MEMORYD_ADDRESS", embedderless.address)
    rows = dict(line.split("\t", 1) for line in command("info")[1].splitlines())
    assert (rows["component embedder"], rows["component store"]) == ("degraded", "ok")
    code, out, _ = command("doctor", "--data-dir", str(tmp_path / "data"), "--json")
    found = {row["check"]: row for row in map(json.loads, out.splitlines())}
    assert (code, found["daemon store"]["state"], found["daemon embedder"]["state"]) == (0, "ok", "warn")
    assert REASON in found["daemon embedder"]["found"]
    assert "endpoint" in found["daemon embedder"]["remedy"]
    monkeypatch.setenv("COLUMNS", "200")
    assert f": {REASON}" in command("top", "--once", "--interval", "1ms")[1]
