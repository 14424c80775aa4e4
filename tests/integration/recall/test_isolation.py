"""Recall never returns memories of another user, project or agent, and never matches by their words."""

from collections.abc import Mapping

from tests.conversation import Conversation
from tests.integration.recall.remembering import Remembering

from memoryd.v1 import long_term_memory_service_pb2 as pb
from memoryd.v1.memory_pb2 import Provenance


def test_no_question_finds_memories_of_another_user(
    remembering: Remembering, conversations: Mapping[str, Conversation]
) -> None:
    for user_id, conversation in conversations.items():
        own = {turn.id for turn in conversation.turns}
        questions = [question for each in conversations.values() for question in each.questions]
        for question in questions:
            found = remembering.found(question.question, user_id, limit=100)
            assert own.issuperset(found), question.question


def test_without_a_user_the_memories_of_all_are_searched(remembering: Remembering) -> None:
    found = remembering.found("Postgres bakery", limit=20)
    assert {memory_id[0] for memory_id in found} == {"I", "T"}


def test_the_words_of_another_user_in_a_conversation_of_the_same_id_find_nothing(fresh: Remembering) -> None:
    conversation = Provenance(conversation_id="shared-name")
    fresh.remember("What is the gate code?", user_id="ann", provenance=conversation)
    fresh.remember("I forgot my umbrella.", user_id="bob", provenance=conversation)
    anns = fresh.remember("Four seven one one.", user_id="ann", provenance=conversation)
    matches = {each.memory.content: each for each in fresh.recall("gate code", limit=20).memories}
    assert matches["Four seven one one."].memory.memory_id == anns
    assert set(matches["Four seven one one."].context_words) == {"gate", "code"}
    umbrella = matches.get("I forgot my umbrella.")
    assert umbrella is None or not (umbrella.lexical_score or umbrella.context_words or umbrella.matched_words)


def test_a_project_finds_no_memories_of_another_project(fresh: Remembering) -> None:
    conversation = Provenance(conversation_id="standup")
    for project in ("apollo", "gemini"):
        fresh.remember("What is blocked?", project_id=project, provenance=conversation)
        fresh.remember(f"The valve of {project}.", project_id=project, provenance=conversation)
    of_gemini = {"all_users": True, "memory": {"project_ids": ["gemini"]}}
    query = pb.RecallMemoriesRequest(agent_id=fresh.id, query="blocked valve apollo", filter=of_gemini, limit=20)
    matches = fresh.stub.RecallMemories(query).memories
    assert {each.memory.project_id for each in matches} == {"gemini"}
    assert all("apollo" not in (*each.matched_words, *each.context_words) for each in matches)


def test_an_agent_finds_no_memories_of_another_agent(remembering: Remembering, fresh: Remembering) -> None:
    assert not fresh.found("Where is staging?")
    fresh.remember("Staging is a tent in the yard.")
    recalled = fresh.recall("Where is staging?", limit=100)
    assert [each.memory.content for each in recalled.memories] == ["Staging is a tent in the yard."]
    assert recalled.match_count == 1


def test_a_conversation_can_be_searched_alone(remembering: Remembering) -> None:
    query = {"user_ids": ["tomas"], "conversation_ids": ["session-3"]}
    request = pb.RecallMemoriesRequest(agent_id=remembering.id, query="hotel eggs price", filter=query, limit=100)
    found = [each.memory for each in remembering.stub.RecallMemories(request).memories]
    assert found
    assert {(each.user_id, each.provenance.conversation_id) for each in found} == {("tomas", "session-3")}
