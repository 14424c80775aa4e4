"""Fixtures of the tests of recall: an agent with the memories of two users' conversations, and an empty one."""

from pathlib import Path

import pytest
from tests.conversation import Conversation, memory_drafts, read_conversations
from tests.integration.recall.remembering import Remembering
from tests.integration.wire import Wire

LABELLED = Path(__file__).with_name("work_and_life.json")


@pytest.fixture(scope="session")
def conversations() -> dict[str, Conversation]:
    """The labelled conversations, by user."""
    return {each.name: each for each in read_conversations(LABELLED)}


@pytest.fixture(scope="session")
def remembering(wire: Wire, conversations: dict[str, Conversation]) -> Remembering:
    """An agent with the memories of all conversations, which no test changes."""
    agent = Remembering(wire.channel)
    for conversation in conversations.values():
        agent.create(*memory_drafts(conversation))
    return agent


@pytest.fixture
def fresh(wire: Wire) -> Remembering:
    """A new agent without memories."""
    return Remembering(wire.channel)
