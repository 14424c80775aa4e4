"""Decoding of the conditions on the fields that only one kind of records has."""

from collections.abc import Callable, Sequence
from typing import Any

from memoryd.v1 import record_filter_pb2 as pb
from memoryd_server.domain import limit, validation
from memoryd_server.domain.conversations.conversation import MessageCondition
from memoryd_server.domain.documents.document import DocumentCondition
from memoryd_server.domain.entries.entry import EntryCondition, EntryType
from memoryd_server.domain.error import InvalidField
from memoryd_server.domain.fragments.fragment import FragmentCondition
from memoryd_server.domain.memories.memory import MemoryCondition, MemoryStatus, MemoryType
from memoryd_server.domain.memories.memory_link import LinkType, MemoryLinkCondition
from memoryd_server.domain.notes.note import NoteCondition
from memoryd_server.domain.plans.plan import PlanCondition, PlanStatus
from memoryd_server.domain.values.message import MessageRole
from memoryd_server.domain.values.record_filter import KindCondition
from memoryd_server.transport.fields.timestamp import moment_of


def condition_of(message: pb.RecordFilter, field: str, *, is_nested: bool) -> KindCondition | None:
    """Decode the conditions of a filter on the fields of one kind, None without any. Raises InvalidField.

    A filter that ``is_nested`` in another, or selects events, must not ask for a salience.
    """
    kind = message.WhichOneof("kind")
    if kind is None:
        return None
    if kind == "memory" and is_nested and message.memory.min_salience:
        raise InvalidField(f"{field}.memory.min_salience", "must not be set in any_of, none_of and watches")
    return _DECODERS[kind](getattr(message, kind), f"{field}.{kind}")


def texts_of(field: str, values: Sequence[str], most: int, bytes_max: int) -> frozenset[str]:
    """Validate at most ``most`` texts, which may be empty, of at most ``bytes_max`` bytes. Raises InvalidField."""
    kept = validation.distinct(field, values)
    if len(kept) > most:
        raise InvalidField(field, f"must be at most {most}")
    return frozenset(validation.text(field, each, bytes_max) if each else each for each in kept)


def _names_of(field: str, values: Sequence[str], bytes_max: int) -> frozenset[str]:
    return frozenset(validation.names(field, values, limit.FILTER_NAMES_MAX, bytes_max))


def _minimum_of(message: Any, name: str, field: str) -> float:
    return validation.importance(f"{field}.{name}", getattr(message, name))


def _entry(message: pb.EntryCondition, field: str) -> EntryCondition:
    prefixes = validation.names(
        f"{field}.key_prefixes", message.key_prefixes, limit.FILTER_NAMES_MAX, limit.KEY_BYTES_MAX
    )
    type_names = texts_of(f"{field}.type_names", message.type_names, limit.FILTER_NAMES_MAX, limit.TYPE_NAME_BYTES_MAX)
    types = validation.all_known(f"{field}.types", message.types, EntryType)
    return EntryCondition(prefixes, types, type_names, _minimum_of(message, "min_importance", field))


def _fragment(message: pb.FragmentCondition, field: str) -> FragmentCondition:
    return FragmentCondition(
        _names_of(f"{field}.types", message.types, limit.FRAGMENT_TYPE_BYTES_MAX),
        texts_of(
            f"{field}.dynamic_types", message.dynamic_types, limit.FILTER_NAMES_MAX, limit.FRAGMENT_TYPE_BYTES_MAX
        ),
        message.flushed if message.HasField("flushed") else None,
        _minimum_of(message, "min_confidence", field) if message.HasField("min_confidence") else None,
        _names_of(f"{field}.any_participants", message.any_participants, limit.PARTICIPANT_BYTES_MAX),
    )


def _memory(message: pb.MemoryCondition, field: str) -> MemoryCondition:
    start = message.occur_start_time if message.HasField("occur_start_time") else None
    end = message.occur_end_time if message.HasField("occur_end_time") else None
    return MemoryCondition(
        validation.all_known(f"{field}.types", message.types, MemoryType),
        validation.all_known(f"{field}.statuses", message.statuses, MemoryStatus),
        texts_of(f"{field}.project_ids", message.project_ids, limit.FILTER_TERMS_MAX, limit.PROJECT_ID_BYTES_MAX),
        texts_of(f"{field}.document_ids", message.document_ids, limit.FILTER_TERMS_MAX, limit.DOCUMENT_ID_BYTES_MAX),
        None if start is None else moment_of(start, f"{field}.occur_start_time"),
        None if end is None else moment_of(end, f"{field}.occur_end_time"),
        _minimum_of(message, "min_importance", field),
        _minimum_of(message, "min_confidence", field),
        _minimum_of(message, "min_salience", field),
    )


def _memory_link(message: pb.MemoryLinkCondition, field: str) -> MemoryLinkCondition:
    types = validation.all_known(f"{field}.types", message.types, LinkType)
    return MemoryLinkCondition(types, _minimum_of(message, "min_strength", field))


def _note(message: pb.NoteCondition, field: str) -> NoteCondition:
    notebooks = texts_of(f"{field}.notebooks", message.notebooks, limit.FILTER_TERMS_MAX, limit.NOTEBOOK_BYTES_MAX)
    return NoteCondition(notebooks, _minimum_of(message, "min_importance", field))


def _plan(message: pb.PlanCondition, field: str) -> PlanCondition:
    return PlanCondition(validation.all_known(f"{field}.statuses", message.statuses, PlanStatus))


def _document(message: pb.DocumentCondition, field: str) -> DocumentCondition:
    return DocumentCondition(
        _names_of(f"{field}.media_types", message.media_types, limit.MEDIA_TYPE_BYTES_MAX),
        texts_of(f"{field}.sources", message.sources, limit.FILTER_NAMES_MAX, limit.SOURCE_BYTES_MAX),
    )


def _message(message: pb.MessageCondition, field: str) -> MessageCondition:
    return MessageCondition(
        validation.all_known(f"{field}.roles", message.roles, MessageRole),
        texts_of(f"{field}.names", message.names, limit.FILTER_NAMES_MAX, limit.MESSAGE_NAME_BYTES_MAX),
        _minimum_of(message, "min_importance", field),
    )


_DECODERS: dict[str, Callable[[Any, str], KindCondition]] = {
    "entry": _entry,
    "fragment": _fragment,
    "memory": _memory,
    "memory_link": _memory_link,
    "note": _note,
    "plan": _plan,
    "document": _document,
    "message": _message,
}
