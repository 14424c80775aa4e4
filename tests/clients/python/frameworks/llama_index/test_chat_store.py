"""The chat store, checked beside LlamaIndex's own one in memory, and its behaviour over a live daemon."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from llama_index.core.llms import ChatMessage, MessageRole
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.storage.chat_store import SimpleChatStore
from llama_index.core.storage.chat_store.base import BaseChatStore
from tests.clients.python.frameworks.sample import run_sample
from tests.daemon import Daemon

import memoryd
from memoryd import errors
from memoryd.llama_index import MemorydChatStore

MESSAGES = [
    ChatMessage(role=MessageRole.SYSTEM, content="Be brief."),
    ChatMessage(role=MessageRole.USER, content="What may I eat? \U0001f600 \u2028"),
    ChatMessage(role=MessageRole.ASSISTANT, content=None, additional_kwargs={"calls": [{"id": "1", "n": 2**60}]}),
    ChatMessage(role=MessageRole.TOOL, content="nothing", additional_kwargs={"tool_call_id": "1"}),
    ChatMessage(role=MessageRole.CHATBOT, content=""),
]


@pytest.fixture
def own(client: memoryd.Client, agent_id: str) -> MemorydChatStore:
    return MemorydChatStore(client, agent_id=agent_id)


@pytest.fixture(params=["memoryd", "simple"])
def store(request: pytest.FixtureRequest, own: MemorydChatStore) -> BaseChatStore:
    return own if request.param == "memoryd" else SimpleChatStore()


def said(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(role=MessageRole.USER, content=text) for text in texts]


def test_messages_are_returned_as_they_were_added(store: BaseChatStore) -> None:
    assert store.get_messages("talk") == []
    for message in MESSAGES:
        store.add_message("talk", message)
    assert store.get_messages("talk") == MESSAGES
    assert store.get_messages("other") == []
    assert store.get_keys() == ["talk"]


def test_messages_are_replaced(store: BaseChatStore) -> None:
    store.set_messages("talk", MESSAGES)
    store.set_messages("talk", said("a", "b"))
    assert store.get_messages("talk") == said("a", "b")
    store.set_messages("other/key", said("c"))
    assert store.get_keys() == ["talk", "other/key"]


def test_messages_are_deleted(store: BaseChatStore) -> None:
    assert store.delete_messages("talk") is None
    assert store.delete_message("talk", 0) is None
    assert store.delete_last_message("talk") is None
    store.set_messages("talk", said("a", "b", "c", "d"))
    assert store.delete_message("talk", 9) is None
    assert store.delete_message("talk", 1) == said("b")[0]
    assert store.delete_last_message("talk") == said("d")[0]
    assert store.get_messages("talk") == said("a", "c")
    assert store.delete_messages("talk") == said("a", "c")
    assert (store.get_messages("talk"), store.get_keys()) == ([], [])


async def test_the_methods_for_asyncio_do_the_same(store: BaseChatStore) -> None:
    await store.aset_messages("talk", said("a", "b"))
    await store.async_add_message("talk", said("c")[0])
    await store.async_add_message("talk", said("d")[0])
    assert await store.aget_messages("talk") == said("a", "b", "c", "d")
    assert await store.adelete_message("talk", 0) == said("a")[0]
    assert await store.adelete_last_message("talk") == said("d")[0]
    assert await store.aget_keys() == ["talk"]
    assert await store.adelete_messages("talk") == said("b", "c")


def test_a_memory_keeps_the_conversation(store: BaseChatStore) -> None:
    memory = ChatMemoryBuffer.from_defaults(chat_store=store, chat_store_key="talk", token_limit=1000)
    memory.put_messages(MESSAGES[:2])
    again = ChatMemoryBuffer.from_defaults(chat_store=store, chat_store_key="talk", token_limit=1000)
    assert again.get() == MESSAGES[:2]
    again.reset()
    assert memory.get_all() == []


def test_users_have_keys_of_their_own(client: memoryd.Client, agent_id: str) -> None:
    stores = {user: MemorydChatStore(client, agent_id=agent_id, user_id=user) for user in ("", "ada", "bob")}
    for user, store in stores.items():
        store.add_message("talk", said(user)[0])
    assert [store.get_messages("talk") for store in stores.values()] == [said(user) for user in stores]
    assert [store.get_keys() for store in stores.values()] == [["talk"]] * 3
    client.agent(agent_id).forget_user("ada")
    assert [len(store.get_messages("talk")) for store in stores.values()] == [1, 0, 1]


@pytest.mark.parametrize("key", ["a/b", "ä" * 300, " ", "", "%2F"], ids=ascii)
def test_any_key_is_its_own(own: MemorydChatStore, key: str) -> None:
    own.add_message(key, said("a")[0])
    own.add_message(f"{key}x", said("b")[0])
    assert (own.get_messages(key), own.get_keys()) == (said("a"), [key, f"{key}x"])


def test_many_and_large_messages_are_kept_in_order(own: MemorydChatStore, agent: memoryd.Agent) -> None:
    many = said(*map(str, range(900)))
    own.set_messages("talk", [*said("x" * 700_000), *many, *said("y" * 700_000)])
    assert own.delete_message("talk", 450) == many[449]
    kept = own.get_messages("talk")
    assert kept[1:-1] == many[:449] + many[450:]
    assert [len(kept[end].content or "") for end in (0, -1)] == [700_000, 700_000]
    own.delete_messages("talk")
    assert (agent.count(), list(agent.conversations.list())) == (0, [])


def test_no_concurrent_message_is_lost(own: MemorydChatStore) -> None:
    own.set_messages("talk", said("first"))

    def change(number: int) -> Any:
        return own.delete_message("talk", 0) if number == 5 else own.add_message("talk", said(str(number))[0])

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(change, range(12)))
    assert len(own.get_messages("talk")) == 11


def test_a_store_is_used_in_several_event_loops(own: MemorydChatStore) -> None:
    for number in range(2):
        asyncio.run(own.async_add_message("talk", said(str(number))[0]))
    assert own.get_messages("talk") == said("0", "1")


def test_an_unavailable_daemon_is_not_an_empty_store() -> None:
    with (
        memoryd.connect("127.0.0.1:1", connect_timeout=0.1) as client,  # time: nothing listens there, ever
        pytest.raises(errors.Unavailable),
    ):
        MemorydChatStore(client).get_messages("talk")


def test_the_sample_goes_on_after_a_restart(daemon: Daemon) -> None:
    assert run_sample("llama_chat.py", daemon).splitlines()[-1] == "assistant: This is message 2 of you."
    daemon.kill()
    daemon.start()
    assert run_sample("llama_chat.py", daemon).splitlines()[-1] == "assistant: This is message 4 of you."
