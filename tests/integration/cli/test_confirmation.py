"""The questions to a person at a terminal, before many records are deleted at once."""

import sys
from collections.abc import Callable

import pytest
from tests.integration.cli.keyboard import Typed

import memoryd


@pytest.mark.parametrize(
    ("arguments", "question"),
    [
        (("fragment", "clear"), "Delete all fragments of agent"),
        (("entity", "clear", "talk"), "Delete all entities of conversation 'talk'?"),
        (("conversation", "delete", "talk"), "Delete conversation 'talk' with all of its messages?"),
    ],
)
def test_a_person_is_asked_and_may_decline(
    command: Callable[..., tuple[int, str, str]],
    agent: memoryd.Agent,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    question: str,
) -> None:
    agent.fragments.create("seen")
    agent.conversations.append("talk", [memoryd.MessageDraft("user", "hello")])
    kind, verb, *rest = arguments
    before = agent.info().revision
    monkeypatch.setattr(sys, "stdin", Typed("n\n"))
    code, _, err = command(kind, verb, agent.agent_id, *rest)
    assert (code, question in err) == (130, True)
    assert agent.info().revision == before
    assert command(kind, verb, agent.agent_id, *rest, "--yes")[0] == 0
