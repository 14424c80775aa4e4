"""A plugin of protoc that generates openapi.json: the contract as OpenAPI 3.1, for callers by JSON over HTTP."""

import json
import sys
from collections.abc import Iterator
from typing import Any

from google.protobuf.compiler.plugin_pb2 import CodeGeneratorRequest, CodeGeneratorResponse
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.descriptor_pb2 import MethodOptions
from google.protobuf.descriptor_pool import DescriptorPool
from json_schema import Schema, Schemas
from proto_file import File

DESCRIPTION = """The memory of AI agents. The body of a request is its message as JSON. Fields with their default are \
left out of a response. Limits in bytes stand here as numbers of characters: a text within its `maxLength` can still \
be too long.

Not here: methods with a stream of requests, which Connect and gRPC have; requests by GET; names of fields as in the \
protos, which are read as well."""

CODES = {
    400: ("invalid_argument", "failed_precondition", "out_of_range"),
    401: ("unauthenticated",),
    403: ("permission_denied",),
    404: ("not_found",),
    409: ("already_exists", "aborted"),
    429: ("resource_exhausted",),
    499: ("canceled",),
    500: ("unknown", "internal", "data_loss"),
    501: ("unimplemented",),
    503: ("unavailable",),
    504: ("deadline_exceeded",),
}
"""The codes of errors by the statuses of HTTP."""

DETAIL: Schema = {
    "type": "object",
    "description": "A detail of an error, such as google.rpc.ErrorInfo with its reason.",
    "properties": {
        "type": {"type": "string", "description": "The full name of the detail's message."},
        "value": {"type": "string", "contentEncoding": "base64", "description": "The message in binary form."},
    },
    "required": ["type", "value"],
}
ERROR: Schema = {
    "type": "object",
    "description": "An error, as Connect writes it.",
    "properties": {
        "code": {"type": "string", "enum": [code for codes in CODES.values() for code in codes]},
        "message": {"type": "string"},
        "details": {"type": "array", "items": {"$ref": "#/components/schemas/Error.Detail"}},
    },
    "required": ["code", "message"],
}


def main() -> None:
    request = CodeGeneratorRequest.FromString(sys.stdin.buffer.read())
    pool = DescriptorPool()
    for file in request.proto_file:
        pool.Add(file)
    chosen = set(request.file_to_generate)
    files = [File(descriptor) for descriptor in request.proto_file if descriptor.name in chosen]
    comments = dict(each for file in files for each in file.comments())
    names = [name for name in request.file_to_generate if name.startswith("memoryd/")]
    services = [each for name in names for each in pool.FindFileByName(name).services_by_name.values()]
    response = CodeGeneratorResponse(supported_features=CodeGeneratorResponse.FEATURE_PROTO3_OPTIONAL)
    text = json.dumps(_document(pool, services, comments), indent=1, ensure_ascii=False)
    response.file.add(name="openapi.json", content=f"{text}\n")
    sys.stdout.buffer.write(response.SerializeToString())


def _document(pool: DescriptorPool, services: list[ServiceDescriptor], comments: dict[str, str]) -> Schema:
    methods = [method for service in services for method in service.methods if not method.client_streaming]
    schemas = Schemas(pool, comments, {method.input_type.name for method in methods})
    requests = [schemas.of_request(method.input_type) for method in methods]
    paths = {
        f"/{method.containing_service.full_name}/{method.name}": _path(method, request, schemas, comments)
        for method, request in zip(methods, requests, strict=True)
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "memoryd", "version": "v1", "description": DESCRIPTION, "license": {"name": "Apache-2.0"}},
        "servers": [{"url": "/"}],
        # Either: a daemon may require no token.
        "security": [{"bearer": []}, {}],
        "tags": [{"name": service.name, "description": comments[service.name]} for service in services],
        "paths": paths,
        "components": {
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": ERROR, "Error.Detail": DETAIL, **dict(sorted(schemas.found.items()))},
            "responses": dict(_errors()),
        },
    }


def _path(method: MethodDescriptor, request: Schema, schemas: Schemas, comments: dict[str, str]) -> Schema:
    name = f"{method.containing_service.name}.{method.name}"
    level = MethodOptions.FromString(method.GetOptions().SerializeToString()).idempotency_level
    response = schemas.of_response(method.output_type)
    operation: Schema = {
        "operationId": name.replace(".", "_"),
        "tags": [method.containing_service.name],
        "summary": comments[name].partition(". ")[0].removesuffix("."),
        "description": comments[name],
        "requestBody": {"required": True, "content": {"application/json": {"schema": request}}},
        "responses": {
            "200": _stream(response) if method.server_streaming else _response("The response.", response),
            **{str(status): {"$ref": f"#/components/responses/{status}"} for status in CODES},
        },
    }
    if method.server_streaming:
        operation["description"] += "\n\nCall it with `Accept: text/event-stream`."
    if level == MethodOptions.IDEMPOTENT:
        operation["description"] += "\n\nIt may be repeated with the same request."
    elif level == MethodOptions.NO_SIDE_EFFECTS:
        operation["description"] += "\n\nIt only reads."
    return {"post": operation}


def _response(description: str, schema: Schema) -> Schema:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _stream(schema: Schema) -> Schema:
    event = {"type": "string", "description": "Server-sent events.", "x-data": schema}
    return {
        "description": "Server-sent events. The data of each is a response, that of the event `error` an Error.",
        "content": {"text/event-stream": {"schema": event}},
    }


def _errors() -> Iterator[tuple[str, Any]]:
    for status, codes in CODES.items():
        error = _response(f"An error: {' or '.join(codes)}.", {"$ref": "#/components/schemas/Error"})
        if status == 403:
            error["description"] += " In plain text: pages of this origin, or by this name, may not call."
            error["content"]["text/plain"] = {"schema": {"type": "string"}}
        yield str(status), error


if __name__ == "__main__":
    main()
