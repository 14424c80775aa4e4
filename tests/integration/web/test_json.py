"""Calls with one request and one response: bodies of JSON, or of binary messages."""

import gzip
import json
from typing import Any

import httpx
import pytest
from tests.web.transport import status_of

from memoryd.v1 import working_memory_service_pb2 as pb
from memoryd_server.transport.limit import MESSAGE_ELEMENTS_MAX
from memoryd_server.transport.status import StatusCode

GET = "/memoryd.v1.WorkingMemoryService/GetEntry"
SET = "/memoryd.v1.WorkingMemoryService/SetEntry"
JSON = {"content-type": "application/json"}


def set_plan(web: httpx.Client, agent_id: str, value: Any = "pack") -> dict[str, Any]:
    answer = web.post(SET, json={"agentId": agent_id, "key": "plan", "valueJson": json.dumps(value)})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_what_curl_posts_is_answered_with_json(web: httpx.Client, agent_id: str) -> None:
    set_plan(web, agent_id, {"steps": [1, "pack"]})
    # Curl names this type for whatever it posts. Names of fields may be those of the protos.
    form = {"content-type": "application/x-www-form-urlencoded"}
    answer = web.post(GET, content=json.dumps({"agent_id": agent_id, "key": "plan"}), headers=form)
    assert answer.headers["content-type"] == "application/json"
    entry = answer.json()["entry"]
    assert json.loads(entry["valueJson"]) == {"steps": [1, "pack"]}
    assert entry["type"] == "ENTRY_TYPE_FACT"


def test_a_missing_entry_is_no_error(web: httpx.Client, agent_id: str) -> None:
    revision = set_plan(web, agent_id)["revision"]
    assert web.post(GET, json={"agentId": agent_id, "key": "none"}).json() == {"revision": revision}


def test_a_binary_message_is_a_body(web: httpx.Client, agent_id: str) -> None:
    set_plan(web, agent_id)
    request = pb.GetEntryRequest(agent_id=agent_id, key="plan").SerializeToString()
    answer = web.post(GET, content=request, headers={"content-type": "application/proto"})
    assert answer.headers["content-type"] == "application/proto"
    assert pb.GetEntryResponse.FromString(answer.content).entry.value_json == '"pack"'


def test_a_read_can_be_a_get(web: httpx.Client, agent_id: str) -> None:
    set_plan(web, agent_id)
    query = {"connect": "v1", "encoding": "json", "message": json.dumps({"agentId": agent_id, "key": "plan"})}
    assert web.get(GET, params=query).json()["found"]
    refused = web.get(SET, params=query)
    assert (refused.status_code, refused.headers["allow"]) == (405, "POST")


def test_bodies_may_be_compressed(web: httpx.Client, agent_id: str) -> None:
    text = "long " * 2_000
    body = json.dumps({"agentId": agent_id, "key": "plan", "valueJson": json.dumps(text)}).encode()
    answer = web.post(SET, content=gzip.compress(body), headers={**JSON, "content-encoding": "gzip"})
    assert answer.status_code == 200, answer.text
    answer = web.post(GET, json={"agentId": agent_id, "key": "plan"}, headers={"accept-encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip"
    assert json.loads(answer.json()["entry"]["valueJson"]) == text
    assert "content-encoding" not in web.post(GET, json={}, headers={"accept-encoding": "identity"}).headers


@pytest.mark.parametrize(
    ("body", "by_front", "by_python"),
    [
        ("", "EOF", "Expecting value"),
        ("{", "EOF", "Expecting property name"),
        ("[]", "invalid type", "no object"),
        ("{} {}", "trailing", "Extra data"),
        ('{"agentId":"a","ky":"plan"}', "'ky'", '"ky"'),
        ('{"agentId":1}', "string", "string"),
        ('{"agentId":"\\ud800"}', "hex escape", "surrogate"),
        ('{"agentId":"a\nb"}', "control character", "control character"),
        ("[" * 200, "levels deep", "levels deep"),
        ('{"a":' * 101 + "1" + "}" * 101, "levels deep", "levels deep"),
        ("\ufeff{}", "expected", "no object"),
    ],
)
def test_what_is_no_message_is_refused_with_the_reason(
    web: httpx.Client, door: str, body: str, by_front: str, by_python: str
) -> None:
    answer = web.post(GET, content=body.encode(), headers=JSON)
    assert answer.status_code == 400
    error = answer.json()
    assert error["code"] == "invalid_argument"
    assert (by_front if door == "front" else by_python) in error["message"]
    assert "MALFORMED_MESSAGE" in str(status_of(answer).details)


@pytest.mark.parametrize(
    "number", ["1e999", "-1", "1.5", '"99999999999999999999"', "99999999999999999999", '"x"', "NaN"]
)
def test_a_number_out_of_range_is_refused(web: httpx.Client, agent_id: str, number: str) -> None:
    path = "/memoryd.v1.AgentService/ListAgents"
    answer = web.post(path, content=f'{{"pageSize": {number}}}', headers=JSON)
    assert answer.status_code == 400, answer.text
    assert answer.json()["code"] == "invalid_argument"


def test_integers_of_64_bits_keep_all_digits(web: httpx.Client, agent_id: str) -> None:
    body = {"agentId": agent_id, "key": "plan", "value": 1, "precondition": {"expectedRevision": str(2**63 - 1)}}
    answer = web.post(SET, json=body)
    assert str(2**63 - 1) in answer.text


def test_elements_are_counted_before_anything_is_built(web: httpx.Client, agent_id: str) -> None:
    numbers = "[" + "1," * MESSAGE_ELEMENTS_MAX + "1]"
    body = f'{{"agentId":"{agent_id}","key":"plan","value":{numbers}}}'
    status = status_of(web.post(SET, content=body, headers=JSON))
    assert status.code is StatusCode.RESOURCE_EXHAUSTED
    assert b"message_elements" in status.details


def test_a_body_that_is_too_large_is_refused(web: httpx.Client, agent_id: str) -> None:
    body = json.dumps({"agentId": agent_id, "key": "x" * 2_200_000})
    status = status_of(web.post(GET, content=body, headers=JSON))
    assert status.code is StatusCode.RESOURCE_EXHAUSTED
    assert b"message_bytes" in status.details


def test_a_compressed_bomb_is_refused(web: httpx.Client) -> None:
    bomb = gzip.compress(b" " * 64_000_000)
    status = status_of(web.post(GET, content=bomb, headers={**JSON, "content-encoding": "gzip"}))
    assert status.code is StatusCode.RESOURCE_EXHAUSTED


def test_errors_have_the_reasons_of_all_transports(web: httpx.Client, agent_id: str) -> None:
    answer = web.post("/memoryd.v1.NoteService/GetNote", json={"agentId": agent_id, "noteId": "none"})
    assert answer.status_code == 404
    status = status_of(answer)
    assert status.code is StatusCode.NOT_FOUND
    assert b"ERROR_REASON" in status.details


def test_a_deadline_that_is_over_ends_the_call(web: httpx.Client, agent_id: str) -> None:
    path, body = (
        "/memoryd.v1.FragmentService/LeaseFragments",
        {"agentId": agent_id, "limit": 1, "leaseDuration": "60s", "waitDuration": "60s"},
    )
    answer = web.post(path, json=body, headers={"connect-timeout-ms": "50"})
    assert (answer.status_code, answer.json()["code"]) == (504, "deadline_exceeded")
    malformed = web.post(path, json=body, headers={"connect-timeout-ms": "soon"})
    assert malformed.json()["message"] == "the header connect-timeout-ms is malformed"


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("POST", "/", JSON, 404),
        ("POST", "/memoryd.v1.WorkingMemoryService/Nothing", JSON, 404),
        ("GET", "/memoryd.v1.WorkingMemoryService/Nothing", {}, 404),
        ("POST", GET, {"content-type": "text/plain"}, 415),
        ("POST", GET, {"content-type": "application/connect+json"}, 415),
        ("POST", "/memoryd.v1.EventService/WatchEvents", JSON, 415),
        ("POST", GET, {**JSON, "content-encoding": "br"}, 501),
        ("PUT", GET, JSON, 405),
        ("DELETE", GET, JSON, 405),
        ("GET", "/", {}, 404),
    ],
)
def test_what_is_no_call_is_refused_by_http(
    web: httpx.Client, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    assert web.request(method, path, content=b"{}", headers=headers).status_code == status


def test_health_can_be_asked_for(web: httpx.Client) -> None:
    assert web.post("/grpc.health.v1.Health/Check", json={}).json() == {"status": "SERVING"}
