"""The metrics of connections, and of what the front end refuses without the interpreter."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.attack.frames import call_headers, data_frames, message
from tests.daemon import Daemon
from tests.integration.http2.peer import MEMORY, WATCH, Answer, Peer
from tests.integration.metrics import samples, scraped, scraped_by
from tests.port import free_port
from tests.wait import until

PREFIX = "agents_memory_server_"


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def daemon(launch_process: Callable[..., Daemon], port: int) -> Daemon:
    flags = ("--durability", "memory", "--embedder", "none", "--limit-connections", "3")
    return launch_process("--transport", "front", "--metrics-listen", f"127.0.0.1:{port}", *flags)


def test_connections_and_calls_are_counted_while_they_last(daemon: Daemon, port: int) -> None:
    def usage() -> list[float]:
        metrics = scraped(port)
        return [metrics[f"{PREFIX}{name}"] for name in ("connections", "open_calls", "waiting_calls")]

    until(lambda: usage() == [0, 0, 0], "those of the start are gone")
    with Peer(daemon.address) as first, Peer(daemon.address):
        first.send(data_frames(first.open(call_headers(WATCH)), message(b""), end=True))
        first.open()
        until(lambda: usage() == [2, 2, 0], "both connections and both calls are there")
    until(lambda: usage() == [0, 0, 0], "all have ended")


def test_what_is_refused_early_is_counted_by_its_reason(daemon: Daemon, port: int) -> None:
    def refused() -> dict[str, float]:
        return scraped_by(port, f"{PREFIX}refused_early_total", "reason")

    with Peer(daemon.address) as peer:
        peer.call(message(b""), ("x-long", "a" * 17_000))
        peer.call(message(bytes(1 << 20 | 1))[:60_000])
        peer.call(message(b""), ("grpc-timeout", "x"))
        peer.call(b"\0\0")
        peer.call(path=f"{MEMORY}GetEntry")
        assert refused() == {"metadata": 1, "too_large": 1, "malformed": 2}


def test_each_call_is_counted_once_by_the_status_that_it_ended_with(daemon: Daemon, port: int) -> None:
    def ended() -> dict[tuple[str, str], float]:
        counts = samples(port, "rpc_server_call_duration_seconds_count")
        return {
            (each["rpc_method"].rpartition("/")[2], each["rpc_response_status_code"]): count for each, count in counts
        }

    def durations_s() -> float:
        return sum(value for _, value in samples(port, "rpc_server_call_duration_seconds_sum"))

    before = ended()

    def since() -> dict[tuple[str, str], float]:
        return {key: count - before.get(key, 0) for key, count in ended().items() if count != before.get(key, 0)}

    with Peer(daemon.address) as peer:
        peer.call(path="/memoryd.v1.ServerService/GetServerInfo")
        # Refused by the gate.
        peer.call()
        # Refused before Python sees it.
        peer.call(b"\0\0")
        peer.call(message(bytes(1 << 20 | 1))[:60_000])
        peer.call(path="/no.Service/Method")
        # The deadline passes, or the client leaves.
        peer.call(message(b""), ("grpc-timeout", "20m"), path=WATCH)
        peer.send(data_frames(peer.open(call_headers(WATCH)), message(b""), end=True))
        peer.call(path="/memoryd.v1.ServerService/GetServerInfo")
    expected = {
        ("GetServerInfo", "OK"): 2,
        ("GetEntry", "INVALID_ARGUMENT"): 2,
        ("GetEntry", "RESOURCE_EXHAUSTED"): 1,
        ("WatchEvents", "CANCELLED"): 2,
    }
    until(lambda: since().get(("WatchEvents", "CANCELLED")) == 2, "the last watch has ended")
    assert since() == expected
    assert durations_s() > 0.02


def test_connections_beyond_their_limit_are_counted(daemon: Daemon, port: int) -> None:
    with ExitStack() as stack:
        for _ in range(8):
            stack.enter_context(Peer(daemon.address))
        until(lambda: scraped_by(port, f"{PREFIX}refused_early_total", "reason").get("connections", 0) >= 5, "refused")


def test_a_call_without_credentials_is_counted_as_refused(
    launch_process: Callable[..., Daemon], port: int, tmp_path: Path
) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("[tokens]\n")
    tokens.chmod(0o600)
    flags = ("--transport", "front", "--metrics-listen", f"127.0.0.1:{port}", "--token-file", str(tokens))
    daemon = launch_process(*flags, "--durability", "memory", "--embedder", "none")
    with Peer(daemon.address) as peer:
        assert peer.call() == Answer(200, 16, "UNAUTHENTICATED")
    assert scraped_by(port, f"{PREFIX}refused_early_total", "reason")["unauthenticated"] >= 1
