"""Decoding of the filter that selects records: one decoder for the requests of all kinds."""

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

from google.protobuf import struct_pb2
from google.protobuf.message import Message

from memoryd.v1 import record_filter_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.values.json_key import JsonKey, json_key_of
from memoryd_server.domain.values.metadata_condition import MetadataCondition, MetadataRange, Path
from memoryd_server.domain.values.record_filter import NO_USER, RecordFilter, RecordShape
from memoryd_server.transport.fields.json_value import json_text_of
from memoryd_server.transport.fields.kind_condition import condition_of, texts_of
from memoryd_server.transport.fields.timestamp import moment_of

COMMON_SHAPE = RecordShape("", None)
"""The fields that notes, documents, entries and memories have in common, for the filter of a whole context."""


def record_filter_of(
    message: pb.RecordFilter,
    shape: RecordShape | None,
    field: str = "filter",
    default_users: frozenset[str] | None = NO_USER,
) -> RecordFilter:
    """Decode the filter of a request that reads records of a shape, None for those of all kinds. Raises InvalidField.

    ``default_users`` are the users of a filter that names none.
    """
    _check_size(message, field)
    decoded = _decoded(message, shape, field, default_users, is_nested=shape is None)
    check_known(message, field)
    return decoded


def check_known(message: Message, field: str) -> None:
    """Raise InvalidField for a filter with a field that this version does not know, such as a newer client's condition.

    Elsewhere such a field is ignored. Here that would select more than was asked for. Call it once the size is checked.
    """
    known = type(message)()
    known.CopyFrom(message)
    known.DiscardUnknownFields()
    if known.ByteSize() != message.ByteSize():
        raise InvalidField(field, "has a condition that this version of the daemon does not know")


def names_users(message: pb.RecordFilter) -> bool:
    """Return True if the filter says whose records it selects."""
    return message.all_users or len(message.user_ids) > 0


def _check_size(message: pb.RecordFilter, field: str) -> None:
    """Refuse too many filters, or too many conditions on metadata, before any of them is decoded."""
    conditions = 0
    for filters, (each, depth) in enumerate(_nested(message, 1), 1):
        conditions += len(each.metadata)
        if depth > limit.FILTER_DEPTH_MAX:
            raise InvalidField(field, f"must be nested at most {limit.FILTER_DEPTH_MAX} deep")
        if filters > limit.FILTERS_NESTED_MAX:
            raise InvalidField(field, f"must have at most {limit.FILTERS_NESTED_MAX} filters")
        if conditions > limit.FILTER_CONDITIONS_TOGETHER_MAX:
            raise InvalidField(field, f"must have at most {limit.FILTER_CONDITIONS_TOGETHER_MAX} metadata conditions")


def _nested(message: pb.RecordFilter, depth: int) -> Iterator[tuple[pb.RecordFilter, int]]:
    yield message, depth
    for each in (*message.any_of, *message.none_of):
        yield from _nested(each, depth + 1)


def _decoded(
    message: pb.RecordFilter,
    shape: RecordShape | None,
    field: str,
    default_users: frozenset[str] | None,
    *,
    is_nested: bool,
) -> RecordFilter:
    if shape is not None:
        _check_shape(message, shape, field)
    if message.all_users and (message.user_ids or is_nested):
        beside = "in any_of, none_of and watches" if is_nested else "beside user_ids"
        raise InvalidField(f"{field}.all_users", f"must not be set {beside}")
    user_ids = texts_of(f"{field}.user_ids", message.user_ids, limit.FILTER_TERMS_MAX, limit.USER_ID_BYTES_MAX)
    conversation_ids = texts_of(
        f"{field}.conversation_ids", message.conversation_ids, limit.FILTER_TERMS_MAX, limit.CONVERSATION_ID_BYTES_MAX
    )
    ids = validation.names(f"{field}.ids", message.ids, limit.FILTER_TERMS_MAX, limit.KEY_BYTES_MAX)
    return RecordFilter(
        frozenset(ids),
        user_ids or (None if message.all_users else default_users),
        frozenset(validation.tags(f"{field}.all_tags", message.all_tags)),
        frozenset(validation.tags(f"{field}.any_tags", message.any_tags)),
        tuple(_conditions_of(message.metadata, f"{field}.metadata")),
        _time_of(message, "create_start_time", field),
        _time_of(message, "create_end_time", field),
        _time_of(message, "update_start_time", field),
        _time_of(message, "update_end_time", field),
        conversation_ids,
        tuple(_all_of(message.any_of, shape, f"{field}.any_of")),
        tuple(_all_of(message.none_of, shape, f"{field}.none_of")),
        condition_of(message, field, is_nested=is_nested),
    )


def _all_of(messages: Iterable[pb.RecordFilter], shape: RecordShape | None, field: str) -> Iterator[RecordFilter]:
    for index, each in enumerate(messages):
        yield _decoded(each, shape, f"{field}[{index}]", None, is_nested=True)


def _check_shape(message: pb.RecordFilter, shape: RecordShape, field: str) -> None:
    """Raise InvalidField for a condition on what the records do not have."""
    lacking = {
        "ids": shape.id_of is None,
        "user_ids": not shape.has_users,
        "all_users": not shape.has_users,
        "all_tags": shape.tags_of is None,
        "any_tags": shape.tags_of is None,
        "metadata": shape.metadata_of is None,
        "conversation_ids": shape.conversation_of is None,
    }
    for name, is_lacking in lacking.items():
        if is_lacking and getattr(message, name):
            raise InvalidField(f"{field}.{name}", "must not be set: the records of this request have no such field")
    kind = message.WhichOneof("kind")
    if kind is not None and kind != shape.name:
        raise InvalidField(f"{field}.{kind}", "must not be set: the request reads records of another kind")


def _time_of(message: Any, name: str, field: str) -> int | None:
    return moment_of(getattr(message, name), f"{field}.{name}") if message.HasField(name) else None


def _conditions_of(messages: Any, field: str) -> Iterator[MetadataCondition]:
    if len(messages) > limit.FILTER_CONDITIONS_MAX:
        raise InvalidField(field, f"must be at most {limit.FILTER_CONDITIONS_MAX}")
    for index, each in enumerate(messages):
        yield _condition_of(each, f"{field}[{index}]")


def _condition_of(message: pb.MetadataCondition, field: str) -> MetadataCondition:
    path, test = _path_of(message.path, f"{field}.path"), message.WhichOneof("test")
    if test is None:
        raise InvalidField(f"{field}.test", "must be set")
    if test == "equals":
        return MetadataCondition(path, equals=frozenset({_key_of(message.equals, f"{field}.equals")}))
    if test == "exists":
        return MetadataCondition(path, exists=message.exists)
    if test == "contains":
        return MetadataCondition(path, contains=_key_of(message.contains, f"{field}.contains"))
    if test == "range":
        return MetadataCondition(path, range=_range_of(message.range, f"{field}.range"))
    values = message.any_of.values
    validation.within(f"{field}.any_of", len(values), 1, limit.FILTER_VALUES_MAX)
    json_text_of(struct_pb2.Value(list_value=message.any_of), f"{field}.any_of", limit.FILTER_VALUE_BYTES_MAX)
    return MetadataCondition(path, equals=frozenset(_key_of(each, f"{field}.any_of") for each in values))


def _path_of(path: str, field: str) -> Path:
    """Return the keys of a path, in which a backslash makes a dot or a backslash a part of its key."""
    validation.within(field, validation.size_bytes(path), 1, limit.FILTER_PATH_BYTES_MAX, " bytes")
    keys, key, rest = list[str](), "", iter(path)
    for each in rest:
        if each == "\\":
            each = next(rest, "")
            if each not in (".", "\\"):
                raise InvalidField(field, "must have a dot or a backslash after a backslash")
            key += each
        elif each == ".":
            keys.append(key)
            key = ""
        else:
            key += each
    keys.append(key)
    if not all(keys):
        raise InvalidField(field, "must not have an empty key")
    if len(keys) > limit.FILTER_PATH_KEYS_MAX:
        raise InvalidField(field, f"must have at most {limit.FILTER_PATH_KEYS_MAX} keys")
    return tuple(keys)


def _key_of(value: struct_pb2.Value, field: str) -> JsonKey:
    if value.WhichOneof("kind") is None:
        raise InvalidField(field, "must have a value")
    return json_key_of(json.loads(json_text_of(value, field, limit.FILTER_VALUE_BYTES_MAX)))


def _range_of(message: pb.MetadataRange, field: str) -> MetadataRange:
    start, end = message.WhichOneof("start"), message.WhichOneof("end")
    if start is None and end is None:
        raise InvalidField(field, "must have a bound")
    lower = None if start is None else _bound_of(getattr(message, start), f"{field}.{start}")
    upper = None if end is None else _bound_of(getattr(message, end), f"{field}.{end}")
    if lower is not None and upper is not None and type(lower) is not type(upper):
        raise InvalidField(field, "must have two numbers or two texts as bounds")
    return MetadataRange(lower, upper, start == "at_least", end == "at_most")


def _bound_of(value: struct_pb2.Value, field: str) -> float | str:
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        size = validation.size_bytes(value.string_value)
        validation.within(field, size, 0, limit.FILTER_PATH_BYTES_MAX, " bytes")
        return value.string_value
    if kind != "number_value" or not math.isfinite(value.number_value):
        raise InvalidField(field, "must be a finite number or a text")
    return value.number_value
