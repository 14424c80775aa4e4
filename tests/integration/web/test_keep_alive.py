"""Connections of HTTP/1.1 that serve one request after the other."""

import json
import socket
from http.client import HTTPResponse

import httpx
from tests.daemon import Daemon
from tests.wait import WAIT_S_MAX
from tests.web.transport import status_from

from memoryd.v1.note_service_pb2 import GetNoteRequest
from memoryd.v1.working_memory_service_pb2 import GetEntryRequest
from memoryd_server.domain.limit import Limits
from memoryd_server.transport.parsing.message_shape import bytes_max_of
from memoryd_server.transport.status import StatusCode

_HEAD = (
    "POST /memoryd.v1.NoteService/GetNote HTTP/1.1\r\nhost: localhost\r\n"
    "content-type: application/grpc-web+proto\r\ntransfer-encoding: chunked\r\n\r\n"
)


END = b"0\r\n\r\n"


def request(agent_id: str) -> bytes:
    """Return a call of GetNote by gRPC-Web, without the last of its chunks."""
    message = GetNoteRequest(agent_id=agent_id, note_id="none").SerializeToString()
    frame = b"\x00" + len(message).to_bytes(4, "big") + message
    return _HEAD.encode() + f"{len(frame):x}\r\n".encode() + frame + b"\r\n"


def test_the_end_of_a_request_may_come_behind_its_message(
    door: str, served: Daemon, web: httpx.Client, agent_id: str
) -> None:
    host, _, port = served.address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=WAIT_S_MAX) as connection:
        received = b""
        for count in range(1, 4):
            connection.sendall(request(agent_id))
            if door == "python":
                # It has seen the message, and waits for the end of the request before it responds.
                web.post("/grpc.health.v1.Health/Check", json={})
                connection.sendall(END)
            while received.count(b"grpc-status") < count:
                more = connection.recv(65_536)
                assert more, received
                received += more
            if door == "front":
                connection.sendall(END)


def test_a_client_that_still_sends_sees_the_refusal(door: str, served: Daemon) -> None:
    size = 2 * bytes_max_of(GetEntryRequest.DESCRIPTOR, Limits()) + 8_000_000
    path = "/memoryd.v1.WorkingMemoryService/GetEntry"
    head = (
        f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {size}\r\n\r\n"
    )
    host, _, port = served.address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=WAIT_S_MAX) as connection:
        connection.sendall(head.encode() + b" " * size)
        answer = HTTPResponse(connection)
        answer.begin()
        status = status_from(json.loads(answer.read()))
    assert status.code is StatusCode.RESOURCE_EXHAUSTED
