"""The client of memoryd, the memory daemon for AI agents.

``memoryd.connect`` for ordinary code, ``memoryd.aio.connect`` for asyncio: the same methods by the same names.
``memoryd.errors`` has the tree of errors, ``memoryd.v1`` the generated stubs.
"""

from memoryd import aio, errors
from memoryd.errors import MemorydError
from memoryd.model.agent import AgentInfo, AgentStats, Cleared, Ended, MemoryKind
from memoryd.model.entry import BatchResult, Entry, MemoryType, OperationResult, Stored
from memoryd.model.event import Event, EventCause, EventFilter, EventType, WatchMessage, WatchPhase
from memoryd.model.fragment import Fragment, FragmentCount, FragmentLease, StoredFragment
from memoryd.model.scope import ScopeInfo
from memoryd.model.server import Durability, ServerInfo, ServerState
from memoryd.model.snapshot import Restored, Snapshot, SnapshotTrigger
from memoryd.model.value import Json
from memoryd.protocol.batch import Batch
from memoryd.protocol.scope import Conflict
from memoryd.protocol.target import Tls
from memoryd.sync.agent import Agent
from memoryd.sync.client import Client, connect
from memoryd.sync.consumer import Consumer
from memoryd.sync.fragments import Fragments
from memoryd.sync.watch import Watch
from memoryd.sync.working_memory import Scope, WorkingMemory

__all__ = [
    "Agent",
    "AgentInfo",
    "AgentStats",
    "Batch",
    "BatchResult",
    "Cleared",
    "Client",
    "Conflict",
    "Consumer",
    "Durability",
    "Ended",
    "Entry",
    "Event",
    "EventCause",
    "EventFilter",
    "EventType",
    "Fragment",
    "FragmentCount",
    "FragmentLease",
    "Fragments",
    "Json",
    "MemoryKind",
    "MemoryType",
    "MemorydError",
    "OperationResult",
    "Restored",
    "Scope",
    "ScopeInfo",
    "ServerInfo",
    "ServerState",
    "Snapshot",
    "SnapshotTrigger",
    "Stored",
    "StoredFragment",
    "Tls",
    "Watch",
    "WatchMessage",
    "WatchPhase",
    "WorkingMemory",
    "aio",
    "connect",
    "errors",
]
