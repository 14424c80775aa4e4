"""Copies of what holds a connection, which are refused: pickle makes them to pass an object to another process."""

import copy
import pickle
from collections.abc import Callable, Iterable
from typing import Any

import pytest

import memoryd
from memoryd.langgraph import MemorydSaver, MemorydStore

TARGET = "127.0.0.1:1"
Copy = Callable[[Any], Any]


def objects(client: Any) -> Iterable[Any]:
    """Yield an object of each class that holds the connection of a client."""
    agent = client.agent("assistant-1")
    yield from (client, client.operations, agent, agent.attach("scope-1"), agent.user("ada"), agent.user("ada").notes)
    yield from (agent.memories, agent.notes, agent.plans, agent.documents, agent.fragments, agent.conversations)
    yield from (agent.entities("talk-1"), agent.fragments.on_flush(print), agent.watch(), agent.near_cache())


def refuses(copied: Copy, each: Any) -> None:
    with pytest.raises(TypeError, match=r"Pass on the target, '127\.0\.0\.1:1', and the ids"):
        copied(each)


@pytest.mark.parametrize("copied", [pickle.dumps, copy.deepcopy])
def test_what_holds_a_connection_says_what_to_do_instead_of_being_copied(copied: Copy) -> None:
    with memoryd.connect(TARGET) as client:
        for each in objects(client):
            refuses(copied, each)


@pytest.mark.parametrize("copied", [pickle.dumps, copy.deepcopy])
@pytest.mark.parametrize("batching", [False, True])
async def test_so_does_what_holds_one_of_an_event_loop(copied: Copy, *, batching: bool) -> None:
    async with memoryd.aio.connect(TARGET, batching=batching) as client:
        for each in objects(client):
            refuses(copied, each)


@pytest.mark.parametrize("copied", [pickle.dumps, copy.deepcopy])
def test_so_do_adapters(copied: Copy) -> None:
    with MemorydStore(TARGET) as store, MemorydSaver(TARGET) as saver:
        for each in (store, saver):
            refuses(copied, each)
