"""The functions by which Rust's conformance program makes the requests of scenarios again, with the wrappers."""

from collections.abc import Iterator
from pathlib import Path

from google.protobuf.descriptor import FieldDescriptor
from scripts.wrappers.names import ERASING
from scripts.wrappers.rust import HEADER, INDENT, returned
from scripts.wrappers.rust_fields import camel, parameter_of, snake
from scripts.wrappers.wrapped import Method, Wrapped, message_of

PLACE = Path("clients/rust/conformance/src/scenario/wrappers")
_IMPORTS = """\
use std::time::{Duration, SystemTime};

use memoryd::{Call, Client, SelectingRequest, v1};
use prost::Message as _;

use crate::scenario::wrapped::*;
use crate::scenario::wrappers::selection::select;"""
_CALL = {
    "precondition": "condition",
    "agent_precondition": "agent_condition",
    "request_id": "request_id",
    "consistency": "consistency",
    "view": "view",
}
"""The fields that many requests have, with the functions that set them."""
_WELL_KNOWN = {
    "Timestamp": "SystemTime::try_from({}).ok()?",
    "Duration": "Duration::try_from({}).ok()?",
    "Struct": "&json_of_struct({})",
    "Value": "&json_of({})",
    "ListValue": "{}.values.into_iter().map(json_of)",
}


def write(wrapped: Wrapped, root: Path) -> None:
    """Write the functions below a folder."""
    groups = {}
    for kind in wrapped.kinds:
        for suffix, is_change in (("changes", True), ("reads", False)):
            if methods := [each for each in kind.methods if each.has("request_id") is is_change]:
                groups[f"{kind.noun}_{suffix}"] = (kind.noun, methods)
    names = sorted(groups)
    modules = [f"mod {name};" for name in sorted([*names, "selection"])]
    asked = [f"{name}::again(client, method, request)" for name in names]
    chain = [asked[0], *(f"{INDENT}.or_else(|| {each})" for each in asked[1:])]
    _write(root, "", [modules, ["use memoryd::Client;"], _again(chain)])
    imports = _IMPORTS.rpartition("\n")[0]
    _write(root, "selection", [[imports], [*_selection(wrapped)]])
    for name, (noun, methods) in groups.items():
        arms = [INDENT + line for method in methods for line in _arm(noun, method)]
        again = _again(["match method {", *arms, f"{INDENT}_ => None,", "}"])
        _write(root, name, [[_IMPORTS], again, *([*_options(method)] for method in methods)])


def _write(root: Path, name: str, blocks: list[list[str]]) -> None:
    path = root / PLACE / f"{name}.rs" if name else (root / PLACE).with_suffix(".rs")
    path.parent.mkdir(parents=True, exist_ok=True)
    code = "\n\n".join("\n".join(block) for block in blocks)
    path.write_text(f"{HEADER.format('protos/memoryd/v1')}\n{code}\n", "utf-8")


def _again(body: list[str]) -> list[str]:
    return [
        "/// Returns the request that the wrapper of a method makes for what a request says, or `None` if there is no",
        "/// wrapper, or none that can say it.",
        "pub fn again(client: &Client, method: &str, request: &[u8]) -> Option<Vec<u8>> {",
        *(INDENT + line for line in body),
        "}",
    ]


def _arm(noun: str, method: Method) -> Iterator[str]:
    rpc = method.rpc
    words = method.words.replace(" ", "_")
    owner = "" if noun == "contexts" else f".{noun}()"
    given = ", ".join(_converted(each, f"asked.{_held(method, each)}") for each in method.positional)
    yield f'"{rpc.containing_service.name}.{rpc.name}" => {{'
    yield f"{INDENT}let request = v1::{rpc.input_type.name}::decode(request).ok()?;"
    yield f"{INDENT}let agent = client.agent(&request.agent_id);"
    if method.positional:
        yield f"{INDENT}let asked = request.clone();"
    name = snake(rpc.name)
    if method.is_erasing:
        yield f"{INDENT}if request.erase {{"
        yield f"{INDENT * 2}return {name}(agent{owner}.{ERASING[method.words].replace(' ', '_')}({given}), request);"
        yield f"{INDENT}}}"
    yield f"{INDENT}{name}(agent{owner}.{words}({given}), request)"
    yield "}"


def _held(method: Method, field: FieldDescriptor) -> str:
    own = field.containing_type is method.rpc.input_type
    return _raw(field.name) if own else f"draft.clone()?.{_raw(field.name)}"


def _options(method: Method) -> Iterator[str]:
    request = method.rpc.input_type.name
    # Options of a request that can erase are those of both results.
    result = "T" if method.is_erasing else returned(method)[0]
    parameters = "<T: 'static>" if method.is_erasing else ""
    yield f"fn {snake(method.rpc.name)}{parameters}("
    yield f"{INDENT}mut call: Call<v1::{request}, {result}>,"
    yield f"{INDENT}request: v1::{request},"
    yield ") -> Option<Vec<u8>> {"
    options = [each for each in method.options if not (method.is_erasing and each.name == "erase")]
    from_draft = [each for each in options if each.containing_type is not method.rpc.input_type]
    body = [line for each in options if each not in from_draft for line in _setting(each, "request")]
    if from_draft or method.changes:
        body.append("let draft = request.draft.unwrap_or_default();")
    body += [line for each in from_draft for line in _setting(each, "draft")]
    if method.changes:
        body.append("for path in request.update_mask.unwrap_or_default().paths {")
        body.append(f"{INDENT}let draft = draft.clone();")
        body.append(f"{INDENT}match path.as_str() {{")
        for path in sorted({_path(each) for each in method.changes}):
            fields = [each for each in method.changes if _path(each) == path]
            body += [INDENT * 2 + line for line in _change(path, fields)]
        body += [f"{INDENT * 2}_ => return None,", f"{INDENT}}}", "}"]
    for field, function in _CALL.items():
        if method.has(field):
            body.append(f"call = {function}(call, request.{field})?;")
    if method.has("page_token"):
        body += ["if !request.page_token.is_empty() {", f"{INDENT}return None;", "}"]
    if method.has("filter"):
        body += _filter(method)
    yield from (INDENT + line for line in body)
    yield f"{INDENT}call.request().ok().map(|request| request.encode_to_vec())"
    yield "}"


def _path(field: FieldDescriptor) -> str:
    return "expire_time" if field.name == "ttl" else str(field.name)


def _change(path: str, fields: list[FieldDescriptor]) -> Iterator[str]:
    first = fields[0]
    if len(fields) > 1:
        assert first.containing_oneof is not None
        yield f'"{path}" => {{'
        yield f"{INDENT}call = match draft.{first.containing_oneof.name} {{"
        for each in fields:
            called = f"call.{parameter_of(each)}({_converted(each, 'value')})"
            yield f"{INDENT * 2}Some({_variant(each)}(value)) => {called},"
        yield f"{INDENT * 2}None => call.{parameter_of(first)}(None),"
        yield f"{INDENT}}};"
        yield "}"
        return
    name, held = parameter_of(first), f"draft.{_raw(first.name)}"
    message = first.message_type
    if message is not None and not first.is_repeated and message.name != "Struct":
        yield f'"{path}" => {{'
        yield f"{INDENT}call = match {held} {{"
        yield f"{INDENT * 2}Some(value) => call.{name}({_as_input(first, _converted(first, 'value'))}),"
        yield f"{INDENT * 2}None => call.{name}(None),"
        yield f"{INDENT}}};"
        yield "}"
        return
    if first.has_presence:
        held += "?"
    yield f'"{path}" => call = call.{name}({_converted(first, held)}),'


def _as_input(field: FieldDescriptor, value: str) -> str:
    return value if message_of(field).full_name.startswith("google.protobuf.") else f"memoryd::Input::from({value})"


def _setting(field: FieldDescriptor, holder: str) -> Iterator[str]:
    """Return the statements that set an option if a message has the field."""
    name, held = parameter_of(field), f"{holder}.{_raw(field.name)}"
    oneof = field.containing_oneof
    if oneof is not None and len(oneof.fields) > 1:
        argument = _converted(field, "value")
        is_marker = field.message_type is not None and not field.message_type.fields
        called = f"call.{name}()" if is_marker else f"call.{name}({argument})"
        bound = "_" if is_marker else "value"
        yield f"if let Some({_variant(field)}({bound})) = {holder}.{oneof.name}.clone() {{"
        yield f"{INDENT}call = {called};"
    elif field.is_repeated:
        yield f"if !{held}.is_empty() {{"
        yield f"{INDENT}call = call.{name}({_converted(field, held)});"
    elif field.has_presence:
        is_marker = field.message_type is not None and not field.message_type.fields
        yield f"if let Some(value) = {held} {{"
        if is_marker:
            yield f"{INDENT}let _ = value;"
        yield f"{INDENT}call = call.{name}({'' if is_marker else _converted(field, 'value')});"
    elif field.type == FieldDescriptor.TYPE_BOOL:
        yield f"if {held} {{"
        yield f"{INDENT}call = call.{name}();"
    else:
        yield f"if is_set(&{held}) {{"
        yield f"{INDENT}call = call.{name}({_converted(field, held)});"
    yield "}"


def _converted(field: FieldDescriptor, value: str) -> str:
    """Return a value of a field as the argument of its option."""
    if field.enum_type is not None:
        kind = f"v1::{field.enum_type.name}"
        return f"enums_of::<{kind}>({value})?" if field.is_repeated else f"{kind}::try_from({value}).ok()?"
    message = field.message_type
    if message is None or not message.full_name.startswith("google.protobuf."):
        return value
    if field.is_repeated:
        return f"{value}.into_iter().map(json_of_struct)"
    return _WELL_KNOWN[message.name].format(value)


def _filter(method: Method) -> Iterator[str]:
    yield "if let Some(filter) = request.filter {"
    if method.condition is None:
        yield f"{INDENT}if filter.kind.is_some() {{"
        yield f"{INDENT * 2}return None;"
        yield f"{INDENT}}}"
    else:
        yield f"{INDENT}match filter.kind.clone() {{"
        yield f"{INDENT * 2}None => {{}}"
        yield f"{INDENT * 2}Some(v1::record_filter::Kind::{camel(method.condition.name)}(kind)) => {{"
        for each in message_of(method.condition).fields:
            yield from (INDENT * 3 + line for line in _setting(each, "kind"))
        yield f"{INDENT * 2}}}"
        yield f"{INDENT * 2}Some(_) => return None,"
        yield f"{INDENT}}}"
    yield f"{INDENT}call = select(call, filter)?;"
    yield "}"


def _selection(wrapped: Wrapped) -> Iterator[str]:
    kinds = list(wrapped.filter.oneofs_by_name["kind"].fields)
    yield "pub fn select<Q: SelectingRequest, T>("
    yield f"{INDENT}mut call: Call<Q, T>,"
    yield f"{INDENT}filter: v1::RecordFilter,"
    yield ") -> Option<Call<Q, T>> {"
    for each in wrapped.filter.fields:
        if each not in kinds:
            yield from (INDENT + line for line in _setting(each, "filter"))
    yield f"{INDENT}Some(call)"
    yield "}"


def _variant(field: FieldDescriptor) -> str:
    assert field.containing_oneof is not None
    assert field.containing_type is not None
    return f"v1::{snake(field.containing_type.name)}::{camel(field.containing_oneof.name)}::{camel(field.name)}"


def _raw(name: str) -> str:
    return "r#type" if name == "type" else name
