"""The memory that a fragment becomes: its fields, and whose it is."""

import json
from typing import Any

import msgspec
import pytest
from tests.unit.domain.sample import Agent, fragment_draft

from memoryd_server.domain.conversations.conversation_change import CreateConversation
from memoryd_server.domain.fragments.fragment import Fragment, fragment_of
from memoryd_server.domain.limit import SECOND_NS
from memoryd_server.domain.memories.memory import MemoryDraft, MemoryType
from memoryd_server.engine.memories.fragment_memory import drafts_of

LONG_NS = 1_000 * SECOND_NS


def fragment(content: str = "Ann lives in Oslo", fragment_id: str = "mem_00000007", **fields: Any) -> Fragment:
    """Return a fragment; metadata and sources are given as values."""
    for name in ("metadata", "sources"):
        if name in fields:
            fields[f"{name}_json"] = json.dumps(fields.pop(name))
    drafted = msgspec.structs.replace(fragment_draft(content, LONG_NS), **fields)
    return fragment_of(drafted, fragment_id, 3, 1, 5, drafted.expire_time or 0)


def draft(agent: Agent | None = None, **fields: Any) -> MemoryDraft:
    """Return the memory that a fragment becomes."""
    (only,) = drafts_of([fragment(**fields)], (agent or Agent()).state)
    return only


def users(*fragments: Fragment, agent: Agent | None = None) -> list[str]:
    """Return the users of the memories that fragments become together."""
    return [each.user_id for each in drafts_of(fragments, (agent or Agent()).state)]


def named(*names: str, talk: str = "", **fields: Any) -> Fragment:
    """Return a fragment with participants, of a conversation."""
    metadata = {"conversation_id": talk} if talk else {}
    return fragment(participants=names, metadata=metadata, **fields)


def test_a_memory_has_the_id_of_its_fragment_unless_that_exists() -> None:
    agent = Agent()
    assert draft(agent).memory_id == "mem_00000007"
    agent.create("owl", memory_id="mem_00000007")
    assert draft(agent).memory_id == ""


@pytest.mark.parametrize(
    ("user_id", "metadata", "participants", "owner"),
    [
        ("", {}, (), ("", "")),
        ("", {}, ("bob", "ann"), ("bob", "")),
        ("ann", {"project_id": "p"}, ("bob",), ("ann", "p")),
        ("eve", {"user_id": "ann"}, ("bob",), ("eve", "")),
        ("", {"user_id": "ann", "project_id": ["p"]}, ("bob",), ("ann", "")),
        ("", {"user_id": 7, "project_id": "a\nb"}, ("bob",), ("bob", "")),
        ("", {"user_id": "y" * 257, "project_id": "y" * 257}, (), ("", "")),
    ],
)
def test_the_owner_is_that_of_the_fragment_else_of_its_metadata_else_the_first_participant(
    user_id: str, metadata: dict[str, object], participants: tuple[str, ...], owner: tuple[str, str]
) -> None:
    drafted = draft(user_id=user_id, metadata=metadata, participants=participants)
    assert (drafted.user_id, drafted.project_id) == owner


def test_a_memory_keeps_every_field_of_its_fragment() -> None:
    metadata = {"conversation_id": "c", "document_id": "d", "mood": "calm"}
    drafted = draft(
        type="Episodic",
        dynamic_type="travel",
        confidence=0.25,
        metadata=metadata,
        participants=("ann",),
        causal_chain=("x",),
        sources=[{"uri": "u"}],
    )
    assert (drafted.type, drafted.tags, drafted.occur_time) == (MemoryType.EPISODIC, ("Episodic", "travel"), 5)
    assert drafted.confidence == 0.25
    origin = drafted.provenance
    assert (origin.conversation_id, origin.document_id, origin.position) == ("c", "d", 3)
    assert origin.learning_context == "consolidated from fragment mem_00000007"
    assert json.loads(drafted.metadata_json) == {
        **metadata,
        "participants": ["ann"],
        "causal_chain": ["x"],
        "sources": [{"uri": "u"}],
    }
    assert (draft().metadata_json, draft().confidence) == ("", None)


def test_the_metadata_of_a_fragment_takes_precedence_over_its_fields() -> None:
    drafted = draft(confidence=0.25, metadata={"confidence": "high", "causal_chain": "none"}, causal_chain=("x",))
    assert json.loads(drafted.metadata_json) == {"confidence": "high", "causal_chain": "none"}


def test_the_provenance_is_that_of_the_metadata_else_of_the_first_source_that_has_it() -> None:
    sources = [
        {"uri": "u"},
        {"conversation_id": 7},
        {"conversation_id": "c1"},
        {"conversation_id": "c2", "document_id": "d"},
    ]
    origin = draft(sources=sources).provenance
    assert (origin.conversation_id, origin.document_id) == ("c1", "d")
    origin = draft(sources=sources, metadata={"conversation_id": "c0"}).provenance
    assert (origin.conversation_id, origin.document_id) == ("c0", "d")


def test_a_fragment_of_type_working_becomes_a_semantic_memory() -> None:
    assert draft(type="working").type is MemoryType.SEMANTIC


def test_a_name_that_differs_from_a_given_user_by_case_alone_is_that_user() -> None:
    assert users(named("Ann"), fragment(user_id="ann"), named("ANN", "bob")) == ["ann", "ann", "ann"]


def test_a_name_that_differs_from_the_user_of_a_memory_by_case_alone_is_that_user() -> None:
    agent = Agent()
    agent.create("hen", "ann")
    assert users(named("Ann"), named("Bob"), agent=agent) == ["ann", "Bob"]


def test_users_whose_ids_differ_by_case_alone_are_not_mixed_up() -> None:
    agent = Agent()
    for user_id in ("ann", "ANN"):
        agent.create("hen", user_id)
    assert users(named("ANN"), named("Ann"), fragment(user_id="ANn"), agent=agent) == ["ANN", "Ann", "ANn"]


def test_names_of_nobody_who_is_known_are_one_person_if_they_differ_by_case_alone() -> None:
    assert users(named("Bob"), named("bob"), named("BOB")) == ["Bob", "Bob", "Bob"]


def test_the_agent_itself_is_not_the_person_whom_a_memory_is_of() -> None:
    assert users(named("A", "Ann"), named("a")) == ["Ann", ""]


def test_a_fragment_without_a_person_is_of_the_only_one_of_its_conversation() -> None:
    talk = (named("Ann", talk="c1"), named(talk="c1"), named("a", talk="c1"), named(talk="c2"), named())
    assert users(*talk) == ["Ann", "Ann", "Ann", "", ""]
    assert users(named("Ann", talk="c1"), named("Bob", talk="c1"), named(talk="c1")) == ["Ann", "Bob", ""]


def test_the_user_of_a_conversation_outweighs_participants() -> None:
    agent = Agent()
    agent.do(CreateConversation("c1", user_id="ann-7"))
    talk = (named("Ann", talk="c1"), named(talk="c1"), named("Ann", user_id="eve", talk="c1"), named("Ann"))
    assert users(*talk, agent=agent) == ["ann-7", "ann-7", "eve", "Ann"]
