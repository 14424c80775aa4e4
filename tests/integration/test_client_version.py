"""A client of a version that does not work with the daemon's, over each transport."""

from collections.abc import Callable

import grpc
import pytest
from tests.daemon import Daemon

import memoryd
from memoryd import errors
from memoryd.protocol import setting
from memoryd_server import __version__


@pytest.fixture
def address(launch_process: Callable[..., Daemon], transport: str) -> str:
    return launch_process("--transport", transport, "--durability", "memory").address


def test_a_client_outside_of_the_window_is_refused_by_an_error_that_names_both_versions(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setting, "VERSION", "9.1.2")
    with memoryd.connect(address) as client:
        calls = (lambda: client.agent("a").set("k", 1), lambda: next(iter(client.agent("a").watch())))
        for call in calls:
            with pytest.raises(errors.VersionUnsupported, match="does not work with server version") as refused:
                call()
            assert refused.value.metadata == {"client_version": "9.1.2", "server_version": __version__}
            assert refused.value.code is grpc.StatusCode.FAILED_PRECONDITION
        assert client.server_info().version == __version__
    monkeypatch.undo()
    with memoryd.connect(address) as client:
        assert client.agent("a").get("k") is None


def test_a_stub_without_a_version_is_served(address: str) -> None:
    with grpc.insecure_channel(address) as channel:
        grpc.channel_ready_future(channel).result()
        method = channel.unary_unary("/memoryd.v1.AgentService/ListAgents")
        assert isinstance(method(b""), bytes)
