"""How what an agent holds becomes records: bytes with a schema version in front.

A version is one byte. A reader takes every version up to its own, and refuses a newer one: it cannot know what it
would lose. Fields are stored in the order of their structs; a new one goes to the end and has a default, which old
records take.
"""

from collections.abc import Iterable
from typing import Any, TypeVar, get_args

import immutables
import msgspec

from memoryd_server.domain.agent.collection import Collection
from memoryd_server.domain.agent.command import AgentImage
from memoryd_server.domain.agent.kind import KINDS
from memoryd_server.domain.agent.state import AgentState
from memoryd_server.domain.agent.transition import RecordValue
from memoryd_server.domain.documents.document import Document, DocumentChunk
from memoryd_server.domain.entries.entry import ROOT, Entry
from memoryd_server.domain.entries.reservation import Reservation
from memoryd_server.domain.entries.scope import Scope
from memoryd_server.domain.error import DataDamaged, SchemaTooNew
from memoryd_server.domain.fragments.fragment import Fragment
from memoryd_server.domain.fragments.fragment_buffer import FragmentBuffer
from memoryd_server.domain.fragments.lease import Lease
from memoryd_server.domain.memories.embedding import Embedding
from memoryd_server.domain.memories.long_term_memory import LongTermMemory
from memoryd_server.domain.memories.memory import Memory, MemoryVersion, Purge
from memoryd_server.domain.memories.memory_link import MemoryLink
from memoryd_server.domain.plans.plan import Plan
from memoryd_server.domain.values.deadline import Deadlines, earliest
from memoryd_server.domain.values.number_set import NUMBER_MAX

SCHEMA_VERSION = 1
_VERSION_BYTE = bytes([SCHEMA_VERSION])

_encoder = msgspec.msgpack.Encoder()
_decoders: dict[str, msgspec.msgpack.Decoder[RecordValue]] = {
    "entry": msgspec.msgpack.Decoder(Entry),
    "scope": msgspec.msgpack.Decoder(Scope),
    "reservation": msgspec.msgpack.Decoder(Reservation),
    "fragment": msgspec.msgpack.Decoder(Fragment),
    "lease": msgspec.msgpack.Decoder(Lease),
    "memory": msgspec.msgpack.Decoder(Memory),
    "embedding": msgspec.msgpack.Decoder(Embedding),
    "link": msgspec.msgpack.Decoder(MemoryLink),
    "version": msgspec.msgpack.Decoder(MemoryVersion),
    "purge": msgspec.msgpack.Decoder(Purge),
    **{kind.name: msgspec.msgpack.Decoder(kind.type) for kind in KINDS.values()},
}

_MEMORY_KINDS: tuple[type[Any], ...] = (Memory, Embedding, MemoryLink, MemoryVersion, Purge)
_COLLECTED_KINDS: tuple[type[Any], ...] = tuple(kind.type for kind in KINDS.values())
_SIZED_KINDS: tuple[type[Any], ...] = (Entry, Fragment, Memory, Embedding, MemoryVersion, *_COLLECTED_KINDS)

T = TypeVar("T")


def encode(value: object) -> bytes:
    """A value's bytes, with the schema version in front."""
    return _VERSION_BYTE + _encoder.encode(value)


def decode(decoder: msgspec.msgpack.Decoder[T], data: bytes, what: str) -> T:
    """The value of bytes that ``encode`` made. Raises SchemaTooNew, DataDamaged; ``what`` names the thing in them."""
    if not data or not data[0]:
        raise DataDamaged(f"{what} has no version")
    if data[0] > SCHEMA_VERSION:
        raise SchemaTooNew(what, data[0], SCHEMA_VERSION)
    try:
        return decoder.decode(memoryview(data)[1:])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DataDamaged(f"{what} cannot be read") from error


def decode_record(kind: str, data: bytes) -> RecordValue:
    """The value of a record. A kind that is not known was written by a newer version: SchemaTooNew."""
    decoder = _decoders.get(kind)
    if decoder is None:
        raise SchemaTooNew(f"record kind {kind!r}", SCHEMA_VERSION + 1, SCHEMA_VERSION)
    return decode(decoder, data, f"{kind} record")


def state_of(
    agent_id: str, revision: int, create_time: int, update_time: int, values: Iterable[RecordValue]
) -> AgentState:
    """The state that an agent's records describe. Raises DataDamaged when they do not fit together."""
    by_kind = _by_kind(values)
    entries, scopes = by_kind[Entry], by_kind[Scope]
    reservations = {(each.scope_id, each.key): each for each in by_kind[Reservation]}
    _check_fragments(agent_id, by_kind[Fragment], by_kind[Lease])
    _check_plans(agent_id, by_kind[Plan])
    fragments = FragmentBuffer.of(by_kind[Fragment], by_kind[Lease])
    _check_memories(agent_id, by_kind)
    _check_documents(agent_id, by_kind[Document], by_kind[DocumentChunk])
    memories = LongTermMemory.of(*(by_kind[kind] for kind in _MEMORY_KINDS))
    collections = {kind.name: Collection.of(by_kind[kind.type]) for kind in KINDS.values() if by_kind[kind.type]}
    deadlines = Deadlines.of(
        ((entry.scope_id, entry.key), entry.expire_time) for entry in entries if entry.expire_time is not None
    )
    reservation_deadlines = Deadlines.of((place, each.expire_time) for place, each in reservations.items())
    return AgentState(
        agent_id,
        revision,
        create_time,
        update_time,
        _entries_by_scope(agent_id, entries, [scope.scope_id for scope in scopes if not scope.disposed]),
        immutables.Map({scope.scope_id: scope for scope in scopes if not scope.disposed}),
        immutables.Map({scope.scope_id: scope for scope in scopes if scope.disposed}),
        immutables.Map(reservations),
        deadlines,
        reservation_deadlines,
        fragments,
        memories,
        immutables.Map(collections),
        earliest(deadlines.first, reservation_deadlines.first, fragments.next_deadline, memories.next_deadline),
        len(entries),
        sum(each.size_bytes for kind in _SIZED_KINDS for each in by_kind[kind]),
    )


def image_of(agent_id: str, values: Iterable[RecordValue]) -> AgentImage:
    """What a restore takes from an agent's records: everything but reservations and leases, whose holders are gone.

    Raises DataDamaged when the records do not fit together.
    """
    by_kind = _by_kind(values)
    scopes = {scope.scope_id: scope for scope in by_kind[Scope] if not scope.disposed}
    if any(ancestor not in scopes for scope in scopes.values() for ancestor in scope.ancestors):
        raise DataDamaged(f"agent {agent_id!r} has a scope below one that is not there")
    _check_fragments(agent_id, by_kind[Fragment], by_kind[Lease])
    _check_plans(agent_id, by_kind[Plan])
    _check_memories(agent_id, by_kind)
    _check_documents(agent_id, by_kind[Document], by_kind[DocumentChunk])
    entries = _entries_by_scope(agent_id, by_kind[Entry], list(scopes))
    return AgentImage(
        tuple(entry for local in entries.values() for entry in local.values()),
        tuple(scopes.values()),
        tuple(by_kind[Fragment]),
        tuple(by_kind[Memory]),
        tuple(by_kind[Embedding]),
        tuple(by_kind[MemoryLink]),
        tuple(by_kind[MemoryVersion]),
        tuple(by_kind[Purge]),
        tuple(record for kind in _COLLECTED_KINDS for record in by_kind[kind]),
    )


def _by_kind(values: Iterable[RecordValue]) -> dict[type[Any], list[Any]]:
    by_kind: dict[type[Any], list[Any]] = {kind: [] for kind in get_args(RecordValue)}
    for value in values:
        by_kind[type(value)].append(value)
    return by_kind


def _entries_by_scope(
    agent_id: str, entries: list[Entry], scope_ids: list[str]
) -> immutables.Map[str, immutables.Map[str, Entry]]:
    by_scope: dict[str, dict[str, Entry]] = {scope_id: {} for scope_id in (ROOT, *scope_ids)}
    for entry in entries:
        if entry.scope_id not in by_scope:
            raise DataDamaged(f"agent {agent_id!r} has entries of a scope that is not there")
        by_scope[entry.scope_id][entry.key] = entry
    return immutables.Map({scope_id: immutables.Map(local) for scope_id, local in by_scope.items()})


def _check_fragments(agent_id: str, fragments: list[Fragment], leases: list[Lease]) -> None:
    sequences = {fragment.sequence for fragment in fragments}
    if len(sequences) < len(fragments) or any(not 0 <= sequence <= NUMBER_MAX for sequence in sequences):
        raise DataDamaged(f"agent {agent_id!r} has fragments that are not in an order")
    flushed = {fragment.sequence for fragment in fragments if fragment.flushed}
    if any(not flushed.issuperset(lease.sequences) for lease in leases):
        raise DataDamaged(f"agent {agent_id!r} has a lease of fragments that are not there")


def _check_plans(agent_id: str, plans: list[Plan]) -> None:
    aliases = [alias for plan in plans for alias in plan.aliases]
    if len(set(aliases)) < len(aliases):
        raise DataDamaged(f"agent {agent_id!r} has two plans of one name, or for one conversation")


def _check_memories(agent_id: str, by_kind: dict[type[Any], list[Any]]) -> None:
    there = {memory.memory_id for memory in by_kind[Memory]}
    needed = {embedding.memory_id for embedding in by_kind[Embedding]}
    needed.update(version.memory.memory_id for version in by_kind[MemoryVersion])
    needed.update(end for link in by_kind[MemoryLink] for end in (link.from_id, link.to_id))
    if not needed <= there:
        raise DataDamaged(f"agent {agent_id!r} has what belongs to memories that are not there")


def _check_documents(agent_id: str, documents: list[Document], chunks: list[DocumentChunk]) -> None:
    numbers: dict[str, set[int]] = {document.document_id: set() for document in documents}
    for chunk in chunks:
        if chunk.document_id not in numbers:
            raise DataDamaged(f"agent {agent_id!r} has chunks of a document that is not there")
        numbers[chunk.document_id].add(chunk.number)
    if any(numbers[each.document_id] != set(range(1, each.chunk_count + 1)) for each in documents):
        raise DataDamaged(f"agent {agent_id!r} has a document that is not whole")
