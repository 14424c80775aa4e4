"""A composed context: messages for a model, and the manifest of the records that were considered for it; tokens."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from google.protobuf.json_format import MessageToDict

from memoryd.model.enum_word import EnumWords
from memoryd.model.message import MESSAGE_ROLE, MessagePart, MessageRole, parts_from, text_of
from memoryd.model.record_ref import RecordRef, record_ref_from
from memoryd.v1 import context_service_pb2 as pb


class ContextOutcome(StrEnum):
    """The reason why a context includes a record, or leaves it out."""

    UNSPECIFIED = "unspecified"
    INCLUDED = "included"
    OVER_SECTION_BUDGET = "over_section_budget"
    OVER_TOTAL_BUDGET = "over_total_budget"
    TRUNCATED = "truncated"
    DUPLICATE = "duplicate"


_OUTCOME = EnumWords(pb.ContextOutcome, "CONTEXT_OUTCOME")


@dataclass(frozen=True, slots=True)
class ContextMessage:
    """A message for the model, with either ``content`` or ``parts``. ``section`` is the name of its section."""

    section: str
    role: MessageRole
    content: str
    parts: tuple[MessagePart, ...]
    name: str
    metadata: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The words of the message, without files and calls, one part a line."""
        return text_of(self.content, self.parts)


@dataclass(frozen=True, slots=True)
class ContextSectionUsage:
    """The use of one section's budget, in tokens, and the numbers of records that it includes and leaves out.

    ``missing_feature`` is the feature for which the section was left out, since the agent's tier lacks it; else empty.
    """

    section: str
    token_count: int
    max_tokens: int
    included_count: int
    left_out_count: int
    missing_feature: str = ""


@dataclass(frozen=True, slots=True)
class ContextManifestItem:
    """The outcome for one record."""

    section: str
    record: RecordRef
    token_count: int
    outcome: ContextOutcome


@dataclass(frozen=True, slots=True)
class ComposedContext:
    """The messages for the model, in the order of the sections, and the outcome for each record that was considered.

    The manifest is empty unless it was asked for. ``token_count`` is never more than ``max_tokens``. ``tokenizer`` is
    the name of the tokenizer that counted them. ``further_revisions`` has the revisions of the other agents whose
    records sections render.
    """

    messages: tuple[ContextMessage, ...]
    token_count: int
    max_tokens: int
    tokenizer: str
    usages: tuple[ContextSectionUsage, ...]
    manifest: tuple[ContextManifestItem, ...]
    revision: int
    further_revisions: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class TokenCount:
    """The number of tokens of each text and of all. ``tokenizer`` is "estimate" where no tokenizer was at hand."""

    token_counts: tuple[int, ...]
    total_token_count: int
    tokenizer: str


def token_count_from(message: pb.CountTokensResponse) -> TokenCount:
    """Return the counts of a message."""
    return TokenCount(tuple(message.token_counts), message.total_token_count, message.tokenizer)


def composed_context_from(message: pb.ComposeContextResponse) -> ComposedContext:
    """Return the context of a message."""
    return ComposedContext(
        messages=tuple(_message_from(each) for each in message.messages),
        token_count=message.token_count,
        max_tokens=message.max_tokens,
        tokenizer=message.tokenizer,
        usages=tuple(_usage_from(each) for each in message.usages),
        manifest=tuple(_item_from(each) for each in message.manifest),
        revision=message.revision,
        further_revisions={each.agent_id: each.revision for each in message.further_revisions},
    )


def _message_from(message: pb.ContextMessage) -> ContextMessage:
    return ContextMessage(
        section=message.section,
        role=MESSAGE_ROLE.word(MessageRole, message.role),
        content=message.content,
        parts=parts_from(message.parts),
        name=message.name,
        metadata=MessageToDict(message.metadata),
    )


def _usage_from(message: pb.ContextSectionUsage) -> ContextSectionUsage:
    return ContextSectionUsage(
        message.section,
        message.token_count,
        message.max_tokens,
        message.included_count,
        message.left_out_count,
        message.missing_feature,
    )


def _item_from(message: pb.ContextManifestItem) -> ContextManifestItem:
    return ContextManifestItem(
        message.section,
        record_ref_from(message.record),
        message.token_count,
        _OUTCOME.word(ContextOutcome, message.outcome),
    )
