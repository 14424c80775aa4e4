"""Fragments, between the domain and the contract."""

import json
from collections.abc import Sequence
from typing import TypeVar

from google.protobuf import json_format, struct_pb2

from memoryd.v1 import fragment_pb2
from memoryd.v1 import fragment_service_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.error import InvalidField, LimitExceeded
from memoryd_server.domain.fragments.fragment import TYPE_DEFAULT, Fragment, FragmentDraft, fingerprint_of
from memoryd_server.transport.entries.entry_message import METADATA_ONLY
from memoryd_server.transport.fields.expiry import expire_time_of
from memoryd_server.transport.fields.json_value import json_text_of, write_json
from memoryd_server.transport.fields.timestamp import timestamp

T = TypeVar("T")


def fragment_message(agent_id: str, fragment: Fragment, payload_mode: int = 0) -> fragment_pb2.Fragment:
    """Encode a fragment, for responses and events."""
    is_whole = payload_mode != METADATA_ONLY
    message = fragment_pb2.Fragment(
        fragment_id=fragment.fragment_id,
        agent_id=agent_id,
        agent_fingerprint=fingerprint_of(agent_id),
        content=fragment.content if is_whole else "",
        type=fragment.type,
        dynamic_type=fragment.dynamic_type,
        confidence=fragment.confidence,
        participants=fragment.participants,
        causal_chain=fragment.causal_chain,
        create_time=timestamp(fragment.create_time),
        expire_time=timestamp(fragment.expire_time),
        revision=fragment.revision,
        flushed=fragment.flushed,
        delivery_count=fragment.delivery_count,
    )
    if is_whole and fragment.properties_json:
        write_json(fragment.properties_json, message.properties)
    if is_whole and fragment.sources_json:
        for source in json.loads(fragment.sources_json):
            json_format.ParseDict(source, message.sources.add())
    return message


def fragment_draft_of(message: pb.StoreFragmentRequest, now: int, ttl_ns: int, limits: limit.Limits) -> FragmentDraft:
    """Decode a fragment to store. Raises InvalidField, LimitExceeded."""
    content_bytes = validation.size_bytes(message.content)
    if not message.content:
        raise InvalidField("content", "must not be empty")
    if content_bytes > limits.fragment_bytes:
        raise LimitExceeded("fragment_bytes", limits.fragment_bytes)
    properties_json = _properties_json(message.properties)
    sources_json = _sources_json(message.sources)
    participants = validation.names(
        "participants", message.participants, limit.PARTICIPANTS_MAX, limit.PARTICIPANT_BYTES_MAX
    )
    causal_chain = tuple(
        validation.text("causal_chain", each, limit.CAUSE_BYTES_MAX)
        for each in _bounded("causal_chain", message.causal_chain, limit.CAUSES_MAX)
    )
    texts = (properties_json, sources_json, message.type, message.dynamic_type, *participants, *causal_chain)
    return FragmentDraft(
        message.content,
        now + ttl_ns if message.WhichOneof("expiry") is None else expire_time_of(message, now),
        content_bytes + sum(map(validation.size_bytes, texts)),
        validation.optional_text("type", message.type, limit.FRAGMENT_TYPE_BYTES_MAX) or TYPE_DEFAULT,
        validation.optional_text("dynamic_type", message.dynamic_type, limit.FRAGMENT_TYPE_BYTES_MAX),
        confidence_of("confidence", message.confidence) if message.HasField("confidence") else None,
        properties_json,
        participants,
        causal_chain,
        sources_json,
    )


def confidence_of(field: str, value: float) -> float:
    """Return a confidence, if it is valid. Raises InvalidField."""
    if not 0.0 <= value <= 1.0:
        raise InvalidField(field, "must be from 0 to 1")
    return value


def _bounded(field: str, values: Sequence[T], most: int) -> Sequence[T]:
    if len(values) > most:
        raise InvalidField(field, f"must be at most {most}")
    return values


def _properties_json(message: struct_pb2.Struct) -> str:
    if not message.fields:
        return ""
    return json_text_of(message, "properties", limit.PROPERTIES_BYTES_MAX)


def _sources_json(messages: Sequence[struct_pb2.Struct]) -> str:
    sources = [
        json_text_of(each, "sources", limit.SOURCES_BYTES_MAX)
        for each in _bounded("sources", messages, limit.SOURCES_MAX)
    ]
    text = f"[{','.join(sources)}]" if sources else ""
    if validation.size_bytes(text) > limit.SOURCES_BYTES_MAX:
        raise InvalidField("sources", f"must be at most {limit.SOURCES_BYTES_MAX} bytes as JSON")
    return text
