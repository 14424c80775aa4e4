"""Streams over HTTP: those of Connect, of gRPC-Web, and server-sent events."""

import base64
import json
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from tests.daemon import Daemon
from tests.integration.web.conftest import daemon_of
from tests.integration.web.test_json import GET, set_plan
from tests.integration.wire import Wire, code_of
from tests.wait import WAIT_S_MAX
from tests.web.channel import HttpChannel

from memoryd.v1 import event_service_pb2 as event_pb
from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd.v1.event_pb2 import EventFilter

WATCH = "/memoryd.v1.EventService/WatchEvents"
EVENTS = {"accept": "text/event-stream"}


def frame(message: bytes) -> bytes:
    return struct.pack(">BI", 0, len(message)) + message


def frames(data: bytes) -> Iterator[tuple[int, bytes]]:
    while data:
        flag, size = struct.unpack(">BI", data[:5])
        yield flag, data[5 : 5 + size]
        data = data[5 + size :]


@pytest.mark.parametrize("is_json", [True, False])
def test_a_watch_over_connect_begins_goes_on_and_ends(served: Daemon, agent_id: str, *, is_json: bool) -> None:
    with HttpChannel(f"http://{served.address}", is_json=is_json) as channel:
        wire = Wire(channel)
        watch = wire.events.WatchEvents(event_pb.WatchEventsRequest(filters=[EventFilter(agent_ids=[agent_id])]))
        assert next(watch).resume_token
        wire.agent(agent_id).set("key", 1)
        assert next(watch).events[0].entry.key == "key"
        watch.cancel()
        with pytest.raises(grpc.RpcError) as refused:
            next(wire.events.WatchEvents(event_pb.WatchEventsRequest(resume_token="no token")))
        assert code_of(refused.value) is grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize("is_text", [False, True])
def test_grpc_web_has_the_status_in_the_body(web: httpx.Client, agent_id: str, *, is_text: bool) -> None:
    set_plan(web, agent_id)
    kind = "application/grpc-web-text" if is_text else "application/grpc-web+proto"

    def call(request: Any) -> list[tuple[int, bytes]]:
        body = frame(request.SerializeToString())
        answer = web.post(GET, content=base64.b64encode(body) if is_text else body, headers={"content-type": kind})
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(kind.removesuffix("+proto"))
        return list(frames(_unpadded(answer.content) if is_text else answer.content))

    (flag, message), (end_flag, end) = call(pb.GetEntryRequest(agent_id=agent_id, key="plan"))
    assert (flag, pb.GetEntryResponse.FromString(message).entry.value_json) == (0, '"pack"')
    assert (end_flag, end) == (0x80, b"grpc-status: 0\r\n")
    ((end_flag, end),) = call(pb.GetEntryRequest(agent_id=agent_id))
    assert end_flag == 0x80
    assert b"grpc-status: 3\r\n" in end
    assert b"grpc-status-details-bin: " in end


def _unpadded(text: bytes) -> bytes:
    """Decode base64 that has padding within."""
    return b"".join(base64.b64decode(text[start : start + 4]) for start in range(0, len(text), 4))


def test_unknown_methods_are_refused_over_grpc_web(web: httpx.Client) -> None:
    kind = {"content-type": "application/grpc-web"}
    ((_, end),) = frames(web.post("/memoryd.v1.Nothing/Nothing", content=frame(b""), headers=kind).content)
    assert b"grpc-status: 12\r\n" in end


class Events:
    """Server-sent events, as a browser reads them."""

    def __init__(self, answer: httpx.Response) -> None:
        assert answer.headers["content-type"] == "text/event-stream"
        self._lines = answer.iter_lines()

    def next(self) -> dict[str, Any]:
        event: dict[str, Any] = {}
        for line in self._lines:
            if not line:
                return {**event, "data": json.loads(event["data"])}
            key, _, value = line.partition(": ")
            event[key] = value
        raise AssertionError("the stream has ended")

    def next_key(self) -> tuple[str, str]:
        """Return the next key that was set, and the id of its event."""
        while True:
            event = self.next()
            for each in event["data"].get("events", ()):
                return each["entry"]["key"], event["id"]


def watched(client: httpx.Client, agent_id: str, **headers: str) -> Any:
    query = {"message": json.dumps({"filters": [{"agentIds": [agent_id]}]})}
    return client.stream("GET", WATCH, params=query, headers=EVENTS | headers)


def test_a_browser_resumes_after_a_kill_where_it_was(door: str, tmp_path: Path, agent_id: str) -> None:
    with closing(daemon_of(door, tmp_path, "--embedder", "none")) as daemon:
        daemon.start()
        with httpx.Client(base_url=f"http://{daemon.address}", timeout=WAIT_S_MAX, trust_env=False) as client:
            with watched(client, agent_id) as answer:
                events = Events(answer)
                assert events.next()["id"]
                set_plan(client, agent_id)
                key, last_id = events.next_key()
                assert key == "plan"
                daemon.kill()
                with pytest.raises((httpx.TransportError, AssertionError)):
                    events.next()
            daemon.start()
            entry = {"agentId": agent_id, "key": "missed", "value": 1}
            assert client.post("/memoryd.v1.WorkingMemoryService/SetEntry", json=entry).status_code == 200
            with watched(client, agent_id, **{"last-event-id": last_id}) as answer:
                assert Events(answer).next_key()[0] == "missed"


def test_events_end_with_the_error(served: Daemon, web: httpx.Client) -> None:
    with web.stream("POST", WATCH, json={"resumeToken": "no token"}, headers=EVENTS) as answer:
        answer.read()
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_argument")


def test_events_are_for_streams_of_responses(web: httpx.Client, agent_id: str) -> None:
    assert web.get(GET, headers=EVENTS).status_code == 415
    assert web.post(GET, json={}, headers=EVENTS).status_code == 415
