"""What the tests of recall ask: one agent that remembers what two users told it."""

from pathlib import Path

import pytest
from tests.conversation import Conversation, memory_drafts, read_conversations
from tests.integration.recall.remembering import Remembering
from tests.integration.wire import Wire

LABELLED = Path(__file__).with_name("work_and_life.json")


@pytest.fixture(scope="session")
def conversations() -> dict[str, Conversation]:
    """The labelled conversations by their users."""
    return {each.name: each for each in read_conversations(LABELLED)}


@pytest.fixture(scope="session")
def remembering(wire: Wire, conversations: dict[str, Conversation]) -> Remembering:
    """An agent that remembers all of them; nobody changes it."""
    agent = Remembering(wire.channel)
    for conversation in conversations.values():
        agent.create(*memory_drafts(conversation))
    return agent


@pytest.fixture
def fresh(wire: Wire) -> Remembering:
    """An agent of the test's own that remembers nothing."""
    return Remembering(wire.channel)
