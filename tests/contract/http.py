"""The rules of docs/contributing/contract.md about google.api.http. Each yields what breaks it, as lines."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from google.api import annotations_pb2, http_pb2
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.descriptor_pb2 import MethodOptions
from tests.contract.contract import Contract

AGENT = "/v1/agents/{agent_id}"

_VERBS = {
    "Get": "GET",
    "List": "GET",
    "Contains": "GET",
    "Export": "GET",
    "Set": "PUT",
    "Link": "PUT",
    "Update": "PATCH",
    "Delete": "DELETE",
    "Remove": "DELETE",
    "Unlink": "DELETE",
}
"""The HTTP method of a verb; that of any other is POST."""

_WITHOUT_BODY = frozenset({"GET", "DELETE"})


class Binding(NamedTuple):
    """An HTTP method and a path by which a method is called."""

    verb: str
    path: str
    body: str

    @property
    def fields(self) -> list[str]:
        """The fields of the request that are in the path."""
        return re.findall(r"\{([^}]*)\}", self.path)


def bindings(method: MethodDescriptor) -> list[Binding]:
    """Return the bindings of a method, the main one first."""
    # The contract is read into a pool of its own: its options are parsed again, with the extensions of this process.
    options = MethodOptions.FromString(method.GetOptions().SerializeToString())
    rule = options.Extensions[annotations_pb2.http]
    return [_binding(each) for each in (rule, *rule.additional_bindings) if each.WhichOneof("pattern")]


def _binding(rule: http_pb2.HttpRule) -> Binding:
    verb = rule.WhichOneof("pattern")
    return Binding(verb.upper(), getattr(rule, verb), rule.body)


def http_methods(contract: Contract) -> Iterator[str]:
    """Every method can be called over HTTP, by the HTTP method of its verb; a client's stream cannot."""
    for method in contract.methods():
        found = bindings(method)
        if method.client_streaming:
            if found:
                yield f"{method.full_name}: a client's stream has no form in HTTP/JSON that proxies agree on"
            continue
        if not found:
            yield f"{method.full_name} has no google.api.http"
            continue
        words = re.findall(r"[A-Z][a-z]+", method.name)
        expected = "POST" if "Or" in words else _VERBS.get(words[0], "POST")
        if found[0].verb != expected:
            yield f"{method.full_name}: {words[0]} is called by {expected}, not by {found[0].verb}"
        reads = method.GetOptions().idempotency_level == MethodOptions.NO_SIDE_EFFECTS
        for each in found:
            if each.verb == "GET" and not reads and not method.server_streaming:
                yield f"{method.full_name}: GET is for methods that only read"


def http_paths(contract: Contract) -> Iterator[str]:
    """A path names collections in camelCase and fields of the request, and belongs to one method."""
    known: dict[tuple[str, str], str] = {}
    for method in contract.methods():
        request = method.input_type
        for each in bindings(method):
            if not re.fullmatch(r"/v1(/[a-z][A-Za-z]*|/\{[a-z_]+\})+(:[a-z][A-Za-z]*)?", each.path):
                yield f"{method.full_name}: {each.path} is not a path of camelCase names and fields"
            if "agent_id" in request.fields_by_name and _owned(method) and not each.path.startswith(AGENT):
                yield f"{method.full_name}: {each.path} does not begin with {AGENT}"
            for name in each.fields:
                if (field := request.fields_by_name.get(name)) is None:
                    yield f"{method.full_name}: {request.full_name} has no {name} for {each.path}"
                elif field.is_repeated or field.message_type:
                    yield f"{method.full_name}: {name} does not fit into a path"
                elif "Empty" in contract.comment(field) and all(name in other.fields for other in bindings(method)):
                    yield f"{method.full_name}: {name} may be empty, so that no path may need it"
            shape = each.verb, re.sub(r"\{[^}]*\}", "{}", each.path)
            if (other := known.setdefault(shape, method.full_name)) != method.full_name:
                yield f"{method.full_name} and {other} have the path {each.verb} {each.path}"


def http_bodies(contract: Contract) -> Iterator[str]:
    """A body is the whole request; a request without a body fits into a query, or has a path with a body too."""
    for method in contract.methods():
        found = bindings(method)
        for each in found:
            expected = "" if each.verb in _WITHOUT_BODY else "*"
            if each.body != expected:
                yield f"{method.full_name}: the body of {each.verb} is {expected or 'empty'!r}, not {each.body!r}"
        if found and all(each.verb in _WITHOUT_BODY for each in found) and not _fits(method.input_type):
            yield f"{method.full_name}: {method.input_type.name} does not fit into a query: add a path with a body"


def _owned(method: MethodDescriptor) -> bool:
    """Return True if the method is about what an agent owns. Snapshots and operations may be about all agents."""
    return method.containing_service.name not in {"SnapshotService", "OperationService"}


def _fits(message: Descriptor, above: tuple[Descriptor, ...] = ()) -> bool:
    """Return True if a message can be written as the parameters of a query: it has no lists of messages."""
    if message.full_name in _LEAVES:
        return True
    if message in above or message.full_name in _TREES:
        return False
    return all(_field_fits(field, (*above, message)) for field in message.fields)


def _field_fits(field: FieldDescriptor, above: tuple[Descriptor, ...]) -> bool:
    return field.message_type is None or (not field.is_repeated and _fits(field.message_type, above))


_LEAVES = {"google.protobuf.Timestamp", "google.protobuf.Duration", "google.protobuf.FieldMask"}
_TREES = {"google.protobuf.Struct", "google.protobuf.Value", "google.protobuf.ListValue"}

HTTP_RULES = (http_methods, http_paths, http_bodies)
