"""The questions to a person at a terminal, before what cannot be undone."""

import sys
from collections.abc import Callable

import pytest
from tests.integration.cli.keyboard import Typed

import memoryd

Command = Callable[..., tuple[int, str, str]]

DEEDS = [
    (("agent", "clear"), "delete 1 fragment, 1 entity window, 1 conversation, 2 messages of agent"),
    (("agent", "end"), "end agent"),
    (("agent", "forget-user", "zoe"), "erase all records of user 'zoe' in agent"),
    (("fragment", "clear"), "delete 1 fragment of agent"),
    (("fragment", "clear", "--erase"), "erase 1 fragment of agent"),
    (("entity", "clear", "talk"), "delete 1 entity of conversation 'talk'"),
    (("conversation", "delete", "talk"), "delete conversation 'talk', with 2 messages"),
    (("conversation", "delete", "talk", "--plans"), "delete conversation 'talk', with 2 messages, plans"),
    (("conversation", "truncate", "talk", "1"), "delete 2 messages of conversation 'talk', from message 1 on"),
    (("conversation", "compact", "talk", "--max-tokens", "1"), "compact conversation 'talk' (2 messages with "),
    (("note", "delete", "n", "--erase"), "erase note 'n' of agent"),
    (("plan", "remove-step", "s", "--plan", "p", "--erase"), "erase plan step 's' of agent"),
    (("entry", "delete", "k", "--erase"), "erase entry 'k' of agent"),
    (("memory", "purge", "m"), "erase memory 'm' of agent"),
    (("fragment", "ack", "token", "f", "--erase"), "acknowledge and erase 1 fragment"),
]


@pytest.fixture
def full(agent: memoryd.Agent) -> memoryd.Agent:
    """An agent with records of several kinds."""
    agent.fragments.create("seen")
    agent.conversations.append("talk", [memoryd.MessageDraft("user", text) for text in ("hello", "there")])
    agent.entities("talk").add(memoryd.Entity("page", "p1", "Home"))
    return agent


@pytest.mark.parametrize(("arguments", "deed"), DEEDS)
def test_a_person_is_asked_and_may_decline(
    command: Command, full: memoryd.Agent, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], deed: str
) -> None:
    kind, verb, *rest = arguments
    before = full.info().revision
    monkeypatch.setattr(sys, "stdin", Typed("n\n"))
    code, _, err = command(kind, verb, full.agent_id, *rest)
    assert (code, err.partition("?")[0].lower().startswith(deed.lower()[:20])) == (130, True)
    assert "This cannot be undone." in err
    assert full.info().revision == before


@pytest.mark.parametrize(("arguments", "deed"), DEEDS)
def test_a_dry_run_prints_the_deed_and_does_nothing(
    command: Command, full: memoryd.Agent, arguments: tuple[str, ...], deed: str
) -> None:
    kind, verb, *rest = arguments
    before = full.info().revision
    code, out, err = command(kind, verb, full.agent_id, *rest, "--dry-run")
    assert (code, err) == (0, "")
    assert out.startswith("would ")
    for part in deed.split(", "):
        assert part in out
    assert full.info().revision == before


def test_consent_is_needed_for_no_record_that_is_deleted_alone(command: Command, agent: memoryd.Agent) -> None:
    note_id = agent.notes.create("Tone", "short").note_id
    assert command("note", "delete", agent.agent_id, note_id)[0] == 0


def test_yes_replaces_the_question(command: Command, full: memoryd.Agent) -> None:
    assert command("fragment", "clear", full.agent_id, "--yes") == (0, "deleted 1 fragment\n", "")
