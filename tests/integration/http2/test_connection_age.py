"""Connections that are too old or idle are asked to end, over both transports, and calls in progress are not."""

from collections.abc import Callable

import pytest
from tests.attack.frames import DATA, END_STREAM, GOAWAY, Frame, call_headers, data_frames, message
from tests.daemon import Daemon
from tests.integration.http2.peer import WATCH, Answer, Peer
from tests.integration.wire import Wire

SERVED = Answer(200, 3, "INVALID_FIELD")
# time: so that a connection is old, or idle, within the test
SHORT = "1s"


@pytest.fixture
def launch(launch_process: Callable[..., Daemon]) -> Callable[..., Daemon]:
    return lambda *flags: launch_process("--durability", "memory", "--embedder", "none", *flags)


def watched(peer: Peer) -> int:
    """Begin a watch, and return its stream once its first message has come."""
    stream = peer.open(call_headers(WATCH))
    peer.send(data_frames(stream, message(b""), end=True))
    assert peer.wait(lambda frame: (frame.kind, frame.stream) == (DATA, stream))
    return stream


def test_an_old_connection_is_replaced_and_its_watch_goes_on(
    launch: Callable[..., Daemon], connect: Callable[[Daemon], Wire], transport: str
) -> None:
    daemon = launch("--transport", transport, "--connection-age", SHORT)
    with Peer(daemon.address) as peer:
        stream = watched(peer)
        assert peer.wait(lambda frame: frame.kind == GOAWAY)
        with daemon.channel() as channel:
            assert Wire(channel).agent().set("key").revision == 1

        def is_event(frame: Frame) -> bool:
            assert not (frame.stream == stream and frame.flags & END_STREAM and frame.kind != DATA)
            return (frame.kind, frame.stream) == (DATA, stream)

        assert peer.wait(is_event)


def test_a_client_whose_connection_is_old_calls_over_a_new_one(launch: Callable[..., Daemon], transport: str) -> None:
    daemon = launch("--transport", transport, "--connection-age", SHORT)
    with Peer(daemon.address) as peer, daemon.channel() as channel:
        agent = Wire(channel).agent()
        assert agent.set("key").revision == 1
        assert peer.wait(lambda frame: frame.kind == GOAWAY)
        for revision in range(2, 30):
            assert agent.set("key").revision == revision


def test_an_idle_connection_is_closed_and_one_with_a_watch_is_not(
    launch: Callable[..., Daemon], transport: str
) -> None:
    daemon = launch("--transport", transport, "--connection-idle", SHORT)
    with Peer(daemon.address) as watching, Peer(daemon.address) as idle:
        watched(watching)
        assert idle.call() == SERVED
        assert idle.wait(lambda frame: frame.kind == GOAWAY)
        assert not idle.wait(lambda _: False)
        # It is older, and was asked nothing.
        stream = watching.open()
        watching.send(data_frames(stream, message(b""), end=True))
        kinds: list[int] = []

        def is_answer(frame: Frame) -> bool:
            kinds.append(frame.kind)
            return frame.stream == stream

        assert watching.wait(is_answer)
        assert GOAWAY not in kinds


def test_without_these_settings_a_connection_is_neither_old_nor_idle(
    launch: Callable[..., Daemon], transport: str
) -> None:
    daemon = launch("--transport", transport)
    with Peer(daemon.address) as peer:
        assert peer.call() == SERVED
        assert peer.call() == SERVED
