"""The current conversation in nested blocks, in tasks, in threads, and after exceptions."""

import asyncio
import contextvars
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from tests.wait import WAIT_S_MAX

import memoryd
from memoryd import conversation, current_conversation
from memoryd.errors import NoConversation


@dataclass(frozen=True)
class Agent:
    agent_id: str


ADA = Agent("ada")
BOB = Agent("bob")


def here() -> tuple[str, str]:
    current = current_conversation()
    return current.agent_id, current.conversation_id


def nobody() -> bool:
    try:
        current_conversation()
    except NoConversation:
        return True
    return False


def test_it_is_known_inside_of_its_block_alone() -> None:
    with pytest.raises(NoConversation, match=r"use `with memoryd\.conversation"):
        current_conversation()
    with conversation(ADA, "talk", user_id="u") as begun:
        assert current_conversation() is begun
        assert (begun.agent, begun.conversation_id, begun.user_id) == (ADA, "talk", "u")
    assert nobody()


def test_its_error_is_one_of_the_tree() -> None:
    assert issubclass(NoConversation, memoryd.MemorydError)
    assert issubclass(NoConversation, LookupError)


def test_a_nested_one_goes_before_the_outer_one() -> None:
    with conversation(ADA, "outer"):
        with conversation(BOB, "inner"):
            assert here() == ("bob", "inner")
        assert here() == ("ada", "outer")


def test_an_exception_ends_it() -> None:
    with conversation(ADA, "outer"):
        with pytest.raises(KeyError), conversation(BOB, "inner"):
            raise KeyError
        assert here() == ("ada", "outer")
    assert nobody()


def test_an_empty_id_is_refused() -> None:
    with pytest.raises(ValueError, match="conversation_id is empty"):
        conversation(ADA, "")


def test_a_block_cannot_be_entered_twice_at_once() -> None:
    block = conversation(ADA, "talk")
    with block, pytest.raises(RuntimeError, match="entered already"):
        block.__enter__()
    with block:
        assert here() == ("ada", "talk")
    assert nobody()


def test_other_threads_have_none_unless_they_get_it() -> None:
    with ThreadPoolExecutor(1) as executor, conversation(ADA, "talk"):
        assert executor.submit(nobody).result()
        assert executor.submit(contextvars.copy_context().run, here).result() == ("ada", "talk")
        assert executor.submit(nobody).result()


def test_threads_stay_apart() -> None:
    both_inside = threading.Barrier(2)

    def talk(agent: Agent) -> tuple[str, str]:
        with conversation(agent, f"of {agent.agent_id}"):
            both_inside.wait(WAIT_S_MAX)
            return here()

    with ThreadPoolExecutor(2) as executor:
        assert list(executor.map(talk, (ADA, BOB))) == [("ada", "of ada"), ("bob", "of bob")]


async def test_tasks_stay_apart() -> None:
    turns = [asyncio.Event(), asyncio.Event()]

    async def talk(agent: Agent, mine: asyncio.Event, others: asyncio.Event) -> tuple[str, str]:
        async with conversation(agent, f"of {agent.agent_id}"):
            mine.set()
            await others.wait()
            return here()

    first, second = await asyncio.gather(talk(ADA, *turns), talk(BOB, *reversed(turns)))
    assert (first, second) == (("ada", "of ada"), ("bob", "of bob"))
    assert nobody()


async def test_a_task_has_that_in_which_it_was_created() -> None:
    go_on = asyncio.Event()

    async def later() -> tuple[str, str]:
        await go_on.wait()
        return here()

    async with conversation(ADA, "talk"):
        task = asyncio.create_task(later())
        assert await asyncio.to_thread(here) == ("ada", "talk")
    go_on.set()
    assert await task == ("ada", "talk")


async def test_a_cancelled_task_leaves_nothing_behind() -> None:
    inside = asyncio.Event()

    async def talk() -> None:
        try:
            async with conversation(BOB, "inner"):
                inside.set()
                await asyncio.Event().wait()
        finally:
            assert here() == ("ada", "outer")

    async with conversation(ADA, "outer"):
        task = asyncio.create_task(talk())
        await inside.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert nobody()


async def test_a_generator_that_another_task_closes_does_not_change_the_tasks_conversation() -> None:
    async def words() -> AsyncIterator[str]:
        async with conversation(BOB, "stream"):
            yield "hello"

    stream = words()

    async def begin() -> str:
        return await anext(stream)

    assert await asyncio.create_task(begin()) == "hello"
    async with conversation(ADA, "talk"):
        await stream.aclose()  # type: ignore[attr-defined]
        assert here() == ("ada", "talk")


def test_an_abandoned_generator_ends_its_own_conversation() -> None:
    def words() -> Iterator[str]:
        with conversation(ADA, "stream"):
            yield "hello"

    stream = words()
    assert next(stream) == "hello"
    stream.close()  # type: ignore[attr-defined]
    assert nobody()
