"""The functions by which C++'s conformance program makes the requests of scenarios again, with the wrappers."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from scripts.wrappers.cpp import attribute, called_as, file_of, is_struct, optional, selection, type_of
from scripts.wrappers.cpp_layout import IN, called, comment, function
from scripts.wrappers.names import ERASING
from scripts.wrappers.wrapped import Kind, Method, Wrapped, message_of, path_of

PLACE = Path("clients/cpp/conformance/wrappers")
_SOURCE = "memoryd/v1"
_NAMESPACE = "conformance"
_CALLS = {
    "precondition": 'from.take("precondition", to.condition);',
    "agent_precondition": 'from.take("agent_precondition", to.agent_condition);',
    "request_id": 'from.take("request_id", to.request_id);',
    "consistency": 'from.take("consistency", to.consistency);',
    "view": "from.take_content(to.content);",
}
"""The fields that many requests have, with the statements that take them."""


def write(wrapped: Wrapped, root: Path) -> None:
    """Write the functions below a folder."""
    files = {f"{kind.noun}.cpp": _kind(wrapped, kind) for kind in wrapped.kinds}
    inputs = _inputs(wrapped)
    files["inputs.hpp"] = _inputs_header(inputs)
    files["inputs.cpp"] = _inputs_source(inputs)
    files["all.cpp"] = _all(wrapped)
    (root / PLACE).mkdir(parents=True)
    for name, text in files.items():
        (root / PLACE / name).write_text(text, "utf-8")


def _kind(wrapped: Wrapped, kind: Kind) -> str:
    body = ["namespace {\n"]
    for method in kind.methods:
        if method.changes:
            body += _changes(method)
        body += _options(wrapped, method)
        body += _call(kind, method)
    body.append("}  // namespace\n")
    name = kind.service.name
    statements = [f'to["{name}.{each.rpc.name}"] = call_{_snake(each)};' for each in kind.methods]
    body += function(f"void add_{kind.noun}(", ["Wrappers& to"], ")", statements)
    own = ['"given.hpp"', '"wrapped.hpp"', '"wrappers/inputs.hpp"']
    return file_of(kind.service.file.name, body, [[], own], _NAMESPACE)


def _changes(method: Method) -> Iterator[str]:
    statements = [
        "from.take_ttl(to.ttl);"
        if each.name == "ttl"
        else f'from.take("{each.name}", memoryd::{attribute(method)}::{each.name}, to.{each.name}, to.cleared);'
        for each in method.changes
    ]
    statements.append("from.require_all_taken();")
    parameters = ["GivenChanges from", f"memoryd::{method.rpc.name}Changes& to"]
    yield from function("void take_changes(", parameters, ")", statements)


def _options(wrapped: Wrapped, method: Method) -> Iterator[str]:
    statements = [f'from.take("{path}", to.{each.name});' for each, path in selection(wrapped, method)]
    request = method.rpc.input_type
    statements += [f'from.take("{path_of(each, request)}", to.{each.name});' for each in optional(method)]
    statements += [statement for name, statement in _CALLS.items() if method.has(name)]
    if method.has("filter"):
        kind = method.condition.name if method.condition is not None else ""
        statements.insert(0, f'from.require_kind("{kind}");')
    parameters = ["const Given& from", f"memoryd::{method.rpc.name}Options& to"]
    if not statements:
        parameters = [each.rpartition(" ")[0] for each in parameters]
    yield from function("void take_options(", parameters, ")", statements)


def _call(kind: Kind, method: Method) -> Iterator[str]:
    statements = [f"memoryd::{method.rpc.name}Options options;", "take_options(given, options);"]
    arguments = [
        f'given.as<{_qualified(each)}>("{path_of(each, method.rpc.input_type)}")' for each in method.positional
    ]
    if method.changes:
        statements += [
            f"memoryd::{method.rpc.name}Changes changes;",
            "take_changes(GivenChanges(given), changes);",
        ]
        arguments.append("changes")
    owner = "agent" if kind.noun == "contexts" else f"agent.{kind.noun}()"
    if method.is_erasing:
        erased = called(f"{IN}(void){owner}.{called_as(ERASING[method.words])}(", [*arguments, "options"], "")
        statements += [f'if (given.as<bool>("erase")) {{\n{erased}\n{IN}return;\n}}']
    reading = ".begin()" if method.records is not None else ""
    statements.append(called(f"(void){owner}.{called_as(method.words)}(", [*arguments, "options"], reading))
    parameters = ["const memoryd::Agent& agent", "const Given& given"]
    yield from function(f"void call_{_snake(method)}(", parameters, ")", statements)


def _inputs(wrapped: Wrapped) -> list[Descriptor]:
    """Return the messages that arguments and options consist of."""
    found = dict[str, Descriptor]()

    def add(fields: Iterable[FieldDescriptor]) -> None:
        for each in fields:
            if is_struct(each) and message_of(each).name not in found:
                found[message_of(each).name] = message_of(each)
                add(message_of(each).fields)

    for kind in wrapped.kinds:
        for method in kind.methods:
            add([*method.options, *method.positional, *method.changes])
            add(each for each, _ in selection(wrapped, method))
    return [found[name] for name in sorted(found)]


def _inputs_header(inputs: list[Descriptor]) -> str:
    body = [*comment("", "Take the fields of a struct from a message.")]
    body += [f"void take_fields(const Given& from, memoryd::{each.name}& to);" for each in inputs]
    groups = [[], ['"given.hpp"', '"memoryd/memoryd.hpp"']]
    return file_of(_SOURCE, body, groups, _NAMESPACE, "#pragma once\n\n")


def _inputs_source(inputs: list[Descriptor]) -> str:
    body = list[str]()
    for message in inputs:
        statements = [f'from.take("{each.name}", to.{each.name});' for each in message.fields]
        parameters = ["const Given& from", f"memoryd::{message.name}& to"]
        body += function("void take_fields(", parameters, ")", statements)
    return file_of(_SOURCE, body, [['"wrappers/inputs.hpp"']], _NAMESPACE)


def _all(wrapped: Wrapped) -> str:
    nouns = sorted(kind.noun for kind in wrapped.kinds)
    body = [*(f"void add_{each}(Wrappers& to);" for each in nouns), ""]
    statements = ["Wrappers all;", *(f"add_{each}(all);" for each in nouns), "return all;"]
    body += function("Wrappers wrappers(", [], ")", statements)
    return file_of(_SOURCE, body, [[], ['"wrapped.hpp"']], _NAMESPACE)


def _qualified(field: FieldDescriptor) -> str:
    one = type_of(field)
    qualified = f"memoryd::{one}" if is_struct(field) or field.enum_type is not None else one
    return f"std::vector<{qualified}>" if field.is_repeated else qualified


def _snake(method: Method) -> str:
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in method.rpc.name).removeprefix("_")
