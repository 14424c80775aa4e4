"""A composed context: messages for a model, and the manifest of the records that were considered for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from google.protobuf.json_format import MessageToDict

from memoryd.model.conversation import MESSAGE_ROLE, MessageRole
from memoryd.model.enum_word import EnumWords
from memoryd.v1 import context_service_pb2 as pb


class ManifestOutcome(StrEnum):
    """The reason why a context includes a record, or leaves it out."""

    UNSPECIFIED = "unspecified"
    INCLUDED = "included"
    OVER_SECTION_BUDGET = "over_section_budget"
    OVER_TOTAL_BUDGET = "over_total_budget"


_OUTCOME = EnumWords(pb.ManifestOutcome, "MANIFEST_OUTCOME")


@dataclass(frozen=True, slots=True)
class ContextMessage:
    """A message for the model. ``section`` is the name of the section that it comes from."""

    section: str
    role: MessageRole
    content: str
    name: str
    tool_call_id: str
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SectionUsage:
    """The use of one section's budget, in tokens, and the numbers of records that it includes and leaves out."""

    name: str
    tokens: int
    max_tokens: int
    included_count: int
    left_out_count: int


@dataclass(frozen=True, slots=True)
class ManifestItem:
    """The outcome for one record. ``kind`` is the record's kind, such as "note"; ``record_id`` is empty for a text."""

    section: str
    kind: str
    record_id: str
    tokens: int
    outcome: ManifestOutcome


@dataclass(frozen=True, slots=True)
class ComposedContext:
    """The messages for the model, in the order of the sections, and the outcome for each record that was considered.

    ``tokens`` is never more than ``max_tokens``. ``tokenizer`` is the name of the tokenizer that counted them.
    """

    messages: tuple[ContextMessage, ...]
    tokens: int
    max_tokens: int
    tokenizer: str
    usages: tuple[SectionUsage, ...]
    manifest: tuple[ManifestItem, ...]
    revision: int


def composed_context_from(message: pb.ComposeContextResponse) -> ComposedContext:
    """Return the context of a message."""
    return ComposedContext(
        messages=tuple(_message_from(each) for each in message.messages),
        tokens=message.tokens,
        max_tokens=message.max_tokens,
        tokenizer=message.tokenizer,
        usages=tuple(_usage_from(each) for each in message.usages),
        manifest=tuple(_item_from(each) for each in message.manifest),
        revision=message.revision,
    )


def _message_from(message: pb.ContextMessage) -> ContextMessage:
    return ContextMessage(
        section=message.section,
        role=MESSAGE_ROLE.word(MessageRole, message.role),
        content=message.content,
        name=message.name,
        tool_call_id=message.tool_call_id,
        metadata=MessageToDict(message.metadata),
    )


def _usage_from(message: pb.SectionUsage) -> SectionUsage:
    return SectionUsage(
        message.name, message.tokens, message.max_tokens, message.included_count, message.left_out_count
    )


def _item_from(message: pb.ManifestItem) -> ManifestItem:
    return ManifestItem(
        message.section,
        message.kind,
        message.record_id,
        message.tokens,
        _OUTCOME.word(ManifestOutcome, message.outcome),
    )
