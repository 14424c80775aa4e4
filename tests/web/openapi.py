"""The OpenAPI document without what later versions may add: what it does not name is an error."""

import json
from typing import Any

from memoryd_server.transport.openapi import openapi_page


def closed_document() -> dict[str, Any]:
    """Return the document with neither further fields nor further values of enums."""
    document: dict[str, Any] = json.loads(openapi_page().body, object_hook=_closed)
    return document


def _closed(value: dict[str, Any]) -> dict[str, Any]:
    if "properties" in value and value.get("type") == "object":
        value["additionalProperties"] = False
    match value.pop("anyOf", None):
        case [{"$ref": reference}, {"type": "string"}]:
            return {"$ref": reference}
        case None:
            return value
        case other:
            return {**value, "anyOf": other}
