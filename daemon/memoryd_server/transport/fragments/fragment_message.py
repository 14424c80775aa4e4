"""Fragments, between the domain and the contract."""

import json
from collections.abc import Sequence
from typing import TypeVar

from google.protobuf import json_format, struct_pb2

from memoryd.v1 import fragment_pb2
from memoryd_server.domain import limit, validation
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.fragments.fragment import TYPE_DEFAULT, Fragment, FragmentDraft, fingerprint_of
from memoryd_server.transport.fields.expiry import expire_time_of
from memoryd_server.transport.fields.json_value import json_text_of, metadata_json_of, write_json
from memoryd_server.transport.fields.timestamp import timestamp
from memoryd_server.transport.fields.user_id import user_id_of

T = TypeVar("T")


def fragment_message(agent_id: str, fragment: Fragment) -> fragment_pb2.Fragment:
    """Encode a fragment, for responses and events."""
    message = fragment_pb2.Fragment(
        fragment_id=fragment.fragment_id,
        agent_id=agent_id,
        agent_fingerprint=fingerprint_of(agent_id),
        user_id=fragment.user_id,
        content=fragment.content,
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
    if fragment.metadata_json:
        write_json(fragment.metadata_json, message.metadata)
    if fragment.sources_json:
        for source in json.loads(fragment.sources_json):
            json_format.ParseDict(source, message.sources.add())
    return message


def fragment_draft_of(message: fragment_pb2.FragmentDraft, now: int, limits: limit.Limits) -> FragmentDraft:
    """Decode a fragment to create, the field ``draft`` of its request. Raises InvalidField, TooLarge."""
    content = validation.content("draft.content", message.content, "fragment_bytes", limits.fragment_bytes)
    user_id = user_id_of("draft.user_id", message.user_id)
    metadata_json = metadata_json_of(message.metadata, "draft.metadata")
    sources_json = _sources_json(message.sources)
    participants = validation.names(
        "draft.participants", message.participants, limit.PARTICIPANTS_MAX, limit.PARTICIPANT_BYTES_MAX
    )
    causal_chain = tuple(
        validation.text("draft.causal_chain", each, limit.CAUSE_BYTES_MAX)
        for each in _bounded("draft.causal_chain", message.causal_chain, limit.CAUSES_MAX)
    )
    kinds = (message.type, message.dynamic_type)
    texts = (user_id, metadata_json, *kinds, *participants, *causal_chain, sources_json)
    return FragmentDraft(
        content,
        None if message.WhichOneof("expiry") is None else expire_time_of(message, now, "draft."),
        sum(map(validation.size_bytes, (content, *texts))),
        user_id,
        metadata_json,
        validation.optional_text("draft.type", message.type, limit.FRAGMENT_TYPE_BYTES_MAX) or TYPE_DEFAULT,
        validation.optional_text("draft.dynamic_type", message.dynamic_type, limit.FRAGMENT_TYPE_BYTES_MAX),
        confidence_of("draft.confidence", message.confidence) if message.HasField("confidence") else None,
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


def _sources_json(messages: Sequence[struct_pb2.Struct]) -> str:
    sources = [
        json_text_of(each, "draft.sources", limit.SOURCES_BYTES_MAX)
        for each in _bounded("draft.sources", messages, limit.SOURCES_MAX)
    ]
    text = f"[{','.join(sources)}]" if sources else ""
    if validation.size_bytes(text) > limit.SOURCES_BYTES_MAX:
        raise InvalidField("draft.sources", f"must be at most {limit.SOURCES_BYTES_MAX} bytes as JSON")
    return text
