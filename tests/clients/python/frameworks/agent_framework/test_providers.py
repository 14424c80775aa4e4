"""The providers of history and of context, checked beside the framework's own history, and over a live daemon."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from agent_framework import (
    Agent,
    BaseChatClient,
    ChatResponse,
    Content,
    HistoryProvider,
    InMemoryHistoryProvider,
    Message,
)
from tests.clients.python.frameworks.agent_framework.reference import HISTORIES
from tests.clients.python.frameworks.sample import run_sample
from tests.daemon import Daemon

import memoryd
from memoryd import errors
from memoryd.agent_framework import MemorydContextProvider, MemorydHistoryProvider


class EchoClient(BaseChatClient[Any]):
    """Repeats its instructions and how many messages it got."""

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **kwargs: Any
    ) -> Any:
        async def respond() -> ChatResponse:
            system = [message.text for message in messages if message.role == "system"]
            text = f"{sum(message.role == 'user' for message in messages)} {options.get('instructions')} {system}"
            return ChatResponse(messages=[Message("assistant", [text])])

        return respond()


@pytest.fixture
def own(client: memoryd.Client, agent_id: str) -> MemorydHistoryProvider:
    return MemorydHistoryProvider(client, agent_id=agent_id)


@pytest.fixture(params=HISTORIES)
def history(request: pytest.FixtureRequest, own: MemorydHistoryProvider) -> HistoryProvider:
    return own if request.param == "memoryd" else InMemoryHistoryProvider()


def said(*texts: str, role: str = "user") -> list[Message]:
    return [Message(role, [text]) for text in texts]


def dicts(messages: Sequence[Message]) -> list[dict[str, Any]]:
    return [message.to_dict() for message in messages]


async def test_messages_are_returned_as_they_were_saved(history: HistoryProvider) -> None:
    state: dict[str, Any] = {}
    call = Content.from_function_call("c1", "recall", arguments={"query": "nuts", "n": 2**60})
    result = Content.from_function_result("c1", result="none")
    messages = [
        Message("user", ["What may I eat? \U0001f600 \u2028"], author_name="Ada", message_id="m1"),
        Message("assistant", [call]),
        Message("tool", [result]),
        Message("assistant", ["All"], additional_properties={"x": [1, None]}),
    ]
    assert await history.get_messages("s", state=state) == []
    await history.save_messages("s", messages[:2], state=state)
    await history.save_messages("s", [], state=state)
    await history.save_messages("s", messages[2:], state=state)
    assert dicts(await history.get_messages("s", state=state)) == dicts(messages)


async def test_a_replayed_history_is_not_saved_again(history: HistoryProvider) -> None:
    state: dict[str, Any] = {}
    talk = [*said("a"), *said("b", role="assistant"), *said("c")]
    await history.save_messages("s", talk[:2], state=state)
    await history.save_messages("s", talk, state=state)
    await history.save_messages("s", talk, state=state)
    assert [message.text for message in await history.get_messages("s", state=state)] == ["a", "b", "c"]


async def test_what_is_said_again_is_saved_again(history: HistoryProvider) -> None:
    state: dict[str, Any] = {}
    for _ in range(2):
        await history.save_messages("s", said("yes"), state=state)
    assert len(await history.get_messages("s", state=state)) == 2


async def test_an_agent_goes_on_with_its_history(history: HistoryProvider) -> None:
    agent = Agent(client=EchoClient(), context_providers=[history])
    session = agent.create_session(session_id="talk")
    answers = [(await agent.run("Hello.", session=session)).text for _ in range(3)]
    assert [answer[0] for answer in answers] == ["1", "2", "3"]


async def test_a_new_process_goes_on(own: MemorydHistoryProvider) -> None:
    for number in (1, 2):
        agent = Agent(client=EchoClient(), context_providers=[own])
        answer = await agent.run("Hello.", session=agent.create_session(session_id="talk"))
        assert answer.text[0] == str(number)
    assert len(await own.get_messages("talk")) == 4
    await own.delete_messages("talk")
    assert await own.get_messages("talk") == []


async def test_sessions_and_users_are_apart(client: memoryd.Client, agent_id: str) -> None:
    providers = {user: MemorydHistoryProvider(client, agent_id=agent_id, user_id=user) for user in ("", "ada", "bob")}
    for user, provider in providers.items():
        await provider.save_messages("s", said(user or "nobody"))
    found = [(await provider.get_messages("s"))[0].text for provider in providers.values()]
    assert found == ["nobody", "ada", "bob"]
    assert await providers["ada"].get_messages("t") == []
    client.agent(agent_id).forget_user("ada")
    assert [len(await provider.get_messages("s")) for provider in providers.values()] == [1, 0, 1]


async def test_a_session_without_an_id_is_an_error(own: MemorydHistoryProvider) -> None:
    with pytest.raises(ValueError, match="no id"):
        await own.get_messages(None)


async def test_the_limit_and_large_messages(client: memoryd.Client, agent_id: str) -> None:
    provider = MemorydHistoryProvider(client, agent_id=agent_id, limit=2)
    await provider.save_messages("s", said("a", "x" * 900_000, "b"))
    assert [len(message.text) for message in await provider.get_messages("s")] == [900_000, 1]


async def test_concurrent_runs_are_all_kept(own: MemorydHistoryProvider) -> None:
    await asyncio.gather(*(own.save_messages("s", said(f"{number}", f"{number}")) for number in range(10)))
    texts = [message.text for message in await own.get_messages("s")]
    assert texts[::2] == texts[1::2]
    assert sorted(texts[::2], key=int) == [str(number) for number in range(10)]


async def test_what_a_user_says_is_known_in_the_next_session(client: memoryd.Client, agent_id: str) -> None:
    async def ask(question: str, user_id: str, *, remembers: bool = True) -> str:
        memory = MemorydContextProvider(client, agent_id=agent_id, user_id=user_id, remembers=remembers)
        agent = Agent(client=EchoClient(), context_providers=[memory])
        return (await agent.run(question, session=agent.create_session())).text

    assert "- " not in await ask("I can't eat nuts", "ada")
    assert "- I can't eat nuts" in await ask("May I eat nuts?", "ada", remembers=False)
    assert "- " not in await ask("May I eat nuts?", "bob")
    assert "May I eat nuts?" not in await ask("What nuts may I eat?", "ada")
    assert len(list(client.agent(agent_id).memories.list(user_id="ada"))) == 2


async def test_an_unavailable_daemon_is_not_an_empty_history() -> None:
    with (
        memoryd.connect("127.0.0.1:1", connect_timeout=0.1) as client,  # time: nothing listens there, ever
        pytest.raises(errors.Unavailable),
    ):
        await MemorydHistoryProvider(client).get_messages("s")


def test_the_sample_goes_on_after_a_restart(daemon: Daemon) -> None:
    assert run_sample("agent_framework_memory.py", daemon).splitlines()[-1] == "assistant: This is message 2 of you."
    daemon.kill()
    daemon.start()
    answers = run_sample("agent_framework_memory.py", daemon).splitlines()
    assert answers[-1] == "assistant: This is message 4 of you, who can't eat nuts."
