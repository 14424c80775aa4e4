"""The content of an agent that its revision fixes: everything but the counts of reads and the next deadline."""

from typing import Any

import msgspec

from memoryd_server.domain.entries.entry import Entry
from memoryd_server.domain.lifecycle.record import decode_record
from memoryd_server.domain.memories.memory import Memory
from memoryd_server.ports.store import AgentHead, Record, StoredAgent

Content = tuple[AgentHead, dict[tuple[str, str], Any]]


def content_of(agent: StoredAgent) -> Content:
    """Return what two copies of an agent at one revision have in common. Raises as ``decode_record``."""
    head = msgspec.structs.replace(agent.head, next_deadline=None)
    return head, {(each.kind, each.key): _without_accesses(each) for each in agent.records}


def _without_accesses(record: Record) -> Any:
    value = decode_record(record.kind, record.data)
    if isinstance(value, Entry):
        return msgspec.structs.replace(value, access_count=0, last_access_time=None)
    if isinstance(value, Memory):
        return msgspec.structs.replace(value, access_count=0, last_access_time=0)
    return value
