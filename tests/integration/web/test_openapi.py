"""The OpenAPI document as the daemon serves it, and the daemon as the document describes it."""

from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi import checks
from tests.daemon import Daemon
from tests.integration.web.conftest import APP
from tests.wait import WAIT_S_MAX
from tests.web.openapi import closed_document

from memoryd_server.transport.openapi import OPENAPI_PATH, openapi_page

EXAMPLES = 4
"""Requests of each kind to each method: those that the document allows, and those that it does not."""
CALL_MS_MAX = "1000"
"""The deadline of a call, since some wait for others: that is an error which the document has."""
CONFORM = [
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
"""Not whether a request is refused: the mapping of JSON allows more than the document, such as names of the protos and
null for no value, and what the document allows may be refused, since a record does not exist."""
DEFECTS = {500, 501, 503}


# The documents are one, and both doors have the same service behind them: the other tests show where the doors differ.
pytestmark = pytest.mark.parametrize("door", ["front"], indirect=True)

DOCUMENT = closed_document()
UNARY = [path for path, item in DOCUMENT["paths"].items() if "text/event-stream" not in str(item)]
STREAMS = sorted(set(DOCUMENT["paths"]) - set(UNARY))
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)


def test_the_document_is_served_to_everybody(web: httpx.Client) -> None:
    answer = web.get(OPENAPI_PATH)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.content == openapi_page().body
    known = {"if-none-match": answer.headers["etag"]}
    assert web.get(OPENAPI_PATH, headers=known).status_code == 304
    assert web.head(OPENAPI_PATH).status_code == 200


def test_a_page_of_a_named_origin_may_read_the_document(web: httpx.Client) -> None:
    assert web.get(OPENAPI_PATH, headers={"origin": APP}).headers["access-control-allow-origin"] == APP
    assert web.get(OPENAPI_PATH, headers={"origin": "https://other.example"}).status_code == 403


def test_the_document_changes_nothing_about_other_requests(web: httpx.Client) -> None:
    assert web.post(OPENAPI_PATH, json={}).status_code == 404
    assert web.get(f"{OPENAPI_PATH}/").status_code == 404


@pytest.mark.whole
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=lambda mode: mode.value)
@pytest.mark.parametrize("path", UNARY)
def test_the_daemon_answers_as_the_document_says(served: Daemon, path: str, mode: GenerationMode) -> None:
    requests = SCHEMA[path]["POST"].as_strategy(generation_mode=mode)

    @settings(max_examples=EXAMPLES, derandomize=True, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(case=requests)
    def call(case: schemathesis.Case) -> None:
        headers = {"connect-timeout-ms": CALL_MS_MAX}
        answer = case.call(base_url=f"http://{served.address}", headers=headers, timeout=WAIT_S_MAX)
        assert answer.status_code not in DEFECTS, answer.text
        case.validate_response(answer, checks=CONFORM)

    call()


@pytest.mark.whole
def test_records_of_all_kinds_are_returned_as_the_document_says(web: httpx.Client, agent_id: str) -> None:
    labels = {"userId": "ada", "tags": ["a"], "metadata": {"number": 0.5, "none": None, "list": [True, "b"]}}
    message = {"role": "MESSAGE_ROLE_USER", "content": "Which tea does Ada drink?"}
    of_talk = {"agentId": agent_id, "conversationId": "talk"}
    memory = {"content": "Ada drinks green tea.", "memoryId": "tea", "importance": 1, **labels}
    step = {"description": "Boil water"}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("WorkingMemoryService/SetEntry", {"agentId": agent_id, "key": "k", "value": [1.5], "ttl": "60.5s", **labels}),
        ("WorkingMemoryService/GetEntry", {"agentId": agent_id, "key": "k"}),
        (
            "FragmentService/CreateFragment",
            {"agentId": agent_id, "draft": {"content": "Tea is hot.", "confidence": 0.8}},
        ),
        ("FragmentService/LeaseFragments", {"agentId": agent_id, "limit": 1, "leaseDuration": "60s"}),
        ("LongTermMemoryService/CreateMemory", {"agentId": agent_id, "draft": memory}),
        ("LongTermMemoryService/RecallMemories", {"agentId": agent_id, "query": "tea", "limit": 1}),
        ("NoteService/CreateNote", {"agentId": agent_id, "draft": {"title": "Tone", "content": "Be brief."}}),
        ("PlanService/CreatePlan", {"agentId": agent_id, "draft": {"goal": "Tea", "steps": [step]}}),
        ("DocumentService/CreateDocument", {"agentId": agent_id, "draft": {"title": "Tea"}, "text": "Tea is hot."}),
        ("ConversationService/AppendMessages", {**of_talk, "drafts": [message]}),
        ("ConversationService/ListMessages", of_talk),
        ("ContextService/ComposeContext", {**of_talk, "includeManifest": True}),
        ("EventService/ListEvents", {"filters": [{"agentIds": [agent_id]}]}),
        ("AgentService/GetAgentStats", {"agentId": agent_id}),
        ("ServerService/GetServerInfo", {}),
    ]
    for method, request in calls:
        path = f"/memoryd.v1.{method}"
        answer = web.post(path, json=request)
        assert answer.status_code == 200, (method, answer.text)
        SCHEMA[path]["POST"].validate_response(answer)


@pytest.mark.parametrize("path", STREAMS)
def test_streams_are_server_sent_events(web: httpx.Client, path: str) -> None:
    with web.stream("POST", path, json={}, headers={"accept": "text/event-stream"}) as answer:
        documented = DOCUMENT["paths"][path]["post"]["responses"][str(answer.status_code)]
        assert answer.status_code == 200 or "$ref" in documented
        if answer.status_code == 200:
            assert answer.headers["content-type"] in documented["content"]
