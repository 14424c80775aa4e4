"""The session, checked beside the SDK's own one in memory, and its behaviour over a live daemon."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from agents import set_tracing_disabled
from agents.memory import Session, SessionSettings, SQLiteSession
from tests.clients.python.frameworks.sample import run_sample
from tests.daemon import Daemon
from tests.wait import PATIENT

import memoryd
from memoryd import errors
from memoryd.openai_agents import MemorydSession

set_tracing_disabled(True)

ITEMS: list[Any] = [
    {"role": "user", "content": "What may I eat? \U0001f600 \u2028"},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "nuts"}], "big": 2**60 + 1},
    {"type": "function_call", "call_id": "c1", "name": "recall", "arguments": '{"query": "nuts"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "none"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "All", "annotations": []}]},
    {"role": "user", "content": [{"type": "input_image", "image_url": "data:,x"}, {"type": "input_text", "text": ""}]},
    {"type": "compaction", "encrypted_content": "", "nested": {"none": None, "f": 0.5, "n": 1, "lone": "\ud800"}},
]


@pytest.fixture(params=["memoryd", "sqlite"])
def session(request: pytest.FixtureRequest, client: memoryd.Client, agent_id: str) -> Session:
    return MemorydSession("talk", client, agent_id=agent_id) if request.param == "memoryd" else SQLiteSession("talk")


@pytest.fixture
async def own(shared_daemon: Daemon, agent_id: str) -> AsyncIterator[MemorydSession]:
    async with memoryd.aio.connect(shared_daemon.address, **PATIENT) as client:
        yield MemorydSession("talk", client, agent_id=agent_id)


def user(text: str) -> Any:
    return {"role": "user", "content": text}


async def test_items_are_returned_as_they_were_added(session: Session) -> None:
    assert isinstance(session, Session)
    assert await session.get_items() == []
    await session.add_items(ITEMS[:3])
    await session.add_items([])
    await session.add_items(ITEMS[3:])
    assert await session.get_items() == ITEMS


@pytest.mark.parametrize("limit", [0, 1, 3, 7, 8, 1000])
async def test_the_newest_items_are_returned(session: Session, limit: int) -> None:
    await session.add_items(ITEMS)
    assert await session.get_items(limit) == (ITEMS[-limit:] if limit else [])
    assert await session.get_items(limit=limit) == (ITEMS[-limit:] if limit else [])


async def test_the_newest_item_is_popped(session: Session) -> None:
    assert await session.pop_item() is None
    await session.add_items(ITEMS[:2])
    assert [await session.pop_item() for _ in range(3)] == [ITEMS[1], ITEMS[0], None]
    await session.add_items(ITEMS[2:3])
    assert await session.get_items() == ITEMS[2:3]


async def test_a_cleared_session_is_empty_and_goes_on(session: Session) -> None:
    await session.clear_session()
    await session.add_items(ITEMS)
    await session.clear_session()
    assert await session.get_items() == []
    await session.add_items(ITEMS[:1])
    assert await session.get_items() == ITEMS[:1]


async def test_large_items_are_kept_popped_and_cleared(session: Session) -> None:
    large = [user("ä" * size) for size in (100_000, 1_000_000, 10)]
    await session.add_items(large)
    assert await session.get_items() == large
    assert await session.pop_item() == large[2]
    assert await session.pop_item() == large[1]
    assert await session.get_items() == large[:1]
    await session.clear_session()
    assert await session.get_items() == []


async def test_nothing_is_left_of_large_items(own: MemorydSession, agent: memoryd.Agent) -> None:
    await own.add_items([user("x" * 600_000), user("y" * 600_000)])
    assert agent.count() == 4
    await own.pop_item()
    assert agent.count() == 2
    await own.clear_session()
    assert (agent.count(), list(agent.conversations.list())) == (0, [])


async def test_nothing_is_left_of_more_large_items_than_a_commit_removes(
    own: MemorydSession, agent: memoryd.Agent
) -> None:
    await own.add_items([user("x" * 30_000) for _ in range(1_100)])
    assert agent.count() == 1_100
    await own.clear_session()
    assert (agent.count(), await own.get_items()) == (0, [])


async def test_the_limit_of_the_settings_is_the_default(client: memoryd.Client, agent_id: str) -> None:
    session = MemorydSession("talk", client, agent_id=agent_id, session_settings=SessionSettings(limit=2))
    await session.add_items(ITEMS)
    assert await session.get_items() == ITEMS[-2:]
    assert await session.get_items(3) == ITEMS[-3:]


async def test_an_addition_is_one_change(own: MemorydSession, agent: memoryd.Agent) -> None:
    await own.add_items(ITEMS * 20)
    assert agent.info().revision == 1


async def test_more_items_than_a_commit_takes_are_kept_in_order(own: MemorydSession) -> None:
    items = [user(str(number)) for number in range(2_500)]
    await own.add_items(items)
    assert await own.get_items() == items
    assert await own.get_items(1_500) == items[-1_500:]


async def test_other_clients_read_the_words(own: MemorydSession, agent: memoryd.Agent) -> None:
    await own.add_items(ITEMS)
    messages = list(agent.conversations.messages(own.conversation_id))
    assert [str(message.role) for message in messages[:5]] == ["user", "assistant", "assistant", "tool", "assistant"]
    assert [message.content for message in messages[3:5]] == ["none", "All"]


async def test_messages_of_others_are_not_items(own: MemorydSession, agent: memoryd.Agent) -> None:
    await own.add_items(ITEMS[:1])
    agent.conversations.append(own.conversation_id, [memoryd.MessageDraft("user", "from elsewhere")])
    assert await own.get_items() == ITEMS[:1]
    assert await own.get_items(1) == ITEMS[:1]


async def test_users_have_sessions_of_their_own(client: memoryd.Client, agent_id: str) -> None:
    sessions = {user: MemorydSession("talk", client, agent_id=agent_id, user_id=user) for user in ("", "ada", "bob")}
    for name, session in sessions.items():
        await session.add_items([user(name)])
        await session.add_items([user(name)])
    assert [await session.get_items() for session in sessions.values()] == [[user(name)] * 2 for name in sessions]
    await sessions["ada"].add_items([user("x" * 100_000)])
    client.agent(agent_id).forget_user("ada")
    assert client.agent(agent_id).count(all_users=True) == 0
    assert [len(await session.get_items()) for session in sessions.values()] == [2, 0, 2]
    await sessions["bob"].add_items([user("x" * 100_000)])
    await sessions["bob"].clear_session()
    assert client.agent(agent_id).count(all_users=True) == 0
    await sessions["bob"].add_items([user("again")])
    (conversation,) = client.agent(agent_id).conversations.list(user_id="bob")
    assert conversation.conversation_id == sessions["bob"].conversation_id


@pytest.mark.parametrize("session_id", ["a/b", "a%2Fb", " ", "ä" * 300, "x" * 300, "tab\t", "*", ""], ids=ascii)
async def test_any_session_id_is_its_own_session(client: memoryd.Client, agent_id: str, session_id: str) -> None:
    ids = [session_id, f"{session_id}a", f"b{session_id}"]
    sessions = [MemorydSession(each, client, agent_id=agent_id) for each in ids]
    for each, session in zip(ids, sessions, strict=True):
        await session.add_items([user(each)])
    assert [await session.get_items() for session in sessions] == [[user(each)] for each in ids]


async def test_concurrent_additions_are_all_kept_together(own: MemorydSession) -> None:
    async def add(number: int) -> None:
        await own.add_items([user(f"{number}"), user(f"{number}")])

    await asyncio.gather(*map(add, range(20)))
    texts = [item["content"] for item in await own.get_items()]  # type: ignore[typeddict-item]
    assert sorted(texts[::2], key=int) == [str(number) for number in range(20)]
    assert texts[::2] == texts[1::2]


async def test_no_item_is_popped_twice(own: MemorydSession) -> None:
    await own.add_items([user(str(number)) for number in range(10)])
    popped = await asyncio.gather(*(own.pop_item() for _ in range(12)))
    assert sorted(item["content"] for item in popped if item) == [str(number) for number in range(10)]  # type: ignore[typeddict-item]
    assert popped.count(None) == 2


def test_a_session_is_used_in_several_event_loops(client: memoryd.Client, agent_id: str) -> None:
    session = MemorydSession("talk", client, agent_id=agent_id)
    for number in range(3):
        asyncio.run(session.add_items([user(str(number))]))
    assert len(asyncio.run(session.get_items())) == 3


async def test_an_unavailable_daemon_is_not_an_empty_session() -> None:
    with memoryd.connect("127.0.0.1:1", connect_timeout=0.1) as client:  # time: nothing listens there, ever
        session = MemorydSession("talk", client)
        with pytest.raises(errors.Unavailable):
            await session.get_items()


def test_the_sample_goes_on_after_a_restart(daemon: Daemon) -> None:
    assert run_sample("openai_session.py", daemon).endswith("assistant: This is message 2 of you.\n")
    daemon.kill()
    daemon.start()
    assert run_sample("openai_session.py", daemon).endswith("assistant: This is message 4 of you.\n")
