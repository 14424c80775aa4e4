"""Small responses that nobody reads: each is too small to be counted on its own, and they are bounded together."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.attack.frames import call_headers, data_frames, message
from tests.daemon import Daemon
from tests.integration.http2.peer import MEMORY, PREFACE, Answer, Peer
from tests.integration.wire import Wire

from memoryd.v1 import working_memory_service_pb2 as pb

UNREAD_BYTES_MAX = 1 << 20
VALUE_BYTES = 12_000
OVERLOADED = Answer(200, 8, "OVERLOADED")


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    """A daemon with a small limit of unread responses."""
    limits = (
        "--limit-response-bytes",
        str(UNREAD_BYTES_MAX),
        "--limit-response-bytes-per-caller",
        str(UNREAD_BYTES_MAX),
    )
    daemon = Daemon(tmp_path, "--transport", "front", "--durability", "memory", "--embedder", "none", *limits)
    daemon.start()
    yield daemon
    daemon.close()


def test_who_does_not_read_gets_no_more_once_too_much_is_unread(daemon: Daemon) -> None:
    with daemon.channel() as channel:
        agent = Wire(channel).agent()
        agent.set("key", "x" * VALUE_BYTES)
        request = message(pb.GetEntryRequest(agent_id=agent.id, key="key").SerializeToString())
        # Without a larger window, the server may send 64 KiB to it.
        with Peer(daemon.address, PREFACE + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])) as silent:
            for _ in range(2 * UNREAD_BYTES_MAX // VALUE_BYTES):
                stream = silent.open(call_headers(f"{MEMORY}GetEntry"))
                silent.send(data_frames(stream, request, end=True))
                # A round trip: the daemon answers the calls of before meanwhile.
                assert agent.value("key") == "x" * VALUE_BYTES
            assert silent.end(stream) == OVERLOADED
        assert agent.value("key") == "x" * VALUE_BYTES
