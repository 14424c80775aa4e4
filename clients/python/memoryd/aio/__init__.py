"""The client for asyncio: a thin shell around ``memoryd.protocol``."""

from memoryd.aio.agent import Agent
from memoryd.aio.client import Client, connect
from memoryd.aio.consumer import Consumer
from memoryd.aio.conversations import Conversations
from memoryd.aio.documents import Documents
from memoryd.aio.entity_window import EntityWindow
from memoryd.aio.fragments import Fragments
from memoryd.aio.memories import Memories
from memoryd.aio.near_cache import NearCache, NearMemory
from memoryd.aio.notes import Notes
from memoryd.aio.operations import Operation, Operations
from memoryd.aio.pipeline import Compose, Middleware, Pipeline
from memoryd.aio.plans import Plans
from memoryd.aio.toolkit import Toolkit
from memoryd.aio.watch import Watch
from memoryd.aio.working_memory import Scope, WorkingMemory

__all__ = [
    "Agent",
    "Client",
    "Compose",
    "Consumer",
    "Conversations",
    "Documents",
    "EntityWindow",
    "Fragments",
    "Memories",
    "Middleware",
    "NearCache",
    "NearMemory",
    "Notes",
    "Operation",
    "Operations",
    "Pipeline",
    "Plans",
    "Scope",
    "Toolkit",
    "Watch",
    "WorkingMemory",
    "connect",
]
