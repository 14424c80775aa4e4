"""The contract as OpenAPI: it is valid, and says of every field what the mapping of protobuf to JSON makes of it."""

import json
from functools import cache
from typing import Any

import pytest
from google.protobuf import json_format, message_factory
from google.protobuf.descriptor import FieldDescriptor
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from tests.integration.contract import METHODS, Method
from tests.integration.sample import child_of, fill, paths, put, value_of
from tests.web.openapi import closed_document

from memoryd_server.transport.openapi import openapi_page

DOCUMENT: dict[str, Any] = json.loads(openapi_page().body)
OFFERED = [method for method in METHODS if not method.descriptor.client_streaming]
SERVICE = "/memoryd.v1.WorkingMemoryService"


@cache
def validator(reference: str) -> Draft202012Validator:
    """Return the validator of a schema. What is unknown is an error, also where a later version may have it."""
    return Draft202012Validator({"$ref": reference, "components": closed_document()["components"]})


def add(message: Any, field: FieldDescriptor) -> None:
    """Set a field to some value, or add one element to it."""
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        getattr(message, field.name)["a"] = value_of(field.message_type.fields_by_name["value"])
    elif field.name == "update_mask":
        message.update_mask.paths.append("type_name")
    else:
        put(message, field)


def schema_of(path: str, part: str) -> str:
    """Return the reference to the schema of a method's request or response."""
    operation = DOCUMENT["paths"][path]["post"]
    content = (operation["requestBody"] if part == "request" else operation["responses"]["200"])["content"]
    ((_, found),) = content.items()
    reference: str = found["schema"].get("x-data", found["schema"])["$ref"]
    return reference


@pytest.mark.whole
def test_the_document_is_valid() -> None:
    validate(DOCUMENT)


def test_every_method_without_a_stream_of_requests_is_there() -> None:
    names = {f"/memoryd.v1.{method.name}" for method in OFFERED}
    assert set(DOCUMENT["paths"]) == names
    assert len({each["post"]["operationId"] for each in DOCUMENT["paths"].values()}) == len(names)


@pytest.mark.parametrize("method", OFFERED, ids=lambda method: method.name)
def test_every_field_is_as_json_has_it(method: Method) -> None:
    for part, descriptor in (("request", method.descriptor.input_type), ("response", method.descriptor.output_type)):
        check = validator(schema_of(f"/memoryd.v1.{method.name}", part))
        for path in paths(descriptor):
            message = message_factory.GetMessageClass(descriptor)()
            if part == "request":
                fill(message)
            if path[-1].containing_type.GetOptions().map_entry:
                continue
            child, name = child_of(message, path)
            add(child, path[-1])
            found = json_format.MessageToDict(message)
            assert [error.message for error in check.iter_errors(found)] == [], name


@pytest.mark.parametrize(
    "changed",
    [
        {"agentId": ""},
        {"agentId": None},
        {"key": "k" * 1_025},
        {"value": 1, "valueJson": "1"},
        {"ttl": "1 minute"},
        {"importance": 1.1},
        {"tags": ["a"] * 65},
        {"type": "FACT"},
        {"precondition": {"mustExist": True, "mustNotExist": True}},
        {"unknown": 1},
    ],
)
def test_what_the_daemon_refuses_is_outside_of_the_schema(changed: dict[str, Any]) -> None:
    check = validator(schema_of(f"{SERVICE}/SetEntry", "request"))
    entry = {"agentId": "a", "key": "k", "valueJson": "1"}
    assert check.is_valid(entry)
    assert not check.is_valid(entry | changed)


def test_a_write_of_a_commit_need_not_repeat_the_agent() -> None:
    check = validator(schema_of("/memoryd.v1.TransactionService/Commit", "request"))
    assert check.is_valid({"agentId": "a", "writes": [{"setEntry": {"key": "k", "valueJson": "1"}}]})
    assert not check.is_valid({"writes": []})


def test_a_response_of_a_later_version_is_valid() -> None:
    reference = schema_of(f"{SERVICE}/GetEntry", "response")
    later = {"found": True, "entry": {"type": "ENTRY_TYPE_LATER", "later": 1}, "later": {}}
    document = {"$ref": reference, "components": DOCUMENT["components"]}
    assert Draft202012Validator(document).is_valid(later)
    assert not validator(reference).is_valid({"entry": {"type": "ENTRY_TYPE_LATER"}})
