"""The kinds of records, and numbers of records by kind."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from memoryd.model.enum_word import EnumWords
from memoryd.v1 import record_pb2


class RecordKind(StrEnum):
    """A kind of record."""

    UNSPECIFIED = "unspecified"
    ENTRY = "entry"
    SCOPE = "scope"
    FRAGMENT = "fragment"
    MEMORY = "memory"
    MEMORY_LINK = "memory_link"
    NOTE = "note"
    PLAN = "plan"
    PLAN_STEP = "plan_step"
    ENTITY = "entity"
    ENTITY_WINDOW = "entity_window"
    DOCUMENT = "document"
    DOCUMENT_CHUNK = "document_chunk"
    CONVERSATION = "conversation"
    MESSAGE = "message"
    SUMMARY = "summary"
    TEXT = "text"
    AGENT = "agent"
    SNAPSHOT = "snapshot"
    MEMORY_PROPOSAL = "memory_proposal"


RECORD_KIND = EnumWords(record_pb2.RecordKind, "RECORD_KIND")


def counts_from(messages: Iterable[record_pb2.RecordCount]) -> Mapping[RecordKind, int]:
    """Return numbers of records by kind. Kinds without records are absent."""
    return {RECORD_KIND.word(RecordKind, message.kind): message.count for message in messages}
