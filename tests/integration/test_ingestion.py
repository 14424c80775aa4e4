"""Conversations are ingested without a call: after a rest, also after a kill, and into the review queue."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.daemon import Daemon
from tests.wait import PATIENT, until

import memoryd

FLAGS = ("--embedder", "none", "--ingest", "--ingest-after")


def say(daemon: Daemon, *texts: str) -> None:
    with memoryd.connect(target=daemon.address, **PATIENT) as client:
        agent = client.agent("a")
        agent.conversations.append("talk", [memoryd.MessageDraft("user", text) for text in texts])


def contents(daemon: Daemon) -> list[str]:
    with memoryd.connect(target=daemon.address, **PATIENT) as client:
        return sorted(each.content for each in client.agent("a").memories.list())


@pytest.mark.whole
def test_messages_are_ingested_once_after_a_kill(launch_process: Callable[..., Daemon]) -> None:
    daemon = launch_process(*FLAGS, "2s")
    say(daemon, "I prefer tea.", "I have a dog.")
    daemon.kill()
    daemon.start()
    assert until(lambda: contents(daemon), "memories of the messages") == ["I have a dog", "I prefer tea"]
    say(daemon, "I am vegan.")
    until(lambda: len(contents(daemon)) == 3, "a memory of the later message")
    with memoryd.connect(target=daemon.address, **PATIENT) as client:
        agent = client.agent("a")
        assert [each.reinforce_count for each in agent.memories.list()] == [0, 0, 0]
        assert agent.memories.ingest_conversation("talk").message_count == 0
        assert "ingestion" in client.server_info().capabilities


def test_statements_wait_for_a_review_where_the_daemon_proposes(launch_process: Callable[..., Daemon]) -> None:
    daemon = launch_process(*FLAGS, "0s", "--ingest-mode", "propose")
    say(daemon, "I prefer tea.")
    with memoryd.connect(target=daemon.address, **PATIENT) as client:
        memories: Any = client.agent("a").memories
        (proposal,) = until(lambda: list(memories.list_proposals()), "a proposal")
        assert (proposal.content, list(memories.list())) == ("I prefer tea", [])
