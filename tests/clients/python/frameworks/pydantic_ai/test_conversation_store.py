"""The store of conversations, checked beside Pydantic AI's own one in memory, and its behaviour over a live daemon."""

import asyncio
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.conversation import Conversation
from pydantic_ai.conversation_store import ConversationConflict, ConversationStore, InMemoryConversationStore
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.test import TestModel
from tests.clients.python.frameworks.sample import run_sample
from tests.daemon import Daemon

import memoryd
from memoryd import errors
from memoryd.pydantic_ai import MemorydConversationStore


@pytest.fixture
def own(client: memoryd.Client, agent_id: str) -> MemorydConversationStore:
    return MemorydConversationStore(client, agent_id=agent_id)


@pytest.fixture(params=["memoryd", "in-memory"])
def store(request: pytest.FixtureRequest, own: MemorydConversationStore) -> ConversationStore:
    return own if request.param == "memoryd" else InMemoryConversationStore()


def asked(*texts: str) -> list[ModelMessage]:
    """Return messages, in turn of the user and of the model."""
    return [
        ModelResponse(parts=[TextPart(text)]) if number % 2 else ModelRequest(parts=[UserPromptPart(text)])
        for number, text in enumerate(texts)
    ]


def conversation(*texts: str, name: str = "talk") -> Conversation:
    return Conversation(conversation_id=name, messages=asked(*texts))


async def loaded(store: ConversationStore, name: str = "talk", **options: Any) -> Conversation:
    found = await store.load(name, **options)
    assert found is not None
    return found


def texts(found: Conversation) -> list[Any]:
    return [message.parts[0].content for message in found.messages]  # type: ignore[union-attr]


async def test_a_conversation_is_loaded_as_it_was_saved(store: ConversationStore) -> None:
    assert await store.load("talk") is None
    saved = conversation("a", "b", "c \U0001f600")
    entries = await store.save(saved)
    found = await loaded(store)
    assert found.messages == saved.messages
    assert [entry.id for entry in await store.load_entries("talk") or []] == [entry.id for entry in entries]
    assert texts(await loaded(store, limit=2)) == ["b", "c \U0001f600"]
    assert texts(await loaded(store, limit=0)) == []
    assert await store.save(found) == []


async def test_runs_of_an_agent_are_continued(store: ConversationStore) -> None:
    agent = Agent(TestModel(custom_output_text="fine"))
    for number in (1, 2, 3):
        current = await store.load("talk") or Conversation(conversation_id="talk")
        result = await agent.run(f"question {number}", conversation=current)
        assert len(await store.save(result)) == 2
    found = await loaded(store)
    assert [str(message.kind) for message in found.messages] == ["request", "response"] * 3
    assert found.usage.requests == 3


async def test_a_save_that_lost_a_race_is_refused(store: ConversationStore) -> None:
    await store.save(conversation("a"))
    with pytest.raises(ConversationConflict):
        await store.save(conversation("x"))
    first, second = await loaded(store), await loaded(store)
    first.messages.extend(asked("", "b")[1:])
    await store.save(first)
    second.messages.extend(asked("", "c")[1:])
    with pytest.raises(ConversationConflict):
        await store.save(second)
    assert texts(await loaded(store)) == ["a", "b"]


async def test_scopes_are_apart(store: ConversationStore) -> None:
    await store.save(conversation("a", name="of ada"), scope="ada")
    await store.save(conversation("b", name="of bob"), scope="bob")
    await store.save(conversation("c", name="of nobody"))
    assert await store.load("of ada", scope="bob") is None
    assert texts(await loaded(store, "of ada", scope="ada")) == ["a"]
    await store.delete("of ada", scope="bob")
    listed = [record.conversation_id for record in await store.list_conversations()]
    assert listed == ["of nobody", "of bob", "of ada"]
    assert [record.scope for record in await store.list_conversations(scope="ada")] == ["ada"]
    assert len(await store.list_conversations(limit=2)) == 2
    with pytest.raises(ConversationConflict):
        await store.save(conversation("x", name="of ada"), scope="bob")


async def test_a_deleted_conversation_is_gone(store: ConversationStore) -> None:
    await store.save(conversation("a", "b"))
    await store.delete("talk")
    await store.delete("talk")
    assert (await store.load("talk"), await store.list_conversations()) == (None, [])
    await store.save(conversation("c"))
    assert texts(await loaded(store)) == ["c"]


async def test_a_fork_shares_the_history_and_outlives_its_source(store: ConversationStore) -> None:
    await store.save(conversation("a", "b", "c"))
    fork = await store.fork("talk", at=2, new_conversation_id="fork")
    fork.messages.extend(asked("d"))
    await store.save(fork)
    again = await store.fork("fork", new_conversation_id="again")
    assert texts(again) == ["a", "b", "d"]
    await store.delete("talk")
    await store.delete("fork")
    assert texts(await loaded(store, "again")) == ["a", "b", "d"]
    assert await store.load("talk") is None
    with pytest.raises(UserError):
        await store.fork("talk")
    await store.save(conversation("new"))
    assert texts(await loaded(store)) == ["new"]
    assert texts(await loaded(store, "again")) == ["a", "b", "d"]


async def test_a_conversation_branches_and_returns(store: ConversationStore) -> None:
    entries = await store.save(conversation("a", "b", "c"))
    branched = await store.branch("talk", at=1, expected_revision=(await loaded(store)).revision)
    branched.messages.extend(asked("", "d")[1:])
    await store.save(branched)
    assert texts(await loaded(store)) == ["a", "d"]
    current = (await loaded(store)).revision
    back = await store.branch("talk", from_entry=entries[-1].id, expected_revision=current)
    assert texts(back) == ["a", "b", "c"]


async def test_another_store_finds_shared_entries(
    own: MemorydConversationStore, client: memoryd.Client, agent_id: str
) -> None:
    entries = await own.save(conversation("a", "b"))
    await own.fork("talk", new_conversation_id="fork")
    other = MemorydConversationStore(client, agent_id=agent_id)
    assert (await other.read_entry(entries[0].id)).message == entries[0].message
    assert texts(await loaded(other, "fork")) == ["a", "b"]
    with pytest.raises(LookupError):
        await other.read_entry("none")


async def test_a_save_is_one_change(own: MemorydConversationStore, agent: memoryd.Agent) -> None:
    await own.save(conversation(*map(str, range(100))))
    assert agent.info().revision == 1
    (info,) = agent.conversations.list()
    assert [message.content for message in agent.conversations.messages(info.conversation_id)][:2] == ["0", "1"]


async def test_of_concurrent_saves_one_succeeds(own: MemorydConversationStore) -> None:
    async def save(number: int) -> bool:
        try:
            await own.save(conversation(str(number)))
        except ConversationConflict:
            return False
        return True

    assert sum(await asyncio.gather(*map(save, range(8)))) == 1
    assert len((await loaded(own)).messages) == 1


async def test_large_messages_are_kept_and_removed(own: MemorydConversationStore, agent: memoryd.Agent) -> None:
    await own.save(conversation("ä" * 1_000_000, "b"), scope="ada")
    assert texts(await loaded(own)) == ["ä" * 1_000_000, "b"]
    await own.delete("talk")
    assert (agent.count(all_users=True), list(agent.conversations.list(all_users=True))) == (0, [])


async def test_a_forgotten_user_has_no_conversations(own: MemorydConversationStore, agent: memoryd.Agent) -> None:
    await own.save(conversation("a", name="of ada"), scope="ada")
    await own.save(conversation("b", name="of bob"), scope="bob")
    agent.forget_user("ada")
    assert [record.scope for record in await own.list_conversations()] == ["bob"]


async def test_an_unavailable_daemon_is_not_a_missing_conversation() -> None:
    with (
        memoryd.connect("127.0.0.1:1", connect_timeout=0.1) as client,  # time: nothing listens there, ever
        pytest.raises(errors.Unavailable),
    ):
        await MemorydConversationStore(client).load("talk")


def test_the_sample_goes_on_after_a_restart(daemon: Daemon) -> None:
    assert run_sample("pydantic_conversation.py", daemon).splitlines()[-1] == "assistant: This is message 2 of you."
    daemon.kill()
    daemon.start()
    assert run_sample("pydantic_conversation.py", daemon).splitlines()[-1] == "assistant: This is message 4 of you."
