"""The memory service, checked beside the kit's own one in memory, and its behaviour over a live daemon."""

import asyncio
from typing import Any

import pytest
from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService
from google.adk.memory.in_memory_memory_service import InMemoryMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai import types
from tests.clients.python.frameworks.google_adk.reference import SERVICES

import memoryd
from memoryd.google_adk import MemorydMemoryService

ADA: dict[str, Any] = {"app_name": "app", "user_id": "ada"}


@pytest.fixture
def own(client: memoryd.Client, agent_id: str) -> MemorydMemoryService:
    return MemorydMemoryService(client, agent_prefix=f"{agent_id}/")


@pytest.fixture(params=SERVICES)
def service(request: pytest.FixtureRequest, own: MemorydMemoryService) -> BaseMemoryService:
    return own if request.param == "memoryd" else InMemoryMemoryService()


def event(text: str, event_id: str = "", author: str = "user") -> Event:
    parts = [types.Part(text=text)] if text else [types.Part.from_function_call(name="f", args={})]
    content = types.Content(role="user", parts=parts)
    return Event(id=event_id or Event.new_id(), author=author, content=content, timestamp=1_700_000_000.0)


def session(*events: Event, user_id: str = "ada", session_id: str = "s") -> Session:
    return Session(id=session_id, app_name="app", user_id=user_id, events=list(events))


async def texts(service: BaseMemoryService, query: str = "nuts", user_id: str = "ada", app: str = "app") -> list[str]:
    found = await service.search_memory(app_name=app, user_id=user_id, query=query)
    return sorted(memory.content.parts[0].text or "" for memory in found.memories if memory.content.parts)


async def test_the_events_of_a_session_are_found(service: BaseMemoryService) -> None:
    events = [event("I can't eat nuts"), event(""), event("I like chess", author="assistant")]
    await service.add_session_to_memory(session(*events))
    found = (await service.search_memory(**ADA, query="nuts")).memories
    assert (found[0].author, found[0].content) == ("user", events[0].content)
    assert str(found[0].timestamp).startswith("2023-11-14T")
    assert await texts(service, "") == []


async def test_an_event_is_added_once(service: BaseMemoryService) -> None:
    first, second = event("nuts one"), event("nuts two")
    await service.add_session_to_memory(session(first))
    await service.add_session_to_memory(session(first, second))
    await service.add_events_to_memory(**ADA, events=[first, second, second], session_id="s")
    assert await texts(service) == ["nuts one", "nuts two"]


async def test_users_and_apps_are_apart(service: BaseMemoryService) -> None:
    same = event("nuts of ada", "same")
    await service.add_session_to_memory(session(same))
    await service.add_session_to_memory(session(event("nuts of bob", "same"), user_id="bob"))
    assert [await texts(service, user_id=user) for user in ("ada", "bob", "carol")] == [
        ["nuts of ada"],
        ["nuts of bob"],
        [],
    ]
    assert await texts(service, app="other") == []


async def test_a_deleted_memory_stays_deleted(service: BaseMemoryService) -> None:
    first = event("nuts")
    await service.add_session_to_memory(session(first, event("more nuts")))
    for found in (await service.search_memory(**ADA, query="nuts")).memories:
        await service.delete_memory(app_name="app", user_id="bob", memory_id=found.id)
        if found.content.parts and found.content.parts[0].text == "nuts":
            await service.delete_memory(**ADA, memory_id=found.id)
    await service.delete_memory(**ADA, memory_id="none")
    await service.delete_memory(**ADA)
    await service.add_events_to_memory(**ADA, events=[first], session_id="s")
    assert await texts(service) == ["more nuts"]


async def test_explicit_memories_are_added(own: MemorydMemoryService) -> None:
    content = types.Content(parts=[types.Part(text="Ada can't eat nuts")])
    entry = MemoryEntry(content=content, id="m1", author="user", timestamp="2026-01-31T10:00:00+00:00")
    await own.add_memory(**ADA, memories=[entry, entry], custom_metadata={"n": 2**60})
    (found,) = (await own.search_memory(**ADA, query="nuts")).memories
    assert (found.content, found.author, found.timestamp) == (content, "user", entry.timestamp)
    assert found.custom_metadata == {"n": 2**60}


async def test_concurrent_additions_are_added_once(own: MemorydMemoryService) -> None:
    events = [event(f"nuts {number}") for number in range(5)]
    await asyncio.gather(*(own.add_session_to_memory(session(*events)) for _ in range(4)))
    assert len(await texts(own)) == 5


async def test_large_events_are_found(own: MemorydMemoryService) -> None:
    text = "nuts " + "ä" * 200_000
    await own.add_session_to_memory(session(event(text)))
    assert await texts(own) == [text]


async def test_the_limit_is_kept(client: memoryd.Client, agent_id: str) -> None:
    service = MemorydMemoryService(client, agent_prefix=f"{agent_id}/", limit=3)
    await service.add_session_to_memory(session(*(event(f"nuts {number}") for number in range(9))))
    assert len(await texts(service)) == 3
