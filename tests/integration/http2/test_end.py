"""Connections that clients leave open: they hold up nobody's end, and their descriptors are freed."""

import resource
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.attack.frames import END_HEADERS, HEADERS, call_headers, data_frames, framed, message
from tests.daemon import Daemon
from tests.integration.certificate import Authority
from tests.integration.http2.peer import MEMORY, PREFACE, WATCH, Answer, Peer, setting
from tests.integration.wire import Wire
from tests.wait import until

SERVED = Answer(200, 3, "INVALID_FIELD")
CONNECTIONS = 50


def descriptors(daemon: Daemon) -> int:
    return len(list(Path(f"/proc/{daemon.pid}/fd").iterdir()))


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def launch(launch_process: Callable[..., Daemon]) -> Callable[..., Daemon]:
    return lambda *flags: launch_process("--transport", "front", "--durability", "memory", "--embedder", "none", *flags)


def leave_open(daemon: Daemon, stack: ExitStack) -> None:
    """Open connections that have said nothing, that wait, and that read nothing."""
    host, _, port = daemon.address.rpartition(":")
    stack.enter_context(socket.create_connection((host, int(port))))
    stack.enter_context(socket.create_connection((host, int(port)))).sendall(PREFACE[:9])
    stack.enter_context(Peer(daemon.address)).open()
    watching = stack.enter_context(Peer(daemon.address, PREFACE + setting(4, 0)))
    watching.send(data_frames(watching.open(call_headers(WATCH)), message(b""), end=True))
    unread = stack.enter_context(Peer(daemon.address))
    block = call_headers(f"{MEMORY}GetEntry")
    for stream in range(1, 4_001, 2):
        unread.send(framed(HEADERS, END_HEADERS, stream, block) + data_frames(stream, message(b""), end=True))


def test_clients_that_say_or_read_nothing_do_not_hold_up_the_end(
    launch: Callable[..., Daemon], stack: ExitStack
) -> None:
    daemon = launch()
    leave_open(daemon, stack)
    with Peer(daemon.address) as peer:
        assert peer.call() == SERVED
    assert daemon.stop() == 0
    assert "Traceback" not in daemon.log


def test_handshakes_that_stop_halfway_hold_up_nobody(
    launch: Callable[..., Daemon], stack: ExitStack, tmp_path: Path
) -> None:
    authority = Authority(tmp_path / "authority")
    certificate, key = authority.issue("server", "DNS:localhost,IP:127.0.0.1")
    daemon = launch("--tls-cert-file", str(certificate), "--tls-key-file", str(key))
    host, _, port = daemon.address.rpartition(":")
    for begin in (b"", b"\x16\x03\x01\x02\x00\x01", b"nonsense" * 100):
        connection = stack.enter_context(socket.create_connection((host, int(port))))
        connection.sendall(begin)
    assert daemon.stop() == 0


@pytest.mark.whole
def test_ended_connections_leave_no_descriptor(front: Daemon) -> None:
    before = descriptors(front)
    with ExitStack() as stack:
        peers = [stack.enter_context(Peer(front.address)) for _ in range(CONNECTIONS)]
        assert [peer.call() for peer in peers] == [SERVED] * CONNECTIONS
        # Not compared with ``before``: the last connection of another test may end meanwhile.
        assert descriptors(front) > CONNECTIONS
    until(lambda: descriptors(front) <= before, "the connections are closed")


def test_a_lack_of_descriptors_passes(launch: Callable[..., Daemon]) -> None:
    daemon = launch()
    with Peer(daemon.address) as before:
        assert before.call() == SERVED
        limits = resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE)
        scarce = max(int(each.name) for each in Path(f"/proc/{daemon.pid}/fd").iterdir()) + 5
        resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (scarce, limits[1]))
        with ExitStack() as stack:
            for _ in range(CONNECTIONS):
                stack.enter_context(Peer(daemon.address))
            until(lambda: descriptors(daemon) >= scarce, "there are no more descriptors")
            assert before.call() == SERVED
        with Peer(daemon.address) as after:
            assert after.call() == SERVED
    with daemon.channel() as channel:
        assert Wire(channel).agent().set("key").revision == 1
    assert "Traceback" not in daemon.log
