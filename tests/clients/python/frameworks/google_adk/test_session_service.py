"""The session service, checked beside the kit's own one in memory, and its behaviour over a live daemon."""

import asyncio
from typing import Any

import pytest
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.sessions.base_session_service import BaseSessionService, GetSessionConfig
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.session import Session
from google.genai import types
from tests.clients.python.frameworks.google_adk.reference import SERVICES
from tests.clients.python.frameworks.sample import run_sample
from tests.daemon import Daemon

import memoryd
from memoryd import errors
from memoryd.google_adk import MemorydSessionService

ADA: dict[str, Any] = {"app_name": "app", "user_id": "ada"}


@pytest.fixture
def own(client: memoryd.Client, agent_id: str) -> MemorydSessionService:
    return MemorydSessionService(client, agent_prefix=f"{agent_id}/")


@pytest.fixture(params=SERVICES)
def service(request: pytest.FixtureRequest, own: MemorydSessionService) -> BaseSessionService:
    return own if request.param == "memoryd" else InMemorySessionService()


def event(text: str = "hi", time: float = 1000.0, author: str = "user", **delta: Any) -> Event:
    content = types.Content(
        role=author, parts=[types.Part(text=text), types.Part.from_bytes(data=b"\0", mime_type="a/b")]
    )
    state = {key.replace("__", ":"): value for key, value in delta.items()}
    return Event(
        id=Event.new_id(), author=author, content=content, timestamp=time, actions=EventActions(state_delta=state)
    )


async def stored(service: BaseSessionService, session_id: str = "s", **config: Any) -> Session:
    found = await service.get_session(
        **ADA, session_id=session_id, config=GetSessionConfig(**config) if config else None
    )
    assert found is not None
    return found


async def test_a_session_is_created_once(service: BaseSessionService) -> None:
    session = await service.create_session(**ADA, session_id=" s ", state={"n": 1, "temp:x": 2})
    assert (session.id, session.user_id, session.app_name, session.events) == ("s", "ada", "app", [])
    assert session.state == {"n": 1}
    with pytest.raises(AlreadyExistsError):
        await service.create_session(**ADA, session_id="s")
    assert (await service.create_session(**ADA)).id != (await service.create_session(**ADA)).id
    assert await service.get_session(**ADA, session_id="none") is None
    assert await service.get_session(app_name="app", user_id="bob", session_id="s") is None
    assert await service.get_session(app_name="other", user_id="ada", session_id="s") is None


async def test_events_are_returned_as_they_were_appended(service: BaseSessionService) -> None:
    session = await service.create_session(**ADA, session_id="s")
    events = [event("a", 1), event("b", 2, "agent"), event("c", 3)]
    for each in events:
        assert await service.append_event(session, each) == each
    assert session.events == events
    found = await stored(service)
    assert (found.events, found.last_update_time) == (events, 3)
    assert (await stored(service, num_recent_events=2)).events == events[1:]
    assert (await stored(service, num_recent_events=0)).events == []
    assert (await stored(service, after_timestamp=2.0)).events == events[1:]
    assert (await stored(service, after_timestamp=9.0)).events == []
    assert (await stored(service, num_recent_events=1, after_timestamp=1.0)).events == events[2:]


async def test_state_is_kept_in_its_scope(service: BaseSessionService) -> None:
    session = await service.create_session(**ADA, session_id="s", state={"app:a": 1, "user:u": [1], "s": None})
    await service.append_event(session, event(app__a=2, user__v={"x": 1}, s=3, temp__t=4))
    assert session.state == {"app:a": 2, "user:u": [1], "user:v": {"x": 1}, "s": 3, "temp:t": 4}
    assert (await stored(service)).state == {"app:a": 2, "user:u": [1], "user:v": {"x": 1}, "s": 3}
    assert "temp:t" not in (await stored(service)).events[0].actions.state_delta
    other = await service.create_session(**ADA, session_id="other")
    assert other.state == {"app:a": 2, "user:u": [1], "user:v": {"x": 1}}
    bob = await service.create_session(app_name="app", user_id="bob")
    assert bob.state == {"app:a": 2}
    assert await service.get_user_state(**ADA) == {"u": [1], "v": {"x": 1}}
    assert await service.get_user_state(app_name="app", user_id="carol") == {}


async def test_sessions_are_listed_by_their_last_use(service: BaseSessionService) -> None:
    assert (await service.list_sessions(app_name="app")).sessions == []
    for user_id, session_id, time in (("ada", "a", 1e12), ("ada", "b", 2e12), ("bob", "c", 0.5e12)):
        session = await service.create_session(
            app_name="app", user_id=user_id, session_id=session_id, state={"s": session_id, "user:u": user_id}
        )
        await service.append_event(session, event(time=time))
    await service.append_event(await stored(service, "a"), event(time=3e12))
    listed = (await service.list_sessions(app_name="app", user_id="ada")).sessions
    assert [(each.id, each.state, each.events) for each in listed] == [
        ("b", {"s": "b", "user:u": "ada"}, []),
        ("a", {"s": "a", "user:u": "ada"}, []),
    ]
    assert [each.id for each in (await service.list_sessions(app_name="app")).sessions] == ["c", "b", "a"]


async def test_a_deleted_session_is_gone(service: BaseSessionService) -> None:
    session = await service.create_session(**ADA, session_id="s", state={"user:u": 1, "s": 1})
    await service.append_event(session, event())
    await service.delete_session(**ADA, session_id="s")
    await service.delete_session(**ADA, session_id="s")
    assert await service.get_session(**ADA, session_id="s") is None
    with pytest.raises(ValueError, match="not found"):
        await service.append_event(session, event())
    assert (await service.create_session(**ADA, session_id="s")).state == {"user:u": 1}


async def test_an_event_is_appended_once_and_a_partial_one_never(service: BaseSessionService) -> None:
    session = await service.create_session(**ADA, session_id="s")
    first = event("a", n=1)
    await service.append_event(session, first)
    await service.append_event(await stored(service), first.model_copy(deep=True))
    other = event("b")
    other.id = first.id
    await service.append_event(session, other)
    partial = event("c")
    partial.partial = True
    await service.append_event(session, partial)
    assert [each.content.parts[0].text for each in (await stored(service)).events] == ["a", "b"]  # type: ignore[union-attr,index]


async def test_an_event_with_its_state_is_one_change(
    own: MemorydSessionService, client: memoryd.Client, agent_id: str
) -> None:
    session = await own.create_session(**ADA, session_id="s")
    agent = client.agent(f"{agent_id}/app")
    before = agent.info().revision
    await own.append_event(session, event(app__a=1, user__u=1, s=1))
    assert agent.info().revision == before + 1


async def test_concurrent_appends_are_all_kept(own: MemorydSessionService) -> None:
    await own.create_session(**ADA, session_id="s")

    async def append(number: int) -> None:
        await own.append_event(await stored(own), event(str(number), **{f"s{number}": 1, f"user__u{number}": 1}))

    await asyncio.gather(*map(append, range(12)))
    found = await stored(own)
    assert len(found.events) == 12
    assert len(found.state) == 24


async def test_large_events_and_states_are_kept_and_removed(
    own: MemorydSessionService, client: memoryd.Client, agent_id: str
) -> None:
    session = await own.create_session(**ADA, session_id="s", state={"large": "x" * 700_000})
    await own.append_event(session, event("ä" * 300_000, other="y" * 700_000))
    found = await stored(own)
    assert {key: len(value) for key, value in found.state.items()} == {"large": 700_000, "other": 700_000}
    assert found.events[0].content.parts[0].text == "ä" * 300_000  # type: ignore[union-attr,index]
    await own.append_event(session, event(large="", other=""))
    assert (await stored(own)).state == {"large": "", "other": ""}
    assert (await own.list_sessions(**ADA)).sessions[0].state == {"large": "", "other": ""}
    await own.delete_session(**ADA, session_id="s")
    assert client.agent(f"{agent_id}/app").count(all_users=True) == 0


async def test_a_forgotten_user_has_neither_sessions_nor_state(
    own: MemorydSessionService, client: memoryd.Client, agent_id: str
) -> None:
    session = await own.create_session(**ADA, session_id="s", state={"user:u": 1, "app:a": 1})
    await own.append_event(session, event())
    client.agent(f"{agent_id}/app").forget_user("ada")
    assert await own.get_session(**ADA, session_id="s") is None
    assert (await own.create_session(**ADA)).state == {"app:a": 1}


async def test_an_unavailable_daemon_is_not_a_missing_session() -> None:
    with (
        memoryd.connect("127.0.0.1:1", connect_timeout=0.1) as client,  # time: nothing listens there, ever
        pytest.raises(errors.Unavailable),
    ):
        await MemorydSessionService(client).get_session(**ADA, session_id="s")


def test_the_sample_goes_on_after_a_restart(daemon: Daemon) -> None:
    assert run_sample("adk_agent.py", daemon).splitlines()[-1] == "assistant: 2 messages, and I remember: nothing."
    daemon.kill()
    daemon.start()
    answer = run_sample("adk_agent.py", daemon).splitlines()[-1]
    assert answer == "assistant: 4 messages, and I remember: I can't eat nuts."
