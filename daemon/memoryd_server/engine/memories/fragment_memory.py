"""The memories that fragments become when the daemon consolidates them."""

import json
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import msgspec

from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.conversations.conversation import CONVERSATION, CONVERSATION_KEY
from memoryd_server.domain.fragments.fragment import TYPE_DEFAULT, Fragment
from memoryd_server.domain.limit import (
    CONVERSATION_ID_BYTES_MAX,
    DOCUMENT_ID_BYTES_MAX,
    PROJECT_ID_BYTES_MAX,
    USER_ID_BYTES_MAX,
)
from memoryd_server.domain.memories.classification import type_of
from memoryd_server.domain.memories.memory import MemoryDraft, MemoryType, Provenance
from memoryd_server.domain.memories.memory_part import MEMORIES
from memoryd_server.domain.validation import size_bytes

_TYPES = {kind.name.lower(): kind for kind in MemoryType if kind is not MemoryType.WORKING}


class _Origin(msgspec.Struct, frozen=True):
    """A fragment with its decoded JSON, and the conversation that it comes from, empty for none."""

    fragment: Fragment
    metadata: dict[str, Any]
    sources: list[dict[str, Any]]
    conversation_id: str


def drafts_of(fragments: Sequence[Fragment], state: AgentState) -> list[MemoryDraft]:
    """Return the memories that fragments of an agent become, which are consolidated together.

    A memory keeps its fragment's id unless a memory has it: fragments that name it in their causal chain are then
    linked with it. The metadata ``project_id`` becomes its project; ``conversation_id`` and ``document_id``, of the
    metadata or of a source, its provenance.
    """
    there, origins = state.part(MEMORIES).memories, [_origin_of(fragment) for fragment in fragments]
    return [
        _draft_of(origin, user_id, "" if origin.fragment.fragment_id in there else origin.fragment.fragment_id)
        for origin, user_id in zip(origins, _user_ids_of(origins, state), strict=True)
    ]


def _origin_of(fragment: Fragment) -> _Origin:
    metadata = json.loads(fragment.metadata_json) if fragment.metadata_json else {}
    sources = json.loads(fragment.sources_json) if fragment.sources_json else []
    conversation_id = _first_text((metadata, *sources), "conversation_id", CONVERSATION_ID_BYTES_MAX)
    return _Origin(fragment, metadata, sources, conversation_id)


def _draft_of(origin: _Origin, user_id: str, memory_id: str) -> MemoryDraft:
    fragment, metadata = origin.fragment, origin.metadata
    return MemoryDraft(
        fragment.content,
        user_id,
        _TYPES.get(fragment.type.lower()) or type_of(fragment.content),
        memory_id=memory_id,
        project_id=_first_text((metadata,), "project_id", PROJECT_ID_BYTES_MAX),
        provenance=Provenance(
            origin.conversation_id,
            _first_text((metadata, *origin.sources), "document_id", DOCUMENT_ID_BYTES_MAX),
            f"consolidated from fragment {fragment.fragment_id}",
            fragment.sequence,
        ),
        tags=tuple(name for name in (fragment.type, fragment.dynamic_type) if name not in ("", TYPE_DEFAULT)),
        metadata_json=_metadata_json(origin),
        confidence=fragment.confidence,
        occur_time=fragment.create_time,
        derives_from=fragment.causal_chain,
    )


def _metadata_json(origin: _Origin) -> str:
    """Return the metadata of the memory, as JSON: the fragment's, and its fields that a memory does not have.

    Empty fields are left out, and those whose names the fragment's own metadata has.
    """
    fields = {
        "participants": origin.fragment.participants,
        "causal_chain": origin.fragment.causal_chain,
        "sources": origin.sources,
    }
    kept = {name: value for name, value in fields.items() if value} | origin.metadata
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")) if kept else ""


def _first_text(places: Iterable[dict[str, Any]], name: str, bytes_max: int) -> str:
    """Return the first text with a name that is valid as an id of at most ``bytes_max``, empty for none."""
    for value in (place.get(name) for place in places):
        if isinstance(value, str) and value and value.isprintable() and size_bytes(value) <= bytes_max:
            return value
    return ""


def _user_ids_of(origins: Sequence[_Origin], state: AgentState) -> list[str]:
    """Return the user of each fragment, empty for none.

    It is the user that the writer gave, else the one that the metadata names, else that of the conversation, else the
    first participant but the agent itself, else the only one whom other fragments of the conversation are of.
    """
    given = [_given_user_of(origin, state) for origin in origins]
    names = [
        "" if user_id else _first_participant_of(origin.fragment, state.agent_id)
        for origin, user_id in zip(origins, given, strict=True)
    ]
    stored = (memory.user_id for memory in state.part(MEMORIES).memories.values())
    ids = _ids_of([name for name in names if name], chain(given, stored)) if any(names) else {}
    found = [user_id or ids.get(name, "") for user_id, name in zip(given, names, strict=True)]
    talking: dict[str, set[str]] = {"": set()}
    for origin, user_id in zip(origins, found, strict=True):
        if origin.conversation_id:
            talking.setdefault(origin.conversation_id, set()).update(filter(None, (user_id,)))
    return [user_id or _only(talking[origin.conversation_id]) for origin, user_id in zip(origins, found, strict=True)]


def _given_user_of(origin: _Origin, state: AgentState) -> str:
    named = origin.fragment.user_id or _first_text((origin.metadata,), "user_id", USER_ID_BYTES_MAX)
    conversation = state.part(CONVERSATION).find(origin.conversation_id, CONVERSATION_KEY)
    return named or ("" if conversation is None else conversation.user_id)


def _first_participant_of(fragment: Fragment, agent_id: str) -> str:
    return next((each for each in fragment.participants if each.casefold() != agent_id.casefold()), "")


def _ids_of(names: Sequence[str], user_ids: Iterable[str]) -> dict[str, str]:
    """Return the ids of the users whom names mean.

    One person may be given by id here and by name there: a name that differs from the id of a known user by case alone
    is that user, unless several users have such ids. Names of nobody who is known are ids themselves, the first of
    those that differ by case alone.
    """
    known: dict[str, set[str]] = {name.casefold(): set() for name in names}
    for user_id in user_ids:
        if (folded := user_id.casefold()) in known:
            known[folded].add(user_id)
    first = {name.casefold(): name for name in reversed(names)}
    found = {}
    for name in names:
        same = known[name.casefold()]
        found[name] = name if name in same else (_only(same) or (name if same else first[name.casefold()]))
    return found


def _only(user_ids: set[str]) -> str:
    return next(iter(user_ids)) if len(user_ids) == 1 else ""
